// SPDX-License-Identifier: Apache-2.0
//
// Which part of the output an item belongs to. A criterion is asked once for each item i < n:
// part(i, item) if it needs to see the item, else part(i). Parts are 0 to kParts - 1; kParts is
// what no part wants.
#pragma once

#include <compaction/buffer_checks.cuh>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/type_traits.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// The items that a predicate holds for.
template <class Predicate>
struct IfCriterion {
    static constexpr int kParts = 1;
    static constexpr bool kNeedsItem = true;
    Predicate predicate;
    template <class Item>
    __device__ int part(std::int64_t, const Item& item) {
        return static_cast<bool>(predicate(item)) ? 0 : 1;
    }
};

// The items whose flag is true.
template <class Flags>
struct FlagCriterion {
    static constexpr int kParts = 1;
    static constexpr bool kNeedsItem = false;
    Flags flags;
    __device__ int part(std::int64_t i) { return static_cast<bool>(flags[i]) ? 0 : 1; }
};

// The items whose flag a predicate holds for.
template <class Flags, class Predicate>
struct FlagIfCriterion {
    static constexpr int kParts = 1;
    static constexpr bool kNeedsItem = false;
    Flags flags;
    Predicate predicate;
    __device__ int part(std::int64_t i) {
        const IteratorValue<Flags> flag = flags[i];
        return static_cast<bool>(predicate(flag)) ? 0 : 1;
    }
};

// The first item of each run of equal ones: those that do not equal the item before them. That one
// is read again here; it comes from the cache.
template <class In, class Equality>
struct UniqueCriterion {
    static constexpr int kParts = 1;
    static constexpr bool kNeedsItem = true;
    In in;
    Equality equal;
    template <class Item>
    __device__ int part(std::int64_t i, const Item& item) {
        if (i == 0) return 0;
        const Item before = in[i - 1];
        return static_cast<bool>(equal(before, item)) ? 1 : 0;
    }
};

// Two parts; the second predicate is asked about what the first one does not want.
template <class First, class Second>
struct ThreeWayCriterion {
    static constexpr int kParts = 2;
    static constexpr bool kNeedsItem = true;
    First first;
    Second second;
    template <class Item>
    __device__ int part(std::int64_t, const Item& item) {
        if (static_cast<bool>(first(item))) return 0;
        return static_cast<bool>(second(item)) ? 1 : 2;
    }
};

// The items whose bit is set, 32 of them in a word.
struct MarkCriterion {
    static constexpr int kParts = 1;
    static constexpr bool kNeedsItem = false;
    const unsigned* marks;
    __device__ int part(std::int64_t i) { return (marks[i / 32] >> (i % 32) & 1u) != 0 ? 0 : 1; }
};

// Announces what a criterion reads beside the items, and returns its number (BufferChecks::reads):
// flags are read with the items, so they may be what is written in place.
template <class Criterion>
unsigned check_criterion(const Criterion&, BufferChecks&) {
    return 0;
}
template <class Flags>
unsigned check_criterion(const FlagCriterion<Flags>& criterion, BufferChecks& buffers) {
    return buffers.reads(criterion.flags);
}
template <class Flags, class Predicate>
unsigned check_criterion(const FlagIfCriterion<Flags, Predicate>& criterion,
                         BufferChecks& buffers) {
    return buffers.reads(criterion.flags);
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

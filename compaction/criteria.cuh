// SPDX-License-Identifier: Apache-2.0
//
// Which part of the output an item belongs to. Parts are 0 to kParts - 1; kParts is what no part
// wants. A criterion is asked once for each item. It has
//   Registers<Shape>   what it reads for a thread's items, beside these
//   load(...)          reads that
//   classify(...)      sets the bit of each item's part, in parts that are all clear
#pragma once

#include <compaction/buffer_checks.cuh>
#include <compaction/lane_rows.cuh>
#include <compaction/tile_shape.cuh>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/type_traits.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

struct NoRegisters {};

// The items that a predicate holds for.
template <class Predicate>
struct IfCriterion {
    static constexpr int kParts = 1;
    static constexpr bool kHasFlags = false;
    template <class Shape>
    using Registers = NoRegisters;
    Predicate predicate;

    template <class Shape>
    __device__ void load(NoRegisters&, std::int64_t, int) {}
    template <class Shape, class Row>
    __device__ __forceinline__ void classify(const NoRegisters&, const Row (&rows)[Shape::kRows],
                                             std::int64_t, int count, ItemBits<Shape> (&parts)[1]) {
        for_each_item<Shape>(count, [&](int row, int j, int) {
            auto item = rows[row].get(j);  // not const: a predicate may take a reference
            parts[0].set(row, j, static_cast<bool>(predicate(item)));
        });
    }
};

// The items whose flag is true, or whose flag a predicate holds for.
struct IsTrue {
    template <class Flag>
    __device__ bool operator()(const Flag& flag) const {
        return static_cast<bool>(flag);
    }
};
template <class Flags, class Predicate = IsTrue>
struct FlagCriterion {
    static constexpr int kParts = 1;
    static constexpr bool kHasFlags = true;
    template <class Shape>
    struct Registers {
        LaneRow<IteratorValue<Flags>, Shape::kVector> rows[Shape::kRows];
    };
    Flags flags;
    Predicate predicate;

    template <class Shape>
    __device__ __forceinline__ void load(Registers<Shape>& registers, std::int64_t base,
                                         int count) {
        load_rows<Shape>(flags, base, count, registers.rows);
    }
    template <class Shape, class Row>
    __device__ __forceinline__ void classify(const Registers<Shape>& registers,
                                             const Row (&)[Shape::kRows], std::int64_t, int count,
                                             ItemBits<Shape> (&parts)[1]) {
        for_each_item<Shape>(count, [&](int row, int j, int) {
            IteratorValue<Flags> flag = registers.rows[row].get(j);
            parts[0].set(row, j, static_cast<bool>(predicate(flag)));
        });
    }
};

// The first item of each run of equal ones: those that do not equal the item before them.
template <class In, class Equality>
struct UniqueCriterion {
    static constexpr int kParts = 1;
    static constexpr bool kHasFlags = false;
    template <class Shape>
    struct Registers {
        IteratorValue<In> left;
    };
    In in;
    Equality equal;

    template <class Shape>
    __device__ __forceinline__ void load(Registers<Shape>& registers, std::int64_t base,
                                         int count) {
        load_left<Shape>(in, base, count, registers.left);
    }
    template <class Shape, class Row>
    __device__ __forceinline__ void classify(const Registers<Shape>& registers,
                                             const Row (&rows)[Shape::kRows], std::int64_t base,
                                             int count, ItemBits<Shape> (&parts)[1]) {
        mark_heads<Shape>(in, equal, rows, registers.left, base, count, parts[0]);
    }
};

// Two parts; the second predicate is asked about what the first one does not want.
template <class First, class Second>
struct ThreeWayCriterion {
    static constexpr int kParts = 2;
    template <class Shape>
    using Registers = NoRegisters;
    First first;
    Second second;

    template <class Shape>
    __device__ void load(NoRegisters&, std::int64_t, int) {}
    template <class Shape, class Row>
    __device__ __forceinline__ void classify(const NoRegisters&, const Row (&rows)[Shape::kRows],
                                             std::int64_t, int count, ItemBits<Shape> (&parts)[2]) {
        for_each_item<Shape>(count, [&](int row, int j, int) {
            auto item = rows[row].get(j);
            const bool is_first = static_cast<bool>(first(item));
            parts[0].set(row, j, is_first);
            if (!is_first) parts[1].set(row, j, static_cast<bool>(second(item)));
        });
    }
};

// The items whose bit is set, 32 of them in a word.
struct MarkCriterion {
    static constexpr int kParts = 1;
    template <class Shape>
    struct Registers {
        unsigned row[Shape::kRows];
    };
    const unsigned* marks;

    template <class Shape>
    __device__ __forceinline__ void load(Registers<Shape>& registers, std::int64_t base,
                                         int count) {
        LIBSCAN_UNROLL_ALL
        for (int row = 0; row < Shape::kRows; ++row) {
            const int i = Shape::at(row);
            registers.row[row] = 0;
            if (i < count) registers.row[row] = marks[(base + i) / 32] >> (i % 32);
        }
    }
    template <class Shape, class Row>
    __device__ __forceinline__ void classify(const Registers<Shape>& registers,
                                             const Row (&)[Shape::kRows], std::int64_t, int,
                                             ItemBits<Shape> (&parts)[1]) {
        constexpr unsigned kMask = Shape::kVector == 32 ? ~0u : (1u << (Shape::kVector % 32)) - 1;
        LIBSCAN_UNROLL_ALL
        for (int row = 0; row < Shape::kRows; ++row)
            parts[0].set_row(row, registers.row[row] & kMask);
    }
};

// Announces what a criterion reads beside the items, and returns its number (BufferChecks::reads):
// flags are read with the items, so they may be what is written in place.
template <class Criterion>
unsigned check_criterion(const Criterion&, BufferChecks&) {
    return 0;
}
template <class Flags, class Predicate>
unsigned check_criterion(const FlagCriterion<Flags, Predicate>& criterion, BufferChecks& buffers) {
    return buffers.reads(criterion.flags);
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

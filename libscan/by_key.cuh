// SPDX-License-Identifier: Apache-2.0
//
// Scan by key as a scan of (value, head) pairs: a head is the first element of a run of equal keys,
// and the operator never combines across one. Source: Shubhabrata Sengupta, Mark Harris, Yao Zhang
// and John D. Owens, "Scan Primitives for GPU Computing", Graphics Hardware 2007, section 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <libscan/argument_checks.cuh>
#include <libscan/config.cuh>
#include <libscan/three_kernel_scan_kernels.cuh>

LIBSCAN_NAMESPACE_BEGIN

// a == b, the default of the scans by key.
struct Equal {
    template <class A, class B>
    __host__ __device__ constexpr bool operator()(const A& a, const B& b) const {
        return a == b;
    }
};

namespace detail {

template <class T>
struct Segmented {
    T value;
    bool head;  // a run begins here, or somewhere in what this stands for
};

template <class T, class Op>
struct SegmentedOp {
    Op op;
    __device__ Segmented<T> operator()(const Segmented<T>& a, const Segmented<T>& b) {
        if (b.head) return b;
        return {combine(op, a.value, b.value), a.head};
    }
};

// A run begins at element i.
template <class Keys, class Equality>
__device__ bool is_head(Keys keys, Equality& equal, std::int64_t i) {
    return i == 0 || !equal(keys[i - 1], keys[i]);
}

// What an iterator that is only indexed has to name.
template <class Value>
struct IndexedIterator {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Value;
    using difference_type = std::int64_t;
    using pointer = void;
    using reference = Value;
};

template <class T, class Keys, class Values, class Equality>
struct KeyedInput : IndexedIterator<Segmented<T>> {
    Keys keys;
    Values values;
    mutable Equality equal;

    KeyedInput(Keys k, Values v, Equality e) : keys(k), values(v), equal(e) {}
    __device__ Segmented<T> operator[](std::int64_t i) const {
        return {static_cast<T>(values[i]), is_head(keys, equal, i)};
    }
};

// Takes the scanned pairs and writes values: of an inclusive scan as they are; of an exclusive one
// combined with the initial value, which is what the head of a run gets alone.
template <class T, class Keys, class Out, class Equality, class Op, class Init>
struct KeyedExclusiveOutput : IndexedIterator<void> {
    Keys keys;
    Out out;
    mutable Equality equal;
    mutable Op op;
    Init init;

    struct Slot {
        const KeyedExclusiveOutput& to;
        std::int64_t i;
        __device__ void operator=(const Segmented<T>& before) const {
            const T first = static_cast<T>(to.init);
            store(to.out, i,
                  is_head(to.keys, to.equal, i) ? first : combine(to.op, first, before.value));
        }
    };
    KeyedExclusiveOutput(Keys k, Out o, Equality e, Op f, Init v)
        : keys(k), out(o), equal(e), op(f), init(v) {}
    __device__ Slot operator[](std::int64_t i) const { return {*this, i}; }
};

template <class T, class Out>
struct KeyedInclusiveOutput : IndexedIterator<void> {
    Out out;

    struct Slot {
        const KeyedInclusiveOutput& to;
        std::int64_t i;
        __device__ void operator=(const Segmented<T>& scanned) const {
            store(to.out, i, scanned.value);
        }
    };
    explicit KeyedInclusiveOutput(Out o) : out(o) {}
    __device__ Slot operator[](std::int64_t i) const { return {*this, i}; }
};

// Keys may not be overwritten: a tile looks at the key before its first. The values may be scanned
// in place.
template <class Keys, class Values, class Out>
[[nodiscard]] cudaError_t check_keyed_buffers(Keys keys, Values values, Out out, std::int64_t count,
                                              const void* temp, std::size_t temp_bytes) {
    if (count == 0) return cudaSuccess;
    ByteRange key_range, output;
    if (!to_byte_range(keys, count, key_range) || !to_byte_range(out, count, output))
        return cudaErrorInvalidValue;
    const ByteRange storage{reinterpret_cast<std::uintptr_t>(temp), temp_bytes, true};
    if (overlap(key_range, output) || overlap(key_range, storage)) return cudaErrorInvalidValue;
    return check_buffers(values, out, count, temp, temp_bytes);
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

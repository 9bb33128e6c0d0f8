// SPDX-License-Identifier: Apache-2.0
//
// Values of runs: a value and whether a run begins in what it stands for. The operator never
// combines across the beginning of a run. Source: Shubhabrata Sengupta, Mark Harris, Yao Zhang and
// John D. Owens, "Scan Primitives for GPU Computing", Graphics Hardware 2007, section 3.
#pragma once

#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/tile_states.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class T>
struct Segmented {
    T value;    // of the last run in it
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

// Published with no more words than the value alone.
template <class T>
struct StateBits<Segmented<T>> {
    using Payload = T;
    static __device__ __forceinline__ const T& payload(const Segmented<T>& v) { return v.value; }
    static __device__ __forceinline__ bool bit(const Segmented<T>& v) { return v.head; }
    static __device__ __forceinline__ Segmented<T> value(const T& payload, bool bit) {
        return {payload, bit};
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

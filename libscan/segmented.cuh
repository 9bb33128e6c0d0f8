// SPDX-License-Identifier: Apache-2.0
//
// Values of runs: a value and whether a run begins in what it stands for. The operator never
// combines across the beginning of a run. Source: Shubhabrata Sengupta, Mark Harris, Yao Zhang and
// John D. Owens, "Scan Primitives for GPU Computing", Graphics Hardware 2007, section 3.
#pragma once

#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/tile_states.cuh>
#include <libscan/warp_scan.cuh>

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
        return {b.head ? b.value : combine(op, a.value, b.value), a.head || b.head};
    }
};

// Inclusive scan over the lanes of a warp of the values alone: `heads` are the lanes in which a run
// begins. A lane's result begins in the nearest of these, at or below it, or in lane 0; a step that
// would reach beyond combines nothing. The order of combination is that of a scan of pairs.
template <int kLanes, class T, class Op>
__device__ __forceinline__ T warp_scan_runs(unsigned mask, T value, unsigned heads, Op& op,
                                            int valid) {
    const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
    const unsigned below = (heads | 1) & (~0u >> (kWarpSize - 1 - lane));
    const int reach = lane - (kWarpSize - 1 - __clz(static_cast<int>(below)));
    LIBSCAN_UNROLL_ALL
    for (int distance = 1; distance < kLanes; distance *= 2) {
        const T left = shuffle_up(mask, value, distance);
        if (distance <= reach && lane < valid) value = combine(op, left, value);
    }
    return value;
}

template <class T, class Op>
struct WarpScan<Segmented<T>, SegmentedOp<T, Op>> {
    template <int kLanes>
    static __device__ __forceinline__ Segmented<T> inclusive(unsigned mask,
                                                             const Segmented<T>& pair,
                                                             SegmentedOp<T, Op>& op, int valid) {
        const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
        const unsigned heads = __ballot_sync(mask, pair.head && lane < valid);
        const T value = warp_scan_runs<kLanes>(mask, pair.value, heads, op.op, valid);
        return {value, (heads & (~0u >> (kWarpSize - 1 - lane))) != 0};
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

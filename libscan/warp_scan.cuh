// SPDX-License-Identifier: Apache-2.0
//
// Scan over the lanes of one warp by shuffles; no shared memory.
#pragma once

#include <cstring>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN

inline constexpr int kWarpSize = 32;

// The lanes that the calling thread's warp has in a one-dimensional block of kThreads threads: all
// 32, or fewer in the last warp. A shuffle that named a lane which does not exist would wait for
// it.
template <int kThreads>
__device__ unsigned warp_mask() {
    if constexpr (kThreads % kWarpSize == 0) {
        return ~0u;
    } else {
        const int rest = kThreads - static_cast<int>(threadIdx.x) / kWarpSize * kWarpSize;
        return rest >= kWarpSize ? ~0u : (1u << rest) - 1;
    }
}

namespace detail {

// Sends a value through `move`, which takes and gives 32-bit words: so any trivially copyable type
// can be shuffled.
template <class T, class Move>
__device__ __forceinline__ T move_words(const T& value, Move move) {
    static_assert(std::is_trivially_copyable_v<T>, "only trivially copyable types can be shuffled");
    constexpr int kWords = (sizeof(T) + 3) / 4;
    unsigned words[kWords] = {};
    std::memcpy(words, static_cast<const void*>(__builtin_addressof(value)), sizeof(T));
    // Large values are not in registers anyway; unrolled they take minutes to compile.
    LIBSCAN_UNROLL((kWords <= 32 ? kWords : 8))
    for (int w = 0; w < kWords; ++w) words[w] = move(words[w]);
    T result = value;
    std::memcpy(static_cast<void*>(__builtin_addressof(result)), words, sizeof(T));
    return result;
}

template <class T, class Op>
struct WarpScan;

}  // namespace detail

// The value of the lane `distance` below; lanes below `distance` get their own value back. All
// lanes of `mask` must call it together.
template <class T>
__device__ __forceinline__ T shuffle_up(unsigned mask, const T& value, int distance) {
    return detail::move_words(value, [=](unsigned word) {
        return __shfl_up_sync(mask, word, static_cast<unsigned>(distance));
    });
}

// The value of lane `source`, in all lanes of `mask`, which must call it together.
template <class T>
__device__ __forceinline__ T broadcast(unsigned mask, const T& value, int source) {
    return detail::move_words(value,
                              [=](unsigned word) { return __shfl_sync(mask, word, source); });
}

// Inclusive scan over the lanes of a warp: lane l < valid gets op(value of lane 0, ..., value of
// lane l). Lanes from `valid` on (`valid` may be above 32, or 0 and below) take part in the
// shuffles only; their result is unspecified, and the operator never sees their value. kLanes
// bounds `valid` at compile time and saves steps. All lanes of `mask`, which begins at lane 0, must
// call it together, in a one-dimensional block. Algorithm: W. Daniel Hillis and Guy L. Steele Jr.,
// "Data Parallel Algorithms", CACM 29(12), 1986.
template <int kLanes = kWarpSize, class T, class Op>
__device__ __forceinline__ T warp_inclusive_scan(unsigned mask, T value, Op op,
                                                 int valid = kWarpSize) {
    return detail::WarpScan<T, Op>::template inclusive<kLanes>(mask, value, op, valid);
}

namespace detail {

// A class, so that values which know a shorter way can have their own (segmented.cuh).
template <class T, class Op>
struct WarpScan {
    template <int kLanes>
    static __device__ __forceinline__ T inclusive(unsigned mask, T value, Op& op, int valid) {
        const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
        LIBSCAN_UNROLL_ALL
        for (int distance = 1; distance < kLanes; distance *= 2) {
            const T left = shuffle_up(mask, value, distance);
            if (lane >= distance && lane < valid) value = combine(op, left, value);
        }
        return value;
    }
};

}  // namespace detail

LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// Operators, and what the library knows about them.
#pragma once

#include <libscan/config.cuh>
#include <libscan/scan_start.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN

// a + b, in the type that C++ gives it (so two bytes add up to an int).
struct Plus {
    template <class A, class B>
    __host__ __device__ constexpr auto operator()(const A& a, const B& b) const -> decltype(a + b) {
        return a + b;
    }
};

using Sum = Plus;

// The larger, and the smaller of two values, in the type that both convert to; the first of equal
// ones.
struct Max {
    template <class T>
    __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
        return a < b ? b : a;
    }
    template <class A, class B>
    __host__ __device__ constexpr std::common_type_t<A, B> operator()(const A& a,
                                                                      const B& b) const {
        using T = std::common_type_t<A, B>;
        return (*this)(static_cast<T>(a), static_cast<T>(b));
    }
};
struct Min {
    template <class T>
    __host__ __device__ constexpr T operator()(const T& a, const T& b) const {
        return b < a ? b : a;
    }
    template <class A, class B>
    __host__ __device__ constexpr std::common_type_t<A, B> operator()(const A& a,
                                                                      const B& b) const {
        using T = std::common_type_t<A, B>;
        return (*this)(static_cast<T>(a), static_cast<T>(b));
    }
};

// True where 0 is known to be the identity of Op on T. Knowing one lets every tile start from it;
// without one, a tile's element 0 waits for the offset of its tile.
template <class Op, class T>
inline constexpr bool kHasZeroIdentity = std::is_same_v<Op, Plus>&& std::is_arithmetic_v<T>;

namespace detail {

// op(left, right) as a T. Two bytes add up to an int, but a scan of bytes holds bytes.
template <class T, class Op>
__device__ T combine(Op& op, const T& left, const T& right) {
    return static_cast<T>(op(left, right));
}

constexpr bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

template <class Integer>
__host__ __device__ constexpr Integer ceil_div(Integer a, Integer b) {
    return a / b + (a % b != 0 ? 1 : 0);
}

// The contract that all tile scans share, checked where one is instantiated.
template <class T, int kThreads, int kTile>
struct TileRequirements {
    static_assert(
        std::is_trivially_copyable_v<T>,
        "a tile scan moves its elements through shared memory: T must be trivially copyable");
    static_assert(std::is_default_constructible_v<T>, "T must be default constructible");
    static_assert(kThreads >= 1 && kThreads <= 1024, "a block has 1 to 1024 threads");
    static_assert(is_power_of_two(kTile) && kTile >= 32 && kTile <= 8192,
                  "a tile is a power of two from 32 to 8192 elements");
    static constexpr bool kMet = true;
};

}  // namespace detail

LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// Element types and operators of the scan workloads.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace bench {

/// 16 bytes: four counters, or a 2x2 matrix mod 2^32.
struct alignas(16) V16 {
    std::uint32_t a, b, c, d;

    friend __host__ __device__ bool operator==(const V16& x, const V16& y) {
        return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
    }
    friend __host__ __device__ V16 operator+(const V16& x, const V16& y) {
        return {x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d};
    }
    friend __host__ __device__ bool operator<(const V16& x, const V16& y) {
        return x.a != y.a ? x.a < y.a : x.b < y.b;
    }
};

/// The greater of two, the first of equals.
struct Max {
    template <class T>
    __host__ __device__ T operator()(const T& x, const T& y) const {
        return x < y ? y : x;
    }
};

/// An operator that no library knows: addition once more; for V16 the matrix product, which is not
/// commutative.
template <class T>
struct Custom {
    __host__ __device__ T operator()(const T& x, const T& y) const { return static_cast<T>(x + y); }
};
template <>
struct Custom<V16> {
    __host__ __device__ V16 operator()(const V16& x, const V16& y) const {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                x.c * y.b + x.d * y.d};
    }
};

/// Initial value of the custom scan.
template <class T>
T custom_start() {
    return T(1);
}
template <>
inline V16 custom_start<V16>() {
    return {1, 1, 0, 1};
}

}  // namespace bench

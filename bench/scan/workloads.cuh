// SPDX-License-Identifier: Apache-2.0
//
// The scan workloads: inputs, and the check of the outputs.
//
// The check needs no second scan. An exclusive scan is right if and only if out[0] is the initial
// value and out[i] == op(out[i - 1], in[i - 1]) for all other i, so each item can be checked by
// itself. Inputs are such that every partial result is exact, in whatever order it came about:
// integers, and floating-point numbers whose sums are small integers.
#pragma once

#include <type_traits>

#include "../harness/kernels.cuh"
#include "elements.h"

namespace bench {

// Sums of i consecutive items are random(i) - random(0): any partial sum is exact, in float, too.
template <class T>
struct SumInput {
    __device__ T operator()(std::uint64_t i, std::uint64_t) const {
        const std::uint64_t bits = random_bits(i);
        if constexpr (std::is_same_v<T, V16>) {
            const std::uint32_t low = static_cast<std::uint32_t>(bits);
            const std::uint32_t high = static_cast<std::uint32_t>(bits >> 32);
            return {low, high, low ^ high, low + high};
        } else if constexpr (std::is_floating_point_v<T>) {
            const int next = static_cast<int>(random_bits(i + 1) % 256);
            return static_cast<T>(next - static_cast<int>(bits % 256));
        } else if constexpr (sizeof(T) < 4) {
            return static_cast<T>(bits % 7);  // sums stay within the int that they promote to
        } else {
            return static_cast<T>(bits);
        }
    }
};

// Noise below a ramp, so that the maximum rises from beginning to end.
template <class T>
struct MaxInput {
    __device__ T operator()(std::uint64_t i, std::uint64_t n) const {
        constexpr std::uint64_t kTop = sizeof(T) == 1   ? 255
                                       : sizeof(T) == 2 ? 65535
                                                        : std::uint64_t(1) << 24;
        const std::uint64_t ramp = i * kTop / n;
        const std::uint64_t noise = random_bits(i) % (kTop / 8);
        const std::uint64_t value = noise < ramp ? ramp - noise : 0;
        if constexpr (std::is_same_v<T, V16>) {
            return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(noise), 0, 1};
        } else {
            return static_cast<T>(value);
        }
    }
};

// Matrices of determinant 1: products of others soon lose all their bits.
template <class T>
struct CustomInput {
    __device__ T operator()(std::uint64_t i, std::uint64_t n) const {
        if constexpr (std::is_same_v<T, V16>) {
            const std::uint64_t bits = random_bits(i);
            const std::uint32_t x = static_cast<std::uint32_t>(bits);
            const std::uint32_t y = static_cast<std::uint32_t>(bits >> 32);
            return {1 + x * y, x, y, 1};
        } else {
            return SumInput<T>{}(i, n);
        }
    }
};

inline constexpr int kRunLength = 37;

struct KeyInput {
    __device__ std::uint32_t operator()(std::uint64_t i, std::uint64_t) const {
        return static_cast<std::uint32_t>(i / kRunLength);
    }
};

template <class T, class Op>
__global__ void check_scan_kernel(const T* in, const T* out, std::int64_t n, Op op, T start,
                                  unsigned long long* errors) {
    for (std::int64_t i = first_item(); i < n; i += item_step()) {
        const T expected = i == 0 ? start : static_cast<T>(op(out[i - 1], in[i - 1]));
        if (!(out[i] == expected)) atomicAdd(errors, 1ull);
    }
}

template <class T>
__global__ void check_sum_by_key_kernel(const std::uint32_t* keys, const T* in, const T* out,
                                        std::int64_t n, unsigned long long* errors) {
    for (std::int64_t i = first_item(); i < n; i += item_step()) {
        const bool head = i == 0 || keys[i - 1] != keys[i];
        const T expected = head ? T(0) : static_cast<T>(out[i - 1] + in[i - 1]);
        if (!(out[i] == expected)) atomicAdd(errors, 1ull);
    }
}

// A + B as the sum's check has it.
struct Sum {
    template <class T>
    __device__ T operator()(const T& x, const T& y) const {
        return static_cast<T>(x + y);
    }
};

template <class T, class Input, class Op>
Workload scan_workload(std::string name, Input input, Op op, T start) {
    Workload scan;
    scan.name = std::move(name);
    scan.arrays = {{true, sizeof(T)}, {false, sizeof(T)}};
    scan.moved_bytes = 2 * sizeof(T);
    scan.fill = [input](const Slots& slots, std::int64_t n, cudaStream_t stream) {
        return fill_array<T>(slots, 0, n, input, stream);
    };
    scan.check = [op, start](const Arrays& arrays, std::int64_t n, unsigned long long* errors,
                             cudaStream_t stream) {
        return libscan::launch(check_scan_kernel<T, Op>, blocks_for(n), kThreads, 0, stream,
                               static_cast<const T*>(arrays.at[0]),
                               static_cast<const T*>(arrays.at[1]), n, op, start, errors);
    };
    return scan;
}

/// Keys, values, results.
template <class T>
Workload sum_by_key_workload(std::string name) {
    Workload scan;
    scan.name = std::move(name);
    scan.arrays = {{true, sizeof(std::uint32_t)}, {true, sizeof(T)}, {false, sizeof(T)}};
    scan.moved_bytes = sizeof(std::uint32_t) + 2 * sizeof(T);
    scan.fill = [](const Slots& slots, std::int64_t n, cudaStream_t stream) {
        const cudaError_t error = fill_array<std::uint32_t>(slots, 0, n, KeyInput{}, stream);
        return error != cudaSuccess ? error : fill_array<T>(slots, 1, n, SumInput<T>{}, stream);
    };
    scan.check = [](const Arrays& arrays, std::int64_t n, unsigned long long* errors,
                    cudaStream_t stream) {
        return libscan::launch(check_sum_by_key_kernel<T>, blocks_for(n), kThreads, 0, stream,
                               static_cast<const std::uint32_t*>(arrays.at[0]),
                               static_cast<const T*>(arrays.at[1]),
                               static_cast<const T*>(arrays.at[2]), n, errors);
    };
    return scan;
}

}  // namespace bench

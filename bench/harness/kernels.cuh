// SPDX-License-Identifier: Apache-2.0
//
// Kernels that write inputs, and what inputs are made of: functions of the index alone.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>

#include "workload.h"

namespace bench {

// The finaliser of splitmix64 (Sebastiano Vigna, public domain): random bits of an index.
__host__ __device__ inline std::uint64_t random_bits(std::uint64_t i) {
    i += 0x9e3779b97f4a7c15u;
    i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
    i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
    return i ^ (i >> 31);
}

inline constexpr int kThreads = 256;

inline dim3 blocks_for(std::int64_t items) {
    const std::int64_t blocks = (items + kThreads - 1) / kThreads;
    return dim3(static_cast<unsigned>(blocks < 1 ? 1 : blocks > 16384 ? 16384 : blocks));
}

__device__ inline std::int64_t first_item() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t item_step() {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

// Item i of every slot becomes input(i, n).
template <class T, class Input>
__global__ void fill_kernel(char* first, std::size_t stride, std::int64_t slots, std::int64_t n,
                            Input input) {
    for (std::int64_t e = first_item(); e < slots * n; e += item_step()) {
        T* const array = reinterpret_cast<T*>(first + static_cast<std::size_t>(e / n) * stride);
        array[e % n] = input(static_cast<std::uint64_t>(e % n), static_cast<std::uint64_t>(n));
    }
}

template <class T, class Input>
cudaError_t fill_array(const Slots& slots, int array, std::int64_t n, Input input,
                       cudaStream_t stream) {
    return libscan::launch(fill_kernel<T, Input>, blocks_for(slots.count * n), kThreads, 0, stream,
                           static_cast<char*>(slots.first.at[array]), slots.stride[array],
                           slots.count, n, input);
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
//
// What all users of the primitives in one process do: the same instantiations in each of them.
#pragma once

#include <compaction/device_select.cuh>

#include "library.h"

struct IsEvenItem {
    __host__ __device__ bool operator()(int item) const { return item % 2 == 0; }
};

inline long long download(cudaError_t error, const long long* count) {
    long long result = -1;
    if (error != cudaSuccess) return result;
    error = cudaMemcpy(&result, count, sizeof result, cudaMemcpyDeviceToHost);
    return error == cudaSuccess ? result : -1;
}
inline long long even_items(const int* in, int* out, long long* count, int n) {
    return download(libscan::DeviceSelect::If(in, out, count, n, IsEvenItem{}), count);
}
inline long long unique_items(const int* in, int* out, long long* count, int n) {
    return download(libscan::DeviceSelect::Unique(in, out, count, n), count);
}

// SPDX-License-Identifier: Apache-2.0
//
// What two shared libraries are made of (two_libraries_test.cu).
#include <libscan/device_scan.cuh>

#include "in_library.h"

int scan_in_library(const int* keys, const int* in, int* sums, int* by_key, long long n) {
    using libscan::DeviceScan;
    std::size_t sum_bytes = 0, key_bytes = 0;
    cudaError_t error = DeviceScan::ExclusiveSum(nullptr, sum_bytes, in, sums, n);
    if (error != cudaSuccess) return error;
    error = DeviceScan::InclusiveSumByKey(nullptr, key_bytes, keys, in, by_key, n);
    if (error != cudaSuccess) return error;
    void *sum_storage = nullptr, *key_storage = nullptr;
    error = cudaMalloc(&sum_storage, sum_bytes);
    if (error == cudaSuccess) error = cudaMalloc(&key_storage, key_bytes);
    if (error == cudaSuccess) error = DeviceScan::ExclusiveSum(sum_storage, sum_bytes, in, sums, n);
    if (error == cudaSuccess)
        error = DeviceScan::InclusiveSumByKey(key_storage, key_bytes, keys, in, by_key, n);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    const cudaError_t freed = cudaFree(sum_storage), freed_too = cudaFree(key_storage);
    if (error == cudaSuccess) error = freed;
    return error != cudaSuccess ? error : freed_too;
}

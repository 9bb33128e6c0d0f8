// SPDX-License-Identifier: Apache-2.0
// A second translation unit with the same headers: a definition that is not inline fails to link.
#include <cuda_runtime.h>

#include <compaction/device_partition.cuh>
#include <compaction/device_run_length_encode.cuh>
#include <compaction/device_select.cuh>
#include <libscan/three_kernel_scan.cuh>
#include <vector>

// The last element of an inclusive sum of `count` ones; -1 after an error.
int other_last_sum(int count) {
    using Scan = libscan::ThreeKernelScan<>;
    std::vector<int> values(count, 1);
    const size_t bytes = count * sizeof(int);
    int* data = nullptr;
    void* storage = nullptr;
    size_t storage_bytes = 0;
    const bool right =
        cudaMalloc(&data, bytes) == cudaSuccess &&
        cudaMemcpy(data, values.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess &&
        Scan::InclusiveSum(nullptr, storage_bytes, data, data, count) == cudaSuccess &&
        cudaMalloc(&storage, storage_bytes) == cudaSuccess &&
        Scan::InclusiveSum(storage, storage_bytes, data, data, count) == cudaSuccess &&
        cudaMemcpy(values.data(), data, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    const bool freed = cudaFree(storage) == cudaSuccess && cudaFree(data) == cudaSuccess;
    return right && freed ? values[count - 1] : -1;
}

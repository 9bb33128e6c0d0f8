// SPDX-License-Identifier: Apache-2.0
// Scans, compacts and sorts an array with libscan from outside of it. Exit status: 0 right, 1
// wrong, 3 no usable device.
#include <cuda_runtime.h>

#include <compaction/device_select.cuh>
#include <cstdio>
#include <libscan/three_kernel_scan.cuh>
#include <radixsort/device_radix_sort.cuh>
#include <vector>

int other_last_sum(int count);  // in other.cu, which includes the same headers

namespace {

int failures = 0;

struct IsOdd {
    __host__ __device__ bool operator()(int value) const { return value % 2 != 0; }
};

void check(cudaError_t error, const char* what) {
    if (error != cudaSuccess) {
        std::printf("%s: %s\n", what, cudaGetErrorString(error));
        ++failures;
    }
}

}  // namespace

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no device");
        return 3;
    }
    const int count = 10000;
    std::vector<int> values(count, 1);
    int* data = nullptr;
    void* storage = nullptr;
    size_t storage_bytes = 0;
    check(cudaMalloc(&data, count * sizeof(int)), "cudaMalloc");
    check(cudaMemcpy(data, values.data(), count * sizeof(int), cudaMemcpyHostToDevice), "copy in");
    using Scan = libscan::ThreeKernelScan<>;
    check(Scan::ExclusiveSum(nullptr, storage_bytes, data, data, count), "size");
    check(cudaMalloc(&storage, storage_bytes), "cudaMalloc");
    check(Scan::ExclusiveSum(storage, storage_bytes, data, data, count), "scan");
    check(cudaMemcpy(values.data(), data, count * sizeof(int), cudaMemcpyDeviceToHost), "copy out");
    long long* selected = nullptr;
    long long odd = 0;
    check(cudaMalloc(&selected, sizeof odd), "cudaMalloc");
    check(libscan::DeviceSelect::If(data, selected, count, IsOdd{}), "select");
    check(cudaMemcpy(&odd, selected, sizeof odd, cudaMemcpyDeviceToHost), "copy out");
    if (odd != count / 2) {
        std::printf("%lld elements are odd\n", odd);
        ++failures;
    }
    check(cudaFree(selected), "cudaFree");
    int* sorted = nullptr;
    int largest = -1;
    check(cudaMalloc(&sorted, count * sizeof(int)), "cudaMalloc");
    check(libscan::DeviceRadixSort::SortKeysDescending(data, sorted, count, libscan::SortOptions{}),
          "sort");
    check(cudaMemcpy(&largest, sorted, sizeof(int), cudaMemcpyDeviceToHost), "copy out");
    check(cudaFree(sorted), "cudaFree");
    if (largest != count - 1) {
        std::printf("the largest key is %d\n", largest);
        ++failures;
    }
    check(cudaFree(storage), "cudaFree");
    check(cudaFree(data), "cudaFree");
    for (int i = 0; i < count && failures == 0; ++i) {
        if (values[i] != i) {
            std::printf("element %d is %d\n", i, values[i]);
            ++failures;
        }
    }
    if (const int last = other_last_sum(count); last != count) {
        std::printf("the other file's last sum is %d\n", last);
        ++failures;
    }
    std::puts(failures == 0 ? "right" : "wrong");
    return failures == 0 ? 0 : 1;
}

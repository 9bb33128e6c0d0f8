// SPDX-License-Identifier: Apache-2.0
// The smallest use of libscan: an exclusive sum, in place. The README shows the part between the
// two marks.
#include <cstdio>
#include <cstdlib>
#include <libscan/device_scan.cuh>

// Ends the program with the error's text, unless there is no error.
static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "scan_array: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

// README: from here
int main() {
    int values[8] = {3, 1, 7, 0, 4, 1, 6, 3};
    int* data = nullptr;
    void* storage = nullptr;
    size_t storage_bytes = 0;
    check(cudaMalloc(&data, sizeof values));
    check(cudaMemcpy(data, values, sizeof values, cudaMemcpyHostToDevice));
    using Scan = libscan::DeviceScan;                                  // as cub::DeviceScan
    check(Scan::ExclusiveSum(nullptr, storage_bytes, data, data, 8));  // asks for the size
    check(cudaMalloc(&storage, storage_bytes));
    check(Scan::ExclusiveSum(storage, storage_bytes, data, data, 8));  // scans, here in place
    check(cudaMemcpy(values, data, sizeof values, cudaMemcpyDeviceToHost));
    for (int value : values) std::printf("%d ", value);  // 0 3 4 11 11 15 16 22
    std::printf("\n");
    check(cudaFree(storage));
    check(cudaFree(data));
}
// README: to here

// SPDX-License-Identifier: Apache-2.0
// Stream compaction by hand, in two steps: an exclusive scan over a vector of ones and zeros tells
// every element that is kept how many are kept before it, which is its place in the output; then
// each goes there by itself. What a program would rather call, DeviceSelect, reads the data once
// (compaction/device_select.cuh).
#include <cstdio>
#include <cstdlib>
#include <libscan/three_kernel_scan.cuh>
#include <libscan/tile_algorithm.cuh>
#include <vector>

// Ends the program with the error's text, unless there is no error.
static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "stream_compaction: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

// What is kept: multiples of 3.
__host__ __device__ static int is_kept(int value) { return value % 3 == 0 ? 1 : 0; }

__global__ void mark(const int* in, int* flags, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) flags[i] = is_kept(in[i]);
}

// places = the exclusive scan of flags. Each place is written by one thread.
__global__ void scatter(const int* in, const int* flags, const int* places, int* out, int n) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n && flags[i] == 1) out[places[i]] = in[i];
}

int main() {
    const int n = 200000, threads = 256;
    const size_t bytes = n * sizeof(int);
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; ++i) in[static_cast<size_t>(i)] = static_cast<int>(i * 2654435761u >> 8);

    int *device_in = nullptr, *flags = nullptr, *places = nullptr, *device_out = nullptr;
    check(cudaMalloc(&device_in, bytes));
    check(cudaMalloc(&flags, bytes));
    check(cudaMalloc(&places, bytes));
    check(cudaMalloc(&device_out, bytes));
    check(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice));

    // Step 1: ones and zeros, and their scan.
    using Scan = libscan::ThreeKernelScan<libscan::BlockHillisSteele>;
    const dim3 blocks((n + threads - 1) / threads);
    void* storage = nullptr;
    size_t storage_bytes = 0;
    check(libscan::launch(mark, blocks, threads, 0, nullptr, device_in, flags, n));
    check(Scan::ExclusiveSum(nullptr, storage_bytes, flags, places, n));
    check(cudaMalloc(&storage, storage_bytes));
    check(Scan::ExclusiveSum(storage, storage_bytes, flags, places, n));

    // Step 2: everybody to his place.
    check(libscan::launch(scatter, blocks, threads, 0, nullptr, device_in, flags, places,
                          device_out, n));

    // The number of ones is the last place, plus the last flag.
    int last_place = 0, last_flag = 0;
    check(cudaMemcpy(&last_place, places + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(&last_flag, flags + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
    const int count = last_place + last_flag;
    check(cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost));

    std::vector<int> expected;
    for (const int value : in) {
        if (is_kept(value)) expected.push_back(value);
    }
    out.resize(static_cast<size_t>(count));
    std::printf("%d of %d elements kept: %s\n", count, n, out == expected ? "right" : "WRONG");
    for (void* memory : {static_cast<void*>(device_in), static_cast<void*>(flags),
                         static_cast<void*>(places), static_cast<void*>(device_out), storage}) {
        check(cudaFree(memory));
    }
    return out == expected ? 0 : 1;
}

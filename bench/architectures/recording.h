// SPDX-License-Identifier: Apache-2.0
//
// Calls of the library in front of a CUDA runtime that has no GPU: it answers for a device that is
// described to it and writes down what would be launched, a line for each launch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace recording {

struct Device {
    int architecture;  // compute capability times 10
    int multiprocessors;
    int shared_bytes;  // that a block can have
};
void set_device(const Device& device);

// What is launched from here on belongs to this call for n items.
void begin(const char* operation, const char* items, std::int64_t n);

// The pointers are looked at by the host and not followed: each array has a terabyte of addresses.
template <class T>
T* array(int number) {
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(number + 1) << 40);
}

// A call in two phases. Ends the program when it fails.
void expect(cudaError_t error);
template <class Call>
void record(const char* operation, const char* items, std::int64_t n, Call call) {
    constexpr int kTemp = 15;
    begin(operation, items, n);
    std::size_t bytes = 0;
    expect(call(nullptr, bytes, n));
    expect(call(array<void>(kTemp), bytes, n));
}

}  // namespace recording

// SPDX-License-Identifier: Apache-2.0
// The device: errors as exceptions, memory that frees itself, and what the report says about it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "report.h"
#include "text.h"

namespace scan_report {

/// A call of the CUDA runtime that failed. what() is one line.
struct DeviceError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws DeviceError "doing: reason (name)" unless the call succeeded.
inline void check(cudaError_t status, const std::string& doing) {
    if (status == cudaSuccess) return;
    throw DeviceError(doing + ": " + cudaGetErrorString(status));
}

/// Uninitialised device memory for `count` elements; none at all for 0.
template <class T>
class DeviceBuffer {
  public:
    explicit DeviceBuffer(std::uint64_t count) {
        if (count == 0) return;
        void* memory = nullptr;
        check(cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof(T)),
              format("allocating %llu bytes of device memory",
                     static_cast<unsigned long long>(count * sizeof(T))));
        data_ = static_cast<T*>(memory);
    }
    ~DeviceBuffer() {
        // A failure here is one that an earlier call has reported already.
        if (data_) static_cast<void>(cudaFree(data_));
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    T* data() const { return data_; }

  private:
    T* data_ = nullptr;
};

/// The current device. Throws DeviceError if there is none.
DeviceInfo describe_device();

/// Bytes of memory still free where device memory comes from: on the GPU, or on the host under the
/// executor.
std::uint64_t available_device_memory();

/// Whether device memory is host memory.
bool device_memory_is_host_memory();

}  // namespace scan_report

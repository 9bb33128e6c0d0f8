// SPDX-License-Identifier: Apache-2.0
//
// Runs a contestant on a workload: memory, inputs, the check of the result, one timed call. Knows
// nothing of Google Benchmark, so that the tests can use it.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "workload.h"

namespace bench {

/// Device memory that only grows.
class DeviceMemory {
  public:
    DeviceMemory() = default;
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    cudaError_t reserve(std::size_t bytes);
    char* data() const { return data_; }

  private:
    char* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// All functions that return text return "" when all is well, and what is wrong otherwise.
class Rig {
  public:
    /// cold: successive calls work on different slots, of three times the size of the L2 together;
    /// else always on the same one.
    explicit Rig(bool cold) : cold_(cold) {}
    ~Rig();
    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;

    /// Allocates and fills the arrays. What is there already is kept.
    std::string prepare(const Workload& workload, std::int64_t n);

    /// Gets the contestant's temporary storage, lets it work on the first and on the last slot, and
    /// checks both. To be called after prepare(); the answer is remembered.
    std::string verify(const Contestant& contestant);

    /// One call on the next slot. After verify() of the same contestant.
    cudaError_t call(const Contestant& contestant);

    /// The same between two events. Nothing else is under way, so the time includes what the host
    /// needs to launch.
    cudaError_t timed_call(const Contestant& contestant, double& seconds);

    const Slots& slots() const { return slots_; }
    std::size_t temp_bytes() const { return temp_bytes_; }

  private:
    std::string start();
    std::string allocate(const Workload& workload, std::int64_t n);
    std::string prepare_temp(const Contestant& contestant);
    std::string check_slot(const Contestant& contestant, std::int64_t slot);

    bool cold_;
    cudaStream_t stream_ = nullptr;
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
    std::size_t l2_bytes_ = 0;
    DeviceMemory memory_, temp_, errors_;
    std::size_t temp_bytes_ = 0;
    const Contestant* temp_of_ = nullptr;

    const Workload* workload_ = nullptr;  // that is prepared
    std::int64_t n_ = 0;
    Slots slots_;
    std::int64_t next_slot_ = 0;
    std::map<const Contestant*, std::string> verified_;  // on what is prepared
};

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "rig.h"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::int64_t kMostSlots = std::int64_t(1) << 17;

std::string failure(cudaError_t error, const std::string& doing) {
    if (error == cudaSuccess) return "";
    static_cast<void>(cudaGetLastError());  // reported here, and nowhere else
    return doing + ": " + cudaGetErrorString(error);
}

std::size_t array_bytes(const ArrayShape& shape, std::int64_t n) {
    const double bytes = std::ceil(shape.item_bytes * static_cast<double>(n));
    return (static_cast<std::size_t>(bytes) + shape.fixed_bytes + kAlignment - 1) / kAlignment *
           kAlignment;
}

}  // namespace

DeviceMemory::~DeviceMemory() {
    if (data_ != nullptr) static_cast<void>(cudaFree(data_));
}

cudaError_t DeviceMemory::reserve(std::size_t bytes) {
    if (bytes <= bytes_) return cudaSuccess;
    if (data_ != nullptr) static_cast<void>(cudaFree(data_));
    data_ = nullptr;
    bytes_ = 0;
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    if (error != cudaSuccess) return error;
    data_ = static_cast<char*>(memory);
    bytes_ = bytes;
    return cudaSuccess;
}

Rig::~Rig() {
    if (begin_ != nullptr) static_cast<void>(cudaEventDestroy(begin_));
    if (end_ != nullptr) static_cast<void>(cudaEventDestroy(end_));
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
}

std::string Rig::start() {
    if (end_ != nullptr) return "";
    int device = 0;
    cudaDeviceProp properties{};
    std::string wrong = failure(cudaGetDevice(&device), "no device");
    if (wrong.empty())
        wrong = failure(cudaGetDeviceProperties(&properties, device), "asking for the device");
    if (wrong.empty())
        wrong = failure(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream");
    if (wrong.empty()) wrong = failure(errors_.reserve(2 * sizeof(unsigned long long)), "memory");
    if (wrong.empty()) wrong = failure(cudaEventCreate(&begin_), "an event");
    if (wrong.empty()) wrong = failure(cudaEventCreate(&end_), "an event");
    l2_bytes_ = static_cast<std::size_t>(std::max(properties.l2CacheSize, 0));
    return wrong;
}

std::string Rig::prepare(const Workload& workload, std::int64_t n) {
    if (workload_ == &workload && n_ == n) return "";
    workload_ = nullptr;
    temp_of_ = nullptr;
    verified_.clear();
    next_slot_ = 0;
    std::string wrong = start();
    if (wrong.empty()) wrong = allocate(workload, n);
    if (wrong.empty()) wrong = failure(workload.fill(slots_, n, stream_), "filling the input");
    if (wrong.empty()) wrong = failure(cudaStreamSynchronize(stream_), "filling the input");
    if (!wrong.empty()) return wrong;
    workload_ = &workload;
    n_ = n;
    return "";
}

// Each array has the copies of all slots in a row.
std::string Rig::allocate(const Workload& workload, std::int64_t n) {
    slots_ = Slots{};
    std::size_t slot_bytes = 0;
    for (const ArrayShape& shape : workload.arrays) slot_bytes += array_bytes(shape, n);
    if (cold_) {
        const std::size_t wanted = (3 * l2_bytes_ + slot_bytes - 1) / slot_bytes;
        slots_.count = std::clamp(static_cast<std::int64_t>(wanted), std::int64_t(1), kMostSlots);
    }
    const std::size_t all = slot_bytes * static_cast<std::size_t>(slots_.count);
    const std::string wrong =
        failure(memory_.reserve(all),
                "does not fit: " + std::to_string(all >> 20) + " MiB of device memory");
    if (!wrong.empty()) return wrong;
    char* at = memory_.data();
    for (std::size_t a = 0; a < workload.arrays.size(); ++a) {
        slots_.first.at[a] = at;
        slots_.stride[a] = array_bytes(workload.arrays[a], n);
        at += slots_.stride[a] * static_cast<std::size_t>(slots_.count);
    }
    return "";
}

std::string Rig::prepare_temp(const Contestant& contestant) {
    if (temp_of_ == &contestant) return "";
    temp_of_ = nullptr;
    temp_bytes_ = 0;
    std::string wrong =
        failure(contestant.call(nullptr, temp_bytes_, slots_.first, n_, stream_), "its size query");
    // One that needs none still gets a pointer: null asks for the size.
    if (wrong.empty())
        wrong = failure(temp_.reserve(std::max<std::size_t>(temp_bytes_, 1)), "temporary storage");
    if (wrong.empty()) temp_of_ = &contestant;
    return wrong;
}

std::string Rig::verify(const Contestant& contestant) {
    const std::string wrong = prepare_temp(contestant);
    if (!wrong.empty()) return wrong;
    const auto known = verified_.find(&contestant);
    if (known != verified_.end()) return known->second;
    std::string result = check_slot(contestant, slots_.count - 1);
    if (result.empty() && slots_.count > 1) result = check_slot(contestant, 0);
    verified_[&contestant] = result;
    return result;
}

std::string Rig::check_slot(const Contestant& contestant, std::int64_t slot) {
    const Arrays arrays = slots_.slot(slot);
    unsigned long long* const errors = reinterpret_cast<unsigned long long*>(errors_.data());
    unsigned long long found = 0;
    std::string wrong =
        failure(cudaMemsetAsync(errors, 0, 2 * sizeof *errors, stream_), "clearing");
    for (std::size_t a = 0; a < workload_->arrays.size() && wrong.empty(); ++a) {
        if (workload_->arrays[a].is_input) continue;
        wrong = failure(cudaMemsetAsync(arrays.at[a], 0xa5, slots_.stride[a], stream_), "clearing");
    }
    std::size_t bytes = temp_bytes_;
    if (wrong.empty())
        wrong = failure(contestant.call(temp_.data(), bytes, arrays, n_, stream_), "the call");
    if (wrong.empty()) wrong = failure(workload_->check(arrays, n_, errors, stream_), "the check");
    if (wrong.empty())
        wrong = failure(
            cudaMemcpyAsync(&found, errors, sizeof found, cudaMemcpyDeviceToHost, stream_), "");
    if (wrong.empty()) wrong = failure(cudaStreamSynchronize(stream_), "the call or its check");
    if (wrong.empty() && found != 0) {
        wrong = "wrong result: " + std::to_string(found) + " of " + std::to_string(n_) +
                " items differ";
    }
    return wrong;
}

cudaError_t Rig::call(const Contestant& contestant) {
    std::size_t bytes = temp_bytes_;
    const Arrays arrays = slots_.slot(next_slot_);
    next_slot_ = next_slot_ + 1 < slots_.count ? next_slot_ + 1 : 0;
    return contestant.call(temp_.data(), bytes, arrays, n_, stream_);
}

cudaError_t Rig::timed_call(const Contestant& contestant, double& seconds) {
    float ms = 0;
    cudaError_t error = cudaEventRecord(begin_, stream_);
    if (error == cudaSuccess) error = call(contestant);
    if (error == cudaSuccess) error = cudaEventRecord(end_, stream_);
    if (error == cudaSuccess) error = cudaEventSynchronize(end_);
    if (error == cudaSuccess) error = cudaEventElapsedTime(&ms, begin_, end_);
    seconds = static_cast<double>(ms) / 1000;
    return error;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
//
// What the host has to know of the current device, asked once for each.
#pragma once

#include <atomic>
#include <cstdint>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

inline constexpr int kKnownDevices = 64;  // beyond, the answers are not kept

struct DeviceTraits {
    int device = 0;
    int architecture = 0;  // compute capability times 100: 750, 900
    int multiprocessors = 0;
    int shared_kilobytes = 0;  // that a block can have
};

[[nodiscard]] inline cudaError_t device_traits(DeviceTraits& traits) {
    static std::atomic<std::uint64_t> known[kKnownDevices];  // 0: not asked yet
    cudaError_t error = cudaGetDevice(&traits.device);
    if (error != cudaSuccess) return error;
    const bool keep = kDeviceIsConstant && traits.device < kKnownDevices;
    std::uint64_t packed = keep ? known[traits.device].load(std::memory_order_relaxed) : 0;
    if (packed == 0) {
        constexpr cudaDeviceAttr kAsked[4] = {
            cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor,
            cudaDevAttrMultiProcessorCount, cudaDevAttrMaxSharedMemoryPerBlockOptin};
        int answer[4] = {};
        for (int i = 0; i < 4; ++i) {
            error = cudaDeviceGetAttribute(&answer[i], kAsked[i], traits.device);
            if (error != cudaSuccess) return error;
        }
        packed = static_cast<std::uint64_t>(100 * answer[0] + 10 * answer[1]) |
                 static_cast<std::uint64_t>(answer[2]) << 16 |
                 static_cast<std::uint64_t>(answer[3] / 1024) << 40;
        if (keep) known[traits.device].store(packed, std::memory_order_relaxed);
    }
    traits.architecture = static_cast<int>(packed & 0xFFFF);
    traits.multiprocessors = static_cast<int>(packed >> 16 & 0xFFFFFF);
    traits.shared_kilobytes = static_cast<int>(packed >> 40);
    return cudaSuccess;
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "device.h"
#include "host_memory.h"

namespace scan_report {
namespace {

std::optional<ExecutorInfo> describe_executor() {
#if defined(SIMT_VERSION)
    const simt::Config& config = simt::config();
    if (!config.error.empty()) throw DeviceError(config.error);
    return ExecutorInfo{simt::worker_count(config), config.resident, config.seed, config.check,
                        std::thread::hardware_concurrency()};
#else
    return std::nullopt;
#endif
}

}  // namespace

DeviceInfo describe_device() {
    int device = 0;
    check(cudaGetDevice(&device), "no CUDA device can be used");
    DeviceInfo info;
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "asking for the device's properties");
    info.name = properties.name;
    info.capability_major = properties.major;
    info.capability_minor = properties.minor;
    info.multiprocessors = properties.multiProcessorCount;
    info.warp_size = properties.warpSize;
    info.max_threads_per_block = properties.maxThreadsPerBlock;
    info.shared_bytes = properties.sharedMemPerBlock;
    info.shared_bytes_optin = properties.sharedMemPerBlockOptin;
    info.executor = describe_executor();
    return info;
}

#if defined(SIMT_VERSION)

bool device_memory_is_host_memory() { return true; }

std::uint64_t available_device_memory() { return available_host_memory(); }

#else

bool device_memory_is_host_memory() { return false; }

std::uint64_t available_device_memory() {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for the device's free memory");
    return free;
}

#endif

}  // namespace scan_report

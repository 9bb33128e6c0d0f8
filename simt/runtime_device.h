// SPDX-License-Identifier: Apache-2.0
// The modelled device: one GPU of the compute capability and with the number of multiprocessors
// that simt::Config names. Its figures are the CUDA C++ Programming Guide's technical
// specifications (table per compute capability) and, for the L2 cache, a common card of that
// capability.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "config.h"
#include "runtime_error.h"

// The version of the runtime API that this one follows.
#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif

// Only the attributes that the model knows.
enum cudaDeviceAttr : int {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxBlockDimY = 3,
    cudaDevAttrMaxBlockDimZ = 4,
    cudaDevAttrMaxGridDimX = 5,
    cudaDevAttrMaxGridDimY = 6,
    cudaDevAttrMaxGridDimZ = 7,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrUnifiedAddressing = 41,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
    cudaDevAttrMaxRegistersPerMultiprocessor = 82,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
    cudaDevAttrMaxBlocksPerMultiprocessor = 106,
    cudaDevAttrReservedSharedMemoryPerBlock = 111,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrClusterLaunch = 120,
};

// Only the fields that the model knows. Sizes in bytes.
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int major, minor;
    int multiProcessorCount;
    int unifiedAddressing;
    int l2CacheSize;
    int maxThreadsPerMultiProcessor;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    size_t sharedMemPerBlockOptin;
    int maxBlocksPerMultiProcessor;
    size_t reservedSharedMemPerBlock;
    int memoryPoolsSupported;
    int clusterLaunch;
};

constexpr int cudaInvalidDeviceId = -2;

namespace simt {
namespace rt {

// What differs between compute capabilities. Shared memory in bytes.
struct DeviceFigures {
    int capability;
    int shared_per_multiprocessor, shared_optin, shared_reserved, shared_granularity;
    int threads_per_multiprocessor, blocks_per_multiprocessor;
    int l2_bytes;
};

constexpr DeviceFigures kDevices[] = {
    {75, 64 << 10, 64 << 10, 0, 256, 1024, 16, 4 << 20},        // T4
    {80, 164 << 10, 163 << 10, 1024, 128, 2048, 32, 40 << 20},  // A100
    {86, 100 << 10, 99 << 10, 1024, 128, 1536, 16, 6 << 20},    // A10
    {89, 100 << 10, 99 << 10, 1024, 128, 1536, 24, 48 << 20},   // L4
    {90, 228 << 10, 227 << 10, 1024, 128, 2048, 32, 50 << 20},  // H100
};

constexpr int kSharedPerBlock = 48 << 10;  // without opting in
constexpr int kThreadsPerBlock = 1024;
constexpr int kBlockDim[3] = {1024, 1024, 64};
constexpr int kGridDim[3] = {2147483647, 65535, 65535};
constexpr int kRegisters = 65536;  // per block and per multiprocessor
// Blocks of a cluster: on every device that has clusters, and with the kernel's consent.
constexpr unsigned kPortableCluster = 8, kLargestCluster = 16;

constexpr bool has_clusters(const DeviceFigures& d) { return d.capability >= 90; }

// Null where Config names a compute capability that is not modelled: then there is no device.
inline const DeviceFigures* device_figures() {
    for (const DeviceFigures& d : kDevices)
        if (d.capability == config().compute_capability) return &d;
    return nullptr;
}

// Half of the machine's memory: the program's own data lives in the rest.
inline size_t device_memory_bytes() {
    static const size_t bytes = [] {
        const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
        if (pages <= 0 || page <= 0) return size_t(1) << 30;
        return static_cast<size_t>(pages) / 2 * static_cast<size_t>(page);
    }();
    return bytes;
}

template <class F>
cudaError_t device_query(const char* name, const void* out, int device, F&& body) {
    return context_free_call(name, [&] {
        if (!out) return cudaErrorInvalidValue;
        const DeviceFigures* d = device_figures();
        if (!d) return cudaErrorNoDevice;
        if (device != 0) return cudaErrorInvalidDevice;
        return body(*d);
    });
}

}  // namespace rt
}  // namespace simt

// 1; cudaErrorNoDevice where the configured compute capability is not modelled.
inline cudaError_t cudaGetDeviceCount(int* count) {
    return simt::rt::device_query("cudaGetDeviceCount", count, 0, [&](const auto&) {
        *count = 1;
        return cudaSuccess;
    });
}

// Always device 0.
inline cudaError_t cudaGetDevice(int* device) {
    return simt::rt::device_query("cudaGetDevice", device, 0, [&](const auto&) {
        *device = 0;
        return cudaSuccess;
    });
}

inline cudaError_t cudaSetDevice(int device) {
    return simt::rt::call("cudaSetDevice", [&] {
        if (!simt::rt::device_figures()) return cudaErrorNoDevice;
        return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
    });
}

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
    using namespace simt::rt;
    return device_query("cudaGetDeviceProperties", prop, device, [&](const DeviceFigures& d) {
        cudaDeviceProp p{};
        std::snprintf(p.name, sizeof p.name, "simt CPU executor (sm_%d model)", d.capability);
        p.totalGlobalMem = device_memory_bytes();
        p.sharedMemPerBlock = kSharedPerBlock;
        p.regsPerBlock = kRegisters;
        p.warpSize = 32;
        p.maxThreadsPerBlock = kThreadsPerBlock;
        std::memcpy(p.maxThreadsDim, kBlockDim, sizeof kBlockDim);
        std::memcpy(p.maxGridSize, kGridDim, sizeof kGridDim);
        p.major = d.capability / 10;
        p.minor = d.capability % 10;
        p.multiProcessorCount = simt::config().multiprocessors;
        p.unifiedAddressing = 1;
        p.l2CacheSize = d.l2_bytes;
        p.maxThreadsPerMultiProcessor = d.threads_per_multiprocessor;
        p.sharedMemPerMultiprocessor = static_cast<size_t>(d.shared_per_multiprocessor);
        p.regsPerMultiprocessor = kRegisters;
        p.sharedMemPerBlockOptin = static_cast<size_t>(d.shared_optin);
        p.maxBlocksPerMultiProcessor = d.blocks_per_multiprocessor;
        p.reservedSharedMemPerBlock = static_cast<size_t>(d.shared_reserved);
        p.memoryPoolsSupported = 1;
        p.clusterLaunch = has_clusters(d);
        *prop = p;
        return cudaSuccess;
    });
}

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    using namespace simt::rt;
    return device_query("cudaDeviceGetAttribute", value, device, [&](const DeviceFigures& d) {
        const auto give = [&](int v) {
            *value = v;
            return cudaSuccess;
        };
        switch (attribute) {
            case cudaDevAttrMaxThreadsPerBlock:
                return give(kThreadsPerBlock);
            case cudaDevAttrMaxBlockDimX:
                return give(kBlockDim[0]);
            case cudaDevAttrMaxBlockDimY:
                return give(kBlockDim[1]);
            case cudaDevAttrMaxBlockDimZ:
                return give(kBlockDim[2]);
            case cudaDevAttrMaxGridDimX:
                return give(kGridDim[0]);
            case cudaDevAttrMaxGridDimY:
                return give(kGridDim[1]);
            case cudaDevAttrMaxGridDimZ:
                return give(kGridDim[2]);
            case cudaDevAttrMaxSharedMemoryPerBlock:
                return give(kSharedPerBlock);
            case cudaDevAttrWarpSize:
                return give(32);
            case cudaDevAttrMaxRegistersPerBlock:
                return give(kRegisters);
            case cudaDevAttrMultiProcessorCount:
                return give(simt::config().multiprocessors);
            case cudaDevAttrL2CacheSize:
                return give(d.l2_bytes);
            case cudaDevAttrMaxThreadsPerMultiProcessor:
                return give(d.threads_per_multiprocessor);
            case cudaDevAttrUnifiedAddressing:
                return give(1);
            case cudaDevAttrComputeCapabilityMajor:
                return give(d.capability / 10);
            case cudaDevAttrComputeCapabilityMinor:
                return give(d.capability % 10);
            case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
                return give(d.shared_per_multiprocessor);
            case cudaDevAttrMaxRegistersPerMultiprocessor:
                return give(kRegisters);
            case cudaDevAttrMaxSharedMemoryPerBlockOptin:
                return give(d.shared_optin);
            case cudaDevAttrMaxBlocksPerMultiprocessor:
                return give(d.blocks_per_multiprocessor);
            case cudaDevAttrReservedSharedMemoryPerBlock:
                return give(d.shared_reserved);
            case cudaDevAttrMemoryPoolsSupported:
                return give(1);
            case cudaDevAttrClusterLaunch:
                return give(has_clusters(d));
        }
        return cudaErrorInvalidValue;
    });
}

inline cudaError_t cudaRuntimeGetVersion(int* version) {
    return simt::rt::context_free_call("cudaRuntimeGetVersion", [&] {
        if (!version) return cudaErrorInvalidValue;
        *version = CUDART_VERSION;
        return cudaSuccess;
    });
}

inline cudaError_t cudaDriverGetVersion(int* version) {
    return simt::rt::context_free_call("cudaDriverGetVersion", [&] {
        if (!version) return cudaErrorInvalidValue;
        *version = CUDART_VERSION;
        return cudaSuccess;
    });
}

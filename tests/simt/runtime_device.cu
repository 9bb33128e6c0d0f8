// SPDX-License-Identifier: Apache-2.0
// Queries of the device.
#include <string>

#include "runtime_testing.h"

using namespace runtime_testing;

class RuntimeDevice : public RuntimeTest {};

TEST_F(RuntimeDevice, CountAndCurrent) {
    int n = 0, device = -1;
    EXPECT_OK(cudaGetDeviceCount(&n));
    EXPECT_GE(n, 1);
    EXPECT_OK(cudaSetDevice(0));
    EXPECT_OK(cudaGetDevice(&device));
    EXPECT_EQ(0, device);
    EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(n));
    EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(-1));
    EXPECT_OK(cudaGetDevice(&device));
    EXPECT_EQ(0, device);
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetDevice(nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetDeviceCount(nullptr));
}

TEST_F(RuntimeDevice, PropertiesAgreeWithAttributes) {
    cudaDeviceProp p;
    REQUIRE_OK(cudaGetDeviceProperties(&p, 0));
    const auto attribute = [](cudaDeviceAttr a) {
        int v = -1;
        EXPECT_OK(cudaDeviceGetAttribute(&v, a, 0));
        return v;
    };
    EXPECT_EQ(p.major, attribute(cudaDevAttrComputeCapabilityMajor));
    EXPECT_EQ(p.minor, attribute(cudaDevAttrComputeCapabilityMinor));
    EXPECT_EQ(p.multiProcessorCount, attribute(cudaDevAttrMultiProcessorCount));
    EXPECT_EQ(p.warpSize, attribute(cudaDevAttrWarpSize));
    EXPECT_EQ(32, p.warpSize);
    EXPECT_EQ(p.maxThreadsPerBlock, attribute(cudaDevAttrMaxThreadsPerBlock));
    EXPECT_EQ(1024, p.maxThreadsPerBlock);
    EXPECT_EQ(p.maxThreadsPerMultiProcessor, attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
    EXPECT_EQ(p.maxBlocksPerMultiProcessor, attribute(cudaDevAttrMaxBlocksPerMultiprocessor));
    EXPECT_EQ(p.regsPerBlock, attribute(cudaDevAttrMaxRegistersPerBlock));
    EXPECT_EQ(p.regsPerMultiprocessor, attribute(cudaDevAttrMaxRegistersPerMultiprocessor));
    EXPECT_EQ(p.l2CacheSize, attribute(cudaDevAttrL2CacheSize));
    EXPECT_EQ(p.unifiedAddressing, attribute(cudaDevAttrUnifiedAddressing));
    EXPECT_EQ(p.memoryPoolsSupported, attribute(cudaDevAttrMemoryPoolsSupported));
    EXPECT_EQ(p.clusterLaunch, attribute(cudaDevAttrClusterLaunch));
    EXPECT_EQ(p.clusterLaunch, p.major >= 9);
    EXPECT_EQ(static_cast<int>(p.sharedMemPerBlock), attribute(cudaDevAttrMaxSharedMemoryPerBlock));
    EXPECT_EQ(49152u, p.sharedMemPerBlock);
    EXPECT_EQ(static_cast<int>(p.sharedMemPerBlockOptin),
              attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    EXPECT_EQ(static_cast<int>(p.sharedMemPerMultiprocessor),
              attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
    EXPECT_EQ(static_cast<int>(p.reservedSharedMemPerBlock),
              attribute(cudaDevAttrReservedSharedMemoryPerBlock));
    const cudaDeviceAttr block[] = {cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY,
                                    cudaDevAttrMaxBlockDimZ};
    const cudaDeviceAttr grid[] = {cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY,
                                   cudaDevAttrMaxGridDimZ};
    const int block_limit[] = {1024, 1024, 64}, grid_limit[] = {2147483647, 65535, 65535};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(p.maxThreadsDim[i], attribute(block[i]));
        EXPECT_EQ(block_limit[i], p.maxThreadsDim[i]);
        EXPECT_EQ(p.maxGridSize[i], attribute(grid[i]));
        EXPECT_EQ(grid_limit[i], p.maxGridSize[i]);
    }
    size_t free_bytes = 0, total = 0;
    EXPECT_OK(cudaMemGetInfo(&free_bytes, &total));
    EXPECT_EQ(p.totalGlobalMem, total);
}

TEST_F(RuntimeDevice, WrongArguments) {
    int v = 0;
    cudaDeviceProp p;
    EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 12345));
    EXPECT_EQ(cudaErrorInvalidValue, cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    EXPECT_EQ(cudaErrorInvalidValue,
              cudaDeviceGetAttribute(&v, static_cast<cudaDeviceAttr>(100000), 0));
    EXPECT_EQ(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, 12345));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetDeviceProperties(nullptr, 0));
}

TEST_F(RuntimeDevice, Versions) {
    int runtime = 0, driver = 0;
    EXPECT_OK(cudaRuntimeGetVersion(&runtime));
    EXPECT_OK(cudaDriverGetVersion(&driver));
    EXPECT_EQ(CUDART_VERSION, runtime);
    EXPECT_GE(driver / 1000, runtime / 1000);
    EXPECT_EQ(cudaErrorInvalidValue, cudaRuntimeGetVersion(nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaDriverGetVersion(nullptr));
}

// The figures of the Programming Guide for the capability at hand.
TEST_F(RuntimeDevice, FiguresOfTheComputeCapability) {
    struct Row {
        int capability, shared_sm_kb, shared_block_kb, threads_sm, blocks_sm;
    };
    const Row rows[] = {{75, 64, 64, 1024, 16},
                        {80, 164, 163, 2048, 32},
                        {86, 100, 99, 1536, 16},
                        {89, 100, 99, 1536, 24},
                        {90, 228, 227, 2048, 32}};
    for (const Row& row : rows) {
#if defined(SIMT_VERSION)
        const int before = simt::config().compute_capability;
        simt::config().compute_capability = row.capability;
#endif
        cudaDeviceProp p;
        EXPECT_OK(cudaGetDeviceProperties(&p, 0));
        if (p.major * 10 + p.minor == row.capability) {
            EXPECT_EQ(static_cast<size_t>(row.shared_sm_kb) << 10, p.sharedMemPerMultiprocessor);
            EXPECT_EQ(static_cast<size_t>(row.shared_block_kb) << 10, p.sharedMemPerBlockOptin);
            EXPECT_EQ(row.threads_sm, p.maxThreadsPerMultiProcessor);
            EXPECT_EQ(row.blocks_sm, p.maxBlocksPerMultiProcessor);
            EXPECT_EQ(row.capability == 75 ? 0u : 1024u, p.reservedSharedMemPerBlock);
            EXPECT_EQ(65536, p.regsPerMultiprocessor);
        }
#if defined(SIMT_VERSION)
        EXPECT_EQ(row.capability, p.major * 10 + p.minor);
        EXPECT_EQ("simt CPU executor (sm_" + std::to_string(row.capability) + " model)", p.name);
        EXPECT_EQ(simt::config().multiprocessors, p.multiProcessorCount);
        simt::config().compute_capability = before;
#endif
    }
}

#if defined(SIMT_VERSION)
TEST_F(RuntimeDevice, UnknownComputeCapabilityIsNoDevice) {
    const int before = simt::config().compute_capability;
    simt::config().compute_capability = 42;
    int n = 0;
    void* p = nullptr;
    EXPECT_EQ(cudaErrorNoDevice, cudaGetDeviceCount(&n));
    EXPECT_EQ(cudaErrorNoDevice, cudaSetDevice(0));
    EXPECT_EQ(cudaErrorNoDevice, cudaMalloc(&p, 16));
    EXPECT_EQ(cudaErrorNoDevice, launch_add(nullptr, 1, 1));
    simt::config().compute_capability = before;
}
#endif

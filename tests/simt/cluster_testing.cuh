// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of clusters: launching kernels in clusters of four blocks.
#pragma once

#include "support.cuh"

namespace simt_test {

class ClusterTest : public ExecutorTest {
  protected:
    void SetUp() override {
        ExecutorTest::SetUp();
        simt::config().seed = 0;
        simt::config().workers = 1;
        simt::config().check = true;
    }
};

constexpr unsigned kCluster = 4, kThreads = 64, kBlocks = 12;

template <class... P, class... A>
cudaError_t launch_clusters(void (*kernel)(P...), unsigned blocks, A... args) {
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {kCluster, 1, 1};
    cudaLaunchConfig_t c{};
    c.gridDim = blocks;
    c.blockDim = kThreads;
    c.dynamicSmemBytes = kThreads * 4;
    c.attrs = &cluster;
    c.numAttrs = 1;
    return cudaLaunchKernelEx(&c, kernel, P(args)...);
}
template <class... P, class... A>
simt::Failure failure_of_clusters(void (*kernel)(P...), A... args) {
    EXPECT_EQ(launch_clusters(kernel, kBlocks, args...), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    return simt::last_failure();
}

__device__ inline void cluster_sync(SIMT_SITE) {
    __cluster_barrier_arrive(simt_file, simt_line, simt_function);
    __cluster_barrier_wait(simt_file, simt_line, simt_function);
}
__device__ inline unsigned neighbour() {
    return (__clusterRelativeBlockRank() + 1) % __clusterSizeInBlocks();
}

using Row = simt::shared_array<unsigned, kThreads>;

}  // namespace simt_test

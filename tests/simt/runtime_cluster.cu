// SPDX-License-Identifier: Apache-2.0
// Launches in clusters: which sizes are accepted, and where the blocks are.
#include "runtime_testing.h"

using namespace runtime_testing;

namespace {

class RuntimeCluster : public RuntimeTest {};

int attribute(cudaDeviceAttr a) {
    int v = -1;
    EXPECT_OK(cudaDeviceGetAttribute(&v, a, 0));
    return v;
}

// out[block] is what each block sees of its cluster: rank, cluster, blocks of it, number of
// clusters, then a value that the next block in the cluster has sent.
constexpr int kWords = 5;
template <int kId>
__global__ void look_around(unsigned* out) {
#if defined(SIMT_VERSION) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
#if defined(SIMT_VERSION)
    SIMT_SHARED(word, unsigned);
#else
    __shared__ unsigned word;
#endif
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    const unsigned rank = __clusterRelativeBlockRank(), size = __clusterSizeInBlocks();
    const dim3 cluster = __clusterIdx(), clusters = __clusterGridDimInClusters();
    const dim3 at = __clusterRelativeBlockIdx(), box = __clusterDim();
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    if (threadIdx.x == 0) {
        const unsigned to = (rank + size - 1) % size;
        void* remote = __cluster_map_shared_rank(&word, to);
        *static_cast<unsigned*>(remote) = 100 + rank;
        if (__cluster_query_shared_rank(remote) != to || __cluster_query_shared_rank(&word) != rank)
            out[kWords * block + 4] = 1;
    }
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    if (threadIdx.x == 0) {
        const bool in_order = rank == at.x + box.x * (at.y + box.y * at.z) &&
                              blockIdx.x == cluster.x * box.x + at.x &&
                              blockIdx.y == cluster.y * box.y + at.y &&
                              blockIdx.z == cluster.z * box.z + at.z;
        out[kWords * block] = in_order ? rank : 1000;
        out[kWords * block + 1] = cluster.x + clusters.x * (cluster.y + clusters.y * cluster.z);
        out[kWords * block + 2] = size;
        out[kWords * block + 3] = clusters.x * clusters.y * clusters.z;
        if (out[kWords * block + 4] == 0) out[kWords * block + 4] = word;
    }
#else
    (void)out;
#endif
}

template <int kId>
bool can_run() {
    cudaFuncAttributes a{};
    EXPECT_OK(cudaFuncGetAttributes(&a, &look_around<kId>));
    return attribute(cudaDevAttrClusterLaunch) == 1 && a.ptxVersion >= 90;
}

template <int kId>
cudaError_t launch_in_clusters(dim3 grid, dim3 cluster, unsigned* out,
                               cudaStream_t stream = nullptr) {
    cudaLaunchAttribute attributes[1] = {};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = cluster.x;
    attributes[0].val.clusterDim.y = cluster.y;
    attributes[0].val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t c{};
    c.gridDim = grid;
    c.blockDim = dim3(64);
    c.stream = stream;
    c.attrs = attributes;
    c.numAttrs = 1;
    return cudaLaunchKernelEx(&c, &look_around<kId>, out);
}

class Words {
  public:
    explicit Words(size_t blocks) : host(blocks * kWords) {
        EXPECT_OK(cudaMalloc(&p, host.size() * sizeof(unsigned)));
        EXPECT_OK(cudaMemset(p, 0, host.size() * sizeof(unsigned)));
    }
    ~Words() { EXPECT_OK(cudaFree(p)); }
    Words(const Words&) = delete;
    Words& operator=(const Words&) = delete;
    void read() {
        EXPECT_OK(
            cudaMemcpy(host.data(), p, host.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
    }
    unsigned* p = nullptr;
    std::vector<unsigned> host;
};

}  // namespace

TEST_F(RuntimeCluster, WhoIsWhere) {
    if (!can_run<0>()) GTEST_SKIP() << "no clusters";
    const struct {
        dim3 grid, cluster;
    } shapes[] = {{dim3(6), dim3(1)},
                  {dim3(12), dim3(3)},
                  {dim3(16), dim3(8)},
                  {dim3(4, 6), dim3(2, 3)},
                  {dim3(4, 2, 6), dim3(2, 2, 2)},
                  {dim3(3, 2, 4), dim3(1, 1, 4)}};
    for (const auto& s : shapes) {
        const unsigned blocks = s.grid.x * s.grid.y * s.grid.z;
        const unsigned size = s.cluster.x * s.cluster.y * s.cluster.z;
        Words out(blocks);
        REQUIRE_OK(launch_in_clusters<0>(s.grid, s.cluster, out.p));
        REQUIRE_OK(cudaDeviceSynchronize());
        out.read();
        std::vector<unsigned> members(blocks / size);
        for (unsigned b = 0; b < blocks; ++b) {
            const unsigned* w = &out.host[b * kWords];
            ASSERT_LT(w[0], size) << "block " << b << " of " << blocks;
            ASSERT_LT(w[1], blocks / size);
            members[w[1]] |= 1u << w[0];
            EXPECT_EQ(w[2], size);
            EXPECT_EQ(w[3], blocks / size);
            EXPECT_EQ(w[4], 100 + (w[0] + 1) % size);
        }
        for (const unsigned m : members) EXPECT_EQ(m, (1u << size) - 1);
    }
}

TEST_F(RuntimeCluster, WrongSizes) {
    if (!can_run<1>()) GTEST_SKIP() << "no clusters";
    Words out(64);
    const auto with = [&](dim3 grid, dim3 cluster) {
        return launch_in_clusters<1>(grid, cluster, out.p);
    };
    const cudaError_t refused = cudaErrorInvalidClusterSize;
    EXPECT_EQ(refused, with(dim3(6), dim3(4)));
    EXPECT_EQ(refused, with(dim3(4, 3), dim3(2, 2)));
    EXPECT_EQ(refused, with(dim3(2), dim3(4)));
    EXPECT_EQ(refused, with(dim3(16), dim3(16)));  // more than 8 with no consent
    EXPECT_EQ(refused, with(dim3(8, 8), dim3(4, 4)));
    EXPECT_EQ(refused, cudaGetLastError());
    EXPECT_OK(with(dim3(8), dim3(8)));
    EXPECT_OK(cudaDeviceSynchronize());
}

TEST_F(RuntimeCluster, SixteenBlocksWithConsent) {
    if (!can_run<2>()) GTEST_SKIP() << "no clusters";
    const auto consent = [](int value) {
        return cudaFuncSetAttribute(&look_around<2>, cudaFuncAttributeNonPortableClusterSizeAllowed,
                                    value);
    };
    Words out(32);
    EXPECT_OK(consent(1));
    cudaFuncAttributes a{};
    EXPECT_OK(cudaFuncGetAttributes(&a, &look_around<2>));
    EXPECT_EQ(a.nonPortableClusterSizeAllowed, 1);
    EXPECT_OK(launch_in_clusters<2>(dim3(32), dim3(16), out.p));
    EXPECT_OK(cudaDeviceSynchronize());
    out.read();
    for (unsigned b = 0; b < 32; ++b) {
        EXPECT_EQ(out.host[b * kWords], b % 16);
        EXPECT_EQ(out.host[b * kWords + 4], 100 + (b + 1) % 16);
    }
    EXPECT_EQ(cudaErrorInvalidClusterSize, launch_in_clusters<2>(dim3(32), dim3(32), out.p));
    EXPECT_OK(consent(0));
    EXPECT_EQ(cudaErrorInvalidClusterSize, launch_in_clusters<2>(dim3(32), dim3(16), out.p));
    EXPECT_EQ(cudaErrorInvalidClusterSize, cudaGetLastError());
}

TEST_F(RuntimeCluster, CapturedInAGraph) {
    if (!can_run<3>()) GTEST_SKIP() << "no clusters";
    Words out(8);
    Stream stream;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    REQUIRE_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    EXPECT_OK(launch_in_clusters<3>(dim3(8), dim3(4), out.p, stream));
    REQUIRE_OK(cudaStreamEndCapture(stream, &graph));
    REQUIRE_OK(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_OK(cudaGraphLaunch(exec, stream));
    EXPECT_OK(cudaStreamSynchronize(stream));
    out.read();
    for (unsigned b = 0; b < 8; ++b) EXPECT_EQ(out.host[b * kWords + 4], 100 + (b + 1) % 4);
    EXPECT_OK(cudaGraphExecDestroy(exec));
    EXPECT_OK(cudaGraphDestroy(graph));
}

TEST_F(RuntimeCluster, ProgrammaticSerialization) {
    if (attribute(cudaDevAttrComputeCapabilityMajor) < 9) GTEST_SKIP() << "before Hopper";
    const DeviceInts a(1);
    Stream stream;
    cudaLaunchAttribute attributes[1] = {};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t c{};
    c.gridDim = dim3(1);
    c.blockDim = dim3(32);
    c.stream = stream;
    c.attrs = attributes;
    c.numAttrs = 1;
    EXPECT_OK(launch_add(a.get(), 1, 3, stream));
    EXPECT_OK(cudaStreamSynchronize(stream));
    EXPECT_OK(cudaLaunchKernelEx(&c, &add_kernel, a.get(), 1, 4));
    EXPECT_OK(cudaStreamSynchronize(stream));
    EXPECT_EQ(7, a.read()[0]);
}

TEST_F(RuntimeCluster, KernelAttributes) {
    cudaFuncAttributes a{};
    EXPECT_OK(cudaFuncGetAttributes(&a, &look_around<4>));
    EXPECT_EQ(a.maxThreadsPerBlock, 1024);
    EXPECT_EQ(a.nonPortableClusterSizeAllowed, 0);
    const int capability = 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
                           attribute(cudaDevAttrComputeCapabilityMinor);
    EXPECT_LE(a.binaryVersion, capability);
    EXPECT_LE(a.ptxVersion, a.binaryVersion);
    EXPECT_OK(cudaFuncSetAttribute(&look_around<4>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   52 << 10));
    EXPECT_OK(cudaFuncGetAttributes(&a, &look_around<4>));
    EXPECT_EQ(a.maxDynamicSharedSizeBytes, 52 << 10);
    EXPECT_EQ(cudaErrorInvalidValue, cudaFuncGetAttributes(nullptr, &look_around<4>));
}

#if defined(SIMT_VERSION)

TEST_F(RuntimeCluster, OnlyOnThisModel) {
    Words out(8);
    const int capability = simt::config().compute_capability;
    EXPECT_EQ(cudaErrorInvalidClusterSize, launch_in_clusters<5>(dim3(8), dim3(0), out.p));
    // Sizes whose product overflows.
    EXPECT_EQ(cudaErrorInvalidClusterSize,
              launch_in_clusters<5>(dim3(1u << 30, 4, 1), dim3(1u << 30, 4, 1), out.p));
    EXPECT_EQ(
        cudaErrorInvalidValue,
        cudaFuncSetAttribute(&look_around<5>, cudaFuncAttributeNonPortableClusterSizeAllowed, 2));
    simt::config().compute_capability = 89;
    EXPECT_EQ(0, attribute(cudaDevAttrClusterLaunch));
    EXPECT_EQ(cudaErrorInvalidClusterSize, launch_in_clusters<5>(dim3(8), dim3(2), out.p));
    cudaFuncAttributes a{};
    EXPECT_OK(cudaFuncGetAttributes(&a, &look_around<5>));
    EXPECT_EQ(a.ptxVersion, 89);
    simt::config().compute_capability = capability;
}

// A cluster is resident as a whole, however few blocks may be.
TEST_F(RuntimeCluster, ResidentAsAWhole) {
    if (!can_run<6>()) GTEST_SKIP() << "no clusters";
    const simt::Config saved = simt::config();
    for (const unsigned resident : {1u, 3u, 11u})
        for (const unsigned workers : {1u, 2u})
            for (const uint64_t seed : {0, 1, 2}) {
                simt::config().resident = resident;
                simt::config().workers = workers;
                simt::config().seed = seed;
                Words out(40);
                REQUIRE_OK(launch_in_clusters<6>(dim3(40), dim3(8), out.p));
                REQUIRE_OK(cudaDeviceSynchronize());
                out.read();
                for (unsigned b = 0; b < 40; ++b)
                    EXPECT_EQ(out.host[b * kWords + 4], 100 + (b % 8 + 1) % 8);
            }
    simt::config() = saved;
}

#endif

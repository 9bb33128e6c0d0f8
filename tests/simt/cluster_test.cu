// SPDX-License-Identifier: Apache-2.0
// Clusters: the barrier and the shared memory of other blocks, in right kernels, and each misuse.
// (Launches, and who is where: runtime_cluster.cu.)
#include "cluster_testing.cuh"

using namespace simt_test;

namespace {

class Clusters : public ClusterTest {};

#if SIMT_TSAN
constexpr uint64_t kSeeds = 4;
#elif SIMT_ASAN
constexpr uint64_t kSeeds = 10;
#else
constexpr uint64_t kSeeds = 40;
#endif

// ---- right kernels -----------------------------------------------------------------------------

// Each block fills its row while the others do, then sends it to the next block: by an array that
// stands in static shared memory, and by raw bytes of the dynamic part. The variables lie elsewhere
// in each block.
__global__ void exchange(unsigned* out, int rounds) {
    if (blockIdx.x % 2) {
        SIMT_SHARED(padding, simt::shared_array<double, 5>);
        if (threadIdx.x == 0) padding[0] = 1.0;
    }
    SIMT_SHARED(row, Row);
    SIMT_SHARED(own, Row);
    const unsigned t = threadIdx.x, next = neighbour();
    char* bytes = simt::dynamic_shared<char>();
    unsigned v = blockIdx.x * kThreads + t;
    for (int i = 0; i < rounds; ++i) {
        row[t] = 0u;
        simt::shared_at<unsigned>(bytes + 4 * t) = 0u;
        __cluster_barrier_arrive();
        own[t] = v;  // while others may still be on their way
        __syncthreads();
        const unsigned mine = own[kThreads - 1 - t];
        __syncthreads();
        own[t] = mine;
        __syncthreads();
        __cluster_barrier_wait();
        Row& remote = *static_cast<Row*>(__cluster_map_shared_rank(&row, next));
        remote[t] = own[kThreads - 1 - t];
        simt::shared_at<unsigned>(__cluster_map_shared_rank(bytes + 4 * t, next)) = v + 1;
        cluster_sync();
        const unsigned a = row[t];
        const unsigned b = simt::shared_at<unsigned>(bytes + 4 * t);
        v = a + (b - a - 1);
        __syncthreads();
    }
    if (t < kThreads) out[blockIdx.x * kThreads + t] = v;
}

TEST_F(Clusters, ExchangeUnderEverySeed) {
    for (const bool check : {false, true})
        for (uint64_t seed = 0; seed <= kSeeds; ++seed) {
            simt::config().check = check;
            simt::config().seed = seed;
            simt::config().resident = seed % 3 == 0 ? 1 : 0;
#if SIMT_TSAN
            simt::config().resident = 8;
#endif
            DeviceArray<unsigned> out(kBlocks * kThreads);
            ASSERT_EQ(launch_clusters(&exchange, kBlocks, out.get(), 5), cudaSuccess);
            ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess)
                << "seed " << seed << ": " << simt::last_failure().message;
            const std::vector<unsigned>& got = out.read();
            for (unsigned b = 0; b < kBlocks; ++b)
                for (unsigned t = 0; t < kThreads; ++t) {
                    const unsigned from =
                        b / kCluster * kCluster + (b + 5 * (kCluster - 1)) % kCluster;
                    ASSERT_EQ(got[b * kThreads + t], from * kThreads + t) << "seed " << seed;
                }
        }
}

// Other ways to be in order: one thread waits for all (0), or hands on by a warp collective (1);
// warp 0 arrives early, and what it writes then goes with the arrival of warp 1 (2); readers of
// another block's memory, then a writer.
__global__ void handed_on(unsigned* out, int how) {
    SIMT_SHARED(row, Row);
    const unsigned t = threadIdx.x, next = neighbour();
    if (how == 2) {
        if (t < 32) __cluster_barrier_arrive();
        row[t] = t;
        __syncthreads();
        if (t >= 32) __cluster_barrier_arrive();
    } else {
        row[t] = t;
        __cluster_barrier_arrive();
    }
    const bool waits_first = how == 0 ? t == 0 : t % 32 == 0;
    if (waits_first) __cluster_barrier_wait();
    if (how == 0)
        __syncthreads();
    else
        __syncwarp();
    Row& remote = *static_cast<Row*>(__cluster_map_shared_rank(&row, next));
    unsigned v = remote[kThreads - 1 - t];
    v += remote[5];
    out[blockIdx.x * kThreads + t] = v;
    if (!waits_first) __cluster_barrier_wait();
    cluster_sync();
    row[t] = 7u;
    cluster_sync();
    remote[t] = 8u;
    __syncthreads();
    remote[kThreads - 1 - t] = 9u;  // ordered within the writing block
    cluster_sync();
}

TEST_F(Clusters, OrderIsHandedOn) {
    for (int how = 0; how < 3; ++how)
        for (uint64_t seed = 0; seed <= kSeeds / 2; ++seed) {
            simt::config().seed = seed;
            simt::config().resident = 8;
            DeviceArray<unsigned> out(kBlocks * kThreads);
            ASSERT_EQ(launch_clusters(&handed_on, kBlocks, out.get(), how), cudaSuccess);
            ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess)
                << "seed " << seed << ": " << simt::last_failure().message;
            EXPECT_EQ(out.read()[1], kThreads - 2 + 5);
        }
}

// Threads that have ended, before or after their arrival, are not waited for.
__global__ void early_ends(unsigned* out) {
    SIMT_SHARED(row, Row);
    const unsigned t = threadIdx.x;
    if (t >= 48) return;
    if (t == 3) {
        for (int i = 0; i < 20; ++i) __nanosleep(100);
        row[0] = 1u;  // before the last arrival
    }
    __cluster_barrier_arrive();
    if (t >= 40) return;
    if (blockIdx.x % kCluster == 1 && t != 3) return;
    __cluster_barrier_wait();
    const unsigned v = static_cast<Row*>(__cluster_map_shared_rank(&row, neighbour()))[0][0];
    cluster_sync();
    out[blockIdx.x * kThreads + t] = v;
}

TEST_F(Clusters, EndedThreadsDoNotCount) {
    for (uint64_t seed = 0; seed <= kSeeds; ++seed) {
        simt::config().seed = seed;
        simt::config().resident = 8;
        DeviceArray<unsigned> out(kBlocks * kThreads);
        ASSERT_EQ(launch_clusters(&early_ends, kBlocks, out.get()), cudaSuccess);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << simt::last_failure().message;
        for (unsigned i = 0; i < kBlocks * kThreads; ++i) {
            const unsigned block = i / kThreads, t = i % kThreads;
            EXPECT_EQ(out.read()[i], t < 40 && (block % kCluster != 1 || t == 3)) << i;
        }
    }
}

// A launch that says nothing of clusters has clusters of one block.
__global__ void alone(unsigned* out) {
    SIMT_SHARED(row, Row);
    row[threadIdx.x] = threadIdx.x;
    cluster_sync();
    Row& same = *static_cast<Row*>(__cluster_map_shared_rank(&row, 0));
    const unsigned v = same[kThreads - 1 - threadIdx.x];
    out[threadIdx.x] = v + __clusterSizeInBlocks() + 10 * __clusterDimIsSpecified();
}
TEST_F(Clusters, OfOneBlock) {
    DeviceArray<unsigned> out(kThreads);
    ASSERT_EQ(run(&alone, 1, kThreads, 0, out.get()), cudaSuccess) << simt::last_failure().message;
    EXPECT_EQ(out.read()[0], kThreads);
}

// ---- the barrier's faults ----------------------------------------------------------------------

constexpr int kDeadlockLine = __LINE__ + 3;
__global__ void deadlock() {
    if (blockIdx.x == 2 && threadIdx.x < 5) {
        __syncthreads();
    } else {
        cluster_sync();
    }
}
TEST_F(Clusters, Deadlock) {
    for (const uint64_t seed : {0, 1, 2}) {
        simt::config().seed = seed;
        const simt::Failure f = failure_of_clusters(&deadlock);
        expect_text(f, "deadlock: no thread can go on");
        expect_text(
            f, "wait in the cluster barrier at " __FILE__ ":" + std::to_string(kDeadlockLine + 2));
        expect_text(f, "wait in __syncthreads at " __FILE__ ":" + std::to_string(kDeadlockLine));
        if (seed == 0) expect_place(f, __FILE__, kDeadlockLine + 2, 0, 0);
    }
}

constexpr int kMisuseLine = __LINE__ + 4;
__global__ void misuse(int* global, int how) {
    SIMT_SHARED(row, Row);
    char* bytes = simt::dynamic_shared<char>();
    if (how == 0) __cluster_barrier_wait();
    if (how == 1) __cluster_barrier_arrive();
    if (how == 1) __cluster_barrier_arrive();
    if (how == 2) __cluster_map_shared_rank(&row, kCluster);
    if (how == 3) __cluster_map_shared_rank(global, 0);
    if (how == 4) __cluster_query_shared_rank(global);
    if (how == 5) simt::shared_at<unsigned>(global) = 1u;
    if (how == 6) simt::shared_at<unsigned>(bytes + 4 * kThreads) = 1u;
    if (how == 7) simt::shared_at<double>(bytes + 4 * kThreads - 4) = 1.0;
    if (how == 8) simt::shared_at<unsigned>(bytes + 2) = 1u;
    if (how == 9) simt::shared_at<unsigned>(bytes - 4) = 1u;
    if (how == 10) simt::shared_at<char>(reinterpret_cast<char*>(&row) + 4 * kThreads) = 'a';
    cluster_sync();
    char* remote = static_cast<char*>(__cluster_map_shared_rank(bytes, 1));
    if (how == 11) simt::shared_at<unsigned>(remote + 4 * kThreads) = 1u;
}
TEST_F(Clusters, Misuse) {
    const char* const text[] = {"a wait at the cluster barrier with no arrival before",
                                "a second arrival at the cluster barrier with no wait between",
                                "the rank of a block that the cluster does not have",
                                "an address that is not in the block's own shared memory",
                                "an address that is not in the cluster's shared memory",
                                "an address outside the shared memory of the cluster",
                                "out of bounds",
                                "out of bounds",
                                "a misaligned access",
                                "an address outside the shared memory of the cluster",
                                "out of bounds",
                                "out of bounds"};
    const int line[] = {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14};
    for (const bool check : {false, true})
        for (int how = 0; how < 12; ++how) {
            simt::config().check = check;
            DeviceArray<int> global(1);
            const simt::Failure f = failure_of_clusters(&misuse, global.get(), how);
            expect_text(f, text[how]);
            EXPECT_EQ(f.line, kMisuseLine + line[how]) << f.message;
            if (how < 11) expect_place(f, __FILE__, kMisuseLine + line[how], 0, 0);
        }
}

}  // namespace

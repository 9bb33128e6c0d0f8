// SPDX-License-Identifier: Apache-2.0
// Clusters: accesses of other blocks' shared memory with no cluster barrier where one is needed,
// beside their repaired twins; and blocks that end too early. (Not part of ThreadSanitizer builds:
// that tool reports the same faults itself, and ends the program.)
#include "cluster_testing.cuh"

using namespace simt_test;

namespace {

class ClusterRaces : public ClusterTest {};

enum Fault {
    kNone,
    kNoBarrierAtAll,
    kNoBarrierBefore,
    kNoBarrierAfter,
    kSyncthreadsOnly,
    kRelaxed,
    kRelaxedAfterFence,
    kRelaxedLongAfterFence,
    kReadAtTheEnd,
    kWriteAtTheEnd,
    kWriteWhileOthersRead,
    kWriteAfterArrival,
    kAtomicWithoutBarrier
};

constexpr int kRemoteWrite = __LINE__ + 25;
__global__ void remote_write(unsigned* out, Fault fault) {
    SIMT_SHARED(row, Row);
    const unsigned t = threadIdx.x;
    Row& remote = *static_cast<Row*>(__cluster_map_shared_rank(&row, neighbour()));
    if (fault == kRelaxedLongAfterFence) __threadfence_cluster();
    if (fault != kNoBarrierAtAll) cluster_sync();
    if (fault != kWriteAfterArrival) row[t] = 1u;
    if (fault == kNoBarrierBefore) {
        __syncthreads();
    } else if (fault == kRelaxed || fault == kRelaxedAfterFence ||
               fault == kRelaxedLongAfterFence) {
        if (fault == kRelaxedAfterFence) __threadfence_cluster();
        __cluster_barrier_arrive_relaxed();
        __cluster_barrier_wait();
    } else if (fault == kWriteAfterArrival) {
        __cluster_barrier_arrive();
        row[t] = 1u;
        __cluster_barrier_wait();
    } else if (fault != kNoBarrierAtAll) {
        cluster_sync();
    }
    if (fault == kAtomicWithoutBarrier)
        atomicAdd(&remote[t], 1u);
    else
        remote[t] = 2u;  // kRemoteWrite
    if (fault == kSyncthreadsOnly)
        __syncthreads();
    else if (fault != kNoBarrierAfter && fault != kAtomicWithoutBarrier)
        cluster_sync();
    const unsigned v = row[t];  // + 5
    out[blockIdx.x * kThreads + t] = v;
    if (fault == kReadAtTheEnd) {
        const unsigned r = remote[t];  // + 8
        out[blockIdx.x * kThreads + t] = r;
    } else if (fault == kWriteAtTheEnd) {
        cluster_sync();
        remote[t] = 3u;  // + 12
    } else if (fault == kWriteWhileOthersRead) {
        const unsigned r = remote[t];
        out[blockIdx.x * kThreads + t] = r;
        row[t] = 4u;
    }
    if (fault != kReadAtTheEnd && fault != kWriteAtTheEnd) cluster_sync();
}

TEST_F(ClusterRaces, Races) {
    const struct {
        Fault fault;
        const char* text;
        std::vector<int> lines;  // behind kRemoteWrite; empty: it is in order
    } cases[] = {
        {kNone, "", {}},
        {kRelaxedAfterFence, "", {}},
        {kNoBarrierAtAll, "before any cluster barrier", {0}},
        {kNoBarrierBefore, "with no cluster barrier between them", {0, -18}},
        {kNoBarrierAfter, "with no cluster barrier between them", {0, 5}},
        {kSyncthreadsOnly, "with no cluster barrier between them", {0, 5}},
        {kRelaxed, "with no cluster barrier between them", {0}},
        {kRelaxedLongAfterFence, "with no cluster barrier between them", {0}},
        // "block ... of the cluster can end before", or it has ended in this schedule.
        {kReadAtTheEnd, ",0,0) of the cluster", {8}},
        {kWriteAtTheEnd, ",0,0) of the cluster", {12}},
        {kWriteWhileOthersRead, "with no cluster barrier between them", {14, 16}},
        {kWriteAfterArrival, "with no cluster barrier between them", {0}},
        {kAtomicWithoutBarrier, "with no cluster barrier between them", {-2, 5}},
    };
    for (const auto& c : cases)
        for (uint64_t seed = 0; seed <= 20; ++seed) {
            SCOPED_TRACE("fault " + std::to_string(c.fault) + " seed " + std::to_string(seed));
            simt::config().seed = seed;
            DeviceArray<unsigned> out(kBlocks * kThreads);
            ASSERT_EQ(launch_clusters(&remote_write, kBlocks, out.get(), c.fault), cudaSuccess);
            const cudaError_t e = cudaDeviceSynchronize();
            if (c.lines.empty()) {
                ASSERT_EQ(e, cudaSuccess) << simt::last_failure().message;
                continue;
            }
            ASSERT_EQ(e, cudaErrorLaunchFailure);
            EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
            const simt::Failure f = simt::last_failure();
            expect_text(f, c.text);
            bool expected = false;
            for (const int line : c.lines) expected = expected || f.line == kRemoteWrite + line;
            EXPECT_TRUE(expected) << f.line - kRemoteWrite << ": " << f.message;
        }
}

// The report names the other block's thread.
TEST_F(ClusterRaces, NamesBothThreads) {
    DeviceArray<unsigned> out(kBlocks * kThreads);
    const simt::Failure f = failure_of_clusters(&remote_write, out.get(), kSyncthreadsOnly);
    expect_text(f, "of block (");
    expect_text(f, __FILE__ ":" + std::to_string(kRemoteWrite));
}

// Also with the checks off: a block that is gone.
constexpr int kGoneLine = __LINE__ + 7;
__global__ void block_is_gone(bool by_array) {
    SIMT_SHARED(row, Row);
    if (blockIdx.x % kCluster == 1 || threadIdx.x != 0) return;
    cluster_sync();
    Row* remote = static_cast<Row*>(__cluster_map_shared_rank(&row, 1));
    if (by_array)
        (*remote)[0] = 1u;
    else
        simt::shared_at<unsigned>(remote) = 1u;
}
TEST_F(ClusterRaces, BlockIsGone) {
    for (uint64_t seed = 0; seed <= 5; ++seed)
        for (const bool by_array : {false, true}) {
            simt::config().seed = seed;
            simt::config().check = by_array;
            const simt::Failure f = failure_of_clusters(&block_is_gone, by_array);
            expect_text(f, ",0,0) of the cluster, which has ended, at");
            EXPECT_EQ(f.line, kGoneLine + (by_array ? 0 : 2));
        }
}

// In one direction: rank 0 uses the memory of rank 1, which takes its time. The fault is found
// although this schedule is a harmless one.
enum Late { kEnds, kEndsAfterRead, kWrites };
constexpr int kEarlyUse = __LINE__ + 8;
__global__ void late(unsigned* out, Late how, bool right) {
    SIMT_SHARED(row, Row);
    row[threadIdx.x] = 1u;
    cluster_sync();
    const unsigned rank = __clusterRelativeBlockRank();
    if (rank == 0) {
        Row& remote = *static_cast<Row*>(__cluster_map_shared_rank(&row, 1));
        if (how == kEnds) {
            remote[threadIdx.x] = 2u;
        } else {
            const unsigned v = remote[threadIdx.x];
            out[threadIdx.x] = v;
        }
    } else if (rank == 1) {
        for (int i = 0; i < 100; ++i) __nanosleep(100);
    }
    if (right) cluster_sync();
    if (how == kWrites && rank == 1) row[threadIdx.x] = 3u;
    if (how == kWrites) cluster_sync();
}
TEST_F(ClusterRaces, InAHarmlessSchedule) {
    for (const Late how : {kEnds, kEndsAfterRead, kWrites}) {
        DeviceArray<unsigned> out(kThreads);
        ASSERT_EQ(launch_clusters(&late, kBlocks, out.get(), how, true), cudaSuccess);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << simt::last_failure().message;
        const simt::Failure f = failure_of_clusters(&late, out.get(), how, false);
        if (how == kWrites)
            expect_text(f,
                        "race: a thread writes shared memory that thread 0 of block (0,0,0) read");
        else
            expect_text(f, "race: block (1,0,0) of the cluster can end before this access");
        const int line = how == kEnds     ? kEarlyUse + 1
                         : how == kWrites ? kEarlyUse + 10
                                          : kEarlyUse + 3;
        EXPECT_EQ(f.line, line) << f.message;
        EXPECT_EQ(f.block.x, how == kWrites) << f.message;
    }
}

__global__ void uninitialised_remote(unsigned* out) {
    SIMT_SHARED(row, Row);
    cluster_sync();
    const unsigned v = static_cast<Row*>(__cluster_map_shared_rank(&row, neighbour()))[0][1];
    out[0] = v;
    cluster_sync();
}
TEST_F(ClusterRaces, UninitialisedRemoteRead) {
    DeviceArray<unsigned> out(1);
    expect_text(failure_of_clusters(&uninitialised_remote, out.get()), "uninitialised");
}

}  // namespace

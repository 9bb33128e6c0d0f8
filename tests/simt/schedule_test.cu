// SPDX-License-Identifier: Apache-2.0
// Schedules: repeatable for a seed, different between seeds, within the limits that are set; and
// the faults that only some schedules show.
#include <cuda/atomic>
#include <set>
#include <thread>

#include "support.cuh"

using simt_test::DeviceArray;
using simt_test::run;

namespace {

class Schedule : public simt_test::ExecutorTest {
  protected:
    void SetUp() override {
        ExecutorTest::SetUp();
        simt::config().workers = 1;
    }
};

constexpr unsigned kBlocks = 20, kThreads = 64;

// Writes down who comes when, at three points of each thread.
__global__ void trace(unsigned* next, unsigned* order) {
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned k = 0; k < 3; ++k) {
        order[atomicAdd(next, 1u)] = id * 4 + k;
        if (k == 0) __syncwarp();
        if (k == 1) __syncthreads();
    }
}

std::vector<unsigned> order_of(uint64_t seed, unsigned resident = 0) {
    simt::config().seed = seed;
    simt::config().resident = resident;
    DeviceArray<unsigned> next(1), order(3 * kBlocks * kThreads);
    EXPECT_EQ(run(&trace, kBlocks, kThreads, 0, next.get(), order.get()), cudaSuccess);
    return order.read();
}

TEST_F(Schedule, InOrder) {
    const std::vector<unsigned> order = order_of(0, 1);
    // Up to the first rendezvous lane by lane, block by block.
    for (unsigned b = 0; b < kBlocks; ++b)
        for (unsigned t = 0; t < 32; ++t)
            EXPECT_EQ(order[b * 3 * kThreads + t], (b * kThreads + t) * 4);
}

TEST_F(Schedule, SeedRepeats) {
    std::set<std::vector<unsigned>> different;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        const std::vector<unsigned> once = order_of(seed);
        EXPECT_EQ(once, order_of(seed)) << "seed " << seed;
        different.insert(once);
    }
    EXPECT_EQ(different.size(), 20u);
}

TEST_F(Schedule, SeededBlocksStartInAnyOrder) {
    std::set<unsigned> first;
    for (uint64_t seed = 1; seed <= 20; ++seed) first.insert(order_of(seed)[0] / 4 / kThreads);
    EXPECT_GT(first.size(), 5u);
    simt::config().shuffle_blocks = false;
    for (uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(order_of(seed, 1)[0] / 4 / kThreads, 0u);
}

__global__ void most_at_once(unsigned* now, unsigned* most) {
    if (threadIdx.x == 0) atomicMax(most, atomicAdd(now, 1u) + 1);
    for (int i = 0; i < 20; ++i) __nanosleep(1);
    __syncthreads();
    if (threadIdx.x == 0) atomicSub(now, 1u);
}

TEST_F(Schedule, ResidentBlocks) {
    for (const unsigned resident : {1u, 2u, 7u, 48u}) {
        for (const uint64_t seed : {0, 3}) {
            simt::config().seed = seed;
            simt::config().resident = resident;
            DeviceArray<unsigned> now(1), most(1);
            ASSERT_EQ(run(&most_at_once, 60, 32, 0, now.get(), most.get()), cudaSuccess);
            EXPECT_LE(most.read()[0], resident);
            if (resident <= 7) {
                EXPECT_EQ(most.read()[0], resident) << "seed " << seed;
            }
        }
    }
    std::set<unsigned> drawn;  // left open, the number comes from the seed: 4 to 48
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        simt::config().seed = seed;
        simt::config().resident = 0;
        DeviceArray<unsigned> now(1), most(1);
        ASSERT_EQ(run(&most_at_once, 60, 32, 0, now.get(), most.get()), cudaSuccess);
        drawn.insert(most.read()[0]);
    }
    EXPECT_GT(drawn.size(), 10u);
    EXPECT_GT(*drawn.rbegin(), 30u);
    EXPECT_LE(*drawn.rbegin(), 48u);
}

#if !SIMT_TSAN  // where one worker does all
__global__ void which_thread(std::thread::id* out) {
    for (int i = 0; i < 100; ++i) __nanosleep(1);
    if (threadIdx.x == 0) out[blockIdx.x] = std::this_thread::get_id();
}

TEST_F(Schedule, Workers) {
    simt::config().workers = 3;
    simt::config().resident = 1;
    DeviceArray<std::thread::id> out(300);
    ASSERT_EQ(run(&which_thread, 300, 64, 0, out.get()), cudaSuccess);
    std::set<std::thread::id> ids(out.read().begin(), out.read().end());
    EXPECT_EQ(ids.count(std::thread::id()), 0u);
    EXPECT_EQ(ids.size(), 3u);
}

// ---- faults that need a schedule ---------------------------------------------------------------

using DeviceWord = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// Blocks in ticket order, each adding to its predecessor's sum. `fault` 0: right.
constexpr unsigned kChained = 60;
__global__ void chain(unsigned* ticket, unsigned* value, unsigned* flag, int fault) {
    SIMT_SHARED(mine, simt::shared_array<unsigned, 1>);
    if (threadIdx.x == 0) mine[0] = fault == 1 ? blockIdx.x : atomicAdd(ticket, 1u);
    if (fault != 2) __syncthreads();
    const unsigned tile = mine[0] % kChained;  // in bounds whatever it is
    if (threadIdx.x != 40) return;
    unsigned sum = 1;
    if (tile > 0) {
        while (DeviceWord(flag[tile - 1]).load(cuda::memory_order_acquire) == 0) {
        }
        sum += DeviceWord(value[tile - 1]).load(cuda::memory_order_relaxed);
    }
    if (fault == 3) DeviceWord(flag[tile]).store(1, cuda::memory_order_release);
    DeviceWord(value[tile]).store(sum, cuda::memory_order_relaxed);
    if (fault != 3) DeviceWord(flag[tile]).store(1, cuda::memory_order_release);
}

// Number of seeds of 1..50 that show the fault, without the checks' help.
int seeds_that_find(int fault) {
    simt::config().spin_limit = 50000;
    int found = 0;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        simt::config().seed = seed;
        DeviceArray<unsigned> ticket(1), value(kChained), flag(kChained + 1);
        const cudaError_t e =
            run(&chain, kChained, 64, 0, ticket.get(), value.get(), flag.get(), fault);
        if (e != cudaSuccess) {
            ++found;
            EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
            continue;
        }
        const std::vector<unsigned>& got = value.read();
        bool right = true;
        for (unsigned i = 0; i < kChained; ++i) right = right && got[i] == i + 1;
        found += !right;
    }
    return found;
}

TEST_F(Schedule, SeedsFindFaults) {
    EXPECT_EQ(seeds_that_find(0), 0);
    EXPECT_GT(seeds_that_find(1), 0) << "block index in the place of a ticket";
    EXPECT_GT(seeds_that_find(2), 0) << "no barrier after the ticket";
    EXPECT_GT(seeds_that_find(3), 0) << "flag before value";
}
#endif  // !SIMT_TSAN

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Each check of the executor fires on a kernel with that fault, and names the right line, block and
// thread. The kernels without the fault pass. (Races: races_test.cu.)
#include <cuda/atomic>
#include <stdexcept>

#include "support.cuh"

using simt_test::DeviceArray;
using simt_test::expect_place;
using simt_test::expect_text;
using simt_test::failure_of;
using simt_test::run;

namespace {

class Checks : public simt_test::ExecutorTest {
  protected:
    void SetUp() override {
        ExecutorTest::SetUp();
        simt::config().seed = 0;
        simt::config().workers = 1;
        simt::config().check = true;
    }
};

// ---- barriers -----------------------------------------------------------------------------------

constexpr int kFirstBarrierLine = __LINE__ + 3;
__global__ void divergent_barrier() {
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}

TEST_F(Checks, DivergentBarrier) {
    const simt::Failure f = failure_of(&divergent_barrier, 3, 64, 0);
    expect_place(f, __FILE__, kFirstBarrierLine + 2, 0, 32);
    expect_text(f, "divergent __syncthreads: thread 0 of the block waits at " __FILE__ ":" +
                       std::to_string(kFirstBarrierLine));
}

__global__ void early_return(int* out) {
    if (threadIdx.x >= 40) return;
    for (int i = 0; i < 3; ++i) __syncthreads();
    if (blockIdx.x == 0) out[threadIdx.x] = 1;
}

// No fault: a thread that has ended no longer takes part in barriers.
TEST_F(Checks, EarlyReturnReleasesTheBarrier) {
    DeviceArray<int> out(64);
    ASSERT_EQ(run(&early_return, 2, 64, 0, out.get()), cudaSuccess);
    for (unsigned t = 0; t < 64; ++t) EXPECT_EQ(out.read()[t], t < 40);
}

constexpr int kDeadlockLine = __LINE__ + 3;
__global__ void barrier_against_collective() {
    if (threadIdx.x % 32 < 3)
        __syncwarp();
    else
        __syncthreads();
}

TEST_F(Checks, DeadlockListsWhoWaitsWhere) {
    const simt::Failure f = failure_of(&barrier_against_collective, 1, 64, 0);
    expect_place(f, __FILE__, kDeadlockLine, 0, 0);
    expect_text(f, "deadlock");
    const std::string here = __FILE__;
    expect_text(f, "block (0,0,0) warp 0 lanes 00000007 __syncwarp at " + here + ":" +
                       std::to_string(kDeadlockLine));
    expect_text(f, "block (0,0,0) warp 1 lanes fffffff8 wait in __syncthreads at " + here + ":" +
                       std::to_string(kDeadlockLine + 2));
}

// ---- warp collectives --------------------------------------------------------------------------

constexpr int kMismatchLine = __LINE__ + 4;
__global__ void different_collectives(int* out) {
    int v = 0;
    if (threadIdx.x == 31)
        v = __shfl_sync(~0u, v, 0);
    else
        v = static_cast<int>(__ballot_sync(~0u, 1));
    out[threadIdx.x] = v;
}
constexpr int kMaskLine = __LINE__ + 2;
__global__ void different_masks() {
    __syncwarp(threadIdx.x == 7 ? ~0u : ~0u >> 1);
    __syncwarp(~0u >> 1);
}
constexpr int kLeftOutLine = __LINE__ + 1;
__global__ void left_out() { __syncwarp(0xFFu); }

TEST_F(Checks, MismatchedCollectives) {
    DeviceArray<int> out(32);
    const simt::Failure f = failure_of(&different_collectives, 1, 32, 0, out.get());
    expect_place(f, __FILE__, kMismatchLine, 0, 31);
    expect_text(f, "mismatched warp collective");
    expect_text(f, "__shfl_sync");
    expect_text(f, "__ballot_sync");
}

TEST_F(Checks, MismatchedMasks) {
    const simt::Failure f = failure_of(&different_masks, 1, 32, 0);
    expect_text(f, "mismatched warp collective");
    EXPECT_EQ(f.file, __FILE__);
    EXPECT_TRUE(f.line == kMaskLine || f.line == kMaskLine + 1) << f.message;
}

TEST_F(Checks, MaskLeavesOutTheCaller) {
    const simt::Failure f = failure_of(&left_out, 1, 32, 0);
    expect_place(f, __FILE__, kLeftOutLine, 0, 8);
    expect_text(f, "leaves out the calling lane");
}

// ---- shared memory -----------------------------------------------------------------------------

constexpr int kAboveLine = __LINE__ + 3;
__global__ void above() {
    SIMT_SHARED(s, simt::shared_array<int, 64>);
    s[threadIdx.x + 1] = 1;
}
constexpr int kBelowLine = __LINE__ + 3;
__global__ void below() {
    SIMT_SHARED(s, simt::shared_array<double, 64>);
    s[static_cast<int>(threadIdx.x) - 1] = 1;
}

TEST_F(Checks, OutOfBounds) {
    for (const bool check : {true, false}) {  // bounds are checked always
        simt::config().check = check;
        const simt::Failure f = failure_of(&above, 1, 64, 0);
        expect_place(f, __FILE__, kAboveLine, 0, 63);
        expect_text(f, "out of bounds: index 64 of a shared array of 64");
        const simt::Failure g = failure_of(&below, 2, 64, 0);
        expect_place(g, __FILE__, kBelowLine, 0, 0);
        expect_text(g, "index -1 of");
    }
}

constexpr int kUnwrittenLine = __LINE__ + 5;
__global__ void unwritten(int* out) {
    SIMT_SHARED(s, simt::shared_array<int, 64>);
    if (threadIdx.x != 5 || blockIdx.x != 1) s[threadIdx.x] = 1;
    __syncthreads();
    const int v = s[threadIdx.x];
    out[threadIdx.x] = v;
}
constexpr int kUnwrittenDynamicLine = __LINE__ + 4;
__global__ void unwritten_dynamic(int* out) {
    auto& s = *simt::dynamic_shared<simt::shared_array<int, 64>>();
    if (threadIdx.x != 9) s[threadIdx.x] = 1;
    out[threadIdx.x] = s[threadIdx.x];
}

// Block 1 runs where block 0 ran before: what that block left behind does not count.
TEST_F(Checks, UninitialisedRead) {
    simt::config().resident = 1;
    DeviceArray<int> out(64);
    const simt::Failure f = failure_of(&unwritten, 2, 64, 0, out.get());
    expect_place(f, __FILE__, kUnwrittenLine, 1, 5);
    expect_text(f, "uninitialised");
    DeviceArray<int> again(64);
    const simt::Failure g = failure_of(&unwritten_dynamic, 2, 64, 256, again.get());
    expect_place(g, __FILE__, kUnwrittenDynamicLine, 0, 9);
}

// Right kernels whose initialisation the checks cannot see, or that initialise by an atomic.
__global__ void unseen_writes(int* out, int how) {
    SIMT_SHARED(plain, int);
    SIMT_SHARED(row, simt::shared_array<int, 64>);
    const unsigned t = threadIdx.x;
    int* const raw = simt::dynamic_shared<int>();
    if (how == 0 && t == 0) plain = 0;
    if (how == 1) raw[t] = 0;
    if (how == 2) row.data()[t] = 7;
    if (how == 3) cuda::atomic_ref<int, cuda::thread_scope_block>(*&row[t]).store(7);
    if (how == 4) atomicExch(&row[t], 7);
    __syncthreads();
    if (how == 0) atomicAdd(&plain, 1);
    if (how == 1) atomicAdd(&raw[63 - t], 7);
    __syncthreads();
    int v = 0;
    if (how == 0) v = plain == 64 ? 7 : 0;
    if (how == 1) v = raw[t];
    if (how >= 2) v = row[63 - t];
    if (blockIdx.x == 0) out[t] = v;
}

TEST_F(Checks, UnseenWritesAreNoFault) {
    for (uint64_t seed = 0; seed < 6; ++seed)
        for (int how = 0; how < 5; ++how) {
            simt::config().seed = seed;
            DeviceArray<int> out(64);
            ASSERT_EQ(run(&unseen_writes, 2, 64, 256, out.get(), how), cudaSuccess)
                << how << ": " << simt::last_failure().message;
            EXPECT_EQ(out.read(), std::vector<int>(64, 7)) << how;
        }
}

__global__ void too_much_shared(int* out) {
    SIMT_SHARED(a, simt::shared_array<char, 32768>);
    SIMT_SHARED(b, simt::shared_array<char, 16385>);
    a[0] = 1;
    b[0] = 1;
    out[0] = 1;
}

TEST_F(Checks, StaticSharedLimit) {
    DeviceArray<int> out(1);
    expect_text(failure_of(&too_much_shared, 1, 1, 0, out.get()), "more than 48 KiB");
}

// ---- progress ----------------------------------------------------------------------------------

using SystemWord = cuda::atomic_ref<unsigned>;
constexpr int kPollLine = __LINE__ + 3;
__global__ void waits_for_a_later_block(unsigned* flag) {
    if (blockIdx.x == 0)
        while (SystemWord(flag[0]).load(cuda::memory_order_acquire) == 0) __syncwarp();
    else
        SystemWord(flag[0]).store(1, cuda::memory_order_release);
}

// Right only while block 1 is resident beside block 0: with room for one block it hangs, on a GPU
// too.
TEST_F(Checks, NoProgress) {
    simt::config().spin_limit = 100000;
    simt::config().resident = 2;
    DeviceArray<unsigned> flag(1);
    ASSERT_EQ(run(&waits_for_a_later_block, 2, 32, 0, flag.get()), cudaSuccess);
    simt::config().resident = 1;
    DeviceArray<unsigned> again(1);
    const simt::Failure f = failure_of(&waits_for_a_later_block, 2, 32, 0, again.get());
    EXPECT_EQ(f.file, __FILE__);
    EXPECT_EQ(f.line, kPollLine);
    EXPECT_EQ(f.block.x, 0u);
    expect_text(f, "no progress");
    expect_text(f, "poll or run, last seen at " __FILE__ ":" + std::to_string(kPollLine));
}

__global__ void takes_a_lock_twice(unsigned* lock) {
    while (atomicCAS(lock, 0u, 1u) != 0) {
    }
    while (atomicCAS(lock, 0u, 1u) != 0) {
    }
}

TEST_F(Checks, NoProgressOfACompareAndSwapLoop) {
    simt::config().spin_limit = 100000;
    DeviceArray<unsigned> lock(1);
    expect_text(failure_of(&takes_a_lock_twice, 1, 1, 0, lock.get()), "no progress");
}

// ---- the rest ----------------------------------------------------------------------------------

constexpr int kTrapLine = __LINE__ + 2;
__global__ void traps() {
    if (blockIdx.x == 2 && threadIdx.x == 3) __trap();
}
__global__ void throws() {
    if (threadIdx.x == 1) throw std::runtime_error("from the kernel");
}
__global__ void recurses(int* out, int depth) {
    if (threadIdx.x == 0) return;
    volatile char frame[512];
    for (volatile char& c : frame) c = static_cast<char>(depth);
    if (depth > 0) recurses(out, depth - 1);
    out[threadIdx.x] = frame[0];
}

TEST_F(Checks, Trap) { expect_place(failure_of(&traps, 4, 32, 0), __FILE__, kTrapLine, 2, 3); }

TEST_F(Checks, ExceptionInAKernel) {
    const simt::Failure f = failure_of(&throws, 1, 32, 0);
    expect_text(f, "an exception left the kernel: from the kernel");
    EXPECT_EQ(f.thread.x, 1u);
}

#if !SIMT_ASAN  // whose own stack check would come first
TEST_F(Checks, StackOverflow) {
    DeviceArray<int> out(32);
    simt::config().stack_bytes = 1 << 20;
    ASSERT_EQ(run(&recurses, 1, 32, 0, out.get(), 60), cudaSuccess);
    simt::config().stack_bytes = 16
                                 << 10;  // thread 0's stack lies below thread 1's and is free again
    expect_text(failure_of(&recurses, 1, 2, 0, out.get(), 31), "stack overflow");
}
#endif

// A failed launch leaves nothing behind that the next one would trip over.
TEST_F(Checks, LaunchAfterAFailure) {
    DeviceArray<int> out(64);
    failure_of(&above, 8, 64, 0);
    DeviceArray<int> fresh(64);
    ASSERT_EQ(run(&early_return, 8, 64, 0, fresh.get()), cudaSuccess);
    EXPECT_EQ(fresh.read()[39], 1);
}

TEST_F(Checks, MalformedEnvironmentFailsTheLaunch) {
    simt::Config c;
    ASSERT_EQ(setenv("SIMT_TEST_NUMBER", "12x", 1), 0);
    simt::detail::read_environment(c, "SIMT_TEST_NUMBER", c.seed, 100);
    EXPECT_EQ(c.error, "SIMT_TEST_NUMBER=12x is not a number from 0 to 100");
    simt::config().error = c.error;
    DeviceArray<int> out(64);
    expect_text(failure_of(&early_return, 1, 64, 0, out.get()), c.error);
    for (const char* bad : {"-1", " -1", "+1", "101", "", "1 "}) {
        c.error.clear();
        setenv("SIMT_TEST_NUMBER", bad, 1);
        simt::detail::read_environment(c, "SIMT_TEST_NUMBER", c.seed, 100);
        EXPECT_EQ(c.error.empty(), *bad == 0) << bad;
    }
    setenv("SIMT_TEST_NUMBER", "0x64", 1);
    simt::detail::read_environment(c, "SIMT_TEST_NUMBER", c.seed, 100);
    EXPECT_EQ(c.seed, 100u);
    unsetenv("SIMT_TEST_NUMBER");
}

}  // namespace

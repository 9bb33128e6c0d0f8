// SPDX-License-Identifier: Apache-2.0
// Mbarriers and bulk copies: a ring between one loading warp and consuming warps, right and with
// each fault that such rings have; who waits at an mbarrier, and until when; and that flags and
// mbarriers order shared memory for the race check.
#include <cuda/atomic>

#include "support.cuh"

using simt_test::DeviceArray;
using simt_test::expect_text;
using simt_test::failure_of;
using simt_test::run;

namespace {

class Mbarriers : public simt_test::ExecutorTest {
  protected:
    void SetUp() override {
        ExecutorTest::SetUp();
        simt::config().workers = 1;
        simt::config().check = true;
        simt::config().spin_limit = 100000;
    }
};

enum Fault { kNone, kNoWaitForData, kNoWaitForRoom, kTooFewBytes, kEarlyArrival };

constexpr int kStages = 3, kWords = 64, kConsumers = 2;

using Stage = simt::shared_array<unsigned, kWords>;
struct Storage {
    alignas(16) Stage stage[kStages];
    simt::Mbarrier full[kStages], empty[kStages];
};

// Warp 0 loads tiles into the ring; warps 1 and 2 add each tile's words up, half a tile each. The
// ring stands in dynamic or in static shared memory.
__global__ void ring_sum(const unsigned* in, unsigned* out, int tiles, Fault fault, bool dynamic) {
    SIMT_SHARED(in_static, Storage);
    Storage& s = dynamic ? *simt::dynamic_shared<Storage>() : in_static;
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int k = 0; k < kStages; ++k) {
            s.full[k].init(1);
            s.empty[k].init(kConsumers);
        }
        simt::Mbarrier::fence_init();
    }
    __syncthreads();
    if (warp == 0) {
        for (int i = 0; i < tiles && lane == 0; ++i) {
            const int k = i % kStages;
            const unsigned round = static_cast<unsigned>(i / kStages);
            if (i >= kStages && fault != kNoWaitForRoom) s.empty[k].wait((round - 1) & 1);
            const unsigned bytes = kWords * 4 - (fault == kTooFewBytes && i == 4 ? 16 : 0);
            s.full[k].arrive_expecting(kWords * 4);
            simt::bulk_load(&s.stage[k], in + static_cast<size_t>(i) * kWords, bytes, s.full[k]);
        }
    } else {
        for (int i = 0; i < tiles; ++i) {
            const int k = i % kStages;
            if (fault != kNoWaitForData) s.full[k].wait(static_cast<unsigned>(i / kStages) & 1);
            if (fault == kEarlyArrival && lane == 0) s.empty[k].arrive();
            const unsigned v = s.stage[k][(warp - 1) * 32 + lane];
            __syncwarp();
            if (fault != kEarlyArrival && lane == 0) s.empty[k].arrive();
            atomicAdd(&out[i], v);
        }
    }
}

constexpr int kTiles = 12;

cudaError_t run_ring(Fault fault, bool* right, bool dynamic = true) {
    std::vector<unsigned> words(kTiles * kWords);
    for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<unsigned>(i * 7 + 1);
    DeviceArray<unsigned> in(words.size()), out(kTiles);
    EXPECT_EQ(cudaMemcpy(in.get(), words.data(), words.size() * 4, cudaMemcpyHostToDevice),
              cudaSuccess);
    const cudaError_t e =
        run(&ring_sum, 1, 32 * (1 + kConsumers), 4096, in.get(), out.get(), kTiles, fault, dynamic);
    if (e != cudaSuccess) {
        EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
        return e;
    }
    *right = true;
    const std::vector<unsigned>& got = out.read();
    for (int i = 0; i < kTiles; ++i) {
        unsigned sum = 0;
        for (int k = 0; k < kWords; ++k) sum += words[static_cast<size_t>(i * kWords + k)];
        *right = *right && got[static_cast<size_t>(i)] == sum;
    }
    return e;
}

TEST_F(Mbarriers, RingPassesUnderEverySeed) {
    for (const bool check : {false, true})
        for (uint64_t seed = 0; seed <= 50; ++seed) {
            simt::config().check = check;
            simt::config().seed = seed;
            bool right = false;
            ASSERT_EQ(run_ring(kNone, &right, seed % 2 == 0), cudaSuccess)
                << "seed " << seed << ": " << simt::last_failure().message;
            ASSERT_TRUE(right) << "seed " << seed;
        }
}

#if !SIMT_TSAN  // which reports the same faults itself, and ends the program
int seeds_that_find(Fault fault, const char* text) {
    int found = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        simt::config().seed = seed;
        bool right = false;
        if (run_ring(fault, &right, seed % 2 == 0) != cudaSuccess) {
            EXPECT_NE(simt::last_failure().message.find(text), std::string::npos)
                << simt::last_failure().message;
            ++found;
        }
    }
    return found;
}

// Each shows as a race on the stage or as an arrival too many, whichever comes first.
TEST_F(Mbarriers, ReadWithoutWaiting) { EXPECT_GT(seeds_that_find(kNoWaitForData, " at "), 15); }
TEST_F(Mbarriers, OverwriteWithoutWaiting) {
    EXPECT_GT(seeds_that_find(kNoWaitForRoom, " at "), 15);
}
TEST_F(Mbarriers, StageFreedBeforeItWasRead) {
    EXPECT_GT(seeds_that_find(kEarlyArrival, " at "), 5);
}

// Without the checks' help: the copy engine is late in seeded schedules, so the result is wrong.
TEST_F(Mbarriers, ReadWithoutWaitingIsWrong) {
    simt::config().check = false;
    int wrong = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        simt::config().seed = seed;
        bool right = false;
        const cudaError_t e = run_ring(kNoWaitForData, &right);
        wrong += e != cudaSuccess || !right;
    }
    EXPECT_GT(wrong, 15);
}
#endif

TEST_F(Mbarriers, MissingBytesAreADeadlock) {
    for (uint64_t seed = 0; seed <= 10; ++seed) {
        simt::config().seed = seed;
        bool right = false;
        EXPECT_EQ(run_ring(kTooFewBytes, &right), cudaErrorLaunchFailure);
        const simt::Failure f = simt::last_failure();
        expect_text(f, "deadlock: no thread can go on");
        for (const int warp : {1, 2})
            expect_text(f, "warp " + std::to_string(warp) +
                               " lanes ffffffff wait at an mbarrier (its phase 1 wants 0 arrivals "
                               "and 16 bytes) at " __FILE__);
    }
}

// ---- waiting -----------------------------------------------------------------------------------

// Warp 0 completes phases that warps 1 and 2 wait for. If it does not wait for warp 2 in turn, that
// may meet the phase after the one it waits for: a parity that says that nothing has happened.
__global__ void two_followers(int phases, bool wait_for_both) {
    SIMT_SHARED(step, simt::Mbarrier);
    SIMT_SHARED(seen, simt::Mbarrier);
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        step.init(1);
        seen.init(wait_for_both ? 2 : 1);
    }
    __syncthreads();
    for (int i = 0; i < phases; ++i) {
        if (threadIdx.x == 0) {
            if (i > 0) seen.wait(static_cast<unsigned>(i - 1) & 1);
            step.arrive();
        } else if (warp > 0) {
            step.wait(static_cast<unsigned>(i) & 1);
            __syncwarp();
            if (lane == 0 && (warp == 1 || wait_for_both)) seen.arrive();
        }
    }
}

int seeds_that_lose_a_phase(bool wait_for_both) {
    int lost = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        simt::config().seed = seed;
        if (run(&two_followers, 1, 96, 0, 8, wait_for_both) == cudaSuccess) continue;
        expect_text(simt::last_failure(), "deadlock: no thread can go on");
        expect_text(simt::last_failure(), "wait at an mbarrier");
        EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
        ++lost;
    }
    return lost;
}

TEST_F(Mbarriers, LostPhase) {
    EXPECT_EQ(seeds_that_lose_a_phase(true), 0);
    const int lost = seeds_that_lose_a_phase(false);
    EXPECT_GT(lost, 5);
    EXPECT_LT(lost, 40);  // and some schedules hide it
}

// The waiting lanes are woken by the first arrival, and come to look after all of them.
__global__ void phases_in_a_row(int phases) {
    SIMT_SHARED(step, simt::Mbarrier);
    if (threadIdx.x == 0) step.init(1);
    __syncthreads();
    if (threadIdx.x == 0) {
        __nanosleep(1);  // in order, the others wait by now
        for (int i = 0; i < phases; ++i) step.arrive();
    } else {
        step.wait(0);
    }
}

TEST_F(Mbarriers, WokenTooLate) {
    for (const int phases : {1, 3}) EXPECT_EQ(run(&phases_in_a_row, 1, 64, 0, phases), cudaSuccess);
    expect_text(failure_of(&phases_in_a_row, 1, 64, 0, 2),
                "wait at an mbarrier (its phase 2 wants 1 arrivals and 0 bytes)");
}

// The first block copies, waits, then raises the flags that its second warp and the second block
// poll: the copy comes although there is always somebody to run. `raise` false: nobody can go on.
__global__ void pollers(const unsigned* in, unsigned* flag, bool raise) {
    SIMT_SHARED(data, simt::shared_array<uint4, 1>);
    SIMT_SHARED(barrier, simt::Mbarrier);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> raised(*flag);
    if (threadIdx.x == 0) barrier.init(raise ? 1 : 2);
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x < 32) {
        if (threadIdx.x == 0) {
            barrier.arrive_expecting(16);
            simt::bulk_load(data.data(), in, 16, barrier);
        }
        barrier.wait(0);
        const uint4 v = data[0];
        if (threadIdx.x == 0) raised.store(v.x, cuda::memory_order_release);
    } else if (threadIdx.x % 32 == 0) {
        while (raised.load(cuda::memory_order_acquire) == 0) {
        }
    }
}

TEST_F(Mbarriers, CopyComesWhileOthersPoll) {
    DeviceArray<unsigned> in(4, 7);
    for (uint64_t seed = 0; seed <= 40; ++seed) {
        simt::config().seed = seed;
        for (const unsigned threads : {32u, 64u}) {
            DeviceArray<unsigned> flag(1);
            ASSERT_EQ(run(&pollers, 2, threads, 0, static_cast<const unsigned*>(in.get()),
                          flag.get(), true),
                      cudaSuccess)
                << "seed " << seed << ": " << simt::last_failure().message;
            EXPECT_EQ(flag.read()[0], 7u);
        }
    }
}

TEST_F(Mbarriers, WaitersAreNamedWhenTheRestPolls) {
    for (const uint64_t seed : {0, 1}) {
        simt::config().seed = seed;
        DeviceArray<unsigned> in(4), flag(1);
        const simt::Failure f = failure_of(
            &pollers, 2, 64, 0, static_cast<const unsigned*>(in.get()), flag.get(), false);
        expect_text(f, "no progress");
        expect_text(f, "warp 0 lanes ffffffff wait at an mbarrier (its phase 0 wants 1 arrivals");
        expect_text(f, "warp 1 lanes 00000001 poll or run");
    }
}

// An mbarrier that is initialised again begins with its first phase, for those who wait, too.
__global__ void initialised_again(bool* went_on) {
    SIMT_SHARED(barrier, simt::Mbarrier);
    if (threadIdx.x == 0) barrier.init(1);
    __syncthreads();
    if (threadIdx.x == 0) {
        barrier.arrive();  // phase 1 is next, and has parity 1
        for (int i = 0; i < 10; ++i) __nanosleep(1);
        barrier.init(1);
    } else {
        barrier.wait(0);
        barrier.wait(1);
        *went_on = true;
    }
}

TEST_F(Mbarriers, InitialisedAgain) {
    simt::config().check = false;
    DeviceArray<char> went_on(1);
    EXPECT_EQ(run(&initialised_again, 1, 2, 0, reinterpret_cast<bool*>(went_on.get())), cudaSuccess)
        << simt::last_failure().message;
    EXPECT_EQ(went_on.read()[0], 1);
}

// ---- misuse ------------------------------------------------------------------------------------

__global__ void misuse(const unsigned* in, int how) {
    SIMT_SHARED(data, simt::shared_array<uint4, 8>);
    SIMT_SHARED(barrier, simt::Mbarrier);
    if (how != 0) barrier.init(how == 1 ? 1 : 2);
    if (how == 0) barrier.arrive();
    if (how == 1) {
        barrier.arrive_expecting(16);  // the phase goes on for its bytes
        barrier.arrive();
    }
    if (how == 2) simt::bulk_load(data.data(), in + 1, 16, barrier);
    if (how == 3) simt::bulk_load(data.data(), in, 12, barrier);
    if (how == 4) simt::bulk_load(const_cast<unsigned*>(in), in, 16, barrier);
    if (how >= 5) simt::bulk_load(data.data(), in, 64, barrier);
    if (how == 6) {
        const uint4 early = data[0];
        (void)early;
    }
}

TEST_F(Mbarriers, Misuse) {
    simt::config().seed = 1;
    const char* const text[] = {"an mbarrier that was not initialised",
                                "an mbarrier got more arrivals than it expects",
                                "not multiples of 16",
                                "not multiples of 16",
                                "destination is not in shared memory",
                                "the block has ended with a bulk copy under way",
                                "race: a thread reads shared memory that a bulk copy wrote at"};
    for (int how = 0; how < 7; ++how) {
        DeviceArray<unsigned> in(64);
        const simt::Failure f =
            failure_of(&misuse, 1, 1, 0, static_cast<const unsigned*>(in.get()), how);
        expect_text(f, text[how]);
        EXPECT_EQ(f.file, __FILE__);
    }
}

// ---- flags in shared memory --------------------------------------------------------------------

// Warp 0 writes, raises a flag; warp 1 waits for the flag, reads. No __syncthreads.
__global__ void flag_between_warps(unsigned* out, bool right) {
    SIMT_SHARED(data, simt::shared_array<unsigned, 32>);
    SIMT_SHARED(flag, simt::shared_array<unsigned, 1>);
    const unsigned lane = threadIdx.x % 32;
    if (threadIdx.x == 0) flag[0] = 0u;
    if (threadIdx.x < 32) data[lane] = 0u;
    __syncthreads();
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> raised(*flag.data());
    if (threadIdx.x < 32) {
        data[lane] = lane + 1;
        if (right) __syncwarp();
        if (lane == 0) raised.store(1, cuda::memory_order_release);
    } else {
        while (raised.load(cuda::memory_order_acquire) == 0) {
        }
        if (blockIdx.x == 0) out[lane] = data[31 - lane];
    }
}

TEST_F(Mbarriers, FlagsOrderSharedMemory) {
    for (uint64_t seed = 0; seed <= 20; ++seed) {
        simt::config().seed = seed;
        DeviceArray<unsigned> out(32);
        ASSERT_EQ(run(&flag_between_warps, 2, 64, 0, out.get(), true), cudaSuccess)
            << "seed " << seed << ": " << simt::last_failure().message;
        EXPECT_EQ(out.read()[0], 32u);
    }
}

#if !SIMT_TSAN
TEST_F(Mbarriers, FlagOfOneLaneDoesNotSpeakForItsWarp) {
    int found = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        simt::config().seed = seed;
        DeviceArray<unsigned> out(32);
        if (run(&flag_between_warps, 2, 64, 0, out.get(), false) == cudaSuccess) continue;
        expect_text(simt::last_failure(), "race: a thread ");
        EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
        ++found;
    }
    EXPECT_GT(found, 15);
}
#endif

}  // namespace

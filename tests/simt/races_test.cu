// SPDX-License-Identifier: Apache-2.0
// The race check: two accesses of shared memory by different threads, one of them a write, with no
// order between them. Every fault stands beside its repaired twin. (Not part of ThreadSanitizer
// builds: that tool reports the same faults itself, and ends the program.)
#include <cuda/atomic>

#include "support.cuh"

using simt_test::DeviceArray;
using simt_test::expect_text;
using simt_test::failure_of;
using simt_test::run;

namespace {

class Races : public simt_test::ExecutorTest {
  protected:
    void SetUp() override {
        ExecutorTest::SetUp();
        simt::config().workers = 1;
        simt::config().check = true;
    }
    // Runs the kernel in order and under seeds: the faulty form must fail at the line each time,
    // the right form never.
    void expect_race(void (*kernel)(int*, bool), unsigned threads, int line, const char* text) {
        for (uint64_t seed = 0; seed <= 20; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            simt::config().seed = seed;
            {
                DeviceArray<int> out(threads);
                ASSERT_EQ(run(kernel, 3, threads, 0, out.get(), true), cudaSuccess)
                    << simt::last_failure().message;
            }
            DeviceArray<int> out(threads);
            const simt::Failure f = failure_of(kernel, 3, threads, 0, out.get(), false);
            expect_text(f, "race: a thread ");
            expect_text(f, text);
            EXPECT_EQ(f.file, __FILE__);
            if (seed == 0) {  // the later of the two accesses when lanes run in order
                EXPECT_EQ(f.line, line) << f.message;
            }
        }
    }
};

using Row = simt::shared_array<int, 128>;

constexpr int kStoreLine = __LINE__ + 5;
__global__ void missing_syncthreads(int* out, bool right) {
    SIMT_SHARED(s, Row);
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (right) __syncthreads();
    const int v = s[127 - threadIdx.x];
    out[threadIdx.x] = v;
}
TEST_F(Races, MissingSyncthreads) {
    expect_race(&missing_syncthreads, 128, kStoreLine, "shared memory");
}

constexpr int kLoadLine = __LINE__ + 5;
__global__ void write_after_read(int* out, bool right) {
    SIMT_SHARED(s, Row);
    s[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    const int v = s[127 - threadIdx.x];
    if (right) __syncthreads();
    s[threadIdx.x] = v + 1;
    out[threadIdx.x] = v;
}
TEST_F(Races, WriteAfterRead) { expect_race(&write_after_read, 128, kLoadLine, "shared memory"); }

constexpr int kWarpStoreLine = __LINE__ + 5;
__global__ void missing_syncwarp(int* out, bool right) {
    SIMT_SHARED(s, Row);
    s[threadIdx.x] = 0;
    __syncwarp();
    s[threadIdx.x] = static_cast<int>(threadIdx.x);
    if (right) __syncwarp();
    const int v = s[threadIdx.x ^ 1];
    out[threadIdx.x] = v;
}
TEST_F(Races, MissingSyncwarp) {
    expect_race(&missing_syncwarp, 64, kWarpStoreLine, "shared memory");
}

// Lane 16 reads what lane 0 wrote: the half-warp masks do not order the two.
constexpr int kHalfLine = __LINE__ + 8;
__global__ void partial_syncwarp(int* out, bool right) {
    SIMT_SHARED(s, Row);
    const unsigned lane = threadIdx.x;
    if (lane == 0) s[0] = 0;
    __syncwarp();
    if (lane == 0) s[0] = 7;
    __syncwarp(right ? ~0u : lane < 16 ? 0xFFFFu : 0xFFFF0000u);
    if (lane == 16) out[0] = s[0];
}
TEST_F(Races, PartialSyncwarp) { expect_race(&partial_syncwarp, 32, kHalfLine, "shared memory"); }

// Order is transitive: lane 0 to lane 1 by one collective, lane 1 to lane 2 by another.
__global__ void chain_of_syncwarps(int* out, bool right) {
    SIMT_SHARED(s, Row);
    const unsigned lane = threadIdx.x;
    if (lane == 0) s[0] = 0;
    __syncwarp();
    if (lane == 0) s[0] = 5;
    if (lane < 2) __syncwarp(0x3u);
    if (right && (lane == 1 || lane == 2)) __syncwarp(0x6u);
    if (lane == 2) out[0] = s[0];
}
constexpr int kChainLine = __LINE__ - 2;
TEST_F(Races, OrderIsTransitive) {
    expect_race(&chain_of_syncwarps, 32, kChainLine, "shared memory");
}

// A warp collective orders nothing between warps.
constexpr int kOtherWarpLine = __LINE__ + 8;
__global__ void syncwarp_between_warps(int* out, bool right) {
    SIMT_SHARED(s, Row);
    if (threadIdx.x == 0) s[0] = 0;
    __syncthreads();
    if (threadIdx.x == 0) s[0] = 3;
    __syncwarp();
    if (right) __syncthreads();
    if (threadIdx.x == 32) out[0] = s[0];
}
TEST_F(Races, SyncwarpBetweenWarps) {
    expect_race(&syncwarp_between_warps, 64, kOtherWarpLine, "shared memory");
}

// Many readers, then a writer that is ordered after all of them but one.
constexpr int kLastWriterLine = __LINE__ + 8;
__global__ void one_reader_forgotten(int* out, bool right) {
    SIMT_SHARED(s, Row);
    if (threadIdx.x == 0) s[0] = 1;
    __syncthreads();
    const int v = s[0];
    out[threadIdx.x] = v;
    if (right) __syncthreads();
    if (threadIdx.x == 127) s[0] = 2;
}
TEST_F(Races, WriterAfterManyReaders) {
    expect_race(&one_reader_forgotten, 128, kLastWriterLine, "writes shared memory that thread");
}

constexpr int kAtomicLine = __LINE__ + 5;
__global__ void plain_against_atomic(int* out, bool right) {
    SIMT_SHARED(s, Row);
    if (threadIdx.x == 0) s[0] = 0;
    __syncthreads();
    atomicAdd(&s[0], 1);  // atomics do not race with each other
    if (right) __syncthreads();
    if (threadIdx.x == 64) out[0] = s[0];
}
TEST_F(Races, PlainAgainstAtomic) {
    expect_race(&plain_against_atomic, 128, kAtomicLine, "shared memory that thread");
}

// Neighbouring bytes are different memory: no race, in any schedule.
__global__ void bytes(int* out) {
    SIMT_SHARED(s, simt::shared_array<unsigned char, 128>);
    s[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
    s[threadIdx.x] = static_cast<unsigned char>(s[threadIdx.x] + 1);
    out[threadIdx.x] = s[threadIdx.x];
}
TEST_F(Races, NeighbouringBytesDoNotRace) {
    for (uint64_t seed = 0; seed <= 20; ++seed) {
        simt::config().seed = seed;
        DeviceArray<int> out(128);
        ASSERT_EQ(run(&bytes, 4, 128, 0, out.get()), cudaSuccess) << simt::last_failure().message;
        EXPECT_EQ(out.read()[127], 128);
    }
}

// The report names both places.
TEST_F(Races, NamesBothPlaces) {
    simt::config().seed = 0;
    DeviceArray<int> out(128);
    const simt::Failure f = failure_of(&missing_syncthreads, 1, 128, 0, out.get(), false);
    // In order, thread 0 reads the word of thread 127 before that one has written it again.
    simt_test::expect_place(f, __FILE__, kStoreLine, 0, 64);
    expect_text(f, "writes shared memory that thread 63 of the block read at " __FILE__ ":" +
                       std::to_string(kStoreLine + 2));
}

}  // namespace

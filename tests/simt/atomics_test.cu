// SPDX-License-Identifier: Apache-2.0
// Atomics and fences: results that do not depend on the schedule. The same bodies run on a GPU.
#include <cuda/atomic>

#include "support.cuh"

using simt_test::DeviceArray;
using simt_test::run;

namespace {

constexpr unsigned kBlocks = 7, kBlockThreads = 96, kTotal = kBlocks * kBlockThreads;

template <class T>
__global__ void all_operations(T* cells) {
    const T id = static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x);
    atomicAdd(&cells[0], id + 1);
    if constexpr (sizeof(T) == 4)
        atomicSub(&cells[1], id);
    else
        atomicAdd(&cells[1], 0 - id);
    atomicMin(&cells[2], id + 5);
    atomicMax(&cells[3], id * 3);
    atomicAnd(&cells[4], ~(static_cast<T>(1) << (id % 16)));
    atomicOr(&cells[5], static_cast<T>(1) << (id % 31));
    atomicXor(&cells[6], id);
    T seen = 0;
    for (T expected = 1; expected != seen;) {  // cells[7] += 2 by compare and swap
        expected = seen;
        seen = atomicCAS(&cells[7], expected, expected + 2);
    }
    const T token = atomicExch(&cells[8], id + 1000);  // each token is handed over once
    atomicAdd(&cells[9], token);
}

template <class T>
void check_operations() {
    DeviceArray<T> cells(10, 0);
    std::vector<T> init(10, 0);
    init[2] = 1000000;
    init[4] = static_cast<T>(0xFFFFF);
    ASSERT_EQ(cudaMemcpy(cells.get(), init.data(), 10 * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
    ASSERT_EQ(run(&all_operations<T>, kBlocks, kBlockThreads, 0, cells.get()), cudaSuccess);
    const std::vector<T>& got = cells.read();
    const T sum = static_cast<T>(kTotal) * (kTotal - 1) / 2;
    T odd = 0;
    for (unsigned i = 0; i < kTotal; ++i) odd ^= static_cast<T>(i);
    EXPECT_EQ(got[0], sum + static_cast<T>(kTotal));
    EXPECT_EQ(got[1], static_cast<T>(0 - sum));
    EXPECT_EQ(got[2], T(5));
    EXPECT_EQ(got[3], T(3) * (kTotal - 1));
    EXPECT_EQ(got[4], T(0xF0000));
    EXPECT_EQ(got[5], static_cast<T>(0x7FFFFFFF));
    EXPECT_EQ(got[6], odd);
    EXPECT_EQ(got[7], T(2) * kTotal);
    EXPECT_EQ(got[8] + got[9], sum + static_cast<T>(1000) * kTotal);
}

TEST(Atomics, Unsigned) { check_operations<unsigned>(); }
TEST(Atomics, Int) { check_operations<int>(); }
TEST(Atomics, UnsignedLongLong) { check_operations<unsigned long long>(); }

__global__ void floating_and_wrapping(float* f, double* d, unsigned* wrap) {
    atomicAdd(f, 0.5f);
    atomicAdd(d, 0.25);
    atomicInc(&wrap[0], 9u);  // counts 0..9
    atomicDec(&wrap[1], 9u);
}

TEST(Atomics, FloatingAndWrapping) {
    DeviceArray<float> f(1);
    DeviceArray<double> d(1);
    DeviceArray<unsigned> wrap(2);
    ASSERT_EQ(run(&floating_and_wrapping, kBlocks, kBlockThreads, 0, f.get(), d.get(), wrap.get()),
              cudaSuccess);
    EXPECT_EQ(f.read()[0], 0.5f * kTotal);
    EXPECT_EQ(d.read()[0], 0.25 * kTotal);
    EXPECT_EQ(wrap.read()[0], kTotal % 10);
    EXPECT_EQ(wrap.read()[1], (10 - kTotal % 10) % 10);
}

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

// Blocks in ticket order: each waits for its predecessor's value, written plainly before the flag.
__global__ void message_chain(unsigned* ticket, unsigned* value, unsigned* flag) {
    if (threadIdx.x != 0) return;
    const unsigned mine = atomicAdd(ticket, 1u);
    unsigned sum = 1;
    if (mine > 0) {
        while (Flag(flag[mine - 1]).load(cuda::memory_order_acquire) == 0) {
        }
        sum += value[mine - 1];
    }
    value[mine] = sum;
    Flag(flag[mine]).store(1, cuda::memory_order_release);
}

TEST(Atomics, ReleaseAcquireChain) {
    constexpr unsigned kLong = 300;
    DeviceArray<unsigned> ticket(1), value(kLong), flag(kLong);
    ASSERT_EQ(run(&message_chain, kLong, 32, 0, ticket.get(), value.get(), flag.get()),
              cudaSuccess);
    const std::vector<unsigned>& got = value.read();
    for (unsigned i = 0; i < kLong; ++i) EXPECT_EQ(got[i], i + 1);
}

// A spin lock: the loop must give way to the lane that holds it.
__global__ void spin_lock(unsigned* lock, unsigned* counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0u, 1u) == 0) {
            __threadfence();
            *static_cast<volatile unsigned*>(counter) =
                *static_cast<volatile unsigned*>(counter) + 1;
            __threadfence();
            atomicExch(lock, 0u);
            done = true;
        }
    }
}

TEST(Atomics, SpinLock) {
    DeviceArray<unsigned> lock(1), counter(1);
    ASSERT_EQ(run(&spin_lock, 4, 64, 0, lock.get(), counter.get()), cudaSuccess);
    EXPECT_EQ(counter.read()[0], 256u);
}

__global__ void reference_operations(unsigned* cells) {
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    Flag(cells[0]).fetch_add(id);
    Flag(cells[1]).fetch_sub(1u, cuda::memory_order_relaxed);
    Flag(cells[2]).fetch_or(1u << id % 32);
    Flag(cells[3]).fetch_and(~(1u << id % 16));
    Flag(cells[4]).fetch_xor(id);
    Flag(cells[5]).fetch_max(id);
    Flag(cells[6]).fetch_min(id + 1);
    unsigned seen = 0;
    Flag seven(cells[7]);
    while (!seven.compare_exchange_strong(seen, seen + 1)) {
    }
}

TEST(Atomics, AtomicRef) {
    DeviceArray<unsigned> cells(8, ~0u);
    std::vector<unsigned> init = {0, 0, 0, ~0u, 0, 0, ~0u, 0};
    ASSERT_EQ(cudaMemcpy(cells.get(), init.data(), 32, cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(run(&reference_operations, kBlocks, kBlockThreads, 0, cells.get()), cudaSuccess);
    const std::vector<unsigned>& got = cells.read();
    unsigned odd = 0;
    for (unsigned i = 0; i < kTotal; ++i) odd ^= i;
    EXPECT_EQ(got[0], kTotal * (kTotal - 1) / 2);
    EXPECT_EQ(got[1], 0u - kTotal);
    EXPECT_EQ(got[2], ~0u);
    EXPECT_EQ(got[3], 0xFFFF0000u);
    EXPECT_EQ(got[4], odd);
    EXPECT_EQ(got[5], kTotal - 1);
    EXPECT_EQ(got[6], 1u);
    EXPECT_EQ(got[7], kTotal);
}

}  // namespace

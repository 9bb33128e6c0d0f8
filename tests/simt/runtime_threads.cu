// SPDX-License-Identifier: Apache-2.0
// Many host threads at once, each with streams of its own.
#include <atomic>

#include "runtime_testing.h"

using namespace runtime_testing;

class RuntimeThreads : public RuntimeTest {};

namespace {

constexpr int kThreads = 16, kRounds = 20, kInts = 200;

void work_of_a_thread(int id) {
    const Stream s(id % 2 ? cudaStreamNonBlocking : cudaStreamDefault);
    const Stream t;
    const Event e(cudaEventDefault);
    const DeviceInts a(kInts);
    for (int round = 1; round <= kRounds; ++round) {
        int* p = nullptr;
        ASSERT_EQ(cudaSuccess, cudaMallocAsync(&p, kInts * sizeof(int), s));
        EXPECT_OK(cudaMemcpyAsync(p, a.get(), a.bytes(), cudaMemcpyDeviceToDevice, s));
        EXPECT_OK(launch_add(p, kInts, id + 1, s));
        EXPECT_OK(cudaEventRecord(e, s));
        EXPECT_OK(cudaStreamWaitEvent(t, e));
        EXPECT_OK(cudaMemcpyAsync(a.get(), p, a.bytes(), cudaMemcpyDeviceToDevice, t));
        EXPECT_OK(cudaStreamSynchronize(t));
        EXPECT_OK(cudaFreeAsync(p, s));
        EXPECT_OK(cudaStreamSynchronize(s));
        if (id % 4 == 0) {
            EXPECT_OK(launch_add(a.get(), kInts, 0, nullptr));
        }
        // An error of this thread, seen by this thread alone.
        EXPECT_EQ(cudaErrorInvalidValue, cudaFree(&p));
        EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
        EXPECT_EQ(cudaSuccess, cudaGetLastError());
    }
    EXPECT_EQ(std::vector<int>(kInts, kRounds * (id + 1)), a.read());
}

}  // namespace

TEST_F(RuntimeThreads, OwnStreams) {
    std::vector<std::thread> threads;
    for (int id = 0; id < kThreads; ++id) threads.emplace_back(work_of_a_thread, id);
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
}

// Work of several threads in one stream runs one after another: the increments are not atomic.
TEST_F(RuntimeThreads, OneStream) {
    const DeviceInts a(kInts);
    for (const cudaStream_t s : {static_cast<cudaStream_t>(nullptr), cudaStreamLegacy}) {
        std::vector<std::thread> threads;
        for (int id = 0; id < kThreads; ++id)
            threads.emplace_back([&a, s] {
                for (int round = 0; round < kRounds; ++round)
                    EXPECT_OK(launch_add(a.get(), kInts, 1, s));
            });
        for (std::thread& t : threads) t.join();
    }
    EXPECT_EQ(std::vector<int>(kInts, 2 * kThreads * kRounds), a.read());
}

TEST_F(RuntimeThreads, OneExecutableGraph) {
    const DeviceInts a(kInts);
    const Stream s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    REQUIRE_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    EXPECT_OK(launch_add(a.get(), kInts, 1, s));
    REQUIRE_OK(cudaStreamEndCapture(s, &graph));
    REQUIRE_OK(cudaGraphInstantiate(&exec, graph));
    std::mutex one;  // CUDA's graph objects are not thread-safe
    std::vector<std::thread> threads;
    for (int id = 0; id < kThreads; ++id)
        threads.emplace_back([&] {
            const Stream mine;
            for (int round = 0; round < kRounds; ++round) {
                const std::lock_guard<std::mutex> lock(one);
                EXPECT_OK(cudaGraphLaunch(exec, mine));
            }
            EXPECT_OK(cudaStreamSynchronize(mine));
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(std::vector<int>(kInts, kThreads * kRounds), a.read());
    EXPECT_OK(cudaGraphExecDestroy(exec));
    EXPECT_OK(cudaGraphDestroy(graph));
}

#if defined(SIMT_VERSION)

// A host function of one stream may wait for work in another: streams do not stand in each other's
// way.
TEST_F(RuntimeThreads, StreamsAreIndependent) {
    const DeviceInts a(kInts);
    const Stream s, t;
    std::atomic<bool> go{false};
    std::thread waiting([&] {
        EXPECT_OK(cudaLaunchHostFunc(
            s,
            [](void* p) {
                while (!static_cast<std::atomic<bool>*>(p)->load()) std::this_thread::yield();
            },
            &go));
    });
    EXPECT_OK(launch_add(a.get(), kInts, 1, t));
    EXPECT_OK(cudaMemsetAsync(a.get(), 0, 4, t));
    go = true;
    waiting.join();
    EXPECT_EQ(1, a.get()[1]);
}

#endif

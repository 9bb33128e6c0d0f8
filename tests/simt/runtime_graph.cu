// SPDX-License-Identifier: Apache-2.0
// Graphs: what a captured sequence does when it is launched.
#include "runtime_testing.h"

using namespace runtime_testing;

class RuntimeGraph : public RuntimeTest {};

namespace {

struct Pair {
    int first, second;
};

__global__ void store_pair(int* p, Pair v) {
    p[0] = v.first;
    p[1] = v.second;
}

__global__ void double_and_add(int* p, const int* q) { p[0] = 2 * p[0] + q[0]; }

// A graph that is destroyed at the end, and an executable graph.
class Captured {
  public:
    // body(stream) is captured.
    template <class F>
    explicit Captured(F&& body, unsigned long long flags = 0) {
        const Stream s;
        EXPECT_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        body(static_cast<cudaStream_t>(s));
        EXPECT_OK(cudaStreamEndCapture(s, &graph_));
        EXPECT_OK(cudaGraphInstantiate(&exec_, graph_, flags));
    }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;
    ~Captured() {
        EXPECT_OK(cudaGraphExecDestroy(exec_));
        EXPECT_OK(cudaGraphDestroy(graph_));
    }
    cudaGraph_t graph() const { return graph_; }
    cudaGraphExec_t exec() const { return exec_; }
    // Launches and waits.
    cudaError_t run() const {
        const cudaError_t e = cudaGraphLaunch(exec_, run_in_);
        EXPECT_OK(cudaStreamSynchronize(run_in_));
        return e;
    }
    std::vector<cudaGraphNodeType> types() const {
        size_t n = 0;
        EXPECT_OK(cudaGraphGetNodes(graph_, nullptr, &n));
        std::vector<cudaGraphNode_t> nodes(n + 2, reinterpret_cast<cudaGraphNode_t>(&n));
        size_t room = n + 2;
        EXPECT_OK(cudaGraphGetNodes(graph_, nodes.data(), &room));
        EXPECT_EQ(n, room);
        EXPECT_EQ(nullptr, nodes[n]);
        std::vector<cudaGraphNodeType> found(n);
        for (size_t i = 0; i < n; ++i) EXPECT_OK(cudaGraphNodeGetType(nodes[i], &found[i]));
        return found;
    }

  private:
    Stream run_in_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t exec_ = nullptr;
};

}  // namespace

TEST_F(RuntimeGraph, RunsWhenLaunchedAnyNumberOfTimes) {
    const DeviceInts a(100);
    const Captured g([&](cudaStream_t s) {
        EXPECT_OK(launch_add(a.get(), 100, 2, s));
        EXPECT_OK(launch_add(a.get(), 50, 1, s));
    });
    EXPECT_EQ(std::vector<int>(100, 0), a.read());
    EXPECT_EQ((std::vector<cudaGraphNodeType>{cudaGraphNodeTypeKernel, cudaGraphNodeTypeKernel}),
              g.types());
    for (int i = 1; i <= 5; ++i) {
        EXPECT_OK(g.run());
        EXPECT_EQ(3 * i, a.read()[0]);
        EXPECT_EQ(2 * i, a.read()[99]);
    }
}

TEST_F(RuntimeGraph, ArgumentsAreCopiedAtCapture) {
    const DeviceInts a(2);
    Pair value{1, 2};
    const Captured g([&](cudaStream_t s) {
        EXPECT_OK(launch(&store_pair, dim3(1), dim3(1), 0, s, a.get(), value));
    });
    value = {3, 4};
    EXPECT_OK(g.run());
    EXPECT_EQ((std::vector<int>{1, 2}), a.read());
}

TEST_F(RuntimeGraph, CopiesReadWhenLaunched) {
    const DeviceInts a(4), b(4);
    std::vector<int> in{1, 2, 3, 4}, out(4);
    const Captured g([&](cudaStream_t s) {
        EXPECT_OK(cudaMemcpyAsync(a.get(), in.data(), 16, cudaMemcpyHostToDevice, s));
        EXPECT_OK(cudaMemcpyAsync(b.get(), a.get(), 16, cudaMemcpyDeviceToDevice, s));
        EXPECT_OK(cudaMemsetAsync(b.get(), 0xFF, 4, s));
        EXPECT_OK(cudaMemcpyAsync(out.data(), b.get(), 16, cudaMemcpyDeviceToHost, s));
    });
    EXPECT_EQ((std::vector<cudaGraphNodeType>{cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemcpy,
                                              cudaGraphNodeTypeMemset, cudaGraphNodeTypeMemcpy}),
              g.types());
    in = {5, 6, 7, 8};
    EXPECT_OK(g.run());
    EXPECT_EQ((std::vector<int>{-1, 6, 7, 8}), out);
}

TEST_F(RuntimeGraph, HostFunctions) {
    int calls = 0;
    const Captured g([&](cudaStream_t s) {
        EXPECT_OK(cudaLaunchHostFunc(
            s, [](void* p) { ++*static_cast<int*>(p); }, &calls));
    });
    EXPECT_EQ((std::vector<cudaGraphNodeType>{cudaGraphNodeTypeHost}), g.types());
    EXPECT_EQ(0, calls);
    EXPECT_OK(g.run());
    EXPECT_OK(g.run());
    EXPECT_EQ(2, calls);
}

TEST_F(RuntimeGraph, Empty) {
    const Captured g([](cudaStream_t) {});
    EXPECT_TRUE(g.types().empty());
    EXPECT_OK(g.run());
}

TEST_F(RuntimeGraph, ForkAndJoin) {
    const DeviceInts a(1), b(1);
    const Stream t;
    const Event fork, join;
    const Captured g([&](cudaStream_t s) {
        EXPECT_OK(launch_add(a.get(), 1, 1, s));
        EXPECT_OK(cudaEventRecord(fork, s));
        EXPECT_OK(cudaStreamWaitEvent(t, fork));
        EXPECT_OK(launch_add(b.get(), 1, 5, t));
        EXPECT_OK(launch_add(a.get(), 1, 2, s));
        EXPECT_OK(cudaEventRecord(join, t));
        EXPECT_OK(cudaStreamWaitEvent(s, join));
        EXPECT_OK(launch(&double_and_add, dim3(1), dim3(1), 0, s, a.get(), b.get()));
    });
    EXPECT_EQ(4u, g.types().size());
    EXPECT_OK(g.run());
    EXPECT_EQ(2 * 3 + 5, a.read()[0]);
    EXPECT_OK(g.run());
    EXPECT_EQ(2 * (11 + 3) + 10, a.read()[0]);
}

TEST_F(RuntimeGraph, OutlivesTheGraphItWasMadeFrom) {
    const DeviceInts a(10);
    const Stream s;
    cudaGraph_t graph;
    cudaGraphExec_t one, two;
    REQUIRE_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    EXPECT_OK(launch_add(a.get(), 10, 1, s));
    REQUIRE_OK(cudaStreamEndCapture(s, &graph));
    REQUIRE_OK(cudaGraphInstantiate(&one, graph));
    REQUIRE_OK(cudaGraphInstantiateWithFlags(&two, graph, 0));
    EXPECT_OK(cudaGraphDestroy(graph));
    EXPECT_OK(cudaGraphLaunch(one, s));
    EXPECT_OK(cudaGraphLaunch(two, s));
    EXPECT_OK(cudaGraphLaunch(one, s));
    EXPECT_OK(cudaStreamSynchronize(s));
    EXPECT_EQ(std::vector<int>(10, 3), a.read());
    EXPECT_OK(cudaGraphExecDestroy(one));
    EXPECT_OK(cudaGraphExecDestroy(two));
}

TEST_F(RuntimeGraph, WrongArguments) {
    cudaGraphExec_t exec;
    const Captured g([](cudaStream_t) {});
    size_t n = 0;
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiate(nullptr, g.graph()));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, g.graph(), 0x1000));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphLaunch(nullptr, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphDestroy(nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphExecDestroy(nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphGetNodes(nullptr, nullptr, &n));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGraphGetNodes(g.graph(), nullptr, nullptr));
}

TEST_F(RuntimeGraph, AllocationsFreedInTheGraph) {
    const DeviceInts out(10);
    const Captured g([&](cudaStream_t s) {
        int* p = nullptr;
        EXPECT_OK(cudaMallocAsync(&p, 40, s));
        EXPECT_NE(nullptr, p);
        EXPECT_OK(cudaMemsetAsync(p, 0, 40, s));
        EXPECT_OK(launch_add(p, 10, 9, s));
        EXPECT_OK(cudaMemcpyAsync(out.get(), p, 40, cudaMemcpyDeviceToDevice, s));
        EXPECT_OK(cudaFreeAsync(p, s));
    });
    EXPECT_EQ(cudaGraphNodeTypeMemAlloc, g.types().front());
    EXPECT_EQ(cudaGraphNodeTypeMemFree, g.types().back());
    for (int i = 0; i < 3; ++i) {
        EXPECT_OK(cudaMemset(out.get(), 0, 40));
        EXPECT_OK(g.run());
        EXPECT_EQ(std::vector<int>(10, 9), out.read());
    }
    cudaGraphExec_t second;  // one executable graph at a time
    EXPECT_NE(cudaSuccess, cudaGraphInstantiate(&second, g.graph()));
    cudaGetLastError();
}

TEST_F(RuntimeGraph, AllocationsLeftBehind) {
    int* p = nullptr;
    int host[10];
    const Captured g([&](cudaStream_t s) {
        EXPECT_OK(cudaMallocAsync(&p, 40, s));
        EXPECT_OK(cudaMemsetAsync(p, 1, 40, s));
    });
    EXPECT_OK(g.run());
    EXPECT_OK(cudaMemcpy(host, p, 40, cudaMemcpyDeviceToHost));
    EXPECT_EQ(0x01010101, host[9]);
    EXPECT_EQ(cudaErrorInvalidValue, g.run());
    cudaGetLastError();
    EXPECT_OK(cudaFree(p));
    EXPECT_OK(g.run());
    EXPECT_OK(cudaFreeAsync(p, nullptr));
    EXPECT_OK(cudaDeviceSynchronize());
}

TEST_F(RuntimeGraph, AllocationsFreedOnRelaunch) {
    int* p = nullptr;
    const Captured g(
        [&](cudaStream_t s) {
            EXPECT_OK(cudaMallocAsync(&p, 40, s));
            EXPECT_OK(cudaMemsetAsync(p, 1, 40, s));
        },
        cudaGraphInstantiateFlagAutoFreeOnLaunch);
    for (int i = 0; i < 3; ++i) EXPECT_OK(g.run());
    EXPECT_OK(cudaFree(p));
}

TEST_F(RuntimeGraph, FreeingWhatIsNotOfTheGraph) {
    void* p = nullptr;
    REQUIRE_OK(cudaMallocAsync(&p, 64, nullptr));
    const Stream s;
    cudaGraph_t graph = nullptr;
    REQUIRE_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    EXPECT_EQ(cudaErrorInvalidValue, cudaFreeAsync(p, s));
    cudaStreamEndCapture(s, &graph);
    if (graph) {
        EXPECT_OK(cudaGraphDestroy(graph));
    }
    cudaGetLastError();
    EXPECT_OK(cudaFree(p));
}

TEST_F(RuntimeGraph, ALaunchCannotBeCaptured) {
    const DeviceInts a(10);
    const Captured inner([&](cudaStream_t s) { EXPECT_OK(launch_add(a.get(), 10, 1, s)); });
    const Stream s;
    cudaGraph_t graph = nullptr;
    REQUIRE_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaGraphLaunch(inner.exec(), s));
    EXPECT_EQ(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));
    EXPECT_EQ(nullptr, graph);
    EXPECT_EQ(std::vector<int>(10, 0), a.read());
}

#if defined(SIMT_VERSION)

TEST_F(RuntimeGraph, MemoryOfAGraphExistsOnlyWhileItIsAllocated) {
    int* p = nullptr;
    size_t before, after, total;
    EXPECT_OK(cudaMemGetInfo(&before, &total));
    {
        const Captured g([&](cudaStream_t s) { EXPECT_OK(cudaMallocAsync(&p, 40, s)); });
        EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(p, 0, 40));
        EXPECT_OK(g.run());
        EXPECT_OK(cudaMemset(p, 0, 40));
    }
    EXPECT_OK(cudaMemset(p, 0, 40));  // outlives the graph
    EXPECT_OK(cudaFree(p));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(p, 0, 40));
    EXPECT_OK(cudaMemGetInfo(&after, &total));
    EXPECT_EQ(before, after);
}

// With the join left out, some seed runs the branches in the wrong order.
TEST_F(RuntimeGraph, SeedsPermuteIndependentNodes) {
    const DeviceInts a(1), b(1);
    const Stream t;
    const Event fork, join;
    const auto capture = [&](cudaStream_t s, bool ordered) {
        EXPECT_OK(cudaMemsetAsync(a.get(), 0, 4, s));
        EXPECT_OK(cudaMemsetAsync(b.get(), 0, 4, s));
        EXPECT_OK(cudaEventRecord(fork, s));
        EXPECT_OK(cudaStreamWaitEvent(t, fork));
        EXPECT_OK(launch_add(b.get(), 1, 5, t));
        EXPECT_OK(cudaEventRecord(join, t));
        if (ordered) {
            EXPECT_OK(cudaStreamWaitEvent(s, join));
        }
        EXPECT_OK(launch(&double_and_add, dim3(1), dim3(1), 0, s, a.get(), b.get()));
        if (!ordered) {
            EXPECT_OK(cudaStreamWaitEvent(s, join));
        }
    };
    const Captured right([&](cudaStream_t s) { capture(s, true); });
    const Captured wrong([&](cudaStream_t s) { capture(s, false); });
    const uint64_t before = simt::config().seed;
    int failures = 0;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        simt::config().seed = seed;
        EXPECT_OK(right.run());
        EXPECT_EQ(5, a.read()[0]);
        EXPECT_OK(wrong.run());
        failures += a.read()[0] != 5;
        if (seed == 0) {
            EXPECT_EQ(0, failures);
        }
    }
    EXPECT_GT(failures, 0);
    EXPECT_LT(failures, 20);
    simt::config().seed = before;
}

#endif

// SPDX-License-Identifier: Apache-2.0
// The sticky error: what a kernel that faults does to the process. A program of its own, because on
// a GPU the context does not come back.
#include <cstring>
#include <string>

#include "runtime_testing.h"

using namespace runtime_testing;

namespace {

__global__ void trap_kernel(int block) {
    if (static_cast<int>(blockIdx.x) == block && threadIdx.x == 5) __trap();
}

}  // namespace

// On a GPU only this first test can run.
TEST(RuntimeSticky, FaultIsReportedByEveryLaterCall) {
    int* p = nullptr;
    REQUIRE_OK(cudaMalloc(&p, 64));
    int host[16];
    EXPECT_OK(
        launch(&trap_kernel, dim3(4), dim3(32), 0, nullptr, 2));  // the launch itself succeeds
    EXPECT_EQ(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    EXPECT_EQ(cudaErrorLaunchFailure, cudaMemcpy(host, p, 64, cudaMemcpyDeviceToHost));
    EXPECT_EQ(cudaErrorLaunchFailure, cudaMemset(p, 0, 64));
    void* q = nullptr;
    EXPECT_EQ(cudaErrorLaunchFailure, cudaMalloc(&q, 64));
    EXPECT_EQ(cudaErrorLaunchFailure, launch(&trap_kernel, dim3(1), dim3(32), 0, nullptr, -1));
    EXPECT_EQ(cudaErrorLaunchFailure, cudaFree(p));
    EXPECT_EQ(cudaErrorLaunchFailure, cudaGetLastError());
    in_another_thread([] {
        void* r = nullptr;
        EXPECT_EQ(cudaErrorLaunchFailure, cudaMalloc(&r, 64));
    });
    EXPECT_EQ(0, std::strncmp(cudaGetErrorString(cudaErrorLaunchFailure),
                              "unspecified launch failure", 26));
#if defined(SIMT_VERSION)
    EXPECT_EQ(cudaErrorLaunchFailure, cudaPeekAtLastError());
    EXPECT_EQ(cudaErrorLaunchFailure, cudaGetLastError());  // again: not cleared
    EXPECT_OK(cudaDeviceReset());
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
#endif
}

#if defined(SIMT_VERSION)

class RuntimeStickySimt : public RuntimeTest {
  protected:
    void TearDown() override { EXPECT_OK(cudaDeviceReset()); }
};

namespace {

__global__ void calls_the_runtime(void** out) { cudaMalloc(out, 16); }

std::string fault_text() { return cudaGetErrorString(cudaErrorLaunchFailure); }

}  // namespace

TEST_F(RuntimeStickySimt, TextCarriesTheExecutorsMessage) {
    EXPECT_OK(launch(&trap_kernel, dim3(4), dim3(32), 0, nullptr, 2));
    EXPECT_NE(std::string::npos, fault_text().find(simt::last_failure().message)) << fault_text();
    EXPECT_EQ(2u, simt::last_failure().block.x);
    EXPECT_EQ(5u, simt::last_failure().thread.x);
}

TEST_F(RuntimeStickySimt, EveryCallThatTouchesTheContext) {
    cudaStream_t s;
    cudaEvent_t event;
    REQUIRE_OK(cudaStreamCreate(&s));
    REQUIRE_OK(cudaEventCreate(&event));
    EXPECT_OK(launch(&trap_kernel, dim3(1), dim3(32), 0, s, 0));
    const cudaError_t fault = cudaErrorLaunchFailure;
    void* p = nullptr;
    size_t a, b;
    int x = 0;
    float ms;
    cudaPointerAttributes attributes;
    cudaStreamCaptureStatus status;
    EXPECT_EQ(fault, cudaStreamSynchronize(s));
    EXPECT_EQ(fault, cudaStreamQuery(s));
    EXPECT_EQ(fault, cudaStreamDestroy(s));
    EXPECT_EQ(fault, cudaStreamWaitEvent(s, event));
    EXPECT_EQ(fault, cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    EXPECT_EQ(fault, cudaStreamIsCapturing(s, &status));
    EXPECT_EQ(fault, cudaEventRecord(event, s));
    EXPECT_EQ(fault, cudaEventQuery(event));
    EXPECT_EQ(fault, cudaEventSynchronize(event));
    EXPECT_EQ(fault, cudaEventElapsedTime(&ms, event, event));
    EXPECT_EQ(fault, cudaEventDestroy(event));
    EXPECT_EQ(fault, cudaMallocHost(&p, 16));
    EXPECT_EQ(fault, cudaMallocAsync(&p, 16, nullptr));
    EXPECT_EQ(fault, cudaMemcpyAsync(&x, &x, 4, cudaMemcpyDefault, s));
    EXPECT_EQ(fault, cudaMemsetAsync(&x, 0, 4, s));
    EXPECT_EQ(fault, cudaMemGetInfo(&a, &b));
    EXPECT_EQ(fault, cudaPointerGetAttributes(&attributes, &x));
    EXPECT_EQ(fault, cudaLaunchHostFunc(
                         s, [](void*) { FAIL(); }, nullptr));
    EXPECT_EQ(fault, cudaSetDevice(0));
    // Queries of the device do not touch the context.
    EXPECT_OK(cudaGetDeviceCount(&x));
    EXPECT_OK(cudaGetDevice(&x));
    EXPECT_OK(cudaDeviceGetAttribute(&x, cudaDevAttrWarpSize, 0));
    EXPECT_OK(cudaDeviceReset());
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
}

TEST_F(RuntimeStickySimt, ResetFreesMemoryAndTheDeviceWorksAgain) {
    size_t before, after, total;
    REQUIRE_OK(cudaMemGetInfo(&before, &total));
    int* p = nullptr;
    REQUIRE_OK(cudaMalloc(&p, 1 << 20));
    EXPECT_OK(launch(&trap_kernel, dim3(1), dim3(32), 0, nullptr, 0));
    EXPECT_EQ(cudaErrorLaunchFailure, cudaFree(p));
    EXPECT_OK(cudaDeviceReset());
    EXPECT_OK(cudaMemGetInfo(&after, &total));
    EXPECT_EQ(before, after);
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree(p));
    const DeviceInts ints(100);
    EXPECT_OK(launch_add(ints.get(), 100, 7));
    EXPECT_EQ(std::vector<int>(100, 7), ints.read());
}

TEST_F(RuntimeStickySimt, ResetEndsItForAllThreads) {
    void* p = nullptr;
    EXPECT_OK(launch(&trap_kernel, dim3(1), dim3(32), 0, nullptr, 0));
    EXPECT_EQ(cudaErrorLaunchFailure, cudaMalloc(&p, 64));
    in_another_thread([] { EXPECT_OK(cudaDeviceReset()); });
    EXPECT_EQ(cudaSuccess, cudaGetLastError());
    EXPECT_OK(cudaMalloc(&p, 64));
    EXPECT_OK(cudaFree(p));
}

TEST_F(RuntimeStickySimt, ResetKeepsStreamOrderedMemory) {
    void* p = nullptr;
    REQUIRE_OK(cudaMallocAsync(&p, 64, nullptr));
    EXPECT_OK(cudaDeviceReset());
    EXPECT_OK(cudaFree(p));
}

TEST_F(RuntimeStickySimt, CallFromKernelCodeFailsTheKernel) {
    void** out = nullptr;
    REQUIRE_OK(cudaMalloc(&out, sizeof(void*)));
    EXPECT_OK(launch(&calls_the_runtime, dim3(1), dim3(1), 0, nullptr, out));
    EXPECT_EQ(cudaErrorLaunchFailure, cudaDeviceSynchronize());
    EXPECT_NE(std::string::npos, fault_text().find("cudaMalloc was called from kernel code"))
        << fault_text();
}

TEST_F(RuntimeStickySimt, FaultInAGraphStopsTheGraph) {
    cudaStream_t s;
    REQUIRE_OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    int* p = nullptr;
    REQUIRE_OK(cudaMalloc(&p, sizeof(int)));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    REQUIRE_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    EXPECT_OK(cudaMemsetAsync(p, 0, sizeof(int), s));
    EXPECT_OK(launch(&trap_kernel, dim3(1), dim3(32), 0, s, 0));
    EXPECT_OK(launch_add(p, 1, 1, s));
    REQUIRE_OK(cudaStreamEndCapture(s, &graph));
    REQUIRE_OK(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_OK(cudaGraphLaunch(exec, s));
    EXPECT_EQ(cudaErrorLaunchFailure, cudaGraphLaunch(exec, s));
    EXPECT_EQ(0, *p);  // device memory is host memory here
    EXPECT_OK(cudaDeviceReset());
    EXPECT_OK(cudaGraphDestroy(graph));
}

TEST_F(RuntimeStickySimt, GraphThatOutlivesItsMemory) {
    cudaStream_t s;
    int* p = nullptr;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    REQUIRE_OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    REQUIRE_OK(cudaMalloc(&p, 64));
    REQUIRE_OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    EXPECT_OK(cudaMemsetAsync(p, 0, 64, s));
    REQUIRE_OK(cudaStreamEndCapture(s, &graph));
    REQUIRE_OK(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_OK(cudaGraphLaunch(exec, s));
    EXPECT_OK(cudaFree(p));
    EXPECT_OK(cudaGraphLaunch(exec, s));
    EXPECT_EQ(cudaErrorIllegalAddress, cudaStreamSynchronize(s));
    EXPECT_EQ(0, std::strncmp(cudaGetErrorString(cudaErrorIllegalAddress),
                              "an illegal memory access was encountered: node 0", 48));
    EXPECT_OK(cudaDeviceReset());
    EXPECT_OK(cudaGraphDestroy(graph));
}

#endif

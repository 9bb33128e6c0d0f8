// SPDX-License-Identifier: Apache-2.0
// Rules of stream capture: what is refused, with which error, and what invalidates the capture.
#include "runtime_testing.h"

using namespace runtime_testing;

class RuntimeCapture : public RuntimeTest {};

namespace {

cudaStreamCaptureStatus status_of(cudaStream_t s) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    EXPECT_OK(cudaStreamIsCapturing(s, &status));
    return status;
}

void begin(cudaStream_t s, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    ASSERT_EQ(cudaSuccess, cudaStreamBeginCapture(s, mode));
}

// Ends a capture and throws the graph away.
cudaError_t end(cudaStream_t s) {
    cudaGraph_t graph = nullptr;
    const cudaError_t e = cudaStreamEndCapture(s, &graph);
    EXPECT_EQ(e == cudaSuccess, graph != nullptr);
    if (graph) {
        EXPECT_OK(cudaGraphDestroy(graph));
    }
    return e;
}

// The capture of s is invalid, and s can be used again once it is ended.
void expect_invalidated(cudaStream_t s) {
    EXPECT_EQ(cudaStreamCaptureStatusInvalidated, status_of(s));
    EXPECT_EQ(cudaErrorStreamCaptureInvalidated, end(s));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(s));
    EXPECT_OK(cudaStreamSynchronize(s));
}

}  // namespace

TEST_F(RuntimeCapture, StatusAndId) {
    const Stream s, t;
    cudaStreamCaptureStatus status;
    unsigned long long first = 0, second = 0;
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(s));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(nullptr));
    begin(s);
    EXPECT_EQ(cudaStreamCaptureStatusActive, status_of(s));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(t));
    EXPECT_OK(cudaStreamGetCaptureInfo(s, &status, &first));
    EXPECT_EQ(cudaStreamCaptureStatusActive, status);
    EXPECT_OK(end(s));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(s));
    begin(s);
    EXPECT_OK(cudaStreamGetCaptureInfo(s, &status, &second));
    EXPECT_NE(first, second);
    EXPECT_OK(end(s));
    EXPECT_OK(cudaStreamGetCaptureInfo(s, &status));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status);
    EXPECT_EQ(cudaErrorInvalidValue, cudaStreamIsCapturing(s, nullptr));
}

TEST_F(RuntimeCapture, BeginAndEndErrors) {
    const Stream s;
    cudaGraph_t graph;
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported,
              cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
    EXPECT_EQ(cudaErrorInvalidValue,
              cudaStreamBeginCapture(s, static_cast<cudaStreamCaptureMode>(9)));
    EXPECT_EQ(cudaErrorIllegalState, cudaStreamEndCapture(s, &graph));
    begin(s);
    EXPECT_EQ(cudaErrorIllegalState, cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    EXPECT_OK(cudaStreamEndCapture(s, nullptr));  // the graph is not wanted
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(s));
}

TEST_F(RuntimeCapture, SynchronizingTheStream) {
    const Stream s;
    begin(s);
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
    EXPECT_EQ(cudaErrorStreamCaptureInvalidated, launch_add(nullptr, 1, 1, s));
    expect_invalidated(s);
}

TEST_F(RuntimeCapture, QueryingTheStream) {
    const Stream s;
    begin(s, cudaStreamCaptureModeRelaxed);
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaStreamQuery(s));
    expect_invalidated(s);
}

TEST_F(RuntimeCapture, SynchronizingTheDevice) {
    for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                            cudaStreamCaptureModeRelaxed}) {
        const Stream s;
        begin(s, mode);
        EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize());
        expect_invalidated(s);
    }
}

TEST_F(RuntimeCapture, SynchronizingTheDeviceInAnotherThread) {
    const Stream s;
    begin(s, cudaStreamCaptureModeThreadLocal);
    in_another_thread(
        [] { EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaDeviceSynchronize()); });
    expect_invalidated(s);
}

TEST_F(RuntimeCapture, AllocationIsUnsafe) {
    for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal}) {
        const Stream s;
        void* p = nullptr;
        begin(s, mode);
        EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaMalloc(&p, 64));
        expect_invalidated(s);
    }
}

TEST_F(RuntimeCapture, AllocationInRelaxedMode) {
    const Stream s;
    void* p = nullptr;
    begin(s, cudaStreamCaptureModeRelaxed);
    EXPECT_OK(cudaMalloc(&p, 64));
    EXPECT_OK(cudaFree(p));
    EXPECT_OK(end(s));
}

TEST_F(RuntimeCapture, AllocationInAnotherThread) {
    const auto allocate = [](cudaError_t expected) {
        in_another_thread([=] {
            void* p = nullptr;
            EXPECT_EQ(expected, cudaMalloc(&p, 64));
            if (p) {
                EXPECT_OK(cudaFree(p));
            }
        });
    };
    const Stream s;
    begin(s, cudaStreamCaptureModeGlobal);
    allocate(cudaErrorStreamCaptureUnsupported);
    expect_invalidated(s);
    begin(s, cudaStreamCaptureModeThreadLocal);
    allocate(cudaSuccess);
    EXPECT_OK(end(s));
    begin(s, cudaStreamCaptureModeRelaxed);
    allocate(cudaSuccess);
    EXPECT_OK(end(s));
}

TEST_F(RuntimeCapture, ModeOfTheThread) {
    const Stream s;
    void* p = nullptr;
    auto mode = cudaStreamCaptureModeRelaxed;
    begin(s, cudaStreamCaptureModeGlobal);
    EXPECT_OK(cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(cudaStreamCaptureModeGlobal, mode);
    EXPECT_OK(cudaMalloc(&p, 64));
    EXPECT_OK(cudaFree(p));
    EXPECT_OK(cudaThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(cudaStreamCaptureModeRelaxed, mode);
    in_another_thread([] {
        auto mine = cudaStreamCaptureModeThreadLocal;
        void* q = nullptr;
        EXPECT_OK(cudaThreadExchangeStreamCaptureMode(&mine));
        EXPECT_OK(cudaMalloc(&q, 64));
        EXPECT_OK(cudaFree(q));
    });
    EXPECT_OK(end(s));
#if defined(SIMT_VERSION)  // stricter than a GPU's runtime, which takes any number
    mode = static_cast<cudaStreamCaptureMode>(9);
    EXPECT_EQ(cudaErrorInvalidValue, cudaThreadExchangeStreamCaptureMode(&mode));
#endif
}

TEST_F(RuntimeCapture, QueryingAnUncapturedEventIsUnsafe) {
    const Stream s, t;
    const Event e;
    REQUIRE_OK(cudaEventRecord(e, t));
    REQUIRE_OK(cudaStreamSynchronize(t));
    begin(s);
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaEventQuery(e));
    expect_invalidated(s);
    begin(s, cudaStreamCaptureModeRelaxed);
    EXPECT_OK(cudaEventQuery(e));
    EXPECT_OK(cudaEventSynchronize(e));
    EXPECT_OK(end(s));
}

TEST_F(RuntimeCapture, CapturedEvents) {
    const Stream s;
    const Event e;
    begin(s, cudaStreamCaptureModeRelaxed);
    EXPECT_OK(cudaEventRecord(e, s));
    EXPECT_EQ(cudaErrorCapturedEvent, cudaEventQuery(e));
    expect_invalidated(s);
    begin(s, cudaStreamCaptureModeRelaxed);
    EXPECT_OK(cudaEventRecord(e, s));
    EXPECT_EQ(cudaErrorCapturedEvent, cudaEventSynchronize(e));
    expect_invalidated(s);
    EXPECT_OK(cudaEventRecord(e, s));  // not captured any more
    EXPECT_OK(cudaEventSynchronize(e));
}

TEST_F(RuntimeCapture, LegacyStreamBesideABlockingStream) {
    const DeviceInts a(10);
    const Stream s(cudaStreamDefault);
    cudaStreamCaptureStatus status;
    begin(s);
    // Asking does no harm.
    EXPECT_EQ(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(nullptr, &status));
    EXPECT_EQ(cudaStreamCaptureStatusActive, status_of(s));
    EXPECT_EQ(cudaErrorStreamCaptureImplicit, launch_add(a.get(), 10, 1, nullptr));
    expect_invalidated(s);

    begin(s, cudaStreamCaptureModeRelaxed);
    EXPECT_EQ(cudaErrorStreamCaptureImplicit, cudaMemset(a.get(), 0, 4));
    expect_invalidated(s);

    begin(s, cudaStreamCaptureModeRelaxed);
    int x = 0;
    EXPECT_EQ(cudaErrorStreamCaptureImplicit, cudaMemcpy(&x, a.get(), 4, cudaMemcpyDeviceToHost));
    expect_invalidated(s);

    begin(s, cudaStreamCaptureModeRelaxed);
    EXPECT_EQ(cudaErrorStreamCaptureImplicit, cudaStreamSynchronize(nullptr));
    expect_invalidated(s);

    const Event e;
    begin(s, cudaStreamCaptureModeRelaxed);
    EXPECT_EQ(cudaErrorStreamCaptureImplicit, cudaEventRecord(e));
    expect_invalidated(s);
}

TEST_F(RuntimeCapture, LegacyStreamBesideANonBlockingStream) {
    const DeviceInts a(10);
    const Stream s;
    begin(s, cudaStreamCaptureModeRelaxed);
    EXPECT_OK(launch_add(a.get(), 10, 1, nullptr));
    EXPECT_EQ(std::vector<int>(10, 1), a.read());
    EXPECT_OK(end(s));
}

TEST_F(RuntimeCapture, ForkAndJoin) {
    const DeviceInts a(10), b(10);
    const Stream s, t;
    const Event fork, join;
    begin(s);
    EXPECT_OK(launch_add(a.get(), 10, 1, s));
    EXPECT_OK(cudaEventRecord(fork, s));
    EXPECT_OK(cudaStreamWaitEvent(t, fork));
    EXPECT_EQ(cudaStreamCaptureStatusActive, status_of(t));
    EXPECT_OK(launch_add(b.get(), 10, 2, t));
    EXPECT_OK(cudaEventRecord(join, t));
    EXPECT_OK(cudaStreamWaitEvent(s, join));
    EXPECT_OK(end(s));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(t));
    EXPECT_OK(cudaDeviceSynchronize());
    EXPECT_EQ(std::vector<int>(10, 0), a.read());  // nothing ran
}

TEST_F(RuntimeCapture, UnjoinedFork) {
    const DeviceInts a(10);
    const Stream s, t;
    const Event fork;
    begin(s);
    EXPECT_OK(cudaEventRecord(fork, s));
    EXPECT_OK(cudaStreamWaitEvent(t, fork));
    EXPECT_OK(launch_add(a.get(), 10, 2, t));
    EXPECT_EQ(cudaErrorStreamCaptureUnjoined, end(s));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(s));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(t));
    EXPECT_OK(cudaStreamSynchronize(t));
}

TEST_F(RuntimeCapture, EndOnAnotherStream) {
    const Stream s, t;
    const Event fork;
    begin(s);
    EXPECT_OK(cudaEventRecord(fork, s));
    EXPECT_OK(cudaStreamWaitEvent(t, fork));
    EXPECT_EQ(cudaErrorStreamCaptureUnmatched, end(t));
    end(s);
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(s));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(t));
}

TEST_F(RuntimeCapture, WaitingForAnUncapturedEvent) {
    const Stream s, t;
    const Event e;
    REQUIRE_OK(cudaEventRecord(e, t));
    begin(s);
    EXPECT_EQ(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(s, e));
    expect_invalidated(s);
}

TEST_F(RuntimeCapture, MergingTwoCaptures) {
    const Stream s, t;
    const Event e;
    begin(s);
    begin(t);
    EXPECT_OK(cudaEventRecord(e, s));
    EXPECT_EQ(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(t, e));
    end(t);
    end(s);
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(s));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(t));
}

TEST_F(RuntimeCapture, EndInAnotherThread) {
    const Stream s;
    begin(s, cudaStreamCaptureModeThreadLocal);
    in_another_thread([&] { EXPECT_EQ(cudaErrorStreamCaptureWrongThread, end(s)); });
    end(s);
    begin(s, cudaStreamCaptureModeRelaxed);
    in_another_thread([&] { EXPECT_OK(end(s)); });
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(s));
}

TEST_F(RuntimeCapture, ARefusedLaunchInvalidates) {
    const Stream s;
    begin(s);
    EXPECT_EQ(cudaErrorInvalidValue, launch(&add_kernel, dim3(1), dim3(2048), 0, s, nullptr, 0, 0));
    expect_invalidated(s);
}

TEST_F(RuntimeCapture, TwoThreadsCaptureAtOnce) {
    const DeviceInts a(64);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&a, i] {
            const Stream s;
            begin(s, cudaStreamCaptureModeThreadLocal);
            EXPECT_OK(launch_add(a.get() + 16 * i, 16, i, s));
            cudaGraph_t graph = nullptr;
            cudaGraphExec_t exec = nullptr;
            ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(s, &graph));
            ASSERT_EQ(cudaSuccess, cudaGraphInstantiate(&exec, graph, 0));
            EXPECT_OK(cudaGraphLaunch(exec, s));
            EXPECT_OK(cudaGraphExecDestroy(exec));
            EXPECT_OK(cudaGraphDestroy(graph));
        });
    for (std::thread& t : threads) t.join();
    EXPECT_OK(cudaDeviceSynchronize());
    const auto out = a.read();
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(static_cast<int>(i / 16), out[i]);
}

#if defined(SIMT_VERSION)

TEST_F(RuntimeCapture, DestroyingStreams) {
    const DeviceInts a(10);
    cudaStream_t s, t;
    REQUIRE_OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    REQUIRE_OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    const Event e;
    begin(s);
    EXPECT_OK(cudaEventRecord(e, s));
    EXPECT_OK(cudaStreamWaitEvent(t, e));
    EXPECT_OK(launch_add(a.get(), 10, 1, t));
    EXPECT_OK(cudaEventRecord(e, t));
    EXPECT_OK(cudaStreamWaitEvent(s, e));
    EXPECT_OK(cudaStreamDestroy(t));
    EXPECT_OK(end(s));
    begin(s);
    EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaStreamDestroy(s));
    expect_invalidated(s);
    EXPECT_OK(cudaStreamDestroy(s));
}

// A per-thread stream of another thread leaves a capture that has ended.
TEST_F(RuntimeCapture, PerThreadStreamLeaves) {
    const Stream s;
    const Event e;
    begin(s, cudaStreamCaptureModeRelaxed);
    EXPECT_OK(cudaEventRecord(e, s));
    EXPECT_OK(cudaStreamWaitEvent(cudaStreamPerThread, e));
    EXPECT_EQ(cudaStreamCaptureStatusActive, status_of(cudaStreamPerThread));
    EXPECT_OK(end(s));
    EXPECT_EQ(cudaStreamCaptureStatusNone, status_of(cudaStreamPerThread));
    EXPECT_OK(cudaStreamSynchronize(cudaStreamPerThread));
}

#endif

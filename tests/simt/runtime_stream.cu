// SPDX-License-Identifier: Apache-2.0
// Streams, events, host functions.
#include <chrono>

#include "runtime_testing.h"

using namespace runtime_testing;

class RuntimeStream : public RuntimeTest {};
class RuntimeEvent : public RuntimeTest {};

TEST_F(RuntimeStream, FlagsAndPriorities) {
    cudaStream_t s;
    unsigned flags = 77;
    int priority = 77, least = 77, greatest = 77;
    EXPECT_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT_OK(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
    EXPECT_EQ(0, least);
    EXPECT_LE(greatest, least);

    REQUIRE_OK(cudaStreamCreate(&s));
    EXPECT_OK(cudaStreamGetFlags(s, &flags));
    EXPECT_EQ(unsigned(cudaStreamDefault), flags);
    EXPECT_OK(cudaStreamGetPriority(s, &priority));
    EXPECT_EQ(0, priority);
    EXPECT_OK(cudaStreamDestroy(s));

    REQUIRE_OK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest - 100));
    EXPECT_OK(cudaStreamGetFlags(s, &flags));
    EXPECT_EQ(unsigned(cudaStreamNonBlocking), flags);
    EXPECT_OK(cudaStreamGetPriority(s, &priority));
    EXPECT_EQ(greatest, priority);
    EXPECT_EQ(cudaErrorInvalidValue, cudaStreamGetPriority(s, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaStreamGetFlags(s, nullptr));
    EXPECT_OK(cudaStreamDestroy(s));

    EXPECT_EQ(cudaErrorInvalidValue, cudaStreamCreate(nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&s, 0x100));
}

TEST_F(RuntimeStream, WorkInEveryKindOfStream) {
    const DeviceInts a(100);
    const Stream blocking(cudaStreamDefault), other;
    int expected = 0;
    for (const cudaStream_t s :
         {static_cast<cudaStream_t>(nullptr), cudaStreamLegacy, cudaStreamPerThread,
          cudaStream_t(blocking), cudaStream_t(other)}) {
        EXPECT_OK(launch_add(a.get(), 100, 1, s));
        EXPECT_OK(cudaStreamSynchronize(s));
        EXPECT_EQ(cudaSuccess, cudaStreamQuery(s));
        EXPECT_EQ(std::vector<int>(100, ++expected), a.read());
    }
    EXPECT_OK(cudaDeviceSynchronize());
}

TEST_F(RuntimeStream, TheNullStreamCannotBeDestroyed) {
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamDestroy(nullptr));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaGetLastError());
}

TEST_F(RuntimeStream, HostFunctions) {
    struct State {
        int order = 0, first = 0, second = 0;
    } state;
    const Stream s;
    EXPECT_OK(cudaLaunchHostFunc(
        s,
        [](void* p) {
            auto& t = *static_cast<State*>(p);
            t.first = ++t.order;
        },
        &state));
    EXPECT_OK(cudaLaunchHostFunc(
        s,
        [](void* p) {
            auto& t = *static_cast<State*>(p);
            t.second = ++t.order;
        },
        &state));
    EXPECT_OK(cudaStreamSynchronize(s));
    EXPECT_EQ(1, state.first);
    EXPECT_EQ(2, state.second);
    EXPECT_EQ(cudaErrorInvalidValue, cudaLaunchHostFunc(s, nullptr, nullptr));
}

TEST_F(RuntimeEvent, ElapsedTime) {
    const Event start(cudaEventDefault), end(cudaEventDefault);
    const Stream s;
    float ms = -1;
    REQUIRE_OK(cudaEventRecord(start, s));
    EXPECT_OK(cudaLaunchHostFunc(
        s, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, nullptr));
    REQUIRE_OK(cudaEventRecord(end, s));
    EXPECT_OK(cudaEventSynchronize(end));
    EXPECT_EQ(cudaSuccess, cudaEventQuery(end));
    EXPECT_OK(cudaEventElapsedTime(&ms, start, end));
    EXPECT_GE(ms, 19.0f);
    EXPECT_LE(ms, 5000.0f);
    EXPECT_OK(cudaEventElapsedTime(&ms, end, start));
    EXPECT_LE(ms, -19.0f);
    EXPECT_EQ(cudaErrorInvalidValue, cudaEventElapsedTime(nullptr, start, end));
}

TEST_F(RuntimeEvent, ElapsedTimeNeedsRecordsAndTiming) {
    const Event recorded(cudaEventDefault), never(cudaEventDefault),
        untimed(cudaEventDisableTiming);
    float ms = 0;
    REQUIRE_OK(cudaEventRecord(recorded));
    REQUIRE_OK(cudaEventRecord(untimed));
    REQUIRE_OK(cudaDeviceSynchronize());
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, recorded, never));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, never, recorded));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, recorded, untimed));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, nullptr, recorded));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaGetLastError());
}

TEST_F(RuntimeEvent, AnUnrecordedEventIsDone) {
    const Event e;
    const Stream s;
    EXPECT_EQ(cudaSuccess, cudaEventQuery(e));
    EXPECT_EQ(cudaSuccess, cudaEventSynchronize(e));
    EXPECT_EQ(cudaSuccess, cudaStreamWaitEvent(s, e, 0));
}

TEST_F(RuntimeEvent, CreationFlags) {
    cudaEvent_t e;
    EXPECT_OK(cudaEventCreate(&e));
    EXPECT_OK(cudaEventDestroy(e));
    EXPECT_OK(cudaEventCreate(&e, cudaEventBlockingSync | cudaEventDisableTiming));
    EXPECT_OK(cudaEventDestroy(e));
    EXPECT_EQ(cudaErrorInvalidValue, cudaEventCreateWithFlags(&e, 0x1000));
    EXPECT_EQ(cudaErrorInvalidValue, cudaEventCreateWithFlags(nullptr, 0));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventDestroy(nullptr));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventRecord(nullptr));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventQuery(nullptr));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventSynchronize(nullptr));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamWaitEvent(nullptr, nullptr));
}

TEST_F(RuntimeEvent, OrdersStreams) {
    const DeviceInts a(1000);
    const Stream s, t;
    const Event e;
    for (int i = 0; i < 10; ++i) {
        EXPECT_OK(launch_add(a.get(), 1000, 1, s));
        EXPECT_OK(cudaEventRecord(e, s));
        EXPECT_OK(cudaStreamWaitEvent(t, e));
        EXPECT_OK(launch_add(a.get(), 1000, 1, t));
        EXPECT_OK(cudaEventRecord(e, t));
        EXPECT_OK(cudaStreamWaitEvent(s, e));
    }
    EXPECT_OK(cudaDeviceSynchronize());
    EXPECT_EQ(std::vector<int>(1000, 20), a.read());
}

#if defined(SIMT_VERSION)

// On a GPU these are undefined.
TEST_F(RuntimeStream, StaleAndWrongHandles) {
    cudaStream_t s;
    cudaEvent_t e;
    REQUIRE_OK(cudaStreamCreate(&s));
    REQUIRE_OK(cudaEventCreate(&e));
    EXPECT_OK(cudaStreamDestroy(s));
    EXPECT_OK(cudaEventDestroy(e));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamDestroy(s));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(s));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, launch_add(nullptr, 1, 0, s));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventDestroy(e));
    EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventRecord(e));
    EXPECT_EQ(cudaErrorInvalidResourceHandle,
              cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(e)));
    cudaStream_t t;
    REQUIRE_OK(cudaStreamCreate(&t));
    EXPECT_NE(s, t);
    EXPECT_OK(cudaStreamDestroy(t));
}

TEST_F(RuntimeStream, HostFunctionsMayNotCallTheRuntime) {
    cudaError_t inside = cudaSuccess;
    EXPECT_OK(cudaLaunchHostFunc(
        nullptr,
        [](void* p) {
            void* q = nullptr;
            *static_cast<cudaError_t*>(p) = cudaMalloc(&q, 16);
        },
        &inside));
    EXPECT_EQ(cudaErrorNotPermitted, inside);
    EXPECT_EQ(cudaErrorNotPermitted, cudaGetLastError());
}

TEST_F(RuntimeStream, WorkIsDoneWhenTheCallReturns) {
    const DeviceInts a(10);
    const Stream s;
    EXPECT_OK(launch_add(a.get(), 10, 4, s));
    EXPECT_EQ(4, a.get()[9]);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Allocation, copies, fills.
#include <cstdint>
#include <cstring>

#include "runtime_testing.h"

using namespace runtime_testing;

class RuntimeMemory : public RuntimeTest {};

TEST_F(RuntimeMemory, MallocAndFree) {
    for (const size_t bytes : {size_t(1), size_t(255), size_t(4096), size_t(10000001)}) {
        char* p = nullptr;
        EXPECT_OK(cudaMalloc(&p, bytes));
        EXPECT_NE(nullptr, p);
        EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(p) % 256);
        EXPECT_OK(cudaFree(p));
    }
}

TEST_F(RuntimeMemory, ZeroBytes) {
    void* p = &p;
    EXPECT_OK(cudaMalloc(&p, 0));
    EXPECT_EQ(nullptr, p);
    EXPECT_OK(cudaFree(nullptr));
    EXPECT_OK(cudaFreeHost(nullptr));
}

TEST_F(RuntimeMemory, TooMuch) {
    void* p = nullptr;
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaMalloc(&p, size_t(1) << 46));
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaGetLastError());
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaMallocAsync(&p, size_t(1) << 46, nullptr));
    EXPECT_EQ(cudaErrorMemoryAllocation, cudaGetLastError());
}

TEST_F(RuntimeMemory, NullResultPointer) {
    EXPECT_EQ(cudaErrorInvalidValue, cudaMalloc(static_cast<void**>(nullptr), 16));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMallocHost(static_cast<void**>(nullptr), 16));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMallocAsync(static_cast<void**>(nullptr), 16, nullptr));
}

TEST_F(RuntimeMemory, FreeingWhatWasNotAllocated) {
    int on_the_stack = 0;
    char *device = nullptr, *pinned = nullptr;
    REQUIRE_OK(cudaMalloc(&device, 4096));
    REQUIRE_OK(cudaMallocHost(&pinned, 4096));
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree(&on_the_stack));
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree(device + 256));
    EXPECT_EQ(cudaErrorInvalidValue, cudaFreeHost(&on_the_stack));
    EXPECT_EQ(cudaErrorInvalidValue, cudaFreeHost(device));
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree(pinned));
    EXPECT_OK(cudaFree(device));
    EXPECT_EQ(cudaErrorInvalidValue, cudaFree(device));
    EXPECT_OK(cudaFreeHost(pinned));
    EXPECT_EQ(cudaErrorInvalidValue, cudaFreeHost(pinned));
}

TEST_F(RuntimeMemory, AsyncMallocAndFree) {
    const Stream s;
    int* p = nullptr;
    REQUIRE_OK(cudaMallocAsync(&p, 100 * sizeof(int), s));
    EXPECT_OK(cudaMemsetAsync(p, 0, 100 * sizeof(int), s));
    EXPECT_OK(launch_add(p, 100, 3, s));
    std::vector<int> host(100);
    EXPECT_OK(cudaMemcpyAsync(host.data(), p, 400, cudaMemcpyDeviceToHost, s));
    EXPECT_OK(cudaFreeAsync(p, s));
    EXPECT_OK(cudaStreamSynchronize(s));
    EXPECT_EQ(std::vector<int>(100, 3), host);
    EXPECT_EQ(cudaErrorInvalidValue, cudaFreeAsync(p, s));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    REQUIRE_OK(cudaMallocAsync(&p, 64, s));
    EXPECT_OK(cudaStreamSynchronize(s));
    EXPECT_OK(cudaFree(p));  // allowed for stream-ordered memory
}

TEST_F(RuntimeMemory, CopyRoundTrip) {
    std::vector<int> in(1000), out(1000);
    for (int i = 0; i < 1000; ++i) in[static_cast<size_t>(i)] = i * i;
    const DeviceInts a(1000), b(1000);
    for (const bool by_default : {false, true}) {
        const auto kind = [&](cudaMemcpyKind k) { return by_default ? cudaMemcpyDefault : k; };
        out.assign(1000, -1);
        EXPECT_OK(cudaMemcpy(a.get(), in.data(), 4000, kind(cudaMemcpyHostToDevice)));
        EXPECT_OK(cudaMemcpy(b.get(), a.get(), 4000, kind(cudaMemcpyDeviceToDevice)));
        EXPECT_OK(cudaMemcpy(out.data(), b.get(), 4000, kind(cudaMemcpyDeviceToHost)));
        EXPECT_EQ(in, out);
        out.assign(1000, -1);
        EXPECT_OK(cudaMemcpy(out.data(), in.data(), 4000, kind(cudaMemcpyHostToHost)));
        EXPECT_EQ(in, out);
    }
    EXPECT_OK(cudaMemcpy(a.get() + 10, b.get() + 990, 40, cudaMemcpyDeviceToDevice));
    EXPECT_EQ(in[995], a.read()[15]);
}

TEST_F(RuntimeMemory, CopyErrors) {
    const DeviceInts a(16);
    int host[16] = {};
    EXPECT_EQ(cudaErrorInvalidMemcpyDirection,
              cudaMemcpy(a.get(), host, 64, static_cast<cudaMemcpyKind>(7)));
    EXPECT_EQ(cudaErrorInvalidMemcpyDirection, cudaGetLastError());
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(nullptr, host, 64, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(a.get(), nullptr, 64, cudaMemcpyHostToDevice));
    EXPECT_OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDeviceToHost));
    EXPECT_OK(cudaMemcpyAsync(nullptr, nullptr, 0, cudaMemcpyDeviceToHost, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(nullptr, 0, 64));
    EXPECT_OK(cudaMemset(a.get(), 0, 0));
}

TEST_F(RuntimeMemory, SetUsesTheLowByte) {
    const DeviceInts a(4);
    EXPECT_OK(cudaMemset(a.get(), 0x1234567, 8));
    EXPECT_OK(cudaMemsetAsync(a.get() + 3, -1, 4, nullptr));
    EXPECT_EQ((std::vector<int>{0x67676767, 0x67676767, 0, -1}), a.read());
}

TEST_F(RuntimeMemory, PinnedMemory) {
    int* p = nullptr;
    REQUIRE_OK(cudaHostAlloc(&p, 400, cudaHostAllocMapped));
    std::memset(p, 0, 400);
    int* device = nullptr;
    EXPECT_OK(cudaHostGetDevicePointer(&device, p, 0));
    EXPECT_OK(launch_add(device, 100, 5));
    EXPECT_OK(cudaDeviceSynchronize());
    EXPECT_EQ(5, p[99]);
    EXPECT_OK(cudaMemset(p, 0, 400));
    EXPECT_OK(cudaDeviceSynchronize());
    EXPECT_EQ(0, p[99]);
    EXPECT_OK(cudaFreeHost(p));
    EXPECT_EQ(cudaErrorInvalidValue, cudaHostAlloc(&p, 16, 0x1000));
    int x = 0;
    EXPECT_EQ(cudaErrorInvalidValue, cudaHostGetDevicePointer(&device, &x, 1));
}

TEST_F(RuntimeMemory, PointerAttributes) {
    const DeviceInts a(16);
    int* pinned = nullptr;
    int x = 0;
    REQUIRE_OK(cudaMallocHost(&pinned, 64));
    cudaPointerAttributes attributes;
    EXPECT_OK(cudaPointerGetAttributes(&attributes, a.get() + 7));
    EXPECT_EQ(cudaMemoryTypeDevice, attributes.type);
    EXPECT_EQ(0, attributes.device);
    EXPECT_EQ(a.get() + 7, attributes.devicePointer);
    EXPECT_EQ(nullptr, attributes.hostPointer);
    EXPECT_OK(cudaPointerGetAttributes(&attributes, pinned));
    EXPECT_EQ(cudaMemoryTypeHost, attributes.type);
    EXPECT_EQ(pinned, attributes.devicePointer);
    EXPECT_EQ(pinned, attributes.hostPointer);
    EXPECT_OK(cudaPointerGetAttributes(&attributes, &x));
    EXPECT_EQ(cudaMemoryTypeUnregistered, attributes.type);
    EXPECT_EQ(&x, attributes.hostPointer);
    EXPECT_EQ(cudaErrorInvalidValue, cudaPointerGetAttributes(nullptr, &x));
    EXPECT_OK(cudaFreeHost(pinned));
}

TEST_F(RuntimeMemory, Info) {
    size_t before = 0, during = 0, after = 0, total = 0;
    void* p = nullptr;
    REQUIRE_OK(cudaMemGetInfo(&before, &total));
    EXPECT_LE(before, total);
    REQUIRE_OK(cudaMalloc(&p, 64 << 20));
    EXPECT_OK(cudaMemGetInfo(&during, &total));
    EXPECT_LE(during + (64 << 20), before);
    EXPECT_OK(cudaFree(p));
    EXPECT_OK(cudaMemGetInfo(&after, &total));
    EXPECT_GT(after, during);  // a GPU may keep some for itself
    EXPECT_OK(cudaMemGetInfo(nullptr, &total));
}

#if defined(SIMT_VERSION)

TEST_F(RuntimeMemory, NewMemoryIsPoisoned) {
    unsigned char *p = nullptr, *q = nullptr;
    REQUIRE_OK(cudaMalloc(&p, 1000));
    REQUIRE_OK(cudaMallocAsync(&q, 1000, nullptr));
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(0xCD, p[i]);
        EXPECT_EQ(0xCD, q[i]);
    }
    EXPECT_OK(cudaFree(p));
    EXPECT_OK(cudaFree(q));
}

TEST_F(RuntimeMemory, PastTheEnd) {
    const DeviceInts a(16), b(64);
    int host[64] = {};
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(a.get(), host, 65, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(a.get() + 1, host, 64, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(a.get() + 16, host, 1, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(host, a.get(), 65, cudaMemcpyDefault));
    EXPECT_EQ(cudaErrorInvalidValue,
              cudaMemcpyAsync(b.get(), a.get(), 68, cudaMemcpyDeviceToDevice, nullptr));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(a.get(), 0, 65));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(a.get(), 0, SIZE_MAX));
    EXPECT_OK(cudaMemset(a.get(), 0, 64));
}

TEST_F(RuntimeMemory, WrongKind) {
    const DeviceInts a(16), b(16);
    int host[16] = {};
    int* pinned = nullptr;
    REQUIRE_OK(cudaMallocHost(&pinned, 64));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(host, host, 64, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(pinned, host, 64, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(a.get(), b.get(), 64, cudaMemcpyHostToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(a.get(), host, 64, cudaMemcpyDeviceToHost));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(a.get(), host, 64, cudaMemcpyDeviceToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(host, a.get(), 64, cudaMemcpyHostToHost));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(host, 0, 64));
    EXPECT_OK(cudaMemcpy(pinned, a.get(), 64, cudaMemcpyDeviceToHost));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(pinned, a.get(), 65, cudaMemcpyDeviceToHost));
    EXPECT_OK(cudaFreeHost(pinned));
}

TEST_F(RuntimeMemory, OverlapAndFreedMemory) {
    int* p = nullptr;
    int host[16] = {};
    REQUIRE_OK(cudaMalloc(&p, 64));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(p, p + 1, 8, cudaMemcpyDeviceToDevice));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(p + 1, p, 8, cudaMemcpyDeviceToDevice));
    EXPECT_OK(cudaMemcpy(p + 2, p, 8, cudaMemcpyDeviceToDevice));
    EXPECT_OK(cudaFree(p));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
    EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(p, 0, 4));
}

#endif

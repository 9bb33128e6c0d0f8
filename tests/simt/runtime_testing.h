// SPDX-License-Identifier: Apache-2.0
// What the tests of the runtime share. They compile with nvcc too, so that the same statements can
// be checked on a GPU; what only this runtime promises stands under SIMT_VERSION.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

// Statements that the test needs in order to go on.
#define REQUIRE_OK(call) ASSERT_EQ(cudaSuccess, (call))
#define EXPECT_OK(call) EXPECT_EQ(cudaSuccess, (call))

namespace runtime_testing {

template <class... P, class... A>
cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t dynamic_shared,
                   cudaStream_t stream, A... arguments) {
    cudaLaunchConfig_t c{};
    c.gridDim = grid;
    c.blockDim = block;
    c.dynamicSmemBytes = dynamic_shared;
    c.stream = stream;
    return cudaLaunchKernelEx(&c, kernel, arguments...);
}

static __global__ void add_kernel(int* p, int n, int v) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) p[i] += v;
}

// Adds v to p[0..n). Static, like its kernel: CUDA registers kernels per translation unit.
static inline cudaError_t launch_add(int* p, int n, int v, cudaStream_t stream = nullptr) {
    return launch(&add_kernel, dim3(static_cast<unsigned>((n + 63) / 64)), dim3(64), 0, stream, p,
                  n, v);
}

// n ints on the device, zero at first; freed at the end.
class DeviceInts {
  public:
    explicit DeviceInts(int n) : n_(n) {
        EXPECT_OK(cudaMalloc(&p_, bytes()));
        EXPECT_OK(cudaMemset(p_, 0, bytes()));
        EXPECT_OK(cudaDeviceSynchronize());
    }
    DeviceInts(const DeviceInts&) = delete;
    DeviceInts& operator=(const DeviceInts&) = delete;
    ~DeviceInts() { EXPECT_OK(cudaFree(p_)); }
    int* get() const { return p_; }
    size_t bytes() const { return static_cast<size_t>(n_) * sizeof(int); }
    std::vector<int> read() const {
        std::vector<int> host(static_cast<size_t>(n_));
        EXPECT_OK(cudaMemcpy(host.data(), p_, bytes(), cudaMemcpyDeviceToHost));
        return host;
    }

  private:
    int* p_ = nullptr;
    int n_;
};

// A test starts and ends without a last error.
class RuntimeTest : public ::testing::Test {
  protected:
    void SetUp() override { cudaGetLastError(); }
    void TearDown() override { cudaGetLastError(); }
};

// A non-blocking stream (or with other flags); destroyed at the end.
class Stream {
  public:
    explicit Stream(unsigned flags = cudaStreamNonBlocking) {
        EXPECT_OK(cudaStreamCreateWithFlags(&s_, flags));
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { EXPECT_OK(cudaStreamDestroy(s_)); }
    operator cudaStream_t() const { return s_; }

  private:
    cudaStream_t s_ = nullptr;
};

class Event {
  public:
    explicit Event(unsigned flags = cudaEventDisableTiming) {
        EXPECT_OK(cudaEventCreateWithFlags(&e_, flags));
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { EXPECT_OK(cudaEventDestroy(e_)); }
    operator cudaEvent_t() const { return e_; }

  private:
    cudaEvent_t e_ = nullptr;
};

template <class F>
void in_another_thread(F&& body) {
    std::thread(body).join();
}

}  // namespace runtime_testing

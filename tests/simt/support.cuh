// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the executor: launching a kernel, and reading the failure that it ends
// with.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace simt_test {

template <class... P, class... A>
cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t dynamic, A... args) {
    cudaLaunchConfig_t c{};
    c.gridDim = grid;
    c.blockDim = block;
    c.dynamicSmemBytes = dynamic;
    return cudaLaunchKernelEx(&c, kernel, P(args)...);
}

// Launches, waits, and returns the first error.
template <class... P, class... A>
cudaError_t run(void (*kernel)(P...), dim3 grid, dim3 block, size_t dynamic, A... args) {
    const cudaError_t e = launch(kernel, grid, block, dynamic, args...);
    return e != cudaSuccess ? e : cudaDeviceSynchronize();
}

// A device array with host copies.
template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(size_t n, T value = T{}) : host_(n, value) {
        EXPECT_EQ(cudaMalloc(&p_, n * sizeof(T)), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(p_, host_.data(), n * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
    }
    ~DeviceArray() { cudaFree(p_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* get() { return p_; }
    const std::vector<T>& read() {
        EXPECT_EQ(cudaMemcpy(host_.data(), p_, host_.size() * sizeof(T), cudaMemcpyDeviceToHost),
                  cudaSuccess);
        return host_;
    }

  private:
    std::vector<T> host_;
    T* p_ = nullptr;
};

#if defined(SIMT_VERSION)

// Puts the executor's settings back, and forgets the failure of a kernel.
class ExecutorTest : public ::testing::Test {
  protected:
    void SetUp() override { saved_ = simt::config(); }
    void TearDown() override {
        simt::config() = saved_;
        EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    }

  private:
    simt::Config saved_;
};

// Runs a kernel that must fail; returns how.
template <class... P, class... A>
simt::Failure failure_of(void (*kernel)(P...), dim3 grid, dim3 block, size_t dynamic, A... args) {
    EXPECT_EQ(launch(kernel, grid, block, dynamic, args...), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    const simt::Failure f = simt::last_failure();
    EXPECT_NE(std::string(cudaGetErrorString(cudaErrorLaunchFailure)).find(f.message),
              std::string::npos);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    return f;
}

inline void expect_place(const simt::Failure& f, const char* file, int line, unsigned block,
                         unsigned thread) {
    EXPECT_EQ(f.file, file) << f.message;
    EXPECT_EQ(f.line, line) << f.message;
    EXPECT_EQ(f.block.x, block) << f.message;
    EXPECT_EQ(f.thread.x, thread) << f.message;
    const std::string place = std::string(file) + ":" + std::to_string(line) + " in block (" +
                              std::to_string(block) + ",0,0) thread (" + std::to_string(thread);
    EXPECT_NE(f.message.find(place), std::string::npos) << f.message;
}

inline void expect_text(const simt::Failure& f, const std::string& text) {
    EXPECT_NE(f.message.find(text), std::string::npos) << f.message;
}

#endif  // SIMT_VERSION

}  // namespace simt_test

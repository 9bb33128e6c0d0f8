// SPDX-License-Identifier: Apache-2.0
// Launches: limits, arguments, dynamic shared memory, occupancy.
#include "runtime_testing.h"

using namespace runtime_testing;

class RuntimeLaunch : public RuntimeTest {};

namespace {

struct Big {
    int v[200];
};

__global__ void store_all(long long* out, int a, double b, const Big c, const char* d) {
    out[0] = a;
    out[1] = static_cast<long long>(b);
    out[2] = c.v[199];
    out[3] = d == nullptr;
}

__global__ void changes_its_argument(int* out, int v) {
    v += static_cast<int>(threadIdx.x);
    out[threadIdx.x] = v;
}

__global__ void who(unsigned* out) {
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] = 1000 * block + thread;
}

// Kernels of their own, since the attribute stays with the kernel.
template <int kId>
__global__ void uses_dynamic_shared(int* out, int words) {
#if defined(SIMT_VERSION)
    int* shared = simt::dynamic_shared<int>();
#else
    extern __shared__ int shared[];
#endif
    const int n = static_cast<int>(blockDim.x);
    for (int i = static_cast<int>(threadIdx.x); i < words; i += n) shared[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) *out = shared[words - 1] + kId;
}

template <int kId>
__global__ void nothing() {}

int attribute(cudaDeviceAttr a) {
    int v = -1;
    EXPECT_OK(cudaDeviceGetAttribute(&v, a, 0));
    return v;
}

}  // namespace

TEST_F(RuntimeLaunch, ArgumentsAreConvertedAndCopied) {
    long long* out = nullptr;
    REQUIRE_OK(cudaMalloc(&out, 4 * sizeof(long long)));
    Big big{};
    big.v[199] = 42;
    EXPECT_OK(launch(&store_all, dim3(1), dim3(1), 0, nullptr, out, short(7), 3.5f, big, nullptr));
    long long host[4];
    EXPECT_OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT_EQ(7, host[0]);
    EXPECT_EQ(3, host[1]);
    EXPECT_EQ(42, host[2]);
    EXPECT_EQ(1, host[3]);
    EXPECT_OK(cudaFree(out));
}

TEST_F(RuntimeLaunch, EachThreadHasItsOwnCopyOfTheArguments) {
    const DeviceInts a(32);
    EXPECT_OK(launch(&changes_its_argument, dim3(1), dim3(32), 0, nullptr, a.get(), 100));
    EXPECT_EQ(100, a.read()[0]);
    EXPECT_EQ(131, a.read()[31]);
}

TEST_F(RuntimeLaunch, ThreeDimensions) {
    const DeviceInts a(24 * 60);
    EXPECT_OK(launch(&who, dim3(2, 3, 4), dim3(5, 4, 3), 0, nullptr,
                     reinterpret_cast<unsigned*>(a.get())));
    const auto out = a.read();
    for (int b = 0; b < 24; ++b)
        for (int t = 0; t < 60; ++t) EXPECT_EQ(1000 * b + t, out[static_cast<size_t>(60 * b + t)]);
}

TEST_F(RuntimeLaunch, SizesOutOfRange) {
    const auto with = [](dim3 grid, dim3 block) {
        return launch(&nothing<0>, grid, block, 0, nullptr);
    };
    const cudaError_t refused = cudaErrorInvalidValue;  // <<<>>> would give InvalidConfiguration
    EXPECT_OK(with(dim3(1), dim3(1024)));
    EXPECT_OK(with(dim3(1), dim3(16, 1, 64)));
    EXPECT_EQ(refused, with(dim3(0), dim3(32)));
    EXPECT_EQ(refused, with(dim3(1, 0), dim3(32)));
    EXPECT_EQ(refused, with(dim3(1, 1, 0), dim3(32)));
    EXPECT_EQ(refused, with(dim3(1), dim3(0)));
    EXPECT_EQ(refused, with(dim3(1), dim3(1025)));
    EXPECT_EQ(refused, with(dim3(1), dim3(32, 33)));
    EXPECT_EQ(refused, with(dim3(1), dim3(1, 1, 65)));
    EXPECT_EQ(refused, with(dim3(1, 65536), dim3(1)));
    EXPECT_EQ(refused, with(dim3(1, 1, 65536), dim3(1)));
    EXPECT_EQ(refused, with(dim3(0x80000000u), dim3(1)));
    EXPECT_EQ(refused, cudaGetLastError());
    EXPECT_OK(cudaDeviceSynchronize());
}

TEST_F(RuntimeLaunch, NoKernel) {
    cudaLaunchConfig_t c{};
    void (*kernel)() = nullptr;
    EXPECT_EQ(cudaErrorInvalidDeviceFunction, cudaLaunchKernelEx(&c, kernel));
}

TEST_F(RuntimeLaunch, AttributesOfTheLaunch) {
    const DeviceInts a(1);
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeIgnore;
    attributes[1].id = cudaLaunchAttributePriority;
    attributes[1].val.priority = 0;
    cudaLaunchConfig_t c{};
    c.attrs = attributes;
    c.numAttrs = 2;
    EXPECT_OK(cudaLaunchKernelEx(&c, &add_kernel, a.get(), 1, 5));
    EXPECT_EQ(5, a.read()[0]);
#if defined(SIMT_VERSION)
    attributes[0].id = static_cast<cudaLaunchAttributeID>(2);  // a cooperative launch: not modelled
    EXPECT_EQ(cudaErrorInvalidValue, cudaLaunchKernelEx(&c, &add_kernel, a.get(), 1, 5));
#endif
}

TEST_F(RuntimeLaunch, DynamicSharedMemory) {
    const DeviceInts out(1);
    const auto run = [&](int bytes) {
        return launch(&uses_dynamic_shared<1>, dim3(1), dim3(64), static_cast<size_t>(bytes),
                      nullptr, out.get(), bytes / 4);
    };
    const int optin = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    const auto set = [](int bytes) {
        return cudaFuncSetAttribute(&uses_dynamic_shared<1>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    };
    EXPECT_OK(run(48 << 10));
    EXPECT_EQ((48 << 10) / 4, out.read()[0]);
    EXPECT_EQ(cudaErrorInvalidValue, run((48 << 10) + 4));
    EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
    EXPECT_EQ(cudaErrorInvalidValue, set(optin + 1));
    EXPECT_EQ(cudaErrorInvalidValue, set(-1));
    EXPECT_EQ(cudaErrorInvalidValue, run((48 << 10) + 4));
    EXPECT_OK(set(optin));
    EXPECT_OK(run(optin));
    EXPECT_EQ(optin / 4, out.read()[0]);
    EXPECT_EQ(cudaErrorInvalidValue, run(optin + 4));
    EXPECT_OK(set(52 << 10));
    EXPECT_OK(run(52 << 10));
    EXPECT_EQ(cudaErrorInvalidValue, run((52 << 10) + 4));
    EXPECT_OK(cudaDeviceSynchronize());
    // It belongs to this kernel alone.
    EXPECT_EQ(cudaErrorInvalidValue,
              launch(&uses_dynamic_shared<2>, dim3(1), dim3(64), 52 << 10, nullptr, out.get(), 1));
}

TEST_F(RuntimeLaunch, Carveout) {
    const auto set = [](int percent) {
        return cudaFuncSetAttribute(&nothing<3>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    percent);
    };
    EXPECT_OK(set(cudaSharedmemCarveoutDefault));
    EXPECT_OK(set(cudaSharedmemCarveoutMaxL1));
    EXPECT_OK(set(50));
    EXPECT_OK(set(cudaSharedmemCarveoutMaxShared));
    EXPECT_EQ(cudaErrorInvalidValue, set(101));
    EXPECT_EQ(cudaErrorInvalidValue, set(-2));
    EXPECT_EQ(cudaErrorInvalidValue,
              cudaFuncSetAttribute(&nothing<3>, static_cast<cudaFuncAttribute>(1000), 0));
}

// An empty kernel, so that registers are no limit on a GPU either.
TEST_F(RuntimeLaunch, Occupancy) {
    const auto blocks = [](int threads, size_t shared) {
        int n = -1;
        EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &nothing<4>, threads, shared));
        return n;
    };
    const int threads = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    const int most = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
    const int shared = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    const int reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    EXPECT_EQ(most, blocks(1, 0));
    EXPECT_EQ(threads / 1024, blocks(1024, 0));
    EXPECT_EQ(std::min(most, threads / 256), blocks(256, 0));
    EXPECT_EQ(std::min(most, threads / 288), blocks(257, 0));  // whole warps
    EXPECT_EQ(std::min(shared / ((48 << 10) + reserved), most), blocks(32, 48 << 10));
    EXPECT_EQ(0, blocks(32, (48 << 10) + 1));  // no opt-in
    int n = 0;
    EXPECT_EQ(cudaErrorInvalidValue,
              cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &nothing<4>, 0, 0));
    EXPECT_EQ(cudaErrorInvalidValue,
              cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, &nothing<4>, 32, 0));
}

TEST_F(RuntimeLaunch, OccupancyWithOptIn) {
    const int optin = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    REQUIRE_OK(
        cudaFuncSetAttribute(&nothing<5>, cudaFuncAttributeMaxDynamicSharedMemorySize, optin));
    int n = -1;
    EXPECT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &nothing<5>, 128,
                                                            static_cast<size_t>(optin)));
    EXPECT_EQ(1, n);
}

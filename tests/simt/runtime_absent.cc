// SPDX-License-Identifier: Apache-2.0
// What the runtime lacks does not compile. The build compiles this file once per case: as it is it
// must pass, and with RUNTIME_ABSENT set to a use of something that does not exist it must fail.
#include <cuda_runtime.h>

namespace {
__global__ void kernel(int) {}
__global__ void kernel_of_reference(int&) {}
}  // namespace

inline void use() {
    void* p = nullptr;
    int i = 0;
    cudaLaunchConfig_t config{};
    cudaDeviceProp properties{};
    cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 0);
    cudaLaunchKernelEx(&config, &kernel, i);
#if defined(RUNTIME_ABSENT)
    RUNTIME_ABSENT;
#endif
    (void)p, (void)properties, (void)&kernel_of_reference;
}

// SPDX-License-Identifier: Apache-2.0
// What the runtime lacks does not compile. As it is, this file must compile; with RUNTIME_ABSENT
// defined, each line that ends in "absent" must be an error. runtime_absent.cmake checks both.
#include <cuda_runtime.h>

namespace {
__global__ void kernel(int) {}
__global__ void kernel_of_reference(int&) {}
}  // namespace

int main() {
    void* p = nullptr;
    int i = 0;
    cudaLaunchConfig_t config{};
    cudaDeviceProp properties{};
    cudaError_t e = cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 0);
    e = cudaLaunchKernelEx(&config, &kernel, i);
#if defined(RUNTIME_ABSENT)
    e = cudaMemcpy2D(p, 4, p, 4, 4, 1, cudaMemcpyDefault);             // absent
    e = cudaMallocManaged(&p, 4);                                      // absent
    e = cudaDeviceEnablePeerAccess(0, 0);                              // absent
    e = cudaLaunchCooperativeKernel(&kernel, 1, 1, nullptr);           // absent
    e = cudaDeviceGetAttribute(&i, cudaDevAttrClockRate, 0);           // absent
    i = properties.memoryBusWidth;                                     // absent
    i = cudaLaunchAttributeCooperative;                                // absent
    i = cudaFuncAttributeRequiredClusterWidth;                         // absent
    i = cudaEventInterprocess;                                         // absent
    e = cudaLaunchKernelEx(&config, &kernel);                          // absent
    e = cudaLaunchKernelEx(&config, &kernel, 1, 2);                    // absent
    e = cudaLaunchKernelEx(&config, &kernel, p);                       // absent
    e = cudaLaunchKernelEx(&config, &kernel_of_reference, i);          // absent
    e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, &i, 32, 0);  // absent
#endif
    (void)p, (void)properties, (void)&kernel_of_reference;
    return e;
}

// SPDX-License-Identifier: Apache-2.0
// The same with CUB.
#include <cub/device/device_scan.cuh>

cudaError_t sum(void* temp, size_t& bytes, const int* in, int* out, int n) {
    return cub::DeviceScan::ExclusiveSum(temp, bytes, in, out, n);
}

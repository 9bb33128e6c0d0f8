// SPDX-License-Identifier: Apache-2.0
// One exclusive sum of int.
#include <libscan/device_scan.cuh>

cudaError_t sum(void* temp, size_t& bytes, const int* in, int* out, int n) {
    return libscan::DeviceScan::ExclusiveSum(temp, bytes, in, out, n);
}

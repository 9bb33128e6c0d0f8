// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "bench_common.h"
template <class T>
void cub_scan(OpKind op, void* temp, size_t tb, const T* in, T* out, int n) {
    if (op == kPlus) {
        if constexpr (sizeof(T) == 16) {
            CK(cub::DeviceScan::ExclusiveScan(temp, tb, in, out, Plus{}, T{}, n));
        } else {
            CK(cub::DeviceScan::ExclusiveSum(temp, tb, in, out, n));
        }
    } else if constexpr (sizeof(T) < 16) {
        if (op == kMax) {
            CK(cub::DeviceScan::InclusiveScan(temp, tb, in, out, ::cuda::maximum<>{}, n));
        } else if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
            CK(cub::DeviceScan::InclusiveScan(temp, tb, in, out, Custom{}, n));
        }
    }
}
#define INST(T) template void cub_scan<T>(OpKind, void*, size_t, const T*, T*, int);
INST(u8) INST(u16) INST(u32) INST(u64) INST(f32) INST(f64) INST(V16)

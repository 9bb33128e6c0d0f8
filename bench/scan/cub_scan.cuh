// SPDX-License-Identifier: Apache-2.0
//
// CUB as a contestant in the scan workloads of one element type. Included by cub_<type>.cu only.
#pragma once

#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include "../harness/workload.h"
#include "elements.h"

#if CUB_VERSION >= 300000
#include <cuda/functional>
#endif

namespace bench {

// The maximum that CUB knows.
#if CUB_VERSION >= 300000
using CubMax = cuda::maximum<>;
#else
using CubMax = cub::Max;
#endif

template <class T>
struct CubScans {
    explicit CubScans(const std::string& type) {
        contestants().push_back({"exclusive_sum/" + type, kCubName,
                                 [](void* temp, std::size_t& bytes, const Arrays& arrays,
                                    std::int64_t n, cudaStream_t stream) {
                                     return cub::DeviceScan::ExclusiveSum(
                                         temp, bytes, static_cast<const T*>(arrays.at[0]),
                                         static_cast<T*>(arrays.at[1]), static_cast<int>(n),
                                         stream);
                                 }});
        contestants().push_back({"exclusive_max/" + type, kCubName, scan(CubMax{}, T{})});
        contestants().push_back(
            {"exclusive_custom/" + type, kCubName, scan(Custom<T>{}, custom_start<T>())});
    }

  private:
    template <class Op>
    static Call scan(Op op, T start) {
        return [op, start](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                           cudaStream_t stream) {
            return cub::DeviceScan::ExclusiveScan(temp, bytes, static_cast<const T*>(arrays.at[0]),
                                                  static_cast<T*>(arrays.at[1]), op, start,
                                                  static_cast<int>(n), stream);
        };
    }
};

// a == b, for keys: the name of CUB's own has changed.
struct SameKey {
    __host__ __device__ bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
};

/// Keys of 32 bits.
template <class T>
struct CubSumByKey {
    explicit CubSumByKey(const std::string& type) {
        contestants().push_back(
            {"exclusive_sum_by_key/" + type, kCubName,
             [](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                cudaStream_t stream) {
                 return cub::DeviceScan::ExclusiveSumByKey(
                     temp, bytes, static_cast<const std::uint32_t*>(arrays.at[0]),
                     static_cast<const T*>(arrays.at[1]), static_cast<T*>(arrays.at[2]),
                     static_cast<int>(n), SameKey{}, stream);
             }});
    }
};

}  // namespace bench

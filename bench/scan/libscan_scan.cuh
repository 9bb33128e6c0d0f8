// SPDX-License-Identifier: Apache-2.0
//
// libscan as a contestant in the scan workloads of one element type. Included by libscan_<type>.cu
// only, so that the types compile in parallel.
#pragma once

#include <libscan/device_scan.cuh>

#include "../harness/workload.h"
#include "elements.h"

namespace bench {

template <class T>
struct LibscanScans {
    explicit LibscanScans(const std::string& type) {
        contestants().push_back({"exclusive_sum/" + type, "libscan",
                                 [](void* temp, std::size_t& bytes, const Arrays& arrays,
                                    std::int64_t n, cudaStream_t stream) {
                                     return libscan::DeviceScan::ExclusiveSum(
                                         temp, bytes, static_cast<const T*>(arrays.at[0]),
                                         static_cast<T*>(arrays.at[1]), static_cast<int>(n),
                                         stream);
                                 }});
        contestants().push_back({"exclusive_max/" + type, "libscan", scan(libscan::Max{}, T{})});
        contestants().push_back(
            {"exclusive_custom/" + type, "libscan", scan(Custom<T>{}, custom_start<T>())});
    }

  private:
    template <class Op>
    static Call scan(Op op, T start) {
        return [op, start](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                           cudaStream_t stream) {
            return libscan::DeviceScan::ExclusiveScan(
                temp, bytes, static_cast<const T*>(arrays.at[0]), static_cast<T*>(arrays.at[1]), op,
                start, static_cast<int>(n), stream);
        };
    }
};

/// Keys of 32 bits.
template <class T>
struct LibscanSumByKey {
    explicit LibscanSumByKey(const std::string& type) {
        contestants().push_back(
            {"exclusive_sum_by_key/" + type, "libscan",
             [](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                cudaStream_t stream) {
                 return libscan::DeviceScan::ExclusiveSumByKey(
                     temp, bytes, static_cast<const std::uint32_t*>(arrays.at[0]),
                     static_cast<const T*>(arrays.at[1]), static_cast<T*>(arrays.at[2]),
                     static_cast<int>(n), libscan::Equal{}, stream);
             }});
    }
};

}  // namespace bench

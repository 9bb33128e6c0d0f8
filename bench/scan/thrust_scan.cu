// SPDX-License-Identifier: Apache-2.0
//
// Thrust as a contestant, in a few workloads. Its calls get their temporary storage for themselves,
// and that is part of their time, as it is for everyone who calls it like this.
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include "../harness/workload.h"

namespace bench {
namespace {

template <class T>
cudaError_t exclusive_sum(void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                          cudaStream_t stream) {
    if (temp == nullptr) {
        bytes = 0;
        return cudaSuccess;
    }
    const T* const in = static_cast<const T*>(arrays.at[0]);
    try {
        thrust::exclusive_scan(thrust::cuda::par_nosync.on(stream), in, in + n,
                               static_cast<T*>(arrays.at[1]), T(0));
    } catch (...) {
        const cudaError_t error = cudaGetLastError();
        return error != cudaSuccess ? error : cudaErrorUnknown;
    }
    return cudaSuccess;
}

const AddContestant u32("exclusive_sum/u32", "thrust", exclusive_sum<std::uint32_t>);
const AddContestant f64("exclusive_sum/f64", "thrust", exclusive_sum<double>);

}  // namespace
}  // namespace bench

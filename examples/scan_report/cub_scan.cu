// SPDX-License-Identifier: Apache-2.0
#include "cub_scan.h"

#if defined(__CUDACC__) && defined(__has_include)
#if __has_include(<cub/device/device_scan.cuh>)
#define SCAN_REPORT_HAS_CUB 1
#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#endif
#endif

namespace scan_report {

#if defined(SCAN_REPORT_HAS_CUB)

std::string cub_version() {
    return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
           std::to_string(CUB_SUBMINOR_VERSION);
}

template <class T>
cudaError_t cub_exclusive_sum(void* temp, std::size_t& temp_bytes, T* in, T* out, std::int64_t n) {
    return cub::DeviceScan::ExclusiveSum(temp, temp_bytes, in, out, n);
}

#else

std::string cub_version() { return ""; }

template <class T>
cudaError_t cub_exclusive_sum(void*, std::size_t&, T*, T*, std::int64_t) {
    return cudaErrorNotSupported;
}

#endif

template cudaError_t cub_exclusive_sum(void*, std::size_t&, float*, float*, std::int64_t);
template cudaError_t cub_exclusive_sum(void*, std::size_t&, double*, double*, std::int64_t);
template cudaError_t cub_exclusive_sum(void*, std::size_t&, std::uint32_t*, std::uint32_t*,
                                       std::int64_t);
template cudaError_t cub_exclusive_sum(void*, std::size_t&, std::uint64_t*, std::uint64_t*,
                                       std::int64_t);

}  // namespace scan_report

// SPDX-License-Identifier: Apache-2.0
// CUB's scan for comparison, where the build has CUB (it is part of the CUDA Toolkit, and of no use
// on the CPU).
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace scan_report {

/// Empty if CUB was not compiled in.
std::string cub_version();

/// cub::DeviceScan::ExclusiveSum in two phases; cudaErrorNotSupported if CUB was not compiled in.
template <class T>
cudaError_t cub_exclusive_sum(void* temp, std::size_t& temp_bytes, T* in, T* out, std::int64_t n);

}  // namespace scan_report

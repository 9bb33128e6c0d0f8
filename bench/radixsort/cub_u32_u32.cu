// SPDX-License-Identifier: Apache-2.0
#include "cub_sort.cuh"

namespace bench {
static const AddPairSort<CubSort, std::uint32_t, std::uint32_t> sort("u32_u32");
}  // namespace bench

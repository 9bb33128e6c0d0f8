// SPDX-License-Identifier: Apache-2.0
#include "cub_sort.cuh"

namespace bench {
static const AddPairSort<CubSort, std::uint32_t, V16> sort("u32_v16");
}  // namespace bench

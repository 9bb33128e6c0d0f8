// SPDX-License-Identifier: Apache-2.0
#include "cub_sort.cuh"

namespace bench {
static const AddKeySort<CubSort, std::uint32_t> sort("u32");
}  // namespace bench

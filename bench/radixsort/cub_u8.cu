// SPDX-License-Identifier: Apache-2.0
#include "cub_sort.cuh"

namespace bench {
static const AddKeySort<CubSort, std::uint8_t> sort("u8");
}  // namespace bench

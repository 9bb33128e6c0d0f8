// SPDX-License-Identifier: Apache-2.0
#include "cub_sort.cuh"

namespace bench {
static const AddKeySort<CubSort, std::uint64_t> sort("u64");
}  // namespace bench

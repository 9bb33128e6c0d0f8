// SPDX-License-Identifier: Apache-2.0
#include "cub_sort.cuh"

namespace bench {
static const AddPairSort<CubSort, std::uint64_t, std::uint64_t> sort("u64_u64");
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "cub_sort.cuh"

namespace bench {
static const AddKeySort<CubSort, U128> sort("u128");
}  // namespace bench

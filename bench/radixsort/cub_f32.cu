// SPDX-License-Identifier: Apache-2.0
#include "cub_sort.cuh"

namespace bench {
static const AddKeySort<CubSort, float> sort("f32");
}  // namespace bench

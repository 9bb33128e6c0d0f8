// SPDX-License-Identifier: Apache-2.0
#include "cub_compaction.cuh"

namespace bench {
static const AddCompactions<CubCompaction, V16> compactions("v16");
}  // namespace bench

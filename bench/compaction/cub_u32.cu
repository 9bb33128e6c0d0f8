// SPDX-License-Identifier: Apache-2.0
#include "cub_compaction.cuh"

namespace bench {
static const AddCompactions<CubCompaction, std::uint32_t> compactions("u32");
}  // namespace bench

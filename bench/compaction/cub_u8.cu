// SPDX-License-Identifier: Apache-2.0
#include "cub_compaction.cuh"

namespace bench {
static const AddCompactions<CubCompaction, std::uint8_t> compactions("u8");
}  // namespace bench

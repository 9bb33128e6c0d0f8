// SPDX-License-Identifier: Apache-2.0
#include "cub_compaction.cuh"

namespace bench {
static const AddCompactions<CubCompaction, std::uint64_t> compactions("u64");
}  // namespace bench

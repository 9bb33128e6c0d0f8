// SPDX-License-Identifier: Apache-2.0
#include "libscan_compaction.cuh"

namespace bench {
static const AddCompactions<LibscanCompaction, std::uint32_t> compactions("u32");
}  // namespace bench

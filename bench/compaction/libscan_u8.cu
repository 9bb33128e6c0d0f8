// SPDX-License-Identifier: Apache-2.0
#include "libscan_compaction.cuh"

namespace bench {
static const AddCompactions<LibscanCompaction, std::uint8_t> compactions("u8");
}  // namespace bench

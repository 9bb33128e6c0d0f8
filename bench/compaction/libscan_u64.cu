// SPDX-License-Identifier: Apache-2.0
#include "libscan_compaction.cuh"

namespace bench {
static const AddCompactions<LibscanCompaction, std::uint64_t> compactions("u64");
}  // namespace bench

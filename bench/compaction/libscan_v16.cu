// SPDX-License-Identifier: Apache-2.0
#include "libscan_compaction.cuh"

namespace bench {
static const AddCompactions<LibscanCompaction, V16> compactions("v16");
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "libscan_scan.cuh"

namespace bench {
static const LibscanScans<V16> scans("v16");
}  // namespace bench

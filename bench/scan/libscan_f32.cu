// SPDX-License-Identifier: Apache-2.0
#include "libscan_scan.cuh"

namespace bench {
static const LibscanScans<float> scans("f32");
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "libscan_scan.cuh"

namespace bench {
static const LibscanScans<std::uint32_t> scans("u32");
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "libscan_scan.cuh"

namespace bench {
static const LibscanScans<std::uint16_t> scans("u16");
}  // namespace bench

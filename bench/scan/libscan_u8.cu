// SPDX-License-Identifier: Apache-2.0
#include "libscan_scan.cuh"

namespace bench {
static const LibscanScans<std::uint8_t> scans("u8");
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "libscan_scan.cuh"

namespace bench {
static const LibscanScans<std::uint64_t> scans("u64");
}  // namespace bench

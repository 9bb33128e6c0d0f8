// SPDX-License-Identifier: Apache-2.0
#include "cub_scan.cuh"

namespace bench {
static const CubScans<std::uint32_t> scans("u32");
}  // namespace bench

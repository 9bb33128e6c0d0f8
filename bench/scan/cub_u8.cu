// SPDX-License-Identifier: Apache-2.0
#include "cub_scan.cuh"

namespace bench {
static const CubScans<std::uint8_t> scans("u8");
}  // namespace bench

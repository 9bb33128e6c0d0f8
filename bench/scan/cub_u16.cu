// SPDX-License-Identifier: Apache-2.0
#include "cub_scan.cuh"

namespace bench {
static const CubScans<std::uint16_t> scans("u16");
}  // namespace bench

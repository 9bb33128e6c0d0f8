// SPDX-License-Identifier: Apache-2.0
#include "cub_scan.cuh"

namespace bench {
static const CubScans<V16> scans("v16");
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "cub_scan.cuh"

namespace bench {
static const CubScans<float> scans("f32");
}  // namespace bench

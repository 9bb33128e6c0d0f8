// SPDX-License-Identifier: Apache-2.0
// Counts what one tile costs while the kernels run on the CPU executor.
#pragma once

#include <string>

#include "report.h"

namespace scan_report {

/// Scans one full tile of float32 with the named algorithm and counts. On a GPU, which cannot count
/// shared-memory requests, there is nothing to call. Throws DeviceError.
TileCounts count_tile(const std::string& algorithm, int tile);

}  // namespace scan_report

// SPDX-License-Identifier: Apache-2.0
#include "cub_scan.cuh"

namespace bench {
static const CubScans<std::uint64_t> scans("u64");
}  // namespace bench

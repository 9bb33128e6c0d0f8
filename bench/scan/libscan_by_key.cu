// SPDX-License-Identifier: Apache-2.0
#include "libscan_scan.cuh"

namespace bench {
static const LibscanSumByKey<std::uint32_t> u32("u32");
static const LibscanSumByKey<double> f64("f64");
}  // namespace bench

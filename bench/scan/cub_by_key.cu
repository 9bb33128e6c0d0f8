// SPDX-License-Identifier: Apache-2.0
#include "cub_scan.cuh"

namespace bench {
static const CubSumByKey<std::uint32_t> u32("u32");
static const CubSumByKey<double> f64("f64");
}  // namespace bench

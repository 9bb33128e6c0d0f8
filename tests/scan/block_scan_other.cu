// SPDX-License-Identifier: Apache-2.0
#include "block_scan_types.cuh"

namespace scan_test {

using ElementTypes = testing::Types<float, double, Matrix, Triple>;
INSTANTIATE_TYPED_TEST_SUITE_P(Other, BlockScanTypes, ElementTypes);

}  // namespace scan_test

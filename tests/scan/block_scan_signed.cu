// SPDX-License-Identifier: Apache-2.0
#include "block_scan_types.cuh"

namespace scan_test {

using ElementTypes = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
INSTANTIATE_TYPED_TEST_SUITE_P(Signed, BlockScanTypes, ElementTypes);

}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
#include "block_scan_types.cuh"

namespace scan_test {

using ElementTypes = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
INSTANTIATE_TYPED_TEST_SUITE_P(Unsigned, BlockScanTypes, ElementTypes);

}  // namespace scan_test

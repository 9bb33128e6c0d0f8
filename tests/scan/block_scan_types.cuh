// SPDX-License-Identifier: Apache-2.0
//
// Tile scans of every element type, spread over several sources to keep each quick to compile.
#pragma once

#include "block_scan_test.cuh"

namespace scan_test {

// 90 threads do not divide the tile, and leave the last warp incomplete.
template <template <class, int, int> class TileScan, class T>
void expect_block_scans_of_type() {
    for_each_schedule(kSeeds, [] { expect_block_scans<TileScan, T, 90, 256>({256, 171}); });
    for_each_schedule(0, [] { expect_block_scans<TileScan, T, 90, 256>({1, 2, 33, 129, 255}); });
}

template <class T>
class BlockScanTypes : public testing::Test {};
TYPED_TEST_SUITE_P(BlockScanTypes);

TYPED_TEST_P(BlockScanTypes, HillisSteele) {
    expect_block_scans_of_type<libscan::BlockHillisSteele, TypeParam>();
}
TYPED_TEST_P(BlockScanTypes, Blelloch) {
    expect_block_scans_of_type<libscan::BlockBlelloch, TypeParam>();
}
TYPED_TEST_P(BlockScanTypes, BlellochPadded) {
    expect_block_scans_of_type<libscan::BlockBlellochPadded, TypeParam>();
}
TYPED_TEST_P(BlockScanTypes, BlellochPaddedOneTerm) {
    expect_block_scans_of_type<libscan::BlockBlellochPaddedOneTerm, TypeParam>();
}
TYPED_TEST_P(BlockScanTypes, WarpShuffle) {
    expect_block_scans_of_type<libscan::BlockWarpShuffle, TypeParam>();
}
REGISTER_TYPED_TEST_SUITE_P(BlockScanTypes, HillisSteele, Blelloch, BlellochPadded,
                            BlellochPaddedOneTerm, WarpShuffle);

}  // namespace scan_test

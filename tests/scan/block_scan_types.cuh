// SPDX-License-Identifier: Apache-2.0
//
// Tile scans of every element type, spread over several sources to keep each quick to compile.
#pragma once

#include "block_scan_test.cuh"

namespace scan_test {

// A thread count that neither divides the tile nor is a multiple of 32, on a small tile under many
// schedules; then an uneven one on a larger tile.
template <template <class, int, int> class TileScan, class T>
void expect_block_scans_of_type() {
    for_each_schedule(kSeeds, [] { expect_block_scans<TileScan, T, 40, 64>({64, 37}); });
    for_each_schedule(0, [] {
        expect_block_scans<TileScan, T, 96, 256>({1, 2, 33, 129, 255, 256});
    });
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

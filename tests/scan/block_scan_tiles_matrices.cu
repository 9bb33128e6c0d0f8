// SPDX-License-Identifier: Apache-2.0
#include "block_scan_tiles.cuh"

namespace scan_test {

template <class Algorithm>
class BlockScanTilesOfMatrices : public testing::Test {};
TYPED_TEST_SUITE(BlockScanTilesOfMatrices, Algorithms, AlgorithmNames);

TYPED_TEST(BlockScanTilesOfMatrices, Tile32) { expect_tile<TypeParam, Matrix, 33, 32>(); }
TYPED_TEST(BlockScanTilesOfMatrices, Tile4096) { expect_tile<TypeParam, Matrix, 256, 4096>(); }
TYPED_TEST(BlockScanTilesOfMatrices, Tile8192) { expect_tile<TypeParam, Matrix, 1024, 8192>(); }

TYPED_TEST(BlockScanTilesOfMatrices, ManySchedules) {
    for_each_schedule(kSeeds, [] {
        expect_block_scans<TypeParam::template Tile, Matrix, 96, 256>({256, 171});
    });
}

}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
#include "block_scan_tiles.cuh"

namespace scan_test {

template <class Algorithm>
class BlockScanTilesOfWords : public testing::Test {};
TYPED_TEST_SUITE(BlockScanTilesOfWords, Algorithms, AlgorithmNames);

TYPED_TEST(BlockScanTilesOfWords, Tile32) { expect_tile<TypeParam, std::uint32_t, 1, 32>(); }
TYPED_TEST(BlockScanTilesOfWords, Tile64) { expect_tile<TypeParam, std::uint32_t, 7, 64>(); }
TYPED_TEST(BlockScanTilesOfWords, Tile128) { expect_tile<TypeParam, std::uint32_t, 128, 128>(); }
TYPED_TEST(BlockScanTilesOfWords, Tile256) { expect_tile<TypeParam, std::uint32_t, 96, 256>(); }
TYPED_TEST(BlockScanTilesOfWords, Tile512) { expect_tile<TypeParam, std::uint32_t, 768, 512>(); }
TYPED_TEST(BlockScanTilesOfWords, Tile1024) { expect_tile<TypeParam, std::uint32_t, 1000, 1024>(); }
TYPED_TEST(BlockScanTilesOfWords, Tile4096) { expect_tile<TypeParam, std::uint32_t, 256, 4096>(); }
TYPED_TEST(BlockScanTilesOfWords, Tile8192) { expect_tile<TypeParam, std::uint32_t, 1024, 8192>(); }

TYPED_TEST(BlockScanTilesOfWords, ManySchedules) {
    for_each_schedule(kSeeds, [] {
        expect_block_scans<TypeParam::template Tile, std::uint32_t, 96, 256>({256, 171});
    });
}

}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
//
// Tile scans of every element type. The four scans that work on whole elements see of a type no
// more than its size and its operator: they get one type of each size. The scan by shuffles takes
// values apart into words, and gets all of them.
#include "block_scan_test.cuh"

namespace scan_test {
namespace {

// 90 threads do not divide the tile, and leave the last warp incomplete.
template <template <class, int, int> class TileScan, class T>
void expect_block_scans_of_type() {
    for_each_schedule(kSeeds, [] { expect_block_scans<TileScan, T, 90, 256>({256, 171}); });
    for_each_schedule(0, [] { expect_block_scans<TileScan, T, 90, 256>({1, 2, 33, 129, 255}); });
}

template <class T>
class BlockScanSizes : public testing::Test {};
using OneTypeOfEachSize =
    testing::Types<std::uint8_t, std::int16_t, float, std::int64_t, Triple, Matrix>;
TYPED_TEST_SUITE(BlockScanSizes, OneTypeOfEachSize);

TYPED_TEST(BlockScanSizes, HillisSteele) {
    expect_block_scans_of_type<libscan::BlockHillisSteele, TypeParam>();
}
TYPED_TEST(BlockScanSizes, Blelloch) {
    expect_block_scans_of_type<libscan::BlockBlelloch, TypeParam>();
}
TYPED_TEST(BlockScanSizes, BlellochPadded) {
    expect_block_scans_of_type<libscan::BlockBlellochPadded, TypeParam>();
}
TYPED_TEST(BlockScanSizes, BlellochPaddedOneTerm) {
    expect_block_scans_of_type<libscan::BlockBlellochPaddedOneTerm, TypeParam>();
}

template <class T>
class BlockScanTypes : public testing::Test {};
using EveryType =
    testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                   std::int32_t, std::uint64_t, std::int64_t, float, double, Triple, Matrix>;
TYPED_TEST_SUITE(BlockScanTypes, EveryType);

TYPED_TEST(BlockScanTypes, WarpShuffle) {
    expect_block_scans_of_type<libscan::BlockWarpShuffle, TypeParam>();
}

}  // namespace
}  // namespace scan_test

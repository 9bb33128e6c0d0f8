// SPDX-License-Identifier: Apache-2.0
//
// The look-ahead scan, and the choice by size. (On a GPU that cannot run it, the other structure
// runs in its place.)
#include "scan_structures.cuh"

namespace scan_test {
namespace {

constexpr int kFew = kIsSlow ? 0 : 5, kMany = kIsSlow ? 1 : 20;
// More than a window of tiles.
constexpr int kTiles = 130;

TEST(LookaheadScan, FourBytes) {  // three windows of tiles, the last of them ragged
    check_structure<std::uint32_t, Lookahead>(Lookahead::kTile<std::uint32_t> * 2 * kTiles + 5,
                                              kFew);
}
TEST(LookaheadScan, FewTilesInManySchedules) {
    check_structure<std::uint32_t, Lookahead>(
        Lookahead::kTile<std::uint32_t> * (kIsSlow ? 10 : 30) + 5, kMany);
}
TEST(LookaheadScan, EightBytes) {
    check_structure<double, Lookahead>(Lookahead::kTile<double> * kTiles - 1, kFew);
}
TEST(LookaheadScan, TwelveBytes) {
    check_structure<Triple, Lookahead>(Lookahead::kTile<Triple> * kTiles + 7, kFew);
}
TEST(LookaheadScan, SixteenBytes) {
    check_structure<Matrix, LookaheadOfThree>(LookaheadOfThree::kTile<Matrix> * 20 + 40, kFew);
}
TEST(LookaheadScan, Bytes) {
    check_structure<std::int8_t, LookaheadOfThree>(LookaheadOfThree::kTile<std::int8_t> * 9 + 77,
                                                   kFew);
}
TEST(LookaheadScan, AnyAlignment) {
    constexpr int kTile = LookaheadOfThree::kTile<std::uint16_t>;
    for (std::size_t shift = 0; shift < 9; shift += kIsSlow ? 5 : 1) {
        for (const int n : {kTile * 3 + 1, kTile * 2 - 3, kTile + 257})
            check_structure<std::uint16_t, LookaheadOfThree>(n, 0, shift, 8 - shift);
    }
    for (std::size_t shift = 1; shift < 4; ++shift)
        check_structure<Triple, Lookahead>(Lookahead::kTile<Triple> * 5 + 3, 2, shift, 0);
}
TEST(LookaheadScan, EverySizeAroundATile) {
    constexpr int kTile = Lookahead::kTile<std::uint32_t>;
    for (int n = 1; n < 2 * kTile + 9; n += kIsSlow ? 61 : n < 12 || n > 2 * kTile - 9 ? 1 : 7)
        check_structure<std::uint32_t, Lookahead>(n, 0);
}
TEST(ChosenScan, OneTileAClusterOrMore) {
    constexpr int kTile = Automatic::kTile<std::uint32_t>;
    for (const int tiles : {1, 2, 3, 7, 8, 9, 15, 16, 17, 40}) {
        if (kIsSlow && tiles != 1 && tiles != 7 && tiles != 17) continue;
        check_structure<std::uint32_t, Automatic>(kTile * tiles, kIsSlow ? 0 : 3);
        check_structure<std::uint32_t, Automatic>(kTile * tiles - kTile / 2 - 3, kIsSlow ? 0 : 3, 1,
                                                  3);
    }
}
TEST(ChosenScan, ClusterOfEightByteValues) {
    check_structure<double, Automatic>(Automatic::kTile<double> * 11 + 1, kMany);
}
TEST(ChosenScan, ClusterOfTwelveByteValues) {
    check_structure<Triple, Automatic>(Automatic::kTile<Triple> * 16, kFew);
}

#if defined(SIMT_VERSION)
// One resident block is enough, and 48 are not too many; whatever the number of multiprocessors.
TEST(LookaheadScan, AnyNumberOfResidentBlocks) {
    const simt::Config before = simt::config();
    for (const unsigned resident : {1u, 2u, 3u, 7u, 16u, 33u, 48u}) {
        simt::config().resident = kIsSlow && resident > 4 ? 4 : resident;
        simt::config().multiprocessors = 50;
        check_structure<std::uint32_t, Lookahead>(
            Lookahead::kTile<std::uint32_t> * (kIsSlow ? 12 : 60), kIsSlow ? 0 : 1);
    }
    simt::config() = before;
}
#endif

}  // namespace
}  // namespace scan_test

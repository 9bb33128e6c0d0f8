// SPDX-License-Identifier: Apache-2.0
//
// Look-back: tiles in registers, and for large values in shared memory.
#include "scan_structures.cuh"

namespace scan_test {

namespace {

constexpr int kFew = kIsSlow ? 0 : 10;
// More than a window of tiles.
constexpr int kTiles = 130;

TEST(LookBack, FourBytes) {
    check_structure<std::uint32_t, Registers>(Registers::kTile<std::uint32_t> * 2 * kTiles + 5,
                                              kIsSlow ? 2 : 20);
}
TEST(LookBack, EightBytes) {
    check_structure<double, Registers>(Registers::kTile<double> * kTiles - 1, kFew);
}
TEST(LookBack, TwelveBytes) {
    check_structure<Triple, Registers>(Registers::kTile<Triple> * kTiles + 31, kFew);
}
TEST(LookBack, SixteenBytes) {
    check_structure<Matrix, Registers>(Registers::kTile<Matrix> * 64, kFew);
}
TEST(LookBack, SmallItems) {
    using Tiles = SmallTiles<ScanStructure::registers, 3, 2>;
    check_structure<std::uint8_t, Tiles>(Tiles::kTile<std::uint8_t> * 5 + 77, 2);
    for (std::size_t shift = 0; shift < 9; ++shift)
        check_structure<std::int16_t, Tiles>(Tiles::kTile<std::int16_t> * 3 - 5, 0, shift,
                                             8 - shift);
}
TEST(LookBack, ValuesThatStandApart) {
    check_structure<Sums, Registers>(256 * (kIsSlow ? 5 : 34) + 3, kIsSlow ? 0 : 3);
}

#if defined(SIMT_VERSION)
// One resident block is enough, and 48 are not too many.
TEST(LookBack, AnyNumberOfResidentBlocks) {
    const simt::Config before = simt::config();
    for (const unsigned resident : {1u, 2u, 3u, 7u, 16u, 33u, 48u}) {
        simt::config().resident = kIsSlow && resident > 4 ? 4 : resident;
        check_structure<std::uint32_t, Registers>(Registers::kTile<std::uint32_t> * kTiles,
                                                  kIsSlow ? 0 : 3);
    }
    simt::config() = before;
}
#endif

}  // namespace
}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
//
// Scans by key by the look-ahead scan. (On a GPU that cannot run it, the other structure runs in
// its place.)
#include "keyed_structures.cuh"

namespace scan_test {
namespace {

constexpr int kFew = kIsSlow ? 0 : 3, kMany = kIsSlow ? 1 : 30;
// More than a window of tiles; where everything is slow, more than a ring.
constexpr int kTiles = kIsSlow ? 12 : 130;

template <class Key, class T, class Tuning>
void check_all_runs(int tiles, int more, int seeds) {
    for (const Runs runs : kAllRuns)
        check_by_key<Key, T, Tuning>(KeyedTile<Key, T, Tuning>::kTile * tiles + more, runs, seeds);
}

// Each distance of keys, values and output from an aligned address at least once.
template <class Key, class T, class Tuning>
void check_alignments(int step) {
    constexpr int kTile = KeyedTile<Key, T, Tuning>::kTile;
    for (std::size_t key = 0; key * sizeof(Key) < 16 || key * sizeof(T) < 16;
         key += static_cast<std::size_t>(kIsSlow ? 5 * step : step)) {
        const Shifts shifts{key, key * 7 % 16, key * 3 % 16};
        check_by_key<Key, T, Tuning>(kTile * 2 + 3, Runs::short_ones, 0, shifts);
        check_by_key<Key, T, Tuning>(kTile * 3 - 1, Runs::long_ones, 0, shifts);
    }
}

TEST(LookaheadByKey, FourBytes) {  // two windows of tiles, the last of them ragged
    check_all_runs<std::uint32_t, std::uint32_t, Lookahead>(kTiles, 5, kFew);
}
TEST(LookaheadByKey, FewTilesInManySchedules) {
    constexpr int kTile = KeyedTile<std::uint32_t, std::uint32_t, Lookahead>::kTile;
    check_by_key<std::uint32_t, std::uint32_t, Lookahead>(kTile * (kIsSlow ? 10 : 30) + 5,
                                                          Runs::long_ones, kMany);
}
TEST(LookaheadByKey, SmallKeysOfEightByteValues) {
    check_all_runs<std::uint8_t, double, LookaheadOfThree>(12, 77, 1);
    check_alignments<std::uint8_t, double, LookaheadOfThree>(3);
}
TEST(LookaheadByKey, LargeKeysOfBytes) {
    check_all_runs<std::uint64_t, std::uint8_t, LookaheadOfThree>(12, 78, 1);
    check_alignments<std::uint64_t, std::uint8_t, LookaheadOfThree>(3);
}
TEST(LookaheadByKey, BytesAndBytes) {
    check_all_runs<std::uint8_t, std::uint8_t, LookaheadOfThree>(4, 1, 0);
    check_alignments<std::uint8_t, std::uint8_t, LookaheadOfThree>(1);
}
TEST(LookaheadByKey, SixteenBytes) {
    check_all_runs<std::uint32_t, Matrix, LookaheadOfThree>(20, 40, 1);
    check_alignments<std::uint32_t, Matrix, LookaheadOfThree>(1);
}
TEST(LookaheadByKey, TwelveBytes) {
    check_all_runs<std::uint16_t, Triple, Lookahead>(kIsSlow ? 12 : 70, 7, 1);
    check_alignments<std::uint16_t, Triple, Lookahead>(1);
}
TEST(LookaheadByKey, EverySizeAroundATile) {
    constexpr int kTile = KeyedTile<std::uint32_t, std::uint32_t, Lookahead>::kTile;
    for (int n = 1; n < 2 * kTile + 9; n += kIsSlow ? 61 : n < 12 || n > 2 * kTile - 9 ? 1 : 7) {
        check_by_key<std::uint32_t, std::uint32_t, Lookahead>(n, Runs::short_ones, 0);
        check_by_key<std::uint32_t, std::uint32_t, Lookahead>(n, Runs::one, 0, {1, 3, 2});
    }
}
TEST(ChosenByKey, OneTileAClusterOrMore) {
    constexpr int kTile = KeyedTile<std::uint32_t, float, Automatic>::kTile;
    for (const int tiles : {1, 2, 3, 8, 9, 15, 16, 17, 40}) {
        if (kIsSlow && tiles != 1 && tiles != 8 && tiles != 17) continue;
        check_by_key<std::uint32_t, float, Automatic>(kTile * tiles, Runs::long_ones,
                                                      kIsSlow ? 0 : 2);
        check_by_key<std::uint32_t, float, Automatic>(kTile * tiles - kTile / 2 - 3,
                                                      Runs::at_borders, 0, {3, 1, 2});
    }
}

#if defined(SIMT_VERSION)
// One resident block is enough, and 48 are not too many; whatever the number of multiprocessors.
TEST(LookaheadByKey, AnyNumberOfResidentBlocks) {
    const simt::Config before = simt::config();
    constexpr int kTile = KeyedTile<std::uint32_t, std::uint32_t, Lookahead>::kTile;
    for (const unsigned resident : {1u, 2u, 3u, 7u, 16u, 33u, 48u}) {
        simt::config().resident = kIsSlow && resident > 4 ? 4 : resident;
        simt::config().multiprocessors = 50;
        check_by_key<std::uint32_t, std::uint32_t, Lookahead>(kTile * (kIsSlow ? 12 : 60),
                                                              Runs::long_ones, kIsSlow ? 0 : 1);
    }
    simt::config() = before;
}
#endif

}  // namespace
}  // namespace scan_test

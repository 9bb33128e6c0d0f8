// SPDX-License-Identifier: Apache-2.0
//
// The radix sort under random schedules, with the executor's checks, and in any number of resident
// blocks; and what a plan makes of passes that can be left out.
#include "sort_support.cuh"

namespace sort_test {
namespace {

// Every part is exercised by one of these: look-back over many tiles, items that do not fill a
// tile, several launches for a pass, digits found by votes, items read a second time.
using ManyTiles = TinyTuning<32, 1>;
using TwoWarps = TinyTuning<64, 2>;
using Portions = TinyTuning<64, 1, true, 3>;
using Votes = TinyTuning<32, 3, true, 0, libscan::DigitMatch::votes>;
using ReadTwice = TinyTuning<64, 2, false, 5, libscan::DigitMatch::votes>;

template <class Tuning, class KeyT, bool kPairs>
void check_schedules(int n, Shape shape, const Bits& bits, int seeds) {
    const auto keys = make_keys<KeyT>(n, shape, static_cast<std::uint64_t>(n));
    int form = n;  // each schedule has one direction and one form
    for_each_schedule(seeds, [&] {
        check_one_sort<Tuning, KeyT, kPairs>(keys, bits, form % 2 != 0, form / 2 % 2 != 0);
        ++form;
    });
}

constexpr int kSeeds = kIsReduced ? 2 : 8;

TEST(Schedules, LookBackOverManyTiles) {  // 17 bits: digits of 5, 5, 5 and 2
    check_schedules<ManyTiles, std::uint32_t, true>(32 * 41 + 3, Shape::kRandom, {3, 20}, kSeeds);
}
// Of the parts of the storage, those for keys and values are but one item larger than a multiple of
// their alignment.
TEST(Schedules, StorageToTheLastItem) {
    check_schedules<ManyTiles, std::uint32_t, true>(64 * 5 + 1, Shape::kRandom, {3, 20}, 3);
}
TEST(Schedules, FewDistinctKeys) {
    check_schedules<ManyTiles, std::uint32_t, true>(32 * 20, Shape::kFew, {0, 32}, kSeeds);
}
TEST(Schedules, TwoWarps) {
    check_schedules<TwoWarps, std::int32_t, true>(128 * 9 - 1, Shape::kRandom, {8, 32}, kSeeds);
}
TEST(Schedules, SeveralPortions) {
    check_schedules<Portions, std::uint32_t, true>(64 * 3 * 4 + 65, Shape::kRandom, {0, 13},
                                                   kSeeds);
    check_schedules<Portions, std::uint32_t, true>(64 * 3 * 3, Shape::kEqual, {0, 15}, 1);
}
TEST(Schedules, Votes) {
    check_schedules<Votes, std::uint32_t, true>(96 * 7 + 50, Shape::kRandom, {0, 10}, kSeeds);
}
TEST(Schedules, ItemsReadTwice) {
    check_schedules<ReadTwice, std::uint32_t, true>(128 * 11 + 7, Shape::kRandom, {0, 10}, kSeeds);
    check_schedules<ReadTwice, std::uint32_t, true>(100, Shape::kFew, {0, 32}, kSeeds);
}
TEST(Schedules, OneBlock) {
    for (const int n : {1, 31, 32, 33, 64, 100, 127, 128}) {
        check_schedules<TwoWarps, std::uint32_t, true>(n, Shape::kRandom, {0, 32}, 3);
    }
}
// From one warp in one block to the most that fits: 16 blocks with 2 items a thread.
TEST(Schedules, Cluster) {
    for (const int n : {65, 64 * 16 + 1, 128, 129, 64 * 16 - 1, 64 * 32}) {
        if (kIsReduced && n > 65 && n != 64 * 16 + 1) continue;
        check_schedules<ClusterTuning<64>, std::uint32_t, true>(n, Shape::kRandom, {3, 20},
                                                                kIsReduced ? 1 : 3);
    }
    check_schedules<ClusterTuning<32>, std::int64_t, true>(700, Shape::kFew, {50, 64}, kSeeds);
    check_schedules<ClusterTuning<32>, std::uint32_t, false>(1000, Shape::kEqual, {0, 10}, 1);
}
TEST(Schedules, TooManyItemsForACluster) {
    check_schedules<ClusterTuning<32>, std::uint32_t, true>(32 * 32 + 1, Shape::kRandom, {0, 5}, 2);
}
TEST(Schedules, Counting) {
    for (const int n : {1, 31, 32, 33, 63, 64, 65, 200, 300, 700}) {
        check_schedules<RankTuning<64>, std::uint32_t, true>(n, Shape::kRandom, {3, 20},
                                                             kIsReduced ? 1 : 2);
    }
    check_schedules<RankTuning<128>, std::int64_t, true>(500, Shape::kFew, {50, 64}, kSeeds);
    check_schedules<RankTuning<32>, std::int8_t, false>(400, Shape::kRandom, {0, 8}, kSeeds);
    check_schedules<RankTuning<64>, double, true>(100, Shape::kRandom, {0, 64}, kSeeds);
    check_schedules<RankTuning<64>, double, true>(701, Shape::kRandom, {54, 64}, 1);
}
TEST(Schedules, ProductionTuning) {
    if (!kIsReduced) check_schedules<void, std::uint32_t, true>(7000, Shape::kFew, {0, 16}, 1);
}

#if defined(SIMT_VERSION)
// cub 245: one resident block is enough, and 48 are not too many.
TEST(Schedules, AnyNumberOfResidentBlocks) {
    const simt::Config before = simt::config();
    const auto keys = make_keys<std::uint32_t>(32 * 61 + 1, Shape::kRandom, 4);
    for (const unsigned resident : {1u, 2u, 3u, 7u, 16u, 33u, 48u}) {
        simt::config().resident = scan_test::kIsSlow && resident > 4 ? 4 : resident;
        for (int seed = 0; seed < (kIsReduced ? 2 : 5); ++seed) {
            SCOPED_TRACE(testing::Message() << resident << " blocks, seed " << seed);
            simt::config().seed = static_cast<std::uint64_t>(seed);
            check_one_sort<ManyTiles, std::uint32_t, true>(keys, {0, 10}, false, false);
        }
    }
    simt::config() = before;
}
#endif

#if defined(SIMT_VERSION)
// Run by the long tests.
TEST(Schedules, DISABLED_FiveHundred) {
    constexpr int kMany = kIsReduced ? 10 : 100;
    check_schedules<ManyTiles, std::uint32_t, true>(32 * 33 + 1, Shape::kRandom, {0, 15}, kMany);
    check_schedules<TwoWarps, std::uint32_t, true>(128 * 9, Shape::kFew, {0, 32}, kMany);
    check_schedules<Portions, std::uint32_t, true>(64 * 3 * 4 + 65, Shape::kRandom, {0, 13}, kMany);
    check_schedules<Votes, std::uint32_t, true>(96 * 7 + 50, Shape::kRandom, {0, 10}, kMany);
    check_schedules<ReadTwice, std::uint32_t, true>(128 * 11 + 7, Shape::kRandom, {0, 10}, kMany);
}
#endif

// Four passes of five bits; in each subset of them all digits are the same. The result is the same
// as ever, and with two buffers in the buffer that the number of passes alone decides.
TEST(Plan, EverySubsetOfPassesThatChangeNothing) {
    for (unsigned subset = 0; subset < 16; subset += kIsReduced ? 5 : 1) {
        SCOPED_TRACE(testing::Message() << "left out: " << subset);
        const auto keys = keys_with_passes_left_out(300, subset, 4);
        check_sort<ManyTiles, std::uint32_t, true>(keys, {0, 20});  // four passes
        check_sort<ManyTiles, std::uint32_t, true>(keys, {0, 15});  // three
        check_sort<Portions, std::uint32_t, true>(keys, {0, 20});
    }
}
// What an earlier pass has left in the words of look-back is not taken for what a tile has yet to
// say, though passes are left out (the first one or two of four) or copy.
TEST(Plan, LookBackBehindPassesThatChangeNothing) {
    for (const int constant : {5, 10}) {
        auto keys = make_keys<std::uint32_t>(32 * 41 + 3, Shape::kRandom, 8);
        for (std::uint32_t& key : keys) key = key >> constant << constant;
        bool two_buffers = false;
        for_each_schedule(2 * kSeeds, [&] {
            check_one_sort<ManyTiles, std::uint32_t, true>(keys, {0, 20}, false, two_buffers);
            two_buffers = !two_buffers;
        });
    }
}
TEST(Plan, TheSelectorDependsOnNoKey) {
    for (const int end : {5, 10, 15, 20}) {
        for (const Shape shape : {Shape::kRandom, Shape::kEqual, Shape::kOneBit}) {
            const auto keys = make_keys<std::uint32_t>(300, shape, 9);
            DeviceArray<std::uint32_t> a(keys), b(keys.size());
            DeviceArray<int> c(300), d(count_up(300));
            libscan::DoubleBuffer<std::uint32_t> buffers(b.data(), a.data());
            libscan::DoubleBuffer<int> values(c.data(), d.data());
            buffers.selector = values.selector = 1;
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                namespace lib = libscan::detail;
                return lib::sort_items<ManyTiles>(temp, bytes, lib::pairs_of(buffers, values), 300,
                                                  lib::some_bits(false, 0, end),
                                                  lib::NoDecomposer{}, nullptr);
            }));
            EXPECT_EQ(buffers.selector, end / 5 % 2 == 0 ? 1 : 0);
        }
    }
}

}  // namespace
}  // namespace sort_test

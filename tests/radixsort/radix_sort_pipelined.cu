// SPDX-License-Identifier: Apache-2.0
//
// The pipelined passes of the radix sort: in order and under random schedules, with tiles that are
// full and not, inputs that are aligned and not, and blocks with one tile and many.
#include "sort_support.cuh"

namespace sort_test {
namespace {

using OneWarp = PipelinedTuning<32>;
using TwoWarps = PipelinedTuning<64, 6>;
using Portions = PipelinedTuning<32, 5, 2>;
using Instruction = PipelinedTuning<32, 5, 0, libscan::DigitMatch::instruction>;
using OneTileEach = PipelinedTuning<32, 5, 0, libscan::DigitMatch::votes, false>;

// Tiles of more rows than a warp has lanes to tell where they begin.
template <int kItems, int kLeast = 0>
struct ItemsTuning {
    static constexpr libscan::RadixSortPolicy make() {
        libscan::RadixSortPolicy policy = PipelinedTuning<32>::kPolicy;
        policy.pass_items = kItems;
        policy.pass_many_least = kLeast;
        return policy;
    }
    static constexpr libscan::RadixSortPolicy kPolicy = make();
    static constexpr int kArchitecture = 0;
};

using LargeTiles = ItemsTuning<32>;
using ManyTilesLate = ItemsTuning<16, 3000>;

constexpr int kSeeds = kIsReduced ? 1 : 6;

template <class Tuning, class KeyT, bool kPairs>
void check_schedules(int n, Shape shape, const Bits& bits, int seeds) {
    const auto keys = make_keys<KeyT>(n, shape, static_cast<std::uint64_t>(n));
    int form = n;  // each schedule has one direction and one form
    for_each_schedule(seeds, [&] {
        check_one_sort<Tuning, KeyT, kPairs>(keys, bits, form % 2 != 0, form / 2 % 2 != 0);
        ++form;
    });
}

// Blocks of the device (4 multiprocessors on the CPU) have one tile each up to 1024 or 2048 items.
TEST(PipelinedPasses, AnyLength) {
    for (const int n : {257, 300, 383, 384, 511, 512, 513, 640, 1000, 1024, 1025, 1500, 2048, 3001})
        check_one_sort<OneWarp, std::uint32_t, true>(
            make_keys<std::uint32_t>(n, Shape::kRandom, static_cast<std::uint64_t>(n)), {3, 20},
            n % 2 != 0, n % 3 == 0);
}
TEST(PipelinedPasses, KeysAlone) {
    check_schedules<TwoWarps, std::uint32_t, false>(64 * 8 * 6 + 5, Shape::kRandom, {0, 32},
                                                    kSeeds);
    check_schedules<TwoWarps, std::uint64_t, false>(64 * 8 * 5 - 1, Shape::kRandom, {20, 49},
                                                    kSeeds);
    check_schedules<TwoWarps, std::uint16_t, false>(64 * 8 * 5 - 7, Shape::kRandom, {0, 16},
                                                    kSeeds);
}
TEST(PipelinedPasses, Pairs) {
    check_schedules<TwoWarps, std::int32_t, true>(64 * 8 * 9 + 77, Shape::kRandom, {8, 32}, kSeeds);
    check_schedules<OneWarp, std::uint32_t, true>(32 * 8 * 20, Shape::kFew, {0, 32}, kSeeds);
    check_schedules<OneWarp, std::uint32_t, true>(700, Shape::kRandom, {0, 13}, kSeeds);
}
TEST(PipelinedPasses, LargeTiles) {
    for (const Shape shape : {Shape::kRandom, Shape::kFew, Shape::kEqual})
        check_schedules<LargeTiles, std::uint32_t, true>(32 * 32 * 5 + 301, shape, {0, 10}, 2);
}
TEST(PipelinedPasses, SeveralPortions) {
    check_schedules<Portions, std::uint32_t, true>(32 * 8 * 2 * 3 + 65, Shape::kRandom, {0, 13},
                                                   kSeeds);
    check_schedules<Portions, std::uint32_t, true>(32 * 8 * 2 * 3, Shape::kEqual, {0, 15}, 1);
    check_schedules<Portions, std::uint32_t, true>(32 * 8 * 2 * 4 + 1, Shape::kFew, {0, 10},
                                                   kSeeds);
}
TEST(PipelinedPasses, DigitsByTheInstruction) {
    check_schedules<Instruction, std::uint32_t, true>(32 * 8 * 7 + 50, Shape::kRandom, {0, 10},
                                                      kSeeds);
}
// The other passes beyond one tile for each of the device's blocks, for good or up to some number
// of items. Storage does not shrink as n grows.
template <class Tuning>
void check_other_passes(std::initializer_list<int> sizes) {
    namespace lib = libscan::detail;
    std::size_t last = 0;
    for (const int n : sizes) {
        check_schedules<Tuning, std::uint32_t, true>(n, Shape::kRandom, {0, 10}, 2);
        std::size_t bytes = 0;
        DeviceArray<std::uint32_t> in(make_keys<std::uint32_t>(n, Shape::kFew, 1));
        DeviceArray<std::uint32_t> out(static_cast<std::size_t>(n));
        ASSERT_CUDA_OK(lib::sort_items<Tuning>(nullptr, bytes, lib::keys_of(in.data(), out.data()),
                                               n, lib::some_bits(false, 0, 10), lib::NoDecomposer{},
                                               nullptr));
        EXPECT_GE(bytes, last);
        last = bytes;
    }
}
TEST(PipelinedPasses, OtherPassesBeyondOneTileEach) {
    check_other_passes<OneTileEach>({900, 1023, 1024, 1025, 1100, 3000});
}
TEST(PipelinedPasses, OtherPassesBetween) {
    check_other_passes<ManyTilesLate>({2047, 2048, 2049, 2999, 3000, 3001, 3500});
}
// Bulk copies move aligned vectors: the items at both ends of a tile that are in none go otherwise.
TEST(PipelinedPasses, AnyAlignment) {
    namespace lib = libscan::detail;
    const int n = 32 * 8 * 5 + 11;
    const auto keys = make_keys<std::uint32_t>(n + 3, Shape::kRandom, 5);
    for (int from = 0; from < 4; ++from) {
        for (int values_from = 0; values_from < 4; values_from += from == 0 ? 1 : 3) {
            SCOPED_TRACE(testing::Message() << from << " and " << values_from << " items behind");
            const std::vector<std::uint32_t> sorted_from(keys.begin() + from,
                                                         keys.begin() + from + n);
            const auto order = stable_order(sorted_from, {0, 15}, false);
            // Nothing stands in front of or behind what is sorted.
            DeviceArray<std::uint32_t> in(keys), out(static_cast<std::size_t>(n));
            DeviceArray<int> values(count_up(n + 3)), moved(static_cast<std::size_t>(n));
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return lib::sort_items<OneWarp>(
                    temp, bytes,
                    lib::pairs_of(in.data() + from, out.data(), values.data() + values_from,
                                  moved.data()),
                    n, lib::some_bits(false, 0, 15), lib::NoDecomposer{}, nullptr);
            }));
            ASSERT_TRUE(same_bytes(out.download(), permuted(sorted_from, order)));
            auto expected = order;
            for (int& value : expected) value += values_from;
            ASSERT_TRUE(same_bytes(moved.download(), expected));
        }
    }
}
// More tiles than one group, a block for each: the look-back has two levels.
TEST(PipelinedPasses, LookBackInTwoLevels) {
#if defined(SIMT_VERSION)
    const simt::Config before = simt::config();
    simt::config().multiprocessors = 50;
#endif
    check_schedules<OneWarp, std::uint32_t, true>(32 * 4 * 47 - 20, Shape::kRandom, {0, 15},
                                                  kSeeds);
    check_schedules<OneWarp, std::uint32_t, true>(32 * 4 * 32, Shape::kFew, {0, 10}, kSeeds);
    check_schedules<OneWarp, std::uint32_t, false>(32 * 4 * 17 + 1, Shape::kEqual, {0, 10}, 1);
    // A group that is all but complete is seen in few schedules.
    check_schedules<OneWarp, std::uint32_t, false>(32 * 4 * 33, Shape::kRandom, {0, 5},
                                                   kIsReduced ? 2 : 60);
#if defined(SIMT_VERSION)
    for (const unsigned resident : {1u, 3u}) {
        simt::config().resident = resident;
        check_schedules<OneWarp, std::uint32_t, true>(32 * 4 * 46 + 1, Shape::kRandom, {0, 10}, 2);
    }
    simt::config() = before;
#endif
}
TEST(PipelinedPasses, PassesThatChangeNothing) {
    for (unsigned subset = 0; subset < 8; ++subset) {
        SCOPED_TRACE(testing::Message() << "left out: " << subset);
        const auto keys = keys_with_passes_left_out(1300, subset, 3);
        check_sort<OneWarp, std::uint32_t, true>(keys, {0, 15});
    }
}

#if defined(SIMT_VERSION)
TEST(PipelinedPasses, AnyNumberOfResidentBlocks) {
    const simt::Config before = simt::config();
    const auto keys = make_keys<std::uint32_t>(32 * 8 * 13 + 1, Shape::kRandom, 4);
    for (const unsigned resident : {1u, 2u, 3u, 4u}) {
        simt::config().resident = resident;
        for (int seed = 0; seed < (kIsReduced ? 2 : 5); ++seed) {
            SCOPED_TRACE(testing::Message() << resident << " blocks, seed " << seed);
            simt::config().seed = static_cast<std::uint64_t>(seed);
            check_one_sort<OneWarp, std::uint32_t, true>(keys, {0, 10}, false, false);
        }
    }
    simt::config() = before;
}
// The plan of one pass by itself is what the plan of all says of it.
TEST(Plan, OfOnePass) {
    namespace lib = libscan::detail;
    for (const int passes : {1, 2, 5, 6, 32}) {
        for (unsigned round = 0; round < 64; ++round) {
            const unsigned all = ~0u >> (32 - passes);
            const unsigned sorts = (passes == 32 ? round * 0x9e3779b9u : round) & all;
            lib::PassPlan plans[32];
            for (const bool two_buffers : {false, true}) {
                for (int p = 0; p < passes; ++p)
                    plans[p].kind =
                        (sorts >> p & 1) != 0 ? lib::PassKind::kSort : lib::PassKind::kNothing;
                lib::plan_passes(plans, passes, two_buffers);
                for (int p = 0; p < passes; ++p) {
                    const lib::PassPlan plan = lib::plan_pass(p, sorts, passes, two_buffers);
                    ASSERT_EQ(plan.kind, plans[p].kind) << sorts << " " << p;
                    ASSERT_EQ(plan.sorts_before, plans[p].sorts_before);
                    if (plan.kind == lib::PassKind::kNothing) continue;
                    ASSERT_EQ(plan.source, plans[p].source) << sorts << " " << p;
                    ASSERT_EQ(plan.target, plans[p].target) << sorts << " " << p;
                }
            }
        }
    }
}
// A device of another architecture has the other passes.
TEST(PipelinedPasses, NotOnOlderDevices) {
    const simt::Config before = simt::config();
    simt::config().compute_capability = 75;
    check_one_sort<OneWarp, std::uint32_t, true>(make_keys<std::uint32_t>(2000, Shape::kRandom, 4),
                                                 {0, 10}, false, false);
    simt::config() = before;
}
#endif

}  // namespace
}  // namespace sort_test

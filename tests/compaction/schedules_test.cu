// SPDX-License-Identifier: Apache-2.0
//
// Compactions under random schedules: small tiles, so that a few thousand items are many windows of
// look-back, and blocks overtake each other in every way. On the CPU with the executor's checks;
// in place, ThreadSanitizer sees whether a tile is written before it has been read.
#include <compaction/run_encode.cuh>
#include <compaction/run_partition.cuh>
#include <compaction/run_select.cuh>
#include <cstdlib>
#include <libscan/by_key.cuh>

#include "compaction_test.cuh"

namespace compaction_test {
namespace {

using namespace libscan::detail;
using libscan::Equal;

#if defined(__SANITIZE_ADDRESS__)
constexpr int kUsualSeeds = 8;
#else
constexpr int kUsualSeeds = kIsSlow ? 2 : 50;
#endif

// The long test asks for 500.
int seeds() {
    const char* const wanted = std::getenv("COMPACTION_SEEDS");
    return wanted != nullptr ? std::atoi(wanted) : kUsualSeeds;
}

constexpr LastBit kOdd{1};
// More tiles than a cluster goes over, the last one not full.
template <class Shape>
constexpr int kManyItems = 67 * Shape::kTile + 5;
constexpr int kItems = kManyItems<TileShape<32, 1>>;
using Count = long long;

// Calls run(CompactionCall, count) and gives back the count. -1 after an error.
template <class Run>
Count count_of(Run run) {
    DeviceArray<Count> count(2);
    const cudaError_t error = two_phase([&](void* temp, std::size_t& bytes) {
        return run(CompactionCall{temp, bytes, nullptr}, count.data());
    });
    EXPECT_CUDA_OK(error);
    return error == cudaSuccess ? count.download()[0] : -1;
}

// The front of an array is as expected, and the rest is what it was.
testing::AssertionResult begins_with(DeviceArray<Item>& array, const std::vector<Item>& expected,
                                     Count count, std::vector<Item> before) {
    if (count != static_cast<Count>(expected.size())) {
        return testing::AssertionFailure() << count << " items, not " << expected.size();
    }
    std::copy(expected.begin(), expected.end(), before.begin());
    return same(array.download(), before);
}

std::vector<Item> poison(std::size_t n) { return std::vector<Item>(n, 0xa5a5a5a5u); }

// Runs `body` with every selection that makes tiles differ, each under its share of the seeds.
template <class Body>
void for_each_case(Body body, int schedules = seeds(), std::size_t n = kItems) {
    constexpr Selection kCases[] = {{"50%", 50, 1},       {"none", 0, 1},  {"all", 100, 1},
                                    {"clusters", 50, 50}, {"98%", 98, 1},  {"10%", 10, 1},
                                    {"one early", 1, 40}, {"95%", 95, 200}};
    std::uint64_t number = 0;
    for_each_schedule(schedules, [&] {
#if defined(SIMT_VERSION)
        // From many tiles for each block to about one, with all the others before it.
        constexpr int kMultiprocessors[] = {4, 12, 50};
        simt::config().multiprocessors = kMultiprocessors[number % 3];
#endif
        const Selection& selection = kCases[number++ % (sizeof kCases / sizeof kCases[0])];
        SCOPED_TRACE(selection.name);
        body(make_flags(n, selection, number));
    });
}

template <class Shape>
void check_if(const std::vector<std::uint8_t>& flags) {
    const std::vector<Item> in = make_items<Item>(flags);
    const std::vector<Item> expected =
        serial_select(in, [&](std::size_t i) { return flags[i] != 0; });
    DeviceArray<Item> data(in), out(in.size());
    Count n = count_of([&](const CompactionCall& call, Count* count) {
        return run_select<Shape>(call, IfCriterion<LastBit>{kOdd}, data.data(), out.data(), count,
                                 static_cast<std::int64_t>(flags.size()), false);
    });
    ASSERT_TRUE(begins_with(out, expected, n, poison(in.size())));
    n = count_of([&](const CompactionCall& call, Count* count) {
        return run_select<Shape>(call, IfCriterion<LastBit>{kOdd}, data.data(), data.data(), count,
                                 static_cast<std::int64_t>(flags.size()), true);
    });
    ASSERT_TRUE(begins_with(data, expected, n, in));
}
TEST(Schedules, If) { for_each_case(check_if<TileShape<32, 1>>); }
TEST(Schedules, IfTwoWarps) {
    using Shape = TileShape<64, 2, 4>;
    for_each_case(check_if<Shape>, ceil_div(seeds(), 8), kManyItems<Shape>);
}
// Several blocks a multiprocessor: by sums of groups of tiles.
TEST(Schedules, IfByGroups) { for_each_case(check_if<TileShape<32, 1, 1, 2>>); }
// The storage is one word longer than a multiple of its alignment, the sum of the last group.
TEST(Schedules, StorageOfGroups) {
    using Shape = TileShape<32, 1, 1, 2>;
    for_each_case(check_if<Shape>, 3, 92 * Shape::kTile - 5);
}
// Not ahead of the prefix, as with items that have no room for two tiles.
TEST(Schedules, IfWithOneBuffer) {
    for_each_case(check_if<TileShape<32, 1, 1, 1, false>>, seeds() / 2);
}
// Tiles that are a cluster, and one too many.
TEST(Schedules, IfInACluster) {
    using Shape = TileShape<32, 2, 2>;
    constexpr int kMost = kTilesOfCluster * Shape::kTile;
    for (const int n : {2 * Shape::kTile + 7, kMost, kMost + 1})
        for_each_case(check_if<Shape>, ceil_div(seeds(), 4), n);
}

TEST(Schedules, FlaggedInPlaceOfTheFlags) {
    for_each_case([](const std::vector<std::uint8_t>& flags) {
        std::vector<Item> in = make_items<Item>(flags);
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = flags[i] != 0 ? in[i] : 0;
        DeviceArray<Item> data(in);
        const Count n = count_of([&](const CompactionCall& call, Count* count) {
            return run_select<TileShape<32, 2>>(call, FlagCriterion<Item*>{data.data(), {}},
                                                data.data(), data.data(), count,
                                                static_cast<std::int64_t>(flags.size()), true);
        });
        const std::vector<Item> expected =
            serial_select(in, [&](std::size_t i) { return in[i] != 0; });
        ASSERT_TRUE(begins_with(data, expected, n, in));
    });
}

// Runs whose heads are where the flags are.
std::vector<Item> runs_at(const std::vector<std::uint8_t>& flags) {
    std::vector<Item> items;
    Item run = 0;
    for (const std::uint8_t flag : flags) items.push_back(run += flag != 0);
    return items;
}

template <class Shape>
void check_unique(const std::vector<std::uint8_t>& flags) {
    const std::vector<Item> in = runs_at(flags);
    std::vector<Item> expected = in;
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    DeviceArray<Item> data(in), out(in.size());
    const auto unique = [&](Item* to, bool in_place) {
        return count_of([&](const CompactionCall& call, Count* count) {
            return run_select<Shape>(call, UniqueCriterion<Item*, Equal>{data.data(), {}},
                                     data.data(), to, count,
                                     static_cast<std::int64_t>(flags.size()), in_place);
        });
    };
    Count n = unique(out.data(), false);
    ASSERT_TRUE(begins_with(out, expected, n, poison(in.size())));
    n = unique(data.data(), true);
    ASSERT_TRUE(begins_with(data, expected, n, in));
}
TEST(Schedules, Unique) { for_each_case(check_unique<TileShape<32, 1>>); }
TEST(Schedules, UniqueTwoWarps) {
    using Shape = TileShape<64, 1>;
    for_each_case(check_unique<Shape>, seeds() / 2, kManyItems<Shape>);
}

TEST(Schedules, UniqueByKeyInPlace) {
    for_each_case([](const std::vector<std::uint8_t>& flags) {
        const std::vector<Item> in = runs_at(flags), values = make_items<Item>(flags);
        const std::vector<std::size_t> heads = serial_heads(in, Equal{});
        std::vector<Item> keys_expected, values_expected;
        for (std::size_t r = 0; r + 1 < heads.size(); ++r) {
            keys_expected.push_back(in[heads[r]]);
            values_expected.push_back(values[heads[r]]);
        }
        DeviceArray<Item> keys(in), data(values);
        const Count n = count_of([&](const CompactionCall& call, Count* count) {
            return run_unique_by_key<TileShape<32, 1>>(
                call, keys.data(), data.data(), keys.data(), data.data(), count,
                static_cast<std::int64_t>(flags.size()), Equal{});
        });
        ASSERT_TRUE(begins_with(keys, keys_expected, n, in));
        ASSERT_TRUE(begins_with(data, values_expected, n, values));
    });
}

TEST(Schedules, Partition) {
    for_each_case([](const std::vector<std::uint8_t>& flags) {
        const std::vector<Item> in = make_items<Item>(flags);
        const auto kept = [&](std::size_t i) { return flags[i] != 0; };
        DeviceArray<Item> data(in), out(in.size()), stable(in.size());
        const IfCriterion<LastBit> criterion{kOdd};
        count_of([&](const CompactionCall& call, Count* count) {
            return run_partition<TileShape<32, 1>>(call, criterion, data.data(), out.data(), count,
                                                   static_cast<std::int64_t>(flags.size()));
        });
        ASSERT_TRUE(same(out.download(), serial_partition(in, kept, false)));
        count_of([&](const CompactionCall& call, Count* count) {
            return run_stable_partition<TileShape<32, 2>>(call, criterion, data.data(),
                                                          stable.data(), count,
                                                          static_cast<std::int64_t>(flags.size()));
        });
        ASSERT_TRUE(same(stable.download(), serial_partition(in, kept, true)));
    });
}

struct Bit2IsClear {
    __host__ __device__ bool operator()(Item item) const { return (item & 4u) == 0; }
};

TEST(Schedules, ThreeWay) {
    for_each_case([](const std::vector<std::uint8_t>& flags) {
        const std::vector<Item> in = make_items<Item>(flags);
        std::vector<Item> expected[3];
        for (const Item item : in) expected[item & 1u ? 0 : item & 4u ? 2 : 1].push_back(item);
        DeviceArray<Item> data(in), first(in.size()), second(in.size()), third(in.size());
        const Count n = count_of([&](const CompactionCall& call, Count* count) {
            return run_three_way<TileShape<32, 1, 1, 2>>(
                call, data.data(), first.data(), second.data(), third.data(), count,
                static_cast<std::int64_t>(flags.size()), kOdd, Bit2IsClear{});
        });
        const std::vector<Item> before = poison(in.size());
        ASSERT_TRUE(begins_with(first, expected[0], n, before));
        ASSERT_TRUE(
            begins_with(second, expected[1], static_cast<Count>(expected[1].size()), before));
        ASSERT_TRUE(
            begins_with(third, expected[2], static_cast<Count>(expected[2].size()), before));
    });
}

template <class Shape>
void check_runs(const std::vector<std::uint8_t>& flags) {
    const std::vector<Item> in = runs_at(flags);
    const std::vector<std::size_t> heads = serial_heads(in, Equal{});
    std::vector<Item> items, lengths, long_offsets, long_lengths;
    for (std::size_t r = 0; r + 1 < heads.size(); ++r) {
        const Item length = static_cast<Item>(heads[r + 1] - heads[r]);
        items.push_back(in[heads[r]]);
        lengths.push_back(length);
        if (length == 1) continue;
        long_offsets.push_back(static_cast<Item>(heads[r]));
        long_lengths.push_back(length);
    }
    const std::vector<Item> before = poison(in.size());
    DeviceArray<Item> data(in), a(in.size()), b(in.size()), c(in.size()), d(in.size());
    Count n = count_of([&](const CompactionCall& call, Count* count) {
        return run_encode<Shape>(call, data.data(), a.data(), b.data(), count,
                                 static_cast<std::int64_t>(flags.size()), Equal{});
    });
    ASSERT_TRUE(begins_with(a, items, n, before));
    ASSERT_TRUE(begins_with(b, lengths, n, before));
    n = count_of([&](const CompactionCall& call, Count* count) {
        return run_non_trivial_runs<Shape>(call, data.data(), c.data(), d.data(), count,
                                           static_cast<std::int64_t>(flags.size()), Equal{});
    });
    ASSERT_TRUE(begins_with(c, long_offsets, n, before));
    ASSERT_TRUE(begins_with(d, long_lengths, n, before));
}
TEST(Schedules, Runs) { for_each_case(check_runs<TileShape<32, 1>>); }
TEST(Schedules, RunsTwoWarps) {
    using Shape = TileShape<64, 2, 2>;
    for_each_case(check_runs<Shape>, ceil_div(seeds(), 8), kManyItems<Shape> / (kIsSlow ? 4 : 1));
}
TEST(Schedules, RunsByGroups) { for_each_case(check_runs<TileShape<32, 1, 1, 2>>, seeds() / 2); }
#if defined(SIMT_VERSION)
// Between two tiles of a block there are 49 others, which may have the last head.
TEST(Schedules, RunsByGroupsFarApart) {
    std::uint64_t number = 0;
    for_each_schedule(kIsSlow ? 1 : 6, [&] {
        using Shape = TileShape<32, 1, 1, 2>;
        simt::config().multiprocessors = 25;
        check_runs<Shape>(make_flags(250 * Shape::kTile, {"", 3, 64}, ++number));
    });
}
#endif
TEST(Schedules, RunsWithOneBuffer) {
    for_each_case(check_runs<TileShape<32, 1, 1, 1, false>>, seeds() / 4);
}
TEST(Schedules, RunsInACluster) {
    using Shape = TileShape<32, 2, 2>;
    constexpr int kMost = kTilesOfCluster * Shape::kTile;
    for (const int n : {2 * Shape::kTile + 7, kMost, kMost + 1})
        for_each_case(check_runs<Shape>, ceil_div(seeds(), 8), n);
}

#if defined(SIMT_VERSION)
// One resident block is enough, and 48 are not too many.
TEST(Schedules, AnyNumberOfResidentBlocks) {
    const simt::Config before = simt::config();
    const std::vector<std::uint8_t> flags = make_flags(kItems, {"50%", 50, 1});
    for (const unsigned resident : {1u, 2u, 3u, 7u, 16u, 33u, 48u}) {
        if (kIsSlow && resident > 1) break;
        simt::config().resident = resident;
        simt::config().workers = 1;
        simt::config().check = true;
        for (int seed = 0; seed < 2; ++seed) {
            simt::config().seed = static_cast<std::uint64_t>(seed);
            check_if<TileShape<32, 1>>(flags);
            check_unique<TileShape<32, 1>>(flags);
            check_runs<TileShape<32, 1>>(flags);
        }
    }
    simt::config() = before;
}
#endif

}  // namespace
}  // namespace compaction_test

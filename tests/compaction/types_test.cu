// SPDX-License-Identifier: Apache-2.0
//
// Items of 1 to 40 bytes (rocm-libraries 1117), counts of any type, iterators that are no pointers,
// and the forms in which CUB's functions can be called.
#include <algorithm>
#include <compaction/device_partition.cuh>
#include <compaction/device_run_length_encode.cuh>
#include <compaction/device_select.cuh>
#include <iterator>
#include <type_traits>

#include "compaction_test.cuh"

namespace compaction_test {
namespace {

using libscan::CompactionOptions;
using libscan::DevicePartition;
using libscan::DeviceRunLengthEncode;
using libscan::DeviceSelect;
using libscan::PartitionOrder;

constexpr LastBit kOdd{1};
constexpr int kSizes[] = {1, 33, 255, 257, 1025, kIsSlow ? 1500 : 9003};

template <class T, class Count>
struct Pair {
    using Item = T;
    using CountType = Count;
};
template <class P>
class Types : public testing::Test {};
using Pairs = testing::Types<Pair<std::uint8_t, std::uint64_t>, Pair<double, std::int16_t>,
                             Pair<Record<16>, int>, Pair<Record<40>, unsigned short>>;
TYPED_TEST_SUITE(Types, Pairs);

// The front of an array, of which the rest must not have been written.
template <class T>
testing::AssertionResult begins_with(DeviceArray<T>& array, const std::vector<T>& expected) {
    const std::vector<T> actual = array.download();
    const std::ptrdiff_t end = static_cast<std::ptrdiff_t>(expected.size());
    const testing::AssertionResult front =
        same(std::vector<T>(actual.begin(), actual.begin() + end), expected);
    if (!front) return front;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(actual.data() + end);
    for (std::size_t i = 0; i < (actual.size() - expected.size()) * sizeof(T); ++i) {
        if (bytes[i] != 0xa5) return testing::AssertionFailure() << "behind the end was written";
    }
    return testing::AssertionSuccess();
}

TYPED_TEST(Types, Select) {
    using T = typename TypeParam::Item;
    for (const int n : kSizes)
        for (const Selection& selection : kSelections) {
            if (kIsSlow && (selection.cluster > 1 || selection.percent == 10)) continue;
            SCOPED_TRACE(testing::Message() << n << ", " << selection.name);
            const std::vector<std::uint8_t> flags =
                make_flags(static_cast<std::size_t>(n), selection);
            const std::vector<T> in = make_items<T>(flags);
            const std::vector<T> expected =
                serial_select(in, [&](std::size_t i) { return kOdd(in[i]); });
            DeviceArray<T> data(in, n % 5 * alignof(T)), out(in.size(), n % 3 * alignof(T));
            DeviceArray<typename TypeParam::CountType> count(1);
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return DeviceSelect::If(temp, bytes, data.data(), out.data(), count.data(), n,
                                        kOdd);
            }));
            ASSERT_EQ(static_cast<std::size_t>(count.download()[0]), expected.size());
            ASSERT_TRUE(begins_with(out, expected));
            ASSERT_TRUE(same(data.download(), in));
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return DeviceSelect::If(temp, bytes, data.data(), count.data(), n, kOdd);
            }));
            std::vector<T> replaced = in;
            std::copy(expected.begin(), expected.end(), replaced.begin());
            ASSERT_TRUE(same(data.download(), replaced));
        }
}

TYPED_TEST(Types, RunsAndTheirFirstValues) {
    using T = typename TypeParam::Item;
    for (const int n : kSizes)
        for (const int longest : {1, 4, 1000}) {
            SCOPED_TRACE(testing::Message() << n << ", runs up to " << longest);
            const std::vector<T> in = make_runs<T>(static_cast<std::size_t>(n), longest);
            const std::vector<std::size_t> heads = serial_heads(in, libscan::Equal{});
            std::vector<T> keys;
            std::vector<std::uint16_t> firsts;
            std::vector<int> lengths;
            for (std::size_t r = 0; r + 1 < heads.size(); ++r) {
                keys.push_back(in[heads[r]]);
                firsts.push_back(static_cast<std::uint16_t>(heads[r]));
                lengths.push_back(static_cast<int>(heads[r + 1] - heads[r]));
            }
            std::vector<std::uint16_t> indices;
            for (int i = 0; i < n; ++i) indices.push_back(static_cast<std::uint16_t>(i));
            DeviceArray<T> data(in), keys_out(in.size()), items_out(in.size());
            DeviceArray<std::uint16_t> values(indices), values_out(in.size());
            DeviceArray<int> lengths_out(in.size());
            DeviceArray<typename TypeParam::CountType> count(1);
            ASSERT_CUDA_OK(DeviceSelect::UniqueByKey(data.data(), values.data(), keys_out.data(),
                                                     values_out.data(), count.data(), n));
            ASSERT_EQ(static_cast<std::size_t>(count.download()[0]), keys.size());
            ASSERT_TRUE(begins_with(keys_out, keys));
            ASSERT_TRUE(begins_with(values_out, firsts));
            ASSERT_CUDA_OK(DeviceRunLengthEncode::Encode(data.data(), items_out.data(),
                                                         lengths_out.data(), count.data(), n));
            ASSERT_EQ(static_cast<std::size_t>(count.download()[0]), keys.size());
            ASSERT_TRUE(begins_with(items_out, keys));
            ASSERT_TRUE(begins_with(lengths_out, lengths));
            ASSERT_TRUE(same(data.download(), in));
        }
}

template <class T>
void check_partition(PartitionOrder order) {
    for (const int n : kSizes)
        for (const Selection& selection : {kSelections[3], kSelections[0], kSelections[7]}) {
            SCOPED_TRACE(testing::Message() << n << ", " << selection.name);
            const std::vector<std::uint8_t> flags =
                make_flags(static_cast<std::size_t>(n), selection);
            const std::vector<T> in = make_items<T>(flags);
            DeviceArray<T> data(in), out(in.size());
            DeviceArray<int> count(1);
            ASSERT_CUDA_OK(DevicePartition::If(data.data(), out.data(), count.data(), n, kOdd,
                                               {nullptr, order}));
            ASSERT_TRUE(same(out.download(), serial_partition(
                                                 in, [&](std::size_t i) { return flags[i] != 0; },
                                                 order == PartitionOrder::stable)));
        }
}
// Items of one and two bytes are written four bytes at a time, wherever outputs begin.
struct ThirdBit {
    template <class T>
    __host__ __device__ bool operator()(const T& item) const {
        return (number_of(item) & 4u) != 0;
    }
};

template <class T>
class SmallItems : public testing::Test {};
using SmallTypes = testing::Types<std::uint8_t, std::uint16_t>;
TYPED_TEST_SUITE(SmallItems, SmallTypes);

TYPED_TEST(SmallItems, OutputsAnywhere) {
    using T = TypeParam;
    constexpr std::size_t kCounts[] = {1, 2, 3, 5, 9, 33, 257, kIsSlow ? 1500 : 20011};
    for (const std::size_t n : kCounts)
        for (std::size_t offset = 0; offset < 4; ++offset) {
            SCOPED_TRACE(testing::Message() << n << ", offset " << offset);
            const auto beyond = [&](std::size_t more) {
                return DeviceArray<T>(n, (offset + more) % 4 * sizeof(T));
            };
            const std::vector<std::uint8_t> flags = make_flags(n, {"", 50, 1}, offset);
            const std::vector<T> in = make_items<T>(flags);
            const auto kept = [&](std::size_t i) { return flags[i] != 0; };
            const auto second = [&](std::size_t i) { return !kept(i) && ThirdBit{}(in[i]); };
            DeviceArray<T> data(in), a = beyond(0), b = beyond(1), c = beyond(2), d = beyond(3);
            DeviceArray<int> counts(2), lengths(n);
            ASSERT_CUDA_OK(DevicePartition::If(data.data(), a.data(), b.data(), c.data(),
                                               counts.data(), static_cast<int>(n), kOdd,
                                               ThirdBit{}));
            ASSERT_TRUE(begins_with(a, serial_select(in, kept)));
            ASSERT_TRUE(begins_with(b, serial_select(in, second)));
            ASSERT_TRUE(begins_with(
                c, serial_select(in, [&](std::size_t i) { return !kept(i) && !second(i); })));
            for (const bool stable : {false, true}) {
                ASSERT_CUDA_OK(DevicePartition::If(
                    data.data(), d.data(), counts.data(), static_cast<int>(n), kOdd,
                    {nullptr, stable ? PartitionOrder::stable : PartitionOrder::reversed}));
                ASSERT_TRUE(same(d.download(), serial_partition(in, kept, stable)));
            }
            const std::vector<T> runs = make_runs<T>(n, 3, offset);
            std::vector<T> heads = runs;
            heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
            DeviceArray<T> keys(runs), unique = beyond(0);
            ASSERT_CUDA_OK(DeviceRunLengthEncode::Encode(keys.data(), unique.data(), lengths.data(),
                                                         counts.data(), static_cast<int>(n)));
            ASSERT_TRUE(begins_with(unique, heads));
        }
}

// So many that tiles are large, and of each size that small items have.
template <class T>
constexpr std::int64_t kFewItems =
    libscan::detail::few_items(libscan::detail::ShapesFor<const T*>::kItems);
template <class T>
class ManyItems : public testing::Test {};
using ManyTypes = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, Record<16>>;
TYPED_TEST_SUITE(ManyItems, ManyTypes);

TYPED_TEST(ManyItems, AllTiles) {
    using T = TypeParam;
    if (kIsSlow) GTEST_SKIP() << "as with few items, but for the size of tiles";
    const std::size_t n = static_cast<std::size_t>(kFewItems<T>) + 70001;
    const std::vector<std::uint8_t> flags = make_flags(n, {"", 50, 3});
    const auto kept = [&](std::size_t i) { return flags[i] != 0; };
    const std::vector<T> in = make_items<T>(flags);
    const std::vector<T> expected = serial_select(in, kept);
    DeviceArray<T> data(in), out(n, 3 * alignof(T));
    DeviceArray<int> count(1);
    ASSERT_CUDA_OK(DeviceSelect::If(data.data(), out.data(), count.data(), n, kOdd));
    ASSERT_EQ(static_cast<std::size_t>(count.download()[0]), expected.size());
    ASSERT_TRUE(begins_with(out, expected));
    ASSERT_CUDA_OK(DevicePartition::If(data.data(), out.data(), count.data(), n, kOdd));
    ASSERT_TRUE(same(out.download(), serial_partition(in, kept, false)));
    if constexpr (sizeof(T) == 4) {
        const std::vector<T> runs = make_runs<T>(n, 9);
        const std::vector<std::size_t> heads = serial_heads(runs, libscan::Equal{});
        std::vector<T> items;
        std::vector<int> lengths;
        for (std::size_t r = 0; r + 1 < heads.size(); ++r) {
            items.push_back(runs[heads[r]]);
            lengths.push_back(static_cast<int>(heads[r + 1] - heads[r]));
        }
        DeviceArray<T> keys(runs), values_out(n);
        DeviceArray<int> lengths_out(n);
        ASSERT_CUDA_OK(DeviceRunLengthEncode::Encode(keys.data(), out.data(), lengths_out.data(),
                                                     count.data(), n));
        ASSERT_EQ(static_cast<std::size_t>(count.download()[0]), items.size());
        ASSERT_TRUE(begins_with(lengths_out, lengths));
        ASSERT_CUDA_OK(DeviceSelect::UniqueByKey(keys.data(), keys.data(), out.data(),
                                                 values_out.data(), count.data(), n));
        ASSERT_EQ(static_cast<std::size_t>(count.download()[0]), items.size());
        ASSERT_TRUE(begins_with(values_out, items));
    }
}

// Items of one and two bytes go from shared memory in words: under the executor's checks, which see
// what is read before it is written.
TYPED_TEST(ManyItems, UnderChecks) {
    using T = TypeParam;
    for_each_schedule(3, [n = std::size_t{1000}]() mutable {
        const std::vector<std::uint8_t> flags = make_flags(++n, {"", 50, 3});
        const auto kept = [&](std::size_t i) { return flags[i] != 0; };
        const std::vector<T> in = make_items<T>(flags);
        DeviceArray<T> data(in), out(n, 3 * alignof(T)), parts(n, alignof(T));
        DeviceArray<int> count(1);
        ASSERT_CUDA_OK(DeviceSelect::If(data.data(), out.data(), count.data(), n, kOdd));
        ASSERT_TRUE(begins_with(out, serial_select(in, kept)));
        ASSERT_CUDA_OK(DevicePartition::If(data.data(), parts.data(), count.data(), n, kOdd));
        ASSERT_TRUE(same(parts.download(), serial_partition(in, kept, false)));
    });
}

// The last number of items with small tiles, and the first with large ones.
TEST(LargeTiles, OnBothSides) {
    if (kIsSlow) GTEST_SKIP() << "as with few items, but for the size of tiles";
    using T = Record<16>;
    constexpr std::size_t kFew = static_cast<std::size_t>(kFewItems<T>);
    const std::vector<std::uint8_t> flags = make_flags(kFew + 1, {"", 50, 3});
    for (const std::size_t n : {kFew, kFew + 1}) {
        const std::vector<T> in = make_items<T>({flags.begin(), flags.begin() + std::ptrdiff_t(n)});
        const std::vector<T> expected =
            serial_select(in, [&](std::size_t i) { return flags[i] != 0; });
        DeviceArray<T> data(in), out(n);
        DeviceArray<int> count(1);
        ASSERT_CUDA_OK(DeviceSelect::If(data.data(), out.data(), count.data(), n, kOdd));
        ASSERT_EQ(static_cast<std::size_t>(count.download()[0]), expected.size());
        ASSERT_TRUE(begins_with(out, expected));
    }
}

TEST(Partition, FortyBytes) { check_partition<Record<40>>(PartitionOrder::reversed); }
TEST(Partition, FortyBytesStable) { check_partition<Record<40>>(PartitionOrder::stable); }

// ---- Iterators ---------------------------------------------------------------------------------

// Looks at an array through a function; can be compared, but is no pointer.
struct Halves {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = int;
    const int* data;
    __device__ int operator[](std::ptrdiff_t i) const { return data[i] / 2; }
};

// Write-only, backwards: element 0 is the last one of an array.
template <class T>
struct Backwards {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = void;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = void;
    struct Slot {
        T* to;
        __device__ void operator=(const T& value) const { *to = value; }
    };
    T* end;
    __device__ Slot operator[](std::ptrdiff_t i) const { return {end - 1 - i}; }
    __device__ Slot operator*() const { return {end - 1}; }
};

// A flag that only becomes true or false when it is asked.
struct Maybe {
    int value;
    __host__ __device__ explicit operator bool() const { return value > 7; }
};

TEST(Iterators, InputOutputFlagsAndCount) {
    const int n = 5003;
    std::vector<int> in;
    std::vector<Maybe> maybe;
    Random random(5);
    for (int i = 0; i < n; ++i) in.push_back(i), maybe.push_back({random.below(16)});
    DeviceArray<int> data(in), out(in.size());
    DeviceArray<Maybe> flags(maybe);
    DeviceArray<long long> counts(3);
    ASSERT_CUDA_OK(DeviceSelect::Flagged(Halves{data.data()}, flags.data(),
                                         Backwards<int>{out.data() + n},
                                         Backwards<long long>{counts.data() + 2}, n));
    std::vector<int> expected;
    for (int i = 0; i < n; ++i) {
        if (maybe[static_cast<std::size_t>(i)].value > 7) expected.push_back(i / 2);
    }
    EXPECT_EQ(counts.download()[1], static_cast<long long>(expected.size()));
    std::vector<int> backwards = out.download();
    std::reverse(backwards.begin(), backwards.end());
    backwards.resize(expected.size());
    EXPECT_TRUE(same(backwards, expected));
}

struct Below {
    int bound;
    __host__ __device__ bool operator()(int v) const { return v % 10 < bound; }
};

// Another type in the output: three ways, where two parts share an array from both ends.
TEST(Iterators, ThreeWayIntoOneArray) {
    const int n = 7001;
    const std::vector<int> in = make_runs<int>(n, 3);
    DeviceArray<int> data(in), counts(2);
    DeviceArray<double> ends(in.size()), middle(in.size());
    ASSERT_CUDA_OK(DevicePartition::If(data.data(), ends.data(), middle.data(),
                                       Backwards<double>{ends.data() + n}, counts.data(), n,
                                       Below{3}, Below{5}));
    std::vector<double> parts[3];
    for (const int v : in) parts[v % 10 < 3 ? 0 : v % 10 < 5 ? 1 : 2].push_back(v);
    const std::vector<int> found = counts.download();
    EXPECT_EQ(found[0], static_cast<int>(parts[0].size()));
    EXPECT_EQ(found[1], static_cast<int>(parts[1].size()));
    EXPECT_TRUE(begins_with(middle, parts[1]));
    const std::vector<double> both = ends.download();
    for (std::size_t i = 0; i < parts[0].size(); ++i) ASSERT_EQ(both[i], parts[0][i]) << i;
    for (std::size_t i = 0; i < parts[2].size(); ++i)
        ASSERT_EQ(both[both.size() - 1 - i], parts[2][i]) << i;
}

// ---- Calls as CUB has them ---------------------------------------------------------------------

// What wraps a stream elsewhere converts to one.
struct StreamView {
    cudaStream_t stream;
    operator cudaStream_t() const { return stream; }
};

// Which overload a call finds shows when it is compiled; nothing of it has to be run.
#define EXPECT_IS_CALL(...) \
    static_assert(std::is_same<decltype(__VA_ARGS__), cudaError_t>::value, "it is a call")

struct Calls {
    using Int = std::uint32_t;
    using Count = std::int64_t;
    const Int* in;
    Int* data;
    Count* count;
    std::size_t bytes;
    void* no;
    SameButFor same_pairs;
    LastBit is_odd;
    StreamView view;
    void compile();
};

void Calls::compile() {
    // No stream, a literal, a null pointer, a stream, what converts to one.
    EXPECT_IS_CALL(DeviceSelect::Unique(no, bytes, in, data, count, 9));
    EXPECT_IS_CALL(DeviceSelect::Unique(no, bytes, in, data, count, 9u, 0));
    EXPECT_IS_CALL(DeviceSelect::Unique(no, bytes, in, data, count, 9l, nullptr));
    EXPECT_IS_CALL(DeviceSelect::Unique(no, bytes, data, count, std::uint8_t(9), cudaStream_t(0)));
    EXPECT_IS_CALL(DeviceSelect::Unique(no, bytes, data, count, 9, view));
    EXPECT_IS_CALL(DeviceSelect::Unique(nullptr, bytes, in, data, count, 9, same_pairs));
    EXPECT_IS_CALL(DeviceSelect::Unique(no, bytes, data, count, 9, same_pairs, 0));
    EXPECT_IS_CALL(DeviceSelect::Unique(in, data, count, 9));
    EXPECT_IS_CALL(DeviceSelect::Unique(in, data, count, 9, same_pairs));
    EXPECT_IS_CALL(DeviceSelect::Unique(data, count, 9, CompactionOptions{}));
    EXPECT_IS_CALL(DeviceSelect::UniqueByKey(no, bytes, in, in, data, data, count, 9, 0));
    EXPECT_IS_CALL(DeviceSelect::UniqueByKey(no, bytes, in, in, data, data, count, 9, view));
    EXPECT_IS_CALL(
        DeviceSelect::UniqueByKey(no, bytes, in, in, data, data, count, 9ull, same_pairs, nullptr));
    EXPECT_IS_CALL(DeviceSelect::UniqueByKey(in, in, data, data, count, 9));
    EXPECT_IS_CALL(DeviceSelect::If(no, bytes, in, data, count, 9, is_odd, view));
    EXPECT_IS_CALL(DeviceSelect::If(no, bytes, data, count, 9, is_odd, 0));
    EXPECT_IS_CALL(DeviceSelect::If(data, count, 9, is_odd));
    EXPECT_IS_CALL(DeviceSelect::Flagged(data, data, count, 9));
    EXPECT_IS_CALL(DeviceSelect::FlaggedIf(no, bytes, data, data, count, 9, is_odd));
    EXPECT_IS_CALL(DevicePartition::If(no, bytes, in, data, count, std::int8_t(9), is_odd, 0));
    EXPECT_IS_CALL(
        DevicePartition::If(in, data, count, 9, is_odd, {nullptr, PartitionOrder::stable}));
    EXPECT_IS_CALL(DevicePartition::If(no, bytes, in, data, count, 9, is_odd, CompactionOptions{}));
    EXPECT_IS_CALL(
        DevicePartition::If(no, bytes, in, data, data, data, count, 9, is_odd, is_odd, 0));
    EXPECT_IS_CALL(DevicePartition::If(in, data, data, data, count, 9, is_odd, is_odd));
    EXPECT_IS_CALL(DevicePartition::Flagged(in, in, data, count, 9));
    EXPECT_IS_CALL(DeviceRunLengthEncode::Encode(no, bytes, in, data, data, count, 9, view));
    EXPECT_IS_CALL(DeviceRunLengthEncode::NonTrivialRuns(in, data, data, count, 9u));
    // Template arguments in CUB's order.
    EXPECT_IS_CALL(
        DeviceSelect::If<const Int*, Int*, Count*, LastBit>(no, bytes, in, data, count, 9, kOdd));
    EXPECT_IS_CALL(DevicePartition::If<const Int*, Int*, Count*, LastBit, int>(no, bytes, in, data,
                                                                               count, 9, kOdd));
}

TEST(Calls, AsCubHasThem) { Calls{}.compile(); }

}  // namespace
}  // namespace compaction_test

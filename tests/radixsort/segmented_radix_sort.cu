// SPDX-License-Identifier: Apache-2.0
//
// DeviceSegmentedRadixSort: segments of every length, in all forms, against a stable sort of each.
#include <radixsort/device_segmented_radix_sort.cuh>

#include "sort_support.cuh"

namespace sort_test {
namespace {

using libscan::DeviceSegmentedRadixSort;
using libscan::SortOptions;

struct Segments {
    std::vector<int> begins, ends;
    int items = 0;
};

// Segments of these lengths, one behind the other, shuffled; some with a gap before them.
Segments make_segments(std::vector<int> lengths, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t i = lengths.size(); i > 1; --i)
        std::swap(lengths[i - 1],
                  lengths[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
    Segments segments;
    for (const int length : lengths) {
        if (random.below(4) == 0) segments.items += random.below(5);
        segments.begins.push_back(segments.items);
        segments.items += length;
        // One of no length may also end before it begins.
        segments.ends.push_back(length == 0 && random.below(2) == 0 ? segments.items / 2
                                                                    : segments.items);
    }
    return segments;
}

// The numbers of the items in their new order; -1 for those in no segment.
template <class KeyT>
std::vector<int> segmented_order(const std::vector<KeyT>& keys, const Segments& segments,
                                 const Bits& bits, bool descending) {
    std::vector<int> order(keys.size(), -1);
    for (std::size_t s = 0; s < segments.begins.size(); ++s) {
        const int begin = segments.begins[s], end = segments.ends[s];
        if (begin >= end) continue;
        const std::vector<KeyT> part(keys.begin() + begin, keys.begin() + end);
        const std::vector<int> sorted = stable_order(part, bits, descending);
        for (int i = begin; i < end; ++i)
            order[static_cast<std::size_t>(i)] =
                begin + sorted[static_cast<std::size_t>(i - begin)];
    }
    return order;
}

// Every form, through the public functions or with another tuning.
template <class Tuning, class KeyT>
void check_segments(const Segments& segments, const std::vector<KeyT>& keys, const Bits& bits,
                    int form) {
    namespace lib = libscan::detail;
    const bool descending = form % 2 != 0, two_buffers = form / 2 % 2 != 0;
    SCOPED_TRACE(testing::Message() << keys.size() << " items, form " << form << ", bits "
                                    << bits.begin << " to " << bits.end);
    const int n = static_cast<int>(keys.size()), count = static_cast<int>(segments.begins.size());
    const std::vector<int> order = segmented_order(keys, segments, bits, descending);
    DeviceArray<KeyT> a(keys), b(keys.size());
    DeviceArray<int> c(count_up(n)), d(keys.size());
    DeviceArray<int> begins(segments.begins), ends(segments.ends);
    libscan::DoubleBuffer<KeyT> key_buffers(a.data(), b.data());
    libscan::DoubleBuffer<int> value_buffers(c.data(), d.data());
    const auto sort = [&](auto items) {
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return lib::sort_segments<Tuning>(
                temp, bytes, items, n, count, begins.data(), ends.data(),
                lib::some_bits(descending, bits.begin, bits.end), nullptr);
        }));
    };
    if (two_buffers) {
        sort(lib::pairs_of(key_buffers, value_buffers));
        ASSERT_EQ(key_buffers.selector, value_buffers.selector);
    } else {
        sort(lib::pairs_of(a.data(), b.data(), c.data(), d.data()));
        key_buffers.selector = value_buffers.selector = 1;
        ASSERT_TRUE(same_bytes(a.download(), keys));
        ASSERT_TRUE(same_bytes(c.download(), count_up(n)));
    }
    const std::vector<KeyT> sorted = (key_buffers.selector == 0 ? a : b).download();
    const std::vector<int> numbers = (value_buffers.selector == 0 ? c : d).download();
    int poison;
    std::memset(&poison, 0xa5, sizeof poison);
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] >= 0) {
            ASSERT_EQ(numbers[i], order[i]) << "at " << i;
            ASSERT_EQ(
                std::memcmp(&sorted[i], &keys[static_cast<std::size_t>(order[i])], sizeof(KeyT)), 0)
                << "at " << i;
        } else if (!two_buffers) {
            ASSERT_EQ(numbers[i], poison) << "an item in no segment, at " << i;
        }
    }
}

template <class Tuning, class KeyT>
void check_all_forms(const Segments& segments, Shape shape, const Bits& bits) {
    const auto keys = make_keys<KeyT>(segments.items, shape, 3);
    for (int form = 0; form < 4; ++form) check_segments<Tuning, KeyT>(segments, keys, bits, form);
}

TEST(Segmented, ManyShortSegments) {
    std::vector<int> lengths;
    for (int i = 0; i < (kIsReduced ? 10 : 300); ++i)
        lengths.push_back(i * (kIsReduced ? 4 : 1) % 41);
    check_all_forms<void, std::uint32_t>(make_segments(lengths, 1), Shape::kRandom, {0, 32});
}
TEST(Segmented, LengthsAroundATile) {
    constexpr libscan::RadixSortPolicy kPolicy = libscan::radix_sort_policy(4, 4, 750);
    constexpr int kTile = kPolicy.small_threads * kPolicy.small_items;
    const Segments segments = make_segments(
        kIsReduced
            ? std::vector<int>{0, 1, kTile + 1}
            : std::vector<int>{0, 1, 2, 31, 32, 33, kTile - 1, kTile, kTile + 1, 3 * kTile + 7},
        2);
    check_all_forms<void, std::uint32_t>(segments, Shape::kRandom, {0, 32});
    check_all_forms<void, std::uint32_t>(segments, Shape::kFew,
                                         {8, 32});  // an odd number of passes
    check_all_forms<void, std::uint32_t>(segments, Shape::kRandom, {9, 9});
    if (!kIsReduced) check_all_forms<void, std::int32_t>(segments, Shape::kFew, {0, 32});
}
TEST(Segmented, OneSegment) {
    check_all_forms<void, std::uint32_t>(make_segments({kIsReduced ? 5000 : 30000}, 3),
                                         Shape::kRandom, {0, 32});
}
TEST(Segmented, Schedules) {
    using Tuning = TinyTuning<64, 2>;
    std::vector<int> lengths;
    for (int i = 0; i < 12; ++i) lengths.push_back(i * i * 3);
    const Segments segments = make_segments(lengths, 4);
    int form = 0;
    for_each_schedule(kIsReduced ? 2 : 12, [&] {
        const auto keys = make_keys<std::uint32_t>(segments.items, Shape::kRandom, 5);
        check_segments<Tuning, std::uint32_t>(segments, keys, {0, form % 3 == 0 ? 15 : 20}, form);
        ++form;
    });
}
TEST(Segmented, ItemsReadTwice) {
    using Tuning = TinyTuning<32, 3, false>;
    check_all_forms<Tuning, std::uint32_t>(make_segments({0, 5, 96, 97, 400, 20}, 5),
                                           Shape::kRandom, {2, 22});
}

// ---- The public functions ----------------------------------------------------------------------

// Every 1,000 items are a segment.
struct EveryThousand {
    using value_type = long long;
    using reference = long long;
    using pointer = const long long*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    long long first;
    __host__ __device__ long long operator[](difference_type i) const { return first + i * 1000; }
};

struct CountingValues {
    using value_type = int;
    using reference = int;
    using pointer = const int*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    __host__ __device__ int operator[](difference_type i) const { return static_cast<int>(i); }
};

TEST(Segmented, EntryPoints) {
    const int n = 5000;
    const auto keys = make_keys<std::uint32_t>(n, Shape::kRandom, 6);
    Segments segments;
    for (int i = 0; i < n; i += 1000) {
        segments.begins.push_back(i);
        segments.ends.push_back(i + 1000);
    }
    const EveryThousand begins{0}, ends{1000};
    using Sort = DeviceSegmentedRadixSort;
    DeviceArray<std::uint32_t> a(keys), b(keys.size());
    DeviceArray<int> c(count_up(n)), d(keys.size());
    const auto in = a.data();
    const auto out = b.data();
    const auto check = [&](bool descending, const Bits& bits, cudaError_t error, bool pairs) {
        ASSERT_CUDA_OK(error);
        const std::vector<int> order = segmented_order(keys, segments, bits, descending);
        ASSERT_TRUE(same_bytes(b.download(), permuted(keys, order)));
        if (pairs) {
            ASSERT_TRUE(same_bytes(d.download(), order));
        }
        ASSERT_TRUE(same_bytes(a.download(), keys));
        ASSERT_CUDA_OK(cudaMemset(b.data(), 0, keys.size() * 4));
        ASSERT_CUDA_OK(cudaMemset(d.data(), 0, keys.size() * 4));
    };
    SortOptions some;
    some.begin_bit = 4;
    some.end_bit = 20;
    check(false, {4, 20}, Sort::SortKeys(in, out, n, 5, begins, ends, some), false);
    check(true, {0, 32}, Sort::SortKeysDescending(in, out, n, 5, begins, ends, SortOptions{}),
          false);
    check(false, {0, 32},
          Sort::SortPairs(in, out, CountingValues{}, d.data(), n, 5, begins, ends, SortOptions{}),
          true);
    check(true, {4, 20},
          Sort::SortPairsDescending(in, out, c.data(), d.data(), n, 5u, begins, ends, some), true);
    check(false, {0, 32}, two_phase([&](void* temp, std::size_t& bytes) {
              return Sort::SortKeys(temp, bytes, in, out, n, 5, begins, ends);
          }),
          false);
    check(true, {3, 9}, two_phase([&](void* temp, std::size_t& bytes) {
              return Sort::SortKeysDescending(temp, bytes, in, out, n, 5, begins, ends, 3, 9);
          }),
          false);
    check(true, {0, 32}, two_phase([&](void* temp, std::size_t& bytes) {
              return Sort::SortPairsDescending(temp, bytes, in, out, c.data(), d.data(), n, 5,
                                               begins, ends);
          }),
          true);

    // Two buffers; the graph of one sort, launched five times (cccl 321, 5661).
    libscan::DoubleBuffer<std::uint32_t> key_buffers(in, out);
    libscan::DoubleBuffer<int> value_buffers(c.data(), d.data());
    std::size_t bytes = 0;
    ASSERT_CUDA_OK(Sort::SortPairs(nullptr, bytes, key_buffers, value_buffers, n, 5, begins, ends));
    DeviceArray<unsigned char> temp(bytes);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    ASSERT_CUDA_OK(cudaStreamCreate(&stream));
    ASSERT_CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    ASSERT_CUDA_OK(Sort::SortPairs(temp.data(), bytes, key_buffers, value_buffers, n, 5, begins,
                                   ends, 0, 32, stream));
    ASSERT_CUDA_OK(cudaStreamEndCapture(stream, &graph));
    ASSERT_CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
    ASSERT_EQ(key_buffers.selector, 1);
    ASSERT_EQ(value_buffers.selector, 1);
    for (int launch = 0; launch < 5; ++launch) {
        ASSERT_CUDA_OK(cudaGraphLaunch(exec, stream));
        ASSERT_CUDA_OK(cudaStreamSynchronize(stream));
        check(false, {0, 32}, cudaSuccess, true);
    }
    ASSERT_CUDA_OK(cudaGraphExecDestroy(exec));
    ASSERT_CUDA_OK(cudaGraphDestroy(graph));
    ASSERT_CUDA_OK(cudaStreamDestroy(stream));
    libscan::DoubleBuffer<std::uint32_t> again(in, out);
    ASSERT_CUDA_OK(Sort::SortKeysDescending(again, n, 5, begins, ends, SortOptions{}));
    ASSERT_EQ(again.selector, 1);
    check(true, {0, 32}, cudaSuccess, false);
}

}  // namespace
}  // namespace sort_test

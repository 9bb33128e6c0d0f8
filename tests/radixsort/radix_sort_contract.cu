// SPDX-License-Identifier: Apache-2.0
//
// What the radix sort promises about storage, bad arguments, nothing to sort, errors, and calls
// from many threads.
#include <radixsort/device_segmented_radix_sort.cuh>
#include <thread>

#include "sort_support.cuh"

namespace sort_test {
namespace {

using libscan::DeviceRadixSort;
using libscan::DeviceSegmentedRadixSort;
using libscan::SortOptions;
using Key = std::uint32_t;

TEST(Contract, StorageIsMonotonicAndTakesAnyAlignment) {  // cccl 569, 847, 910
    Key* const k = nullptr;
    int* const v = nullptr;
    libscan::DoubleBuffer<Key> keys;
    libscan::DoubleBuffer<int> values;
    std::size_t before[3] = {1, 1, 1};
    for (int n = 0; n <= 1000000; n += n < 20000 ? 1 : 97) {
        std::size_t bytes[3] = {};
        ASSERT_CUDA_OK(DeviceRadixSort::SortPairs(nullptr, bytes[0], k, k, v, v, n));
        ASSERT_CUDA_OK(DeviceRadixSort::SortPairs(nullptr, bytes[1], keys, values, n));
        ASSERT_CUDA_OK(
            DeviceSegmentedRadixSort::SortPairs(nullptr, bytes[2], k, k, v, v, n, 3, v, v));
        for (int i = 0; i < 3; ++i) {
            ASSERT_GE(bytes[i], before[i]) << n;
            before[i] = bytes[i];
        }
        // Two buffers need no room for items: a word for each digit of a tile, and little else.
        ASSERT_LT(bytes[1], 70000u + static_cast<std::size_t>(n) / 2);
    }
    for (const int n : {100, 9000}) {
        const auto in = make_keys<Key>(n, Shape::kRandom, 1);
        const std::vector<int> order = stable_order(in, {0, 32}, false);
        DeviceArray<Key> device_keys(in);
        DeviceArray<int> numbers(count_up(n));
        std::size_t needed = 0;
        ASSERT_CUDA_OK(DeviceRadixSort::SortPairs(nullptr, needed, k, k, v, v, n));
        for (std::size_t offset = 0; offset < 16; offset += kIsReduced ? 7 : 1) {
            DeviceArray<Key> out(in.size());
            DeviceArray<int> sorted(in.size());
            DeviceArray<unsigned char> temp(needed, offset);
            std::size_t bytes = needed - 1;
            EXPECT_EQ(DeviceRadixSort::SortPairs(temp.data(), bytes, device_keys.data(), out.data(),
                                                 numbers.data(), sorted.data(), n),
                      cudaErrorInvalidValue);
            EXPECT_TRUE(temp.is_untouched() && out.is_untouched() && sorted.is_untouched());
            bytes = needed;
            ASSERT_CUDA_OK(DeviceRadixSort::SortPairs(temp.data(), bytes, device_keys.data(),
                                                      out.data(), numbers.data(), sorted.data(),
                                                      n));
            ASSERT_TRUE(same_bytes(sorted.download(), order));
        }
    }
}

// 9000 items in the middle of guarded arrays of 10000, so that ranges can be moved.
class BadArguments : public testing::Test {
  protected:
    static constexpr std::size_t kLength = 10000;
    static constexpr int kItems = 9000, kSegments = 3;
    static constexpr std::size_t kStorage = 1 << 20;

    DeviceArray<Key> a{kLength}, b{kLength};
    DeviceArray<int> c{kLength}, d{kLength};
    DeviceArray<unsigned char> temp{kStorage};
    DeviceArray<int> offsets{std::vector<int>{0, 10, 20, 30}};

    void expect_untouched() {
        EXPECT_TRUE(a.is_untouched() && b.is_untouched() && c.is_untouched() && d.is_untouched() &&
                    temp.is_untouched());
    }

    // All forms; the values' arrays are used where there are values.
    void refused(Key* in, Key* out, int* values_in, int* values_out, long long n, int begin_bit,
                 int end_bit, void* storage, std::size_t storage_bytes) {
        std::size_t s = storage_bytes;
        const auto bad = [](cudaError_t error) { EXPECT_EQ(error, cudaErrorInvalidValue); };
        libscan::DoubleBuffer<Key> keys(in, out);
        libscan::DoubleBuffer<int> values(values_in, values_out);
        const int* const offset = offsets.data();
        bad(DeviceRadixSort::SortPairs(storage, s, in, out, values_in, values_out, n, begin_bit,
                                       end_bit));
        bad(DeviceRadixSort::SortPairsDescending(storage, s, in, out, values_in, values_out, n,
                                                 begin_bit, end_bit));
        bad(DeviceRadixSort::SortPairs(storage, s, keys, values, n, begin_bit, end_bit));
        bad(DeviceRadixSort::SortPairsDescending(storage, s, keys, values, n, begin_bit, end_bit));
        bad(DeviceSegmentedRadixSort::SortPairs(storage, s, in, out, values_in, values_out, n,
                                                kSegments, offset, offset + 1, begin_bit, end_bit));
        bad(DeviceSegmentedRadixSort::SortPairs(storage, s, keys, values, n, kSegments, offset,
                                                offset + 1, begin_bit, end_bit));
        EXPECT_EQ(keys.selector, 0);
        EXPECT_EQ(values.selector, 0);
    }
    void refused(Key* in, Key* out, int* values_in, int* values_out, long long n = kItems,
                 int begin_bit = 0, int end_bit = 32) {
        refused(in, out, values_in, values_out, n, begin_bit, end_bit, temp.data(), kStorage);
    }
};

TEST_F(BadArguments, NullPointers) {
    refused(nullptr, b.data(), c.data(), d.data());
    refused(a.data(), nullptr, c.data(), d.data());
    refused(a.data(), b.data(), nullptr, d.data());
    refused(a.data(), b.data(), c.data(), nullptr);
    std::size_t s = kStorage;
    const int* const none = nullptr;
    EXPECT_EQ(DeviceSegmentedRadixSort::SortPairs(temp.data(), s, a.data(), b.data(), c.data(),
                                                  d.data(), kItems, 3, none, offsets.data()),
              cudaErrorInvalidValue);
    EXPECT_EQ(DeviceSegmentedRadixSort::SortPairs(temp.data(), s, a.data(), b.data(), c.data(),
                                                  d.data(), kItems, 3, offsets.data(), none),
              cudaErrorInvalidValue);
    expect_untouched();
}
TEST_F(BadArguments, PointersThatAreNotAligned) {
    const auto shifted = [](auto* p) {
        return reinterpret_cast<decltype(p)>(reinterpret_cast<char*>(p) + 2);
    };
    refused(shifted(a.data()), b.data(), c.data(), d.data());
    refused(a.data(), shifted(b.data()), c.data(), d.data());
    refused(a.data(), b.data(), shifted(c.data()), d.data());
    refused(a.data(), b.data(), c.data(), shifted(d.data()));
    expect_untouched();
}
TEST_F(BadArguments, SelectorsOfNoBuffer) {
    for (const int selector : {-1, 2, 3}) {
        std::size_t s = kStorage;
        libscan::DoubleBuffer<Key> keys(a.data(), b.data());
        libscan::DoubleBuffer<int> values(c.data(), d.data());
        (selector == 3 ? values.selector : keys.selector) = selector;
        EXPECT_EQ(DeviceRadixSort::SortPairs(temp.data(), s, keys, values, kItems),
                  cudaErrorInvalidValue);
        EXPECT_EQ(
            DeviceSegmentedRadixSort::SortPairs(temp.data(), s, keys, values, kItems, kSegments,
                                                offsets.data(), offsets.data() + 1),
            cudaErrorInvalidValue);
    }
    expect_untouched();
}
// Offsets are read by blocks when others have written their segments already.
TEST_F(BadArguments, OffsetsInWhatIsWritten) {
    const auto bad = [&](const int* at) {
        for (const bool ends : {false, true}) {
            const int* const begin = ends ? offsets.data() : at;
            const int* const end = ends ? at : offsets.data();
            std::size_t s = kStorage;
            libscan::DoubleBuffer<Key> keys(a.data(), b.data());
            libscan::DoubleBuffer<int> values(c.data(), d.data());
            if (at != static_cast<void*>(a.data()) && at != c.data()) {
                EXPECT_EQ(DeviceSegmentedRadixSort::SortPairs(temp.data(), s, a.data(), b.data(),
                                                              c.data(), d.data(), kItems, kSegments,
                                                              begin, end),
                          cudaErrorInvalidValue);
            }
            EXPECT_EQ(DeviceSegmentedRadixSort::SortPairs(temp.data(), s, keys, values, kItems,
                                                          kSegments, begin, end),
                      cudaErrorInvalidValue);
            EXPECT_EQ(keys.selector, 0);
        }
    };
    bad(reinterpret_cast<const int*>(a.data()));
    bad(reinterpret_cast<const int*>(b.data()) + kItems - 1);
    bad(c.data());
    bad(d.data() + 17);
    bad(reinterpret_cast<const int*>(temp.data() + 64));
    bad(reinterpret_cast<const int*>(reinterpret_cast<const char*>(offsets.data()) + 2));
    expect_untouched();
}
TEST_F(BadArguments, Overlaps) {  // cccl 4733: of all pairs of ranges
    for (const int n : {100, kItems}) {
        refused(a.data(), a.data(), c.data(), d.data(), n);
        refused(a.data() + 1, a.data(), c.data(), d.data(), n);
        refused(a.data(), a.data() + n - 1, c.data(), d.data(), n);
        refused(a.data(), b.data(), c.data(), c.data(), n);
        refused(a.data(), b.data(), c.data() + 50, c.data(), n);
        refused(a.data(), b.data(), reinterpret_cast<int*>(b.data()), d.data(), n);
        refused(a.data(), b.data(), c.data(), reinterpret_cast<int*>(a.data()), n);
        refused(a.data(), b.data(), c.data(), reinterpret_cast<int*>(b.data()) + 99, n);
        // The storage, whatever size it claims to have.
        for (const std::size_t claim : {kStorage, ~std::size_t(0), ~std::size_t(0) - 512}) {
            refused(a.data(), b.data(), c.data(), d.data(), n, 0, 32, a.data() + 5, claim);
            refused(a.data(), b.data(), c.data(), d.data(), n, 0, 32, b.data() + 5, claim);
            refused(a.data(), b.data(), c.data(), d.data(), n, 0, 32, c.data() + 5, claim);
            refused(a.data(), b.data(), c.data(), d.data(), n, 0, 32, d.data() + 5, claim);
        }
    }
    expect_untouched();
    // What is only read may be read twice.
    const auto keys = make_keys<Key>(100, Shape::kRandom, 2);
    DeviceArray<Key> in(keys), out(keys.size());
    DeviceArray<int> values(keys.size());
    ASSERT_CUDA_OK(DeviceRadixSort::SortPairs(in.data(), out.data(),
                                              reinterpret_cast<const int*>(in.data()),
                                              values.data(), 100, SortOptions{}));
    EXPECT_TRUE(same_bytes(out.download(), permuted(keys, stable_order(keys, {0, 32}, false))));
}
TEST_F(BadArguments, NumbersAndBits) {
    refused(a.data(), b.data(), c.data(), d.data(), -1);
    refused(a.data(), b.data(), c.data(), d.data(), std::numeric_limits<long long>::max());
    refused(a.data(), b.data(), c.data(), d.data(), kItems, -1, 32);
    refused(a.data(), b.data(), c.data(), d.data(), kItems, 0, 33);
    refused(a.data(), b.data(), c.data(), d.data(), kItems, 0, -1);
    refused(a.data(), b.data(), c.data(), d.data(), kItems, 9, 8);
    SortOptions options;
    options.end_bit = 33;
    EXPECT_EQ(DeviceRadixSort::SortPairs(a.data(), b.data(), c.data(), d.data(), kItems, options),
              cudaErrorInvalidValue);
    std::size_t s = kStorage;
    EXPECT_EQ(
        DeviceSegmentedRadixSort::SortPairs(temp.data(), s, a.data(), b.data(), c.data(), d.data(),
                                            kItems, -1, offsets.data(), offsets.data() + 1),
        cudaErrorInvalidValue);
    // So many that no memory holds them, when the size is asked for.
    EXPECT_EQ(DeviceRadixSort::SortPairs(nullptr, s, a.data(), b.data(), c.data(), d.data(), ~0ull),
              cudaErrorInvalidValue);
    expect_untouched();
}
TEST_F(BadArguments, NothingToSort) {  // cccl 894
    std::size_t s = kStorage;
    Key* const k = nullptr;
    int* const v = nullptr;
    libscan::DoubleBuffer<Key> keys(a.data(), b.data());
    libscan::DoubleBuffer<int> values(c.data(), d.data());
    void* const storages[] = {nullptr, temp.data()};
    for (void* const t : storages) {
        s = kStorage;
        EXPECT_CUDA_OK(DeviceRadixSort::SortPairs(t, s, k, k, v, v, 0));
        EXPECT_CUDA_OK(
            DeviceRadixSort::SortPairsDescending(t, s, a.data(), b.data(), c.data(), d.data(), 0u));
        EXPECT_CUDA_OK(DeviceRadixSort::SortPairs(t, s, keys, values, 0));
        EXPECT_CUDA_OK(DeviceSegmentedRadixSort::SortPairs(t, s, k, k, v, v, 0, 0, v, v));
        EXPECT_CUDA_OK(DeviceSegmentedRadixSort::SortPairs(t, s, k, k, v, v, 0, 5, v, v));
        EXPECT_CUDA_OK(DeviceSegmentedRadixSort::SortPairs(t, s, a.data(), b.data(), c.data(),
                                                           d.data(), kItems, 0, v, v));
        EXPECT_CUDA_OK(DeviceSegmentedRadixSort::SortPairs(t, s, keys, values, 0, 0, v, v));
        EXPECT_GT(s, 0u);
    }
    EXPECT_CUDA_OK(DeviceRadixSort::SortPairs(k, k, v, v, 0, SortOptions{}));
    EXPECT_CUDA_OK(DeviceRadixSort::SortPairs(keys, values, 0, SortOptions{}));
    EXPECT_EQ(keys.selector, 0);
    EXPECT_EQ(values.selector, 0);
    expect_untouched();
}

TEST(Contract, TheSizeQueryLeavesTheSelectorAlone) {
    libscan::DoubleBuffer<Key> keys;
    libscan::DoubleBuffer<int> values;
    std::size_t bytes = 0;
    for (const int n : {10, 100000}) {
        EXPECT_CUDA_OK(DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, n, 0, 24));
        EXPECT_EQ(keys.selector, 0);
        EXPECT_EQ(values.selector, 0);
    }
}

TEST(Contract, AnErrorOfTheCallerStays) {
    const auto keys = make_keys<Key>(9000, Shape::kRandom, 3);
    DeviceArray<Key> in(keys), out(keys.size());
    DeviceArray<int> numbers(count_up(9000)), order(keys.size());
    EXPECT_EQ(cudaFree(&in), cudaErrorInvalidValue);
    EXPECT_CUDA_OK(DeviceRadixSort::SortPairs(in.data(), out.data(), numbers.data(), order.data(),
                                              9000, SortOptions{}));
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

// ---- Reports about libraries of this kind ------------------------------------------------------

TEST(Case, NoBitsAreACopy) {  // cub 353, 481
    for (const int n : {1, 5000, kIsReduced ? 20000 : 1000000}) {
        const auto keys = make_keys<std::uint32_t>(n, Shape::kRandom, 1);
        for (const int bit : {0, 7, 32}) {
            check_public_sort<std::uint32_t, true>(keys, {bit, bit});
            if (n > 5000) break;
        }
    }
}

TEST(Case, SixteenThreadsAtOnce) {  // cccl 10570
    std::vector<std::thread> threads;
    std::vector<int> right(16, 0);
    const auto keys = make_keys<Key>(kIsReduced ? 8000 : 20000, Shape::kRandom, 3);
    const std::vector<int> expected = stable_order(keys, {0, 32}, false);
    for (int t = 0; t < 16; ++t)
        threads.emplace_back([&, t] {
            SortOptions options;
            if (cudaStreamCreate(&options.stream) != cudaSuccess) return;
            DeviceArray<Key> in(keys), out(keys.size());
            DeviceArray<int> numbers(count_up(static_cast<int>(keys.size()))), order(keys.size());
            const cudaError_t error = DeviceRadixSort::SortPairs(
                in.data(), out.data(), numbers.data(), order.data(), keys.size(), options);
            right[static_cast<std::size_t>(t)] =
                error == cudaSuccess && cudaStreamSynchronize(options.stream) == cudaSuccess &&
                order.download() == expected;
            (void)cudaStreamDestroy(options.stream);
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(right, std::vector<int>(16, 1));
}

}  // namespace
}  // namespace sort_test

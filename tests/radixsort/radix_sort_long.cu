// SPDX-License-Identifier: Apache-2.0
//
// Long tests. On a GPU: more items than 32 bits can count, checked there. On the CPU the same code
// with fewer items.
#include <radixsort/device_segmented_radix_sort.cuh>

#include "sort_support.cuh"

namespace sort_test {
namespace {

using libscan::DeviceRadixSort;
using libscan::SortOptions;
using Word = unsigned long long;

#if defined(SIMT_VERSION)
constexpr bool kOnCpu = true;
#else
constexpr bool kOnCpu = false;
#endif
constexpr std::int64_t sized(std::int64_t on_gpu, std::int64_t on_cpu) {
    return kOnCpu ? on_cpu : on_gpu;
}

// Device memory without guards: there is a lot of it. Null where there is not so much.
template <class T>
class LargeArray {
  public:
    explicit LargeArray(std::int64_t count) {
        if (cudaMalloc(&data_, static_cast<std::size_t>(count) * sizeof(T)) != cudaSuccess) {
            (void)cudaGetLastError();
            data_ = nullptr;
        }
    }
    LargeArray(const LargeArray&) = delete;
    LargeArray& operator=(const LargeArray&) = delete;
    ~LargeArray() { EXPECT_CUDA_OK(cudaFree(data_)); }
    T* data() const { return data_; }

  private:
    T* data_ = nullptr;
};

__device__ Word mixed(Word z) {  // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// Key i; `mask` makes keys equal.
template <class Key>
__device__ Key key_at(std::int64_t i, Key mask) {
    return static_cast<Key>(mixed(static_cast<Word>(i) * 0x9e3779b97f4a7c15u) >> 7) & mask;
}

constexpr int kThreads = 256;
constexpr std::int64_t kBlockItems = kThreads * 64;

template <class Key>
__global__ void fill_kernel(Key* keys, std::int64_t n, Key mask) {
    const std::int64_t first = blockIdx.x * kBlockItems;
    for (std::int64_t i = first + threadIdx.x; i < n && i < first + kBlockItems; i += kThreads)
        keys[i] = key_at(i, mask);
}
template <class Value>
__global__ void number_kernel(Value* values, std::int64_t n) {
    const std::int64_t first = blockIdx.x * kBlockItems;
    for (std::int64_t i = first + threadIdx.x; i < n && i < first + kBlockItems; i += kThreads)
        values[i] = static_cast<Value>(i);
}

// counts[0] = pairs of neighbours in the wrong order; counts[1] - counts[2] = the difference of two
// sums over all keys, of the sorted ones and of those that went in: 0 for the same multiset but for
// an accident in 2^64.
template <class Key>
__global__ void check_keys_kernel(const Key* sorted, std::int64_t n, Key mask, Word* counts) {
    const std::int64_t first = blockIdx.x * kBlockItems;
    Word wrong = 0, sum_out = 0, sum_in = 0;
    for (std::int64_t i = first + threadIdx.x; i < n && i < first + kBlockItems; i += kThreads) {
        if (i > 0 && sorted[i] < sorted[i - 1]) ++wrong;
        sum_out += mixed(sorted[i] + 1ull);
        sum_in += mixed(key_at(i, mask) + 1ull);
    }
    atomicAdd(counts, wrong);
    atomicAdd(counts + 1, sum_out);
    atomicAdd(counts + 2, sum_in);
}

// counts[0] = items that are wrong: a key that is not the one with the value's number, or a
// neighbour that is not smaller by key and then by number. 0 means: the stable order, all of it.
template <class Key, class Value>
__global__ void check_pairs_kernel(const Key* sorted, const Value* numbers, std::int64_t n,
                                   Key mask, Word* counts) {
    const std::int64_t first = blockIdx.x * kBlockItems;
    Word wrong = 0;
    for (std::int64_t i = first + threadIdx.x; i < n && i < first + kBlockItems; i += kThreads) {
        const std::int64_t from = static_cast<std::int64_t>(numbers[i]);
        if (from < 0 || from >= n || sorted[i] != key_at(from, mask)) ++wrong;
        if (i > 0 && (sorted[i] < sorted[i - 1] ||
                      (sorted[i] == sorted[i - 1] && numbers[i] <= numbers[i - 1])))
            ++wrong;
    }
    atomicAdd(counts, wrong);
}

template <class... Params, class... Args>
void run(void (*kernel)(Params...), std::int64_t n, const Args&... args) {
    const dim3 grid(static_cast<unsigned>((n + kBlockItems - 1) / kBlockItems));
    ASSERT_CUDA_OK(libscan::launch(kernel, grid, kThreads, 0, nullptr, args...));
}

#define SKIP_WITHOUT_MEMORY(array, what) \
    if ((array).data() == nullptr) GTEST_SKIP() << "not enough device memory for " << (what)

template <class Key, class NumItems>
void check_keys(NumItems num_items, Key mask, bool two_buffers) {
    const auto n = static_cast<std::int64_t>(num_items);
    SCOPED_TRACE(testing::Message() << n << " keys of " << sizeof(Key) << " bytes");
    LargeArray<Key> a(n), b(n);
    SKIP_WITHOUT_MEMORY(a, "the keys");
    SKIP_WITHOUT_MEMORY(b, "the sorted keys");
    DeviceArray<Word> counts(std::vector<Word>(3, 0));
    run(fill_kernel<Key>, n, a.data(), n, mask);
    libscan::DoubleBuffer<Key> buffers(a.data(), b.data());
    std::size_t bytes = 0;
    const auto sort = [&](void* temp) {
        return two_buffers ? DeviceRadixSort::SortKeys(temp, bytes, buffers, num_items)
                           : DeviceRadixSort::SortKeys(temp, bytes, a.data(), b.data(), num_items);
    };
    ASSERT_CUDA_OK(sort(nullptr));
    LargeArray<unsigned char> temp(static_cast<std::int64_t>(bytes));
    SKIP_WITHOUT_MEMORY(temp, "the storage");
    ASSERT_CUDA_OK(sort(temp.data()));
    run(check_keys_kernel<Key>, n, two_buffers ? buffers.Current() : b.data(), n, mask,
        counts.data());
    const std::vector<Word> result = counts.download();
    EXPECT_EQ(result[0], 0u);
    EXPECT_EQ(result[1], result[2]);
}

template <class Key, class Value>
void check_pairs(std::int64_t n, Key mask) {
    SCOPED_TRACE(testing::Message() << n << " pairs, mask " << +mask);
    LargeArray<Key> a(n), b(n);
    LargeArray<Value> c(n), d(n);
    SKIP_WITHOUT_MEMORY(b, "the keys");
    SKIP_WITHOUT_MEMORY(d, "the values");
    DeviceArray<Word> counts(std::vector<Word>(3, 0));
    run(fill_kernel<Key>, n, a.data(), n, mask);
    run(number_kernel<Value>, n, c.data(), n);
    libscan::DoubleBuffer<Key> keys(a.data(), b.data());
    libscan::DoubleBuffer<Value> values(c.data(), d.data());
    ASSERT_CUDA_OK(DeviceRadixSort::SortPairs(keys, values, n, SortOptions{}));
    run(check_pairs_kernel<Key, Value>, n, keys.Current(), values.Current(), n, mask,
        counts.data());
    EXPECT_EQ(counts.download()[0], 0u);
}

TEST(Long, KeysThatFillACountOf32Bits) {  // cub 459
    const auto n = static_cast<std::uint32_t>(sized(0xffffffff, 60001));
    check_keys<std::uint32_t>(n, ~0u, false);
    check_keys<std::uint32_t>(n, 0x00ff00ffu, true);
}
TEST(Long, BytesBeyond32Bits) {
    const std::int64_t n = sized(std::int64_t(1) << 33, 100001);
    check_keys<std::uint8_t>(n + 5, 0xff, false);
    check_keys<std::uint8_t>(n, 0x80, true);
}
TEST(Long, PairsOfSeveralPortions) {
    check_pairs<std::uint32_t, std::uint32_t>(sized((std::int64_t(1) << 31) + 11, 50000), ~0u);
    check_pairs<std::uint16_t, std::uint64_t>(sized((std::int64_t(1) << 32) + 5, 50000), 0x3ff);
}
TEST(Long, PairsOfEverySize) {
    for (std::int64_t n = 1; n <= sized(1 << 28, 1 << 14); n = n * 3 + 1) {
        check_pairs<std::uint32_t, std::uint32_t>(n, ~0u);
        check_pairs<std::uint32_t, std::uint32_t>(n, 0xf0000003u);
        check_pairs<std::uint32_t, std::uint32_t>(n, 0);
        if (testing::Test::HasFailure()) return;
    }
}
TEST(Long, EveryWindowUpToTheHighestBit) {  // rocPRIM 775
    const auto keys =
        make_keys<std::uint64_t>(static_cast<int>(sized(1000000, 20000)), Shape::kRandom, 2);
    for (int begin = 0; begin < 64; ++begin) {
        check_one_sort<void, std::uint64_t, true>(keys, {begin, 64}, begin % 2 != 0,
                                                  begin / 2 % 2 != 0);
        if (testing::Test::HasFailure()) return;
    }
}
TEST(Long, OneSegmentOfManyItems) {
    const std::int64_t n = sized(1 << 27, 40000);
    LargeArray<std::uint32_t> a(n), b(n), c(n), d(n);
    SKIP_WITHOUT_MEMORY(d, "the items");
    DeviceArray<Word> counts(std::vector<Word>(3, 0));
    DeviceArray<std::int64_t> offsets(std::vector<std::int64_t>{0, n});
    run(fill_kernel<std::uint32_t>, n, a.data(), n, ~0u);
    run(number_kernel<std::uint32_t>, n, c.data(), n);
    ASSERT_CUDA_OK(libscan::DeviceSegmentedRadixSort::SortPairs(a.data(), b.data(), c.data(),
                                                                d.data(), n, 1, offsets.data(),
                                                                offsets.data() + 1, SortOptions{}));
    run(check_pairs_kernel<std::uint32_t, std::uint32_t>, n, b.data(), d.data(), n, ~0u,
        counts.data());
    EXPECT_EQ(counts.download()[0], 0u);
}

}  // namespace
}  // namespace sort_test

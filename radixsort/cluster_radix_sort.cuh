// SPDX-License-Identifier: Apache-2.0
//
// The blocks of one thread-block cluster (compute capability 9.0) sort an array that fits their
// shared memories, all passes in one launch. Each block has a part of the items; in a pass the
// blocks tell each other how many items of each digit they have, and each item goes to the shared
// memory of the block whose part it now belongs to. With an item goes its number in the input;
// values are moved once, at the end, straight to the output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <libscan/cluster_exchange.cuh>
#include <libscan/config.cuh>
#include <libscan/hopper.cuh>
#include <libscan/hopper_scan.cuh>
#include <radixsort/block_radix_rank.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/sort_items.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
class ClusterRadixSort {
    static constexpr RadixSortPolicy kPolicy = Tuning::kPolicy;
    static constexpr int kItems = kPolicy.cluster_items;
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValues>;

  public:
    static constexpr int kThreads = kPolicy.cluster_threads;
    static constexpr int kTile = kThreads * kItems;
    static_assert(kClusterTiles * kTile <= 1 << 18, "see `reciprocal`");
    // Keys must move.
    static constexpr bool kPossible = kPolicy.keys_in_shared && alignof(Key) <= 16;

  private:
    using Rank = BlockRadixRank<kThreads, kItems, kPolicy.digit_bits, kPolicy.match>;
    using Order = KeyOrder<Key, Decomposer>;
    static constexpr int kDigits = Rank::kDigits;

    // Keys, and their numbers in the input where there are values.
    struct Items {
        shared_array<Key, kTile> keys;
        shared_array<unsigned, kHasValues ? kTile : 1> numbers;
    };
    struct Storage {
        typename Rank::TempStorage rank;
        shared_array<unsigned, kDigits> counts;  // of this block, for all to read
        shared_array<int, kDigits> runs;  // where a digit's items go, less their start in the block
        Items sorted;                     // by the digit of the pass
        Items received;                   // what the other blocks have sent
    };

  public:
    using TempStorage = Storage;

    __device__ explicit ClusterRadixSort(TempStorage& storage) : storage_(storage) {}

    // Sorts n items, at most kThreads * rows for each block of the cluster, where rows <= kItems.
    // There is at least one pass. Source and target do not overlap. All blocks.
    __device__ void operator()(const Order& order, const SortSource<Key, Value, ValuesIn>& source,
                               const SortTarget<Key, Value>& target, int n, int rows) {
        const int part = kThreads * rows;
        const int base = static_cast<int>(__clusterRelativeBlockRank()) * part;
        const unsigned reciprocal = ~0u / static_cast<unsigned>(part) + 1;
        const int passes = order.passes(kPolicy.digit_bits);
        Key keys[kItems];
        unsigned numbers[kHasValues ? kItems : 1];
        for_each_row(rows, [&](int j) {  // what is missing becomes keys that stay behind
            const int i = base + striped_item(rows, j);
            order.set_last(keys[j]);
            if (i < n) keys[j] = source.key(i);
            if constexpr (kHasValues) numbers[j] = static_cast<unsigned>(i);
        });
        for (int pass = 0; pass < passes; ++pass) {
            if (pass > 0) {
                for_each_row(rows, [&](int j) {
                    const int i = striped_item(rows, j);
                    keys[j] = storage_.received.keys[i];
                    if constexpr (kHasValues) numbers[j] = storage_.received.numbers[i];
                });
            }
            const auto digit = order.digit(pass, kPolicy.digit_bits);
            sort([&](int j) { return digit(keys[j]); }, rows,
                 [&](int rank, int j) {
                     storage_.sorted.keys[rank] = keys[j];
                     if constexpr (kHasValues) storage_.sorted.numbers[rank] = numbers[j];
                 });
            const bool is_last = pass + 1 == passes;
            for_each_row(rows, [&](int j) {
                const int i = j * kThreads + static_cast<int>(threadIdx.x);
                const Key key = storage_.sorted.keys[i];
                unsigned number = 0;
                if constexpr (kHasValues) number = storage_.sorted.numbers[i];
                const int run = storage_.runs[static_cast<int>(digit(key))];
                const int to = run + i;
                if (!is_last) {
                    // to / part: exact for so few items.
                    const unsigned block =
                        static_cast<unsigned>(static_cast<std::uint64_t>(to) * reciprocal >> 32);
                    const int there = to - static_cast<int>(block) * part;
                    put(&storage_.received.keys[there], block, key);
                    if constexpr (kHasValues) put(&storage_.received.numbers[there], block, number);
                } else if (to < n) {
                    target.keys[to] = key;
                    if constexpr (kHasValues) target.values[to] = source.value(number);
                }
            });
            sync();  // the items are there; no block ends while others look at its counts
        }
    }

  private:
    template <class Body>
    __device__ static void for_each_row(int rows, Body body) {
        LIBSCAN_UNROLL(kItems)
        for (int j = 0; j < kItems; ++j)
            if (j < rows) body(j);
    }
    __device__ static void sync() {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    template <class T>
    __device__ static void put(void* place, unsigned block, const T& item) {
        shared_at<T>(__cluster_map_shared_rank(place, block)) = item;
    }

    // Sorts the items of the block by a digit: put(rank, j) for each. Afterwards all blocks have
    // read what they had received, and the runs say where the items go among those of all blocks.
    template <class DigitOf, class Put>
    __device__ void sort(DigitOf digit_of, int rows, Put put) {
        Rank rank(storage_.rank);
        unsigned counts[Rank::kDigitsOfThread] = {}, starts[Rank::kDigitsOfThread] = {};
        int ranks[kItems];
        rank.count(digit_of, rows, counts);
        Rank::for_each_digit([&](int k, int digit) { storage_.counts[digit] = counts[k]; });
        __cluster_barrier_arrive();
        rank.scan(counts, starts);
        rank.rank_from(starts, digit_of, rows, ranks);
        for_each_row(rows, [&](int j) { put(ranks[j], j); });
        __cluster_barrier_wait();

        const int blocks = static_cast<int>(__clusterSizeInBlocks());
        const int here = static_cast<int>(__clusterRelativeBlockRank());
        unsigned before[Rank::kDigitsOfThread] = {};  // in earlier blocks
        unsigned sums[Rank::kDigitsOfThread] = {};
        Rank::for_each_digit([&](int k, int digit) {
            counts[k] = 0;
            LIBSCAN_UNROLL(kClusterTiles)
            for (int block = 0; block < kClusterTiles; ++block) {
                if (block >= blocks) continue;
                const unsigned count = shared_at<unsigned>(__cluster_map_shared_rank(
                    &storage_.counts[digit], static_cast<unsigned>(block)));
                if (block < here) before[k] += count;
                counts[k] += count;
            }
        });
        rank.scan(counts, sums);
        Rank::for_each_digit([&](int k, int digit) {
            storage_.runs[digit] = static_cast<int>(sums[k] + before[k] - starts[k]);
        });
        __syncthreads();
    }

    TempStorage& storage_;
};

// Sorts n items from array 0 to array 1: one cluster, see ClusterRadixSort.
template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
__global__ void __launch_bounds__(Tuning::kPolicy.cluster_threads, 1)
    cluster_sort_kernel(SortArrays<Key, Value, ValuesIn> arrays, KeyOrder<Key, Decomposer> order,
                        int n, int rows) {
#if LIBSCAN_HOPPER_CODE
    using Sort = ClusterRadixSort<Tuning, Key, Decomposer, Value, ValuesIn>;
    Sort sort(*dynamic_shared<typename Sort::TempStorage>());
    sort(order, arrays.source(0), arrays.target(1), n, rows);
#endif
}

template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
struct ClusterSortLaunch {
    using Sort = ClusterRadixSort<Tuning, Key, Decomposer, Value, ValuesIn>;
    using Arrays = SortArrays<Key, Value, ValuesIn>;

    // Sorts, if the device can and the items fit; else `done` is false.
    [[nodiscard]] static cudaError_t run(const Arrays& arrays, std::int64_t n,
                                         const KeyOrder<Key, Decomposer>& order,
                                         cudaStream_t stream, bool& done) {
        static AnswerOfDevice known;
        constexpr std::size_t kBytes = sizeof(typename Sort::TempStorage);
        constexpr int kLeast = Sort::kThreads * Tuning::kPolicy.cluster_least_items;
        const auto kernel = &cluster_sort_kernel<Tuning, Key, Decomposer, Value, ValuesIn>;
        done = false;
        if (n > kClusterTiles * Sort::kTile) return cudaSuccess;
        DeviceTraits device;
        cudaError_t error = device_traits(device);
        if (error != cudaSuccess || device.architecture < 900 ||
            device.shared_kilobytes * std::size_t(1024) < kBytes) {
            return error;
        }
        int most = 1;
        error = known.get(device, most, [kernel](int& blocks) {
            return largest_cluster(kernel, Sort::kThreads, blocks, kBytes);
        });
        if (error != cudaSuccess || most == 1 || n > most * Sort::kTile) return error;
        done = true;
        const int items = static_cast<int>(n);
        const int blocks = std::min(ceil_div(items, kLeast), most);
        const int rows = ceil_div(items, blocks * Sort::kThreads);
        if (blocks > kPortableClusterBlocks) {
            error = allow_large_clusters(kernel);
            if (error != cudaSuccess) return error;
        }
        cudaLaunchAttribute cluster = cluster_of(blocks);
        const LaunchShape shape{
            dim3(static_cast<unsigned>(blocks)), Sort::kThreads, kBytes, stream, &cluster, 1};
        return launch(kernel, shape, arrays, order, items, rows);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

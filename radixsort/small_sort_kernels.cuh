// SPDX-License-Identifier: Apache-2.0
//
// Sorts that one block does alone, all passes in one launch: a short array, and segments.
#pragma once

#include <cstdint>
#include <libscan/block_warp_shuffle.cuh>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_start.cuh>
#include <radixsort/block_radix_scatter.cuh>
#include <radixsort/block_radix_sort.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/sort_items.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Sorts n <= Sort::kTile items from array 0 to array 1. One block.
template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
__global__ void __launch_bounds__(Tuning::kPolicy.small_threads, 1)
    small_sort_kernel(SortArrays<Key, Value, ValuesIn> arrays, KeyOrder<Key, Decomposer> order,
                      int n) {
    using Sort = BlockRadixSort<Tuning, Key, Decomposer, Value, ValuesIn>;
    Sort sort(*dynamic_shared<typename Sort::TempStorage>());
    sort(order, arrays.source(0), arrays.target(1), 0, n);
}

// Tuning of the passes over a long segment, which the block of small_threads threads does. (The
// kernel holds more than a pass over an array does, so it has registers for fewer items.)
template <class Tuning>
struct SegmentTuning {
    static constexpr RadixSortPolicy make() {
        RadixSortPolicy policy = Tuning::kPolicy;
        policy.threads = policy.small_threads;
        if (policy.items > 16) policy.items = 16;
        return policy;
    }
    static constexpr RadixSortPolicy kPolicy = make();
};

template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
struct SegmentShape {
    using Sort = BlockRadixSort<Tuning, Key, Decomposer, Value, ValuesIn>;
    using Scatter = BlockRadixScatter<SegmentTuning<Tuning>, Key, Decomposer, Value, ValuesIn>;
    using Scan = BlockWarpShuffle<Word, Sort::kThreads, Scatter::kDigits>;

    struct Storage {
        union {
            typename Sort::TempStorage sort;
            typename Scatter::TempStorage tile;
            typename Scan::TempStorage scan;
            shared_array<unsigned, Scatter::kDigits> counters;
        };
    };
};

// One segment that is too long for BlockRadixSort, pass by pass.
template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
class LongSegmentSort {
    using Shape = SegmentShape<Tuning, Key, Decomposer, Value, ValuesIn>;
    using Storage = typename Shape::Storage;
    using Scatter = typename Shape::Scatter;
    using Order = KeyOrder<Key, Decomposer>;
    using Source = SortSource<Key, Value, ValuesIn>;
    static constexpr int kThreads = Shape::Sort::kThreads;
    static constexpr int kDigits = Scatter::kDigits, kDigitBits = Tuning::kPolicy.digit_bits;
    static constexpr int kDigitsOfThread = ceil_div(kDigits, kThreads);

  public:
    __device__ explicit LongSegmentSort(Storage& storage) : storage_(storage) {}

    // Sorts the items [begin, end) by digit number `pass`. Collective.
    __device__ void pass(const Order& order, int pass, const Source& source,
                         const SortTarget<Key, Value>& target, std::int64_t begin,
                         std::int64_t end) {
        find_starts(source, order.digit(pass, kDigitBits), begin, end);
        Scatter scatter(storage_.tile, source, target);
        for (std::int64_t base = begin; base < end; base += Scatter::kTile) {
            const std::int64_t rest = end - base;
            const int count = rest < Scatter::kTile ? static_cast<int>(rest) : Scatter::kTile;
            scatter(
                order, pass, base, count, [](int, unsigned) {},
                [&](int k, int, unsigned items) {
                    const Word start = starts_[k];
                    starts_[k] += items;
                    return start;
                });
            __syncthreads();
        }
    }

  private:
    // starts_[k] = where the first item of this thread's digit number k goes.
    __device__ void find_starts(const Source& source, const typename Order::Digit& digit,
                                std::int64_t begin, std::int64_t end) {
        constexpr std::int64_t kMost = std::int64_t(1) << 30;  // that a counter takes
        constexpr int kAtOnce = 8;                             // loads on their way
        const int thread = static_cast<int>(threadIdx.x);
        Word counts[kDigitsOfThread] = {};
        for (std::int64_t base = begin; base < end; base += kMost) {
            const std::int64_t stop = end - base < kMost ? end : base + kMost;
            for (int d = thread; d < kDigits; d += kThreads) storage_.counters[d] = 0;
            __syncthreads();
            std::int64_t i = base + thread;
            for (; i < stop - (kAtOnce - 1) * kThreads; i += kAtOnce * kThreads) {
                int digits[kAtOnce];
                LIBSCAN_UNROLL(kAtOnce)
                for (int j = 0; j < kAtOnce; ++j)
                    digits[j] = static_cast<int>(digit(source.keys[i + j * kThreads]));
                LIBSCAN_UNROLL(kAtOnce)
                for (int j = 0; j < kAtOnce; ++j) atomicAdd(&storage_.counters[digits[j]], 1u);
            }
            for (; i < stop; i += kThreads)
                atomicAdd(&storage_.counters[static_cast<int>(digit(source.keys[i]))], 1u);
            __syncthreads();
            for (int k = 0; k < kDigitsOfThread; ++k) {
                const int d = thread + k * kThreads;
                if (d < kDigits) {
                    const unsigned count = storage_.counters[d];
                    counts[k] += count;
                }
            }
            __syncthreads();
        }
        typename Shape::Scan scan(storage_.scan, kDigits);
        for (int k = 0; k < kDigitsOfThread; ++k)
            if (thread + k * kThreads < kDigits) scan.put(thread + k * kThreads, counts[k]);
        scan.exclusive(Plus{}, Identity<Word>{0});
        for (int k = 0; k < kDigitsOfThread; ++k) {
            if (thread + k * kThreads < kDigits)
                starts_[k] = static_cast<Word>(begin) + scan.get(thread + k * kThreads);
        }
        __syncthreads();
    }

    Storage& storage_;
    Word starts_[kDigitsOfThread] = {};
};

// Sorts the segments [begins[s], ends[s]) from array 0 to array 1, array 2 standing between them. A
// block takes segment after segment. Without a pass it copies.
template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn, class Begins,
          class Ends>
__global__ void __launch_bounds__(Tuning::kPolicy.small_threads, 2)
    segmented_sort_kernel(const __grid_constant__ SortArrays<Key, Value, ValuesIn> arrays,
                          const __grid_constant__ KeyOrder<Key, Decomposer> order,
                          std::int64_t segments, Begins begins, Ends ends, bool two_buffers) {
    using Shape = SegmentShape<Tuning, Key, Decomposer, Value, ValuesIn>;
    using Sort = typename Shape::Sort;
    auto& storage = *dynamic_shared<typename Shape::Storage>();
    const int passes = order.passes(Tuning::kPolicy.digit_bits);
    for (std::int64_t segment = blockIdx.x; segment < segments; segment += gridDim.x) {
        const std::int64_t begin = static_cast<std::int64_t>(begins[segment]);
        const std::int64_t end = static_cast<std::int64_t>(ends[segment]);
        if (begin >= end) continue;
        if (passes > 0 && end - begin <= Sort::kTile) {
            Sort sort(storage.sort);
            sort(order, arrays.source(0), arrays.target(1), begin, static_cast<int>(end - begin));
            __syncthreads();
            continue;
        }
        LongSegmentSort<Tuning, Key, Decomposer, Value, ValuesIn> sort(storage);
        int source = 0;
        for (int pass = 0; pass < passes; ++pass) {
            const int rest = passes - 1 - pass;
            // Of two buffers, array 2 is the input: the first pass must not write it.
            const int target = two_buffers ? (source == 1 ? 2 : 1) : (rest % 2 == 0 ? 1 : 2);
            sort.pass(order, pass, arrays.source(source), arrays.target(target), begin, end);
            source = target;
        }
        if (source != 1) {
            copy_items<Tuning::kPolicy.small_threads>(arrays.source(source), arrays.target(1),
                                                      begin, end - begin);
            __syncthreads();
        }
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// Counts the digits of all passes in one reading of the keys: how many items have a digit does not
// change from pass to pass. The last block to finish scans the counts and plans the passes.
#pragma once

#include <cstdint>
#include <libscan/block_warp_shuffle.cuh>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_start.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/sort_plan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Not by the tuning as a whole: sorts with and without values then share the kernel.
template <int kThreadsOfBlock, int kItemsOfThread, int kBits>
struct HistogramShape {
    static constexpr int kThreads = kThreadsOfBlock, kItems = kItemsOfThread;
    static constexpr int kDigitBits = kBits, kDigits = 1 << kBits;
    // Passes that a block counts for; more of them, for larger keys, are counted by more blocks.
    static constexpr int kPasses = 8;
    using Scan = BlockWarpShuffle<Word, kThreads, kDigits>;

    struct Storage {
        union {
            shared_array<unsigned, kPasses * kDigits> counters;
            typename Scan::TempStorage scan;
        };
        shared_array<int, 1> is_last;
    };
};

// Adds this block's keys to the counters in shared memory.
template <class Shape, class Key, class Decomposer>
__device__ void count_digits(typename Shape::Storage& storage, const Key* keys, std::int64_t n,
                             const KeyOrder<Key, Decomposer>& order, int first_pass, int passes) {
    constexpr int kDigits = Shape::kDigits, kItems = Shape::kItems, kThreads = Shape::kThreads;
    const auto count = [&](const Key& key) {
        LIBSCAN_UNROLL(8)
        for (int p = 0; p < Shape::kPasses; ++p) {
            if (p < passes) {
                const auto digit = order.digit(first_pass + p, Shape::kDigitBits);
                atomicAdd(&storage.counters[p * kDigits + static_cast<int>(digit(key))], 1u);
            }
        }
    };
    constexpr std::int64_t kChunk = kThreads * kItems;
    for (std::int64_t base = blockIdx.x * kChunk; base < n; base += gridDim.x * kChunk) {
        const std::int64_t first = base + threadIdx.x;
        if (n - base >= kChunk) {
            Key loaded[kItems];
            LIBSCAN_UNROLL(kItems)
            for (int j = 0; j < kItems; ++j) loaded[j] = keys[first + j * kThreads];
            LIBSCAN_UNROLL(kItems)
            for (int j = 0; j < kItems; ++j) count(loaded[j]);
        } else {
            for (std::int64_t i = first; i < n; i += kThreads) {
                const Key key = keys[i];
                count(key);
            }
        }
    }
}

// The scan of each pass's counts says where the items of each digit begin; a digit that has all
// items makes a pass that changes nothing. A whole block.
template <class Shape>
__device__ void scan_counts(typename Shape::Storage& storage, std::int64_t n,
                            const SortState& state, bool two_buffers) {
    constexpr int kDigits = Shape::kDigits, kThreads = Shape::kThreads;
    const int thread = static_cast<int>(threadIdx.x);
    for (int pass = 0; pass < state.passes; ++pass) {
        const Word* const counts = state.counts + pass * kDigits;
        Word* const starts = state.starts + std::int64_t(pass) * state.portions * kDigits;
        bool has_all = false;
        typename Shape::Scan scan(storage.scan, kDigits);
        for (int digit = thread; digit < kDigits; digit += kThreads) {
            const Word count = load_relaxed(counts + digit);
            has_all = has_all || count == static_cast<Word>(n);
            scan.put(digit, count);
        }
        scan.exclusive(Plus{}, Identity<Word>{0});
        for (int digit = thread; digit < kDigits; digit += kThreads)
            starts[digit] = scan.get(digit);
        const int nothing = __syncthreads_or(has_all ? 1 : 0);
        if (thread == 0) state.plans[pass].kind = nothing ? PassKind::kNothing : PassKind::kSort;
    }
    if (thread == 0) plan_passes(state.plans, state.passes, two_buffers);
}

// A grid in y for the passes, in x for the keys.
template <class Shape, class Key, class Decomposer>
__global__ void __launch_bounds__(Shape::kThreads)
    radix_histogram_kernel(const Key* keys, std::int64_t n, KeyOrder<Key, Decomposer> order,
                           SortState state, bool two_buffers) {
    constexpr int kDigits = Shape::kDigits, kThreads = Shape::kThreads;
    auto& storage = *dynamic_shared<typename Shape::Storage>();
    const int thread = static_cast<int>(threadIdx.x);
    const int first_pass = static_cast<int>(blockIdx.y) * Shape::kPasses;
    const int rest = state.passes - first_pass;
    const int passes = rest < Shape::kPasses ? rest : Shape::kPasses;

    for (int i = thread; i < passes * kDigits; i += kThreads) storage.counters[i] = 0;
    __syncthreads();
    count_digits<Shape>(storage, keys, n, order, first_pass, passes);
    __syncthreads();
    for (int i = thread; i < passes * kDigits; i += kThreads) {
        const unsigned count = storage.counters[i];
        if (count > 0) atomicAdd(state.counts + first_pass * kDigits + i, Word(count));
    }

    // The fences stand between the counts and the number of finished blocks, here and there.
    __threadfence();
    __syncthreads();
    if (thread == 0) {
        const Word blocks = static_cast<Word>(gridDim.x) * gridDim.y;
        storage.is_last[0] = atomicAdd(state.finished, Word(1)) == blocks - 1 ? 1 : 0;
    }
    __syncthreads();
    const int is_last = storage.is_last[0];
    if (is_last == 0) return;
    __threadfence();
    scan_counts<Shape>(storage, n, state, two_buffers);
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

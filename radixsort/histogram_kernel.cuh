// SPDX-License-Identifier: Apache-2.0
//
// Counts the digits of all passes in one reading of the keys: how many items have a digit does not
// change from pass to pass. The last block to finish scans the counts and plans the passes.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/warp_scan.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/sort_plan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Not by the tuning as a whole: sorts with and without values then share the kernel.
// kCopiesOfCount: counters of each digit, a power of two up to 32. Lanes that count in different
// copies do not wait for each other.
template <int kThreadsOfBlock, int kItemsOfThread, int kBits, int kPassesOfKey,
          int kCopiesOfCount = 1>
struct HistogramShape {
    static constexpr int kThreads = kThreadsOfBlock, kItems = kItemsOfThread;
    static constexpr int kCopies = kCopiesOfCount;
    static constexpr int kDigitBits = kBits, kDigits = 1 << kBits;
    // Passes that a block counts for; more of them, for larger keys, are counted by more blocks.
    static constexpr int kPasses = kPassesOfKey < 8 ? kPassesOfKey : 8;

    struct Storage {
        shared_array<unsigned, kPasses * kDigits * kCopies> counters;
        shared_array<int, kMostPassesAtOnce> sorts;
        shared_array<int, 1> is_last;
    };
};

// Adds a key to the counters of `passes` passes, or of all Shape::kPasses.
template <class Shape, bool kAll, class Key, class Decomposer>
__device__ void count_key(typename Shape::Storage& storage, const Key& key,
                          const KeyOrder<Key, Decomposer>& order, int first_pass, int passes) {
    const int copy = static_cast<int>(threadIdx.x) % Shape::kCopies;
    const auto count = [&](int p) {
        const auto digit = order.digit(first_pass + p, Shape::kDigitBits);
        const int counter = p * Shape::kDigits + static_cast<int>(digit(key));
        atomicAdd(&storage.counters[counter * Shape::kCopies + copy], 1u);
    };
    if constexpr (kAll) {
        LIBSCAN_UNROLL_ALL
        for (int p = 0; p < Shape::kPasses; ++p) count(p);
    } else {
        LIBSCAN_UNROLL(1)
        for (int p = 0; p < passes; ++p) count(p);
    }
}

// Adds this block's keys to the counters in shared memory. kAll: for Shape::kPasses passes, known
// to the compiler.
template <class Shape, bool kAll, class Key, class Decomposer>
__device__ void count_digits(typename Shape::Storage& storage, const Key* keys, std::int64_t n,
                             const KeyOrder<Key, Decomposer>& order, int first_pass, int passes) {
    constexpr int kItems = kAll ? Shape::kItems : 1, kThreads = Shape::kThreads;
    constexpr std::int64_t kChunk = kThreads * kItems;
    for (std::int64_t base = blockIdx.x * kChunk; base < n; base += gridDim.x * kChunk) {
        const std::int64_t first = base + threadIdx.x;
        if (kAll && n - base >= kChunk) {
            Key loaded[kItems];
            LIBSCAN_UNROLL(kItems)
            for (int j = 0; j < kItems; ++j) loaded[j] = keys[first + j * kThreads];
            LIBSCAN_UNROLL(kItems)
            for (int j = 0; j < kItems; ++j)
                count_key<Shape, true>(storage, loaded[j], order, first_pass, passes);
        } else {
            for (std::int64_t i = first; i < n && i < base + kChunk; i += kThreads) {
                const Key key = keys[i];
                count_key<Shape, false>(storage, key, order, first_pass, passes);
            }
        }
    }
}

// The scan of each pass's counts says where the items of each digit begin; a digit that has all
// items makes a pass that changes nothing. A whole block, a warp for each pass: what takes the time
// here is waiting for memory.
template <class Shape>
__device__ void scan_counts(typename Shape::Storage& storage, std::int64_t n,
                            const SortState& state, bool two_buffers) {
    constexpr int kDigits = Shape::kDigits, kOfLane = kDigits / kWarpSize;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarpSize;
    if (thread < kMostPassesAtOnce) storage.sorts[thread] = 0;
    __syncthreads();
    for (int pass = thread / kWarpSize; pass < state.passes; pass += Shape::kThreads / kWarpSize) {
        const Word* const counts = state.counts + pass * kDigits + lane * kOfLane;
        Word* const starts =
            state.starts + std::int64_t(pass) * state.portions * kDigits + lane * kOfLane;
        Word count[kOfLane], sum = 0;
        bool has_all = false;
        LIBSCAN_UNROLL(kOfLane)
        for (int k = 0; k < kOfLane; ++k) count[k] = load_relaxed(counts + k);
        LIBSCAN_UNROLL(kOfLane)
        for (int k = 0; k < kOfLane; ++k) {
            has_all = has_all || count[k] == static_cast<Word>(n);
            sum += count[k];
        }
        Word start = warp_inclusive_scan(~0u, sum, Plus{}) - sum;
        LIBSCAN_UNROLL(kOfLane)
        for (int k = 0; k < kOfLane; ++k) {
            starts[k] = start;
            start += count[k];
        }
        const bool sorts = __any_sync(~0u, has_all) == 0;
        if (lane == 0) {
            state.plans[pass].kind = sorts ? PassKind::kSort : PassKind::kNothing;
            if (pass < kMostPassesAtOnce) storage.sorts[pass] = sorts ? 1 : 0;
        }
    }
    __syncthreads();
    if (state.passes <= kMostPassesAtOnce) {
        if (thread < kWarpSize) {
            const int mine = storage.sorts[thread];
            const unsigned sorts = __ballot_sync(~0u, mine != 0);
            if (thread < state.passes)
                state.plans[thread] = plan_pass(thread, sorts, state.passes, two_buffers);
        }
    } else if (thread == 0) {
        plan_passes(state.plans, state.passes, two_buffers);
    }
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

    constexpr int kCopies = Shape::kCopies;
    for (int i = thread; i < passes * kDigits * kCopies; i += kThreads) storage.counters[i] = 0;
    __syncthreads();
    if (passes == Shape::kPasses) {
        count_digits<Shape, true>(storage, keys, n, order, first_pass, passes);
    } else {
        count_digits<Shape, false>(storage, keys, n, order, first_pass, passes);
    }
    __syncthreads();
    for (int i = thread; i < passes * kDigits; i += kThreads) {
        unsigned count = 0;
        LIBSCAN_UNROLL_ALL
        for (int copy = 0; copy < kCopies; ++copy) {  // each lane another bank
            const unsigned c = storage.counters[i * kCopies + (thread + copy) % kCopies];
            count += c;
        }
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

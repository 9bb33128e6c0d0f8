// SPDX-License-Identifier: Apache-2.0
//
// One pass of the radix sort over all items: a block takes a tile by ticket, ranks its items by
// their digit, learns by look-back how many items of each digit stand in earlier tiles, and writes.
// Each item is read once and written once.
//
// Source: Andy Adinets and Duane Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort
// for GPUs", arXiv 2206.01784, 2022.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/digit_look_back.cuh>
#include <radixsort/block_radix_scatter.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/sort_items.cuh>
#include <radixsort/sort_plan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Scatter>
struct OnesweepStorage {
    typename Scatter::TempStorage tile;
    shared_array<Word, 1> ticket;
};

// Sorts the items [first, first + n) of portion number `portion` by digit number `pass`. One block
// for each tile.
template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
__global__ void __launch_bounds__(Tuning::kPolicy.threads, Tuning::kPolicy.blocks)
    onesweep_kernel(SortArrays<Key, Value, ValuesIn> arrays, KeyOrder<Key, Decomposer> order,
                    SortState state, int pass, int portion, std::int64_t first, std::int64_t n) {
    if constexpr (kHasKernels<Tuning>) {
        using Scatter = BlockRadixScatter<Tuning, Key, Decomposer, Value, ValuesIn>;
        constexpr int kDigits = Scatter::kDigits;
        const PassPlan plan = state.plans[pass];
        auto& storage = *dynamic_shared<OnesweepStorage<Scatter>>();
        const std::int64_t launch = std::int64_t(pass) * state.portions + portion;
        if (threadIdx.x == 0) storage.ticket[0] = atomicAdd(state.tickets + launch, Word(1));
        // Only now, so that the two words are on their way at the same time.
        if (plan.kind == PassKind::kNothing) return;
        __syncthreads();
        const Word ticket = storage.ticket[0];
        const std::int64_t tile = static_cast<std::int64_t>(ticket);
        const std::int64_t rest = n - tile * Scatter::kTile;
        const int count = rest < Scatter::kTile ? static_cast<int>(rest) : Scatter::kTile;
        const std::int64_t base = first + tile * Scatter::kTile;
        const auto source = arrays.source(plan.source);
        const auto target = arrays.target(plan.target);
        if (plan.kind == PassKind::kCopy) {
            copy_items<Tuning::kPolicy.threads>(source, target, base, count);
            return;
        }

        // Several portions: the words are cleared before each launch.
        const bool odd_pass = state.portions == 1 && plan.sorts_before % 2 != 0;
        const DigitLookBack look_back(state.look_back, kDigits, odd_pass);
        Word* const starts = state.starts + launch * kDigits;
        const bool feeds_next = portion + 1 < state.portions && rest <= Scatter::kTile;
        Scatter scatter(storage.tile, source, target);
        scatter(
            order, pass, base, count,
            [&](int digit, unsigned items) { look_back.publish(tile, digit, items); },
            [&](int, int digit, unsigned items) {
                const Word start = starts[digit] + look_back.before(tile, digit, items);
                if (feeds_next) starts[digit + kDigits] = start + items;
                return start;
            });
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

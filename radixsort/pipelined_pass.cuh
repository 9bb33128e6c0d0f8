// SPDX-License-Identifier: Apache-2.0
//
// One pass of the radix sort for compute capability 9.0: persistent blocks whose warps have one
// role each.
//
//   loader    takes a tile by ticket and bulk-copies its keys, as soon as those of the tile before
//             have been sorted
//   workers   count the digits of their items, sort the tile into another buffer, and write it
//   digits    add up the workers' counts, publish the tile's, tell the workers where the items of
//             each digit go in the tile; then look back, while the workers sort
//
// So loads and look-back go on beside the sorting of the same block, and keys are in registers only
// for a moment. The ranks are those of block_radix_rank.cuh, the words between blocks those of
// digit_look_back.cuh.
//
// Progress. A ticket is taken when the tile before it has been published and sorted. Consider the
// lowest tile that has a ticket and is not published: what its block may still wait for is the
// look-back of its earlier tile, and all words that this one asks for are there. So the block
// loads, counts and publishes the tile, and all counts come in the end, however many blocks are
// resident.
//
// Source: Andy Adinets and Duane Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort
// for GPUs", arXiv 2206.01784, 2022; the roles are ours.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/digit_look_back.cuh>
#include <libscan/grouped_look_back.cuh>
#include <libscan/hopper.cuh>
#include <libscan/operators.cuh>
#include <libscan/tile_stage.cuh>
#include <libscan/warp_scan.cuh>
#include <radixsort/digit_counters.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/sort_items.cuh>
#include <radixsort/sort_plan.cuh>
#include <radixsort/sorted_tile_writer.cuh>
#include <radixsort/warp_match.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

struct PipelinedPassPlace {
    int pass, portion;
    std::int64_t first, n;  // items
    int rows;               // items of a worker in a tile
    unsigned tiles;
};

template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
class PipelinedPass {
    static constexpr RadixSortPolicy kPolicy = Tuning::kPolicy;
    static constexpr int kWarps = kPolicy.pass_threads / kWarpSize;
    static constexpr int kDigitBits = kPolicy.digit_bits, kDigits = 1 << kDigitBits;
    static constexpr int kDigitWarps = kDigits / kWarpSize;
    static constexpr int kPause = 400;  // nanoseconds between polls
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValues>;
    static constexpr unsigned kNoTile = ~0u;
    using Order = KeyOrder<Key, Decomposer>;
    using Digit = typename Order::Digit;
    using Source = SortSource<Key, Value, ValuesIn>;
    using Target = SortTarget<Key, Value>;

  public:
    static constexpr int kWorkers = kPolicy.pass_threads;
    static constexpr int kAhead = 4;  // rows at once
    static constexpr int kThreads = kWorkers + (kDigitWarps + 1) * kWarpSize;

    // The small things; the items lie behind it.
    struct alignas(16) Shared {
        // [warp][digit], and for each lane one that counts nothing.
        shared_array<unsigned, kWarps * kDigits + kWarpSize> counters;
        // Where item number 0 of the sorted tile would go if it had the digit.
        shared_array<Word, kDigits> runs;
        shared_array<unsigned, kDigitWarps> totals;
        shared_array<unsigned, 2> tile;
        Mbarrier full, counted, placed, sorted, ready, summed;
    };
    using Writer =
        SortedTileWriter<kWorkers, kAhead, Key, Value, Digit, shared_array<Word, kDigits>>;
    // A tile lies at the offset, modulo 16, that it has in global memory.
    static constexpr int kShiftBytes = 32;
    static constexpr std::size_t kRowBytes =
        std::size_t(kWorkers) * (2 * sizeof(Key) + (kHasValues ? sizeof(Value) : 0));
    __host__ __device__ static constexpr std::size_t shared_bytes(int rows) {
        return sizeof(Shared) + kShiftBytes + rows * kRowBytes;
    }

    __device__ __forceinline__ PipelinedPass(Shared& s, const Source& source, const Target& target,
                                             const Digit& digit, const SortState& state,
                                             const PassPlan& plan, const PipelinedPassPlace& place)
        : s_(s),
          source_(source),
          target_(target),
          digit_(digit),
          state_(state),
          plan_(plan),
          place_(place),
          shift_(
              static_cast<int>(reinterpret_cast<std::uintptr_t>(source.keys + place.first) % 16)),
          lane_(static_cast<int>(threadIdx.x) % kWarpSize),
          keys_(reinterpret_cast<char*>(&s + 1)),
          sorted_keys_(keys_ + tile_items() * sizeof(Key) + kShiftBytes),
          sorted_values_(sorted_keys_ + tile_items() * sizeof(Key)) {}

    __device__ __forceinline__ void run() {
        if (threadIdx.x == 0) {
            s_.full.init(1);
            s_.counted.init(kWarps);
            s_.placed.init(kDigitWarps);
            s_.sorted.init(kWarps);
            s_.ready.init(kDigitWarps);
            s_.summed.init(kDigitWarps);
            Mbarrier::fence_init();
        }
        __syncthreads();
        const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
        if (warp < kWarps) {
            work(warp);
        } else if (warp < kWarps + kDigitWarps) {
            digits(static_cast<int>(threadIdx.x) - kWorkers);
        } else {
            load();
        }
    }

  private:
    __device__ __forceinline__ int tile_items() const { return kWorkers * place_.rows; }
    __device__ __forceinline__ int items_of(unsigned tile) const {
        const std::int64_t rest = place_.n - static_cast<std::int64_t>(tile) * tile_items();
        return rest < tile_items() ? static_cast<int>(rest) : tile_items();
    }
    // Where there are no more tiles than blocks each block has one, and none takes another's.
    __device__ __forceinline__ bool has_one_tile() const { return place_.tiles <= gridDim.x; }
    __device__ __forceinline__ std::int64_t launch_number() const {
        return std::int64_t(place_.pass) * state_.portions + place_.portion;
    }
    __device__ __forceinline__ void arrive(Mbarrier& b) {
        __syncwarp();
        if (lane_ == 0) b.arrive();
    }

    // ---- Loader

    __device__ __forceinline__ void load() {
        Word* const word = state_.tickets + launch_number();
        unsigned parity = 0, ticket = next(word);
        for (int slot = 0;; slot ^= 1, parity ^= 1) {
            if (lane_ == 0) s_.tile[slot] = ticket < place_.tiles ? ticket : kNoTile;
            if (ticket >= place_.tiles) {
                arrive(s_.full);
                return;
            }
            fill(ticket);
            // Not earlier: until it is published, all later tiles wait for this one.
            s_.sorted.wait(parity);
            ticket = has_one_tile() ? kNoTile : next(word);
        }
    }
    __device__ __forceinline__ unsigned next(Word* word) {
        unsigned ticket = 0;
        if (lane_ == 0) ticket = static_cast<unsigned>(take_ticket(word));
        return __shfl_sync(~0u, ticket, 0);
    }
    __device__ __forceinline__ void fill(unsigned tile) {
        const int items = items_of(tile);
        const std::int64_t base = place_.first + static_cast<std::int64_t>(tile) * tile_items();
        const int bytes = items * static_cast<int>(sizeof(Key));
        const StageCopy copy(reinterpret_cast<const char*>(source_.keys + base) - shift_, keys_,
                             shift_, shift_ + bytes, shift_ + bytes, lane_);
        __syncwarp();
        if (lane_ != 0) return;
        s_.full.arrive_expecting(copy.bytes());
        copy.start(s_.full);
        if constexpr (kHasValues) {
            // The workers load the values when they sort: then they come from the L2 cache.
            if (source_.values != nullptr && items == tile_items())
                bulk_prefetch(source_.values + base, items * sizeof(Value));
        }
    }

    // ---- Digits

    // Where all tiles are in flight at once the look-back has two levels.
    __device__ __forceinline__ void digits(int digit) {
        const bool odd_pass = state_.portions == 1 && plan_.sorts_before % 2 != 0;
        const DigitLookBack look_back(state_.look_back, kDigits, odd_pass);
        const GroupedLookBack grouped(state_.look_back, place_.tiles, kDigits, place_.pass,
                                      odd_pass);
        const bool is_grouped = has_one_tile();
        Word* const starts = state_.starts + launch_number() * kDigits + digit;
        const Word start = *starts;
        unsigned parity = 0;
        for (int slot = 0;; slot ^= 1, parity ^= 1) {
            s_.counted.wait(parity);
            const unsigned tile = s_.tile[slot];
            if (tile == kNoTile) return;
            const unsigned count = column_sum<kWarps, kDigits>(s_.counters, digit);
            if (is_grouped) {
                grouped.publish(tile, digit, count);
            } else {
                look_back.publish(tile, digit, count);
            }
            const unsigned place = sum_before(digit, count, parity);
            scan_column<kWarps, kDigits>(s_.counters, digit, place);
            arrive(s_.placed);
            const unsigned before = is_grouped
                                        ? grouped.before(tile, digit, count)
                                        : look_back.template before<kPause>(tile, digit, count);
            const Word run = start + before;
            if (place_.portion + 1 < state_.portions && tile + 1 == place_.tiles)
                starts[kDigits] = run + count;
            s_.runs[digit] = run - place;
            arrive(s_.ready);
        }
    }
    // Of the counts of the digits before this one.
    __device__ __forceinline__ unsigned sum_before(int digit, unsigned count, unsigned parity) {
        const unsigned until = warp_inclusive_scan(~0u, count, Plus{});
        if (lane_ == kWarpSize - 1) s_.totals[digit / kWarpSize] = until;
        arrive(s_.summed);
        s_.summed.wait(parity);
        unsigned sum = until - count;
        LIBSCAN_UNROLL(1)
        for (int w = 0; w < digit / kWarpSize; ++w) {
            const unsigned total = s_.totals[w];
            sum += total;
        }
        return sum;
    }

    // ---- Workers

    __device__ __forceinline__ void work(int warp) {
        unsigned parity = 0;
        if (warp == 0) s_.counters[kWarps * kDigits + lane_] = 0;
        __syncwarp();
        for (int slot = 0;; slot ^= 1, parity ^= 1) {
            LIBSCAN_UNROLL(8)
            for (int d = lane_; d < kDigits; d += kWarpSize) s_.counters[warp * kDigits + d] = 0;
            __syncwarp();
            s_.full.wait(parity);
            const unsigned tile = s_.tile[slot];
            if (tile == kNoTile) {
                arrive(s_.counted);
                return;
            }
            const int count = items_of(tile);
            if (count == tile_items()) {
                sort<true>(warp, tile, count, parity);
            } else {
                sort<false>(warp, tile, count, parity);
            }
        }
    }
    template <bool kFull>
    __device__ __forceinline__ void sort(int warp, unsigned tile, int count, unsigned parity) {
        const int first = warp * kWarpSize * place_.rows + lane_;
        char* const keys = keys_ + shift_;
        count_warp<kFull>(keys, warp, first, count);
        arrive(s_.counted);
        const std::int64_t base = place_.first + static_cast<std::int64_t>(tile) * tile_items();
        sort_warp<kFull>(keys, base, warp, first, count, parity);
        arrive(s_.sorted);
        s_.sorted.wait(parity);
        s_.ready.wait(parity);
        write<kFull>(count);
    }
    template <class T>
    __device__ __forceinline__ static decltype(auto) item(char* items, int i) {
        return shared_at<T>(items + i * static_cast<int>(sizeof(T)));
    }
    // What is missing from a tile has the largest digit.
    template <bool kFull>
    __device__ __forceinline__ unsigned digit_of(const Key& key, bool there) const {
        return kFull || there ? digit_(key) : kDigits - 1;
    }

    // Rows of a warp that have items.
    template <bool kFull>
    __device__ __forceinline__ int rows_of(int warp, int count) const {
        if (kFull) return place_.rows;
        const int rows = ceil_div(count, kWarpSize) - warp * place_.rows;
        return rows < 0 ? 0 : rows < place_.rows ? rows : place_.rows;
    }
    template <bool kFull>
    __device__ __forceinline__ void count_warp(char* keys, int warp, int first, int count) {
        constexpr int kStep = kFull ? kAhead : 1;
        const int rows = rows_of<kFull>(warp, count);
        LIBSCAN_UNROLL(1)
        for (int row = 0; row < rows; row += kStep) {
            Key key[kStep]{};
            LIBSCAN_UNROLL(kStep)
            for (int k = 0; k < kStep; ++k) {
                const int i = first + (row + k) * kWarpSize;
                if (kFull || i < count) key[k] = item<Key>(keys, i);
            }
            LIBSCAN_UNROLL(kStep)
            for (int k = 0; k < kStep; ++k) {
                const int i = first + (row + k) * kWarpSize;
                const unsigned d = digit_of<kFull>(key[k], i < count);
                atomicAdd(&s_.counters[warp * kDigits + static_cast<int>(d)], 1u);
            }
        }
    }

    // Rows of a warp's items in registers.
    template <int kRows>
    struct Rows {
        Key keys[kRows]{};
        Value values[kRows]{};
    };
    template <bool kFull, int kRows>
    __device__ __forceinline__ void load_rows(char* keys, std::int64_t base, int first, int count,
                                              Rows<kRows>& rows) const {
        LIBSCAN_UNROLL(kRows)
        for (int k = 0; k < kRows; ++k) {
            const int i = first + k * kWarpSize;
            if (kFull || i < count) {
                rows.keys[k] = item<Key>(keys, i);
                if constexpr (kHasValues) rows.values[k] = source_.value(base + i);
            }
        }
    }
    template <bool kFull>
    __device__ __forceinline__ void sort_warp(char* keys, std::int64_t base, int warp, int first,
                                              int count, unsigned parity) {
        // Values come from far: those of the next rows are on their way while these are sorted.
        constexpr bool kEarly = kHasValues;
        constexpr int kStep = kFull ? kAhead : 1;
        const unsigned below = lanes_below(), above = lanes_above();
        const int nothing = kWarps * kDigits + lane_;
        const int rows = rows_of<kFull>(warp, count);
        Rows<kStep> next;
        if (kEarly && rows > 0) load_rows<kFull>(keys, base, first, count, next);
        s_.placed.wait(parity);
        const unsigned all = __ballot_sync(~0u, true);
        LIBSCAN_UNROLL(1)
        for (int row = 0; row < rows; row += kStep) {
            const int at = first + row * kWarpSize;
            if (!kEarly) load_rows<kFull>(keys, base, at, count, next);
            const Rows<kStep> items = next;
            if (kEarly && row + kStep < rows)
                load_rows<kFull>(keys, base, at + kStep * kWarpSize, count, next);
            unsigned same[kStep], start[kStep];
            int rank[kStep];
            LIBSCAN_UNROLL(kStep)
            for (int k = 0; k < kStep; ++k) {
                const unsigned digit = digit_of<kFull>(items.keys[k], at + k * kWarpSize < count);
                same[k] = match_digit<kPolicy.match, kDigitBits, 4>(digit, all);
                rank[k] = __popc(same[k] & below);
                const bool is_last = (same[k] & above) == 0;
                start[k] = atomicAdd(
                    &s_.counters[is_last ? warp * kDigits + static_cast<int>(digit) : nothing],
                    static_cast<unsigned>(rank[k] + 1));
            }
            LIBSCAN_UNROLL(kStep)
            for (int k = 0; k < kStep; ++k) {
                const int last = kWarpSize - 1 - __clz(static_cast<int>(same[k]));
                rank[k] += static_cast<int>(__shfl_sync(~0u, start[k], last));
                if (kFull || at + k * kWarpSize < count) {
                    item<Key>(sorted_keys_, rank[k]) = items.keys[k];
                    if constexpr (kHasValues)
                        item<Value>(sorted_values_, rank[k]) = items.values[k];
                }
            }
        }
    }

    template <bool kFull>
    __device__ __forceinline__ void write(int count) {
        const Writer writer(sorted_keys_, sorted_values_, s_.runs, digit_, target_);
        if constexpr (Writer::kBySectors) {
            if (!has_one_tile()) return writer.write_by_sectors(count);  // the tile is large
        }
        writer.template write<kFull>(count, kFull ? place_.rows : ceil_div(count, kWorkers));
    }

    Shared& s_;
    const Source source_;
    const Target target_;
    const Digit digit_;
    const SortState& state_;
    const PassPlan plan_;
    const PipelinedPassPlace& place_;
    const int shift_;
    const int lane_;
    char* const keys_;
    char* const sorted_keys_;
    char* const sorted_values_;
};

// Sorts the items [place.first, place.first + place.n) by one digit. (In other code it is empty,
// and bound to no number of blocks: an sm_75 has too few threads for that.)
template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
__global__ void __launch_bounds__(PipelinedPass<Tuning, Key, Decomposer, Value, ValuesIn>::kThreads,
                                  LIBSCAN_HOPPER_CODE ? Tuning::kPolicy.pass_blocks : 1)
    pipelined_pass_kernel(const __grid_constant__ SortArrays<Key, Value, ValuesIn> arrays,
                          const __grid_constant__ KeyOrder<Key, Decomposer> order,
                          const __grid_constant__ SortState state,
                          const __grid_constant__ PipelinedPassPlace place) {
#if LIBSCAN_HOPPER_CODE
    using Pass = PipelinedPass<Tuning, Key, Decomposer, Value, ValuesIn>;
    let_dependents_start();
    wait_for_previous_kernel();
    const PassPlan plan = state.plans[place.pass];
    if (plan.kind == PassKind::kNothing) return;
    const auto source = arrays.source(plan.source);
    const auto target = arrays.target(plan.target);
    if (plan.kind == PassKind::kCopy) {
        constexpr std::int64_t kChunk = Pass::kThreads * 16;
        for (std::int64_t at = blockIdx.x * kChunk; at < place.n; at += gridDim.x * kChunk) {
            const std::int64_t rest = place.n - at;
            copy_items<Pass::kThreads>(source, target, place.first + at,
                                       rest < kChunk ? rest : kChunk);
        }
        return;
    }
    Pass(*dynamic_shared<typename Pass::Shared>(), source, target,
         order.digit(place.pass, Tuning::kPolicy.digit_bits), state, plan, place)
        .run();
#endif
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

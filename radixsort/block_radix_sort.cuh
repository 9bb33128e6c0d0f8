// SPDX-License-Identifier: Apache-2.0
//
// A block sorts a short array by all digits, one after the other, without leaving shared memory:
// keys move through it, and with them, where there are values or large keys, the number that an
// item has in the input. Values are moved once, at the end.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <radixsort/block_radix_rank.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/sort_items.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
class BlockRadixSort {
    static constexpr RadixSortPolicy kPolicy = Tuning::kPolicy;
    static constexpr int kItems = kPolicy.small_items;
    static constexpr bool kKeysMove = kPolicy.keys_in_shared && alignof(Key) <= 16;
    static constexpr bool kNumbersMove = !kKeysMove || !std::is_same_v<Value, NoValues>;

  public:
    static constexpr int kThreads = kPolicy.small_threads;
    static constexpr int kTile = kThreads * kItems;

  private:
    using Rank = BlockRadixRank<kThreads, kItems, kPolicy.digit_bits, kPolicy.match>;
    using Order = KeyOrder<Key, Decomposer>;
    using Number = unsigned short;
    static_assert(kTile <= 65536, "the number of an item has 16 bits");
    template <class T, bool kUsed>
    using Exchange = shared_array<std::conditional_t<kUsed, T, char>, kUsed ? kTile : 1>;

    struct Storage {
        typename Rank::TempStorage rank;
        Exchange<Key, kKeysMove> keys;
        Exchange<Number, kNumbersMove> numbers;
    };

    // The items of a thread; what is not used takes no registers.
    struct Items {
        Key keys[kKeysMove ? kItems : 1];
        Number numbers[kItems];
    };

  public:
    using TempStorage = Storage;

    __device__ explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}

    // Sorts the items base + i, 0 < i < count <= kTile, of source into target at the same place.
    // There is at least one pass. Source and target do not overlap. Collective; another call may
    // follow after a __syncthreads().
    __device__ void operator()(const Order& order, const SortSource<Key, Value, ValuesIn>& source,
                               const SortTarget<Key, Value>& target, std::int64_t base, int count) {
        // All warps have as many rows of 32 items; what is missing is filled up with keys that stay
        // behind.
        const int rows = ceil_div(count, kThreads);
        Items items;
        load(order, source, base, count, rows, items);
        const int passes = order.passes(kPolicy.digit_bits);
        for (int pass = 0; pass < passes; ++pass) {
            if (pass > 0) get(rows, items);
            int ranks[kItems];
            rank(order, source, base, count, pass, rows, items, ranks);
            put(rows, items, ranks);
            __syncthreads();
        }
        for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
            std::int64_t from = 0;
            if constexpr (kNumbersMove) {
                const Number number = storage_.numbers[i];
                from = base + number;
            }
            if constexpr (kKeysMove) {
                const Key key = storage_.keys[i];
                target.keys[base + i] = key;
            } else {
                target.keys[base + i] = source.key(from);
            }
            if constexpr (!std::is_same_v<Value, NoValues>)
                target.values[base + i] = source.value(from);
        }
    }

  private:
    __device__ static void load(const Order& order, const SortSource<Key, Value, ValuesIn>& source,
                                std::int64_t base, int count, int rows, Items& items) {
        LIBSCAN_UNROLL(kItems)
        for (int j = 0; j < kItems; ++j) {
            if (j < rows) {
                const int i = striped_item(rows, j);
                items.numbers[j] = static_cast<Number>(i);
                if constexpr (kKeysMove) {
                    if (i < count) {
                        items.keys[j] = source.key(base + i);
                    } else {
                        order.set_last(items.keys[j]);
                    }
                }
            }
        }
    }

    __device__ void rank(const Order& order, const SortSource<Key, Value, ValuesIn>& source,
                         std::int64_t base, int count, int pass, int rows, const Items& items,
                         int (&ranks)[kItems]) {
        const auto digit = order.digit(pass, kPolicy.digit_bits);
        const auto ignore = [](int, unsigned) {};
        unsigned counts[Rank::kDigitsOfThread] = {}, starts[Rank::kDigitsOfThread];
        if constexpr (kKeysMove) {
            Rank(storage_.rank)
                .rank([&](int j) { return digit(items.keys[j]); }, rows, ignore, ranks, counts,
                      starts);
        } else {
            unsigned digits[kItems];
            LIBSCAN_UNROLL(kItems)
            for (int j = 0; j < kItems; ++j) {
                if (j < rows) {
                    digits[j] = items.numbers[j] < count
                                    ? digit(source.keys[base + items.numbers[j]])
                                    : Rank::kDigits - 1;
                }
            }
            Rank(storage_.rank)
                .rank([&](int j) { return digits[j]; }, rows, ignore, ranks, counts, starts);
        }
    }

    __device__ void put(int rows, const Items& items, const int (&ranks)[kItems]) {
        LIBSCAN_UNROLL(kItems)
        for (int j = 0; j < kItems; ++j) {
            if (j < rows) {
                if constexpr (kKeysMove) storage_.keys[ranks[j]] = items.keys[j];
                if constexpr (kNumbersMove) storage_.numbers[ranks[j]] = items.numbers[j];
            }
        }
    }

    __device__ void get(int rows, Items& items) {
        LIBSCAN_UNROLL(kItems)
        for (int j = 0; j < kItems; ++j) {
            if (j < rows) {
                const int i = striped_item(rows, j);
                if constexpr (kKeysMove) items.keys[j] = storage_.keys[i];
                if constexpr (kNumbersMove) items.numbers[j] = storage_.numbers[i];
            }
        }
    }

    TempStorage& storage_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

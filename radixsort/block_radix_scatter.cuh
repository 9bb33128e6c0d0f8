// SPDX-License-Identifier: Apache-2.0
//
// One tile of one pass: sorts the tile by a digit in shared memory, and writes each digit's items
// as one run to where they belong among all items. Where that is, the caller says.
//
// Source: Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs",
// IPDPS 2009: sort in shared memory first, so that neighbouring threads write neighbouring items.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <radixsort/block_radix_rank.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/sort_items.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
class BlockRadixScatter {
    static constexpr RadixSortPolicy kPolicy = Tuning::kPolicy;
    static constexpr int kThreads = kPolicy.threads, kItems = kPolicy.items;
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValues>;
    static constexpr bool kKeysInShared = kPolicy.keys_in_shared && alignof(Key) <= 16;
    static constexpr bool kValuesInShared =
        kHasValues && kPolicy.values_in_shared && alignof(Value) <= 16;
    using Rank = BlockRadixRank<kThreads, kItems, kPolicy.digit_bits, kPolicy.match>;
    using Order = KeyOrder<Key, Decomposer>;
    using Digit = typename Order::Digit;
    using Source = SortSource<Key, Value, ValuesIn>;
    using Target = SortTarget<Key, Value>;

  public:
    static constexpr int kTile = kThreads * kItems;
    static constexpr int kDigits = Rank::kDigits;

  private:
    static_assert(kTile <= 65536, "the number of an item in its tile has 16 bits");
    using Number = unsigned short;
    template <class T, bool kUsed>
    using Exchange = shared_array<std::conditional_t<kUsed, T, char>, kUsed ? kTile : 1>;

    // The parts of the union are used one after the other.
    struct Storage {
        union {
            typename Rank::TempStorage rank;
            Exchange<Key, kKeysInShared> keys;
            Exchange<Value, kValuesInShared> values;
            Exchange<Number, !kKeysInShared || (kHasValues && !kValuesInShared)> numbers;
        };
        // Where item number 0 of the sorted tile would go if it had the digit, in bytes.
        shared_array<Word, kDigits> key_runs;
        shared_array<Word, kHasValues ? kDigits : 1> value_runs;
    };

  public:
    using TempStorage = Storage;

    __device__ BlockRadixScatter(TempStorage& storage, const Source& source, const Target& target)
        : storage_(storage), source_(source), target_(target) {}

    // Moves the items base + i, i < count, by digit number `pass`. For each digit on_count(digit,
    // count) is called as soon as the number of its items is known, and later start_of(k, digit,
    // count), by the same thread, whose digit number k it is; it returns where in the output the
    // first of them goes. Where the tile is not full, the largest digit's count is too large:
    // nothing may stand on it.
    //
    // Collective. Another call may follow after a __syncthreads().
    template <class OnCount, class StartOf>
    __device__ void operator()(const Order& order, int pass, std::int64_t base, int count,
                               OnCount on_count, StartOf start_of) {
        const Digit digit = order.digit(pass, kPolicy.digit_bits);
        int ranks[kItems];
        unsigned counts[Rank::kDigitsOfThread] = {}, starts[Rank::kDigitsOfThread] = {};
        Rank rank(storage_.rank);
        if constexpr (kKeysInShared) {
            Key keys[kItems];
            load_keys(order, base, count, keys);
            rank.rank([&](int j) { return digit(keys[j]); }, kItems, on_count, ranks, counts,
                      starts);
            __syncthreads();
            LIBSCAN_UNROLL(kItems)
            for (int j = 0; j < kItems; ++j) storage_.keys[ranks[j]] = keys[j];
        } else {
            unsigned digits[kItems];
            load_digits(digit, base, count, digits);
            rank.rank([&](int j) { return digits[j]; }, kItems, on_count, ranks, counts, starts);
            __syncthreads();
            put_numbers(ranks);
        }
        Rank::for_each_digit([&](int k, int d) {
            const Word first = start_of(k, d, counts[k]) - starts[k];
            storage_.key_runs[d] = address(target_.keys, first);
            if constexpr (kHasValues) storage_.value_runs[d] = address(target_.values, first);
        });
        __syncthreads();

        int digits[kItems];
        if (count == kTile) {
            write_keys<true>(digit, base, count, digits);
        } else {
            write_keys<false>(digit, base, count, digits);
        }
        if constexpr (kHasValues) move_values(base, count, ranks, digits);
    }

  private:
    // Item j of this thread after the exchange: neighbouring threads have neighbouring items.
    __device__ static int sorted_item(int j) {
        return j * kThreads + static_cast<int>(threadIdx.x);
    }

    template <class T>
    __device__ static Word address(T* array, Word i) {
        return static_cast<Word>(reinterpret_cast<std::uintptr_t>(array)) + i * sizeof(T);
    }

    // Where item j of this thread goes, by the run of its digit.
    template <class T>
    __device__ static T* target(Word run, int j) {
        return global_pointer<T>(run + threadIdx.x * sizeof(T)) + j * kThreads;
    }

    template <bool kIsFull>
    __device__ void write_keys(const Digit& digit, std::int64_t base, int count,
                               int (&digits)[kItems]) const {
        LIBSCAN_UNROLL(kItems)
        for (int j = 0; j < kItems; ++j) {
            const int i = sorted_item(j);
            if (kIsFull || i < count) {
                const Key key = sorted_key(base, i);
                digits[j] = static_cast<int>(digit(key));
                const Word run = storage_.key_runs[digits[j]];
                *target<Key>(run, j) = key;
            }
        }
    }

    // What is missing from a tile becomes keys that go behind all others.
    __device__ void load_keys(const Order& order, std::int64_t base, int count,
                              Key (&keys)[kItems]) const {
        if (count == kTile) {
            LIBSCAN_UNROLL(kItems)
            for (int j = 0; j < kItems; ++j) keys[j] = source_.key(base + striped_item(kItems, j));
        } else {
            LIBSCAN_UNROLL(kItems)
            for (int j = 0; j < kItems; ++j) {
                const int i = striped_item(kItems, j);
                if (i < count) {
                    keys[j] = source_.key(base + i);
                } else {
                    order.set_last(keys[j]);
                }
            }
        }
    }

    __device__ void load_digits(const Digit& digit, std::int64_t base, int count,
                                unsigned (&digits)[kItems]) const {
        LIBSCAN_UNROLL(kItems)
        for (int j = 0; j < kItems; ++j) {
            const int i = striped_item(kItems, j);
            digits[j] = i < count ? digit(source_.keys[base + i]) : kDigits - 1;
        }
    }

    __device__ void put_numbers(const int (&ranks)[kItems]) {
        LIBSCAN_UNROLL(kItems)
        for (int j = 0; j < kItems; ++j)
            storage_.numbers[ranks[j]] = static_cast<Number>(striped_item(kItems, j));
    }

    __device__ Key sorted_key(std::int64_t base, int i) const {
        if constexpr (kKeysInShared) {
            return storage_.keys[i];
        } else {
            const Number number = storage_.numbers[i];
            return source_.key(base + number);
        }
    }

    __device__ void move_values(std::int64_t base, int count, const int (&ranks)[kItems],
                                const int (&digits)[kItems]) {
        if constexpr (kValuesInShared) {
            __syncthreads();
            LIBSCAN_UNROLL(kItems)
            for (int j = 0; j < kItems; ++j) {
                const int i = striped_item(kItems, j);
                if (i < count) storage_.values[ranks[j]] = source_.value(base + i);
            }
            __syncthreads();
        } else if constexpr (kKeysInShared) {
            __syncthreads();
            put_numbers(ranks);
            __syncthreads();
        }
        LIBSCAN_UNROLL(kItems)
        for (int j = 0; j < kItems; ++j) {
            const int i = sorted_item(j);
            if (i < count) {
                const Word run = storage_.value_runs[digits[j]];
                if constexpr (kValuesInShared) {
                    const Value value = storage_.values[i];
                    *target<Value>(run, j) = value;
                } else {
                    const Number number = storage_.numbers[i];
                    *target<Value>(run, j) = source_.value(base + number);
                }
            }
        }
    }

    TempStorage& storage_;
    Source source_;
    Target target_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// What tiles tell each other: one or two numbers, each in a word with its flag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/tile_states.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Of the whole input in words, below 2^63; within a tile in ints.
template <int kNumbers, class Number = Word>
struct Counts {
    Number count[kNumbers];
};

// Operators on counts have all zero as their identity. kCommutative: nor does the order matter.
struct AddCounts {
    static constexpr bool kCommutative = true;
    template <class C>
    __device__ __forceinline__ C operator()(const C& a, const C& b) const {
        C sum = a;
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < static_cast<int>(sizeof(a.count) / sizeof(a.count[0])); ++k)
            sum.count[k] += b.count[k];
        return sum;
    }
};

// Counts leave the top bit of a word to its flag: half the words that any value would take.
template <int kNumbers>
class TileStates<Counts<kNumbers>, true> {
    using Value = Counts<kNumbers>;
    static_assert(kNumbers == 1 || kNumbers == 2, "16 bytes are read at once");

  public:
    static constexpr int kWords = kNumbers;
    static constexpr std::size_t kClearedBytes = sizeof(Word) * kNumbers;
    static constexpr std::size_t kValueBytes = 0;
    static constexpr int kTilesOfLoad = 2 / kNumbers;

    TileStates() = default;
    // 16-byte aligned.
    __host__ __device__ TileStates(void* cleared, void*) : words_(static_cast<Word*>(cleared)) {}

    __device__ __forceinline__ void publish(std::int64_t i, const Value& value) const {
        Word* const to = words_ + i * kNumbers;
        if constexpr (kNumbers == 2) {
            store_relaxed2(to, kPublished | value.count[0], kPublished | value.count[1]);
        } else {
            store_relaxed(to, kPublished | value.count[0]);
        }
    }

    // The values of kTilesOfLoad tiles, as far as they are there.
    class Found {
      public:
        __device__ __forceinline__ bool there(int tile) const {
            Word all = word_[tile];
            if constexpr (kNumbers == 2) all &= word_[1];
            return (all & kPublished) != 0;
        }
        __device__ __forceinline__ Value value(int tile) const {
            Value value;
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kNumbers; ++k) value.count[k] = word_[tile + k] & ~kPublished;
            return value;
        }

      private:
        friend class TileStates;
        Word word_[2] = {};
    };

    // Looks for the values of tiles i .. i + kTilesOfLoad - 1, i being a multiple of that. Nothing
    // waits for the load: look at what was found after all loads of a round only.
    __device__ __forceinline__ void load_if(bool wanted, std::int64_t i, Found& found) const {
        load_relaxed2_if(wanted, words_ + i * kNumbers, found.word_[0], found.word_[1]);
    }

    // The same for the value of one tile.
    class One {
      public:
        __device__ __forceinline__ bool there() const {
            Word all = word_[0];
            if constexpr (kNumbers == 2) all &= word_[1];
            return (all & kPublished) != 0;
        }
        __device__ __forceinline__ Value value() const {
            Value value;
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kNumbers; ++k) value.count[k] = word_[k] & ~kPublished;
            return value;
        }

      private:
        friend class TileStates;
        Word word_[kNumbers] = {};
    };
    __device__ __forceinline__ void load_if(bool wanted, std::int64_t i, One& found) const {
        if constexpr (kNumbers == 2) {
            load_relaxed2_if(wanted, words_ + i * 2, found.word_[0], found.word_[1]);
        } else {
            load_relaxed_if(wanted, words_ + i, found.word_[0]);
        }
    }

  private:
    static constexpr Word kPublished = Word(1) << 63;
    Word* words_;
};

// What the tiles of one launch share; all of it zero when it begins.
template <class State>
struct CompactionStates {
    static constexpr int kGroup = 32;  // tiles

    Word* ticket;             // the next tile to be taken
    TileStates<State> tiles;  // the counts of each
    Word* groups;             // group_gather.cuh
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

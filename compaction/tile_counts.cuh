// SPDX-License-Identifier: Apache-2.0
//
// What tiles tell each other by look-back: one or two numbers, each in a word with its flag.
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

struct AddCounts {
    template <class C>
    __device__ C operator()(const C& a, const C& b) const {
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
    static_assert(kNumbers == 1 || kNumbers == 2, "a lane reads 16 bytes at once");

  public:
    static constexpr int kWords = kNumbers;
    static constexpr std::size_t kClearedBytes = sizeof(Word) * kNumbers;
    static constexpr std::size_t kValueBytes = 0;

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

    class Found {
      public:
        __device__ __forceinline__ bool there() const {
            Word all = word[0];
            if constexpr (kNumbers == 2) all &= word[1];
            return (all & kPublished) != 0;
        }
        __device__ __forceinline__ Value value() const {
            Value value;
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kNumbers; ++k) value.count[k] = word[k] & ~kPublished;
            return value;
        }

      private:
        friend class TileStates;
        Word word[kNumbers] = {};
    };

    // As in libscan/tile_states.cuh.
    template <int kCount>
    __device__ __forceinline__ void poll(std::int64_t first, Found (&found)[kCount],
                                         int needed) const {
        const Word* const from = words_ + first * kNumbers;
        if constexpr (kNumbers == 2) {
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < kCount; ++i) {
                load_relaxed2_if(i < needed && !found[i].there(), from + 2 * i, found[i].word[0],
                                 found[i].word[1]);
            }
        } else if constexpr (kCount % 2 == 0) {
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < kCount; i += 2) {
                const bool want =
                    (i < needed && !found[i].there()) || (i + 1 < needed && !found[i + 1].there());
                load_relaxed2_if(want, from + i, found[i].word[0], found[i + 1].word[0]);
            }
        } else {
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < kCount; ++i) {
                load_relaxed_if(i < needed && !found[i].there(), from + i, found[i].word[0]);
            }
        }
    }

  private:
    static constexpr Word kPublished = Word(1) << 63;
    Word* words_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

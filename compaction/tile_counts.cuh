// SPDX-License-Identifier: Apache-2.0
//
// What tiles tell each other by look-back: one or two numbers, each in a word with its flag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/look_back.cuh>
#include <limits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Numbers below 2^63.
template <int kNumbers>
struct Counts {
    Word count[kNumbers];
};

struct AddCounts {
    template <int kNumbers>
    __device__ Counts<kNumbers> operator()(const Counts<kNumbers>& a,
                                           const Counts<kNumbers>& b) const {
        Counts<kNumbers> sum;
        LIBSCAN_UNROLL(kNumbers)
        for (int k = 0; k < kNumbers; ++k) sum.count[k] = a.count[k] + b.count[k];
        return sum;
    }
};

// Counts leave the top bit of a word to the flag, so no word has to be waited for that another one
// announces.
//
// `ordered` is for compaction in place, where a block may write over what an earlier tile had: it
// then waits for every earlier tile not only to have counted, but to have read. Publishing releases
// what the block has read (the block's barrier stands before it), reading acquires.
template <int kNumbers>
class PublishedValues<Counts<kNumbers>, false> {
  public:
    static constexpr std::size_t kClearedBytes = kNumbers * sizeof(Word);
    static constexpr std::size_t kValueBytes = 0;

    PublishedValues() = default;
    PublishedValues(void* cleared, bool ordered)
        : words_(static_cast<Word*>(cleared)), ordered_(ordered) {}

    __device__ void publish(std::int64_t i, const Counts<kNumbers>& value) const {
        LIBSCAN_UNROLL(kNumbers)
        for (int k = 0; k < kNumbers; ++k) {
            Word* const word = words_ + i * kNumbers + k;
            if (ordered_) {
                store_release(word, kPublished | value.count[k]);
            } else {
                store_relaxed(word, kPublished | value.count[k]);
            }
        }
    }
    // False while something is missing; `value` is then left as it is.
    __device__ bool read(std::int64_t i, Counts<kNumbers>& value) const {
        const Word* const words = words_ + i * kNumbers;
        Counts<kNumbers> seen;
        Word all = kPublished;
        LIBSCAN_UNROLL(kNumbers)
        for (int k = 0; k < kNumbers; ++k) {
            seen.count[k] = load_relaxed(words + k);
            all &= seen.count[k];
        }
        if (all == 0) return false;
        // Only what is there is acquired, once: an acquiring load costs more than the one that
        // polls. It finds the same word, which is written once.
        if (ordered_) seen.count[0] = load_acquire(words);
        LIBSCAN_UNROLL(kNumbers)
        for (int k = 0; k < kNumbers; ++k) value.count[k] = seen.count[k] & ~kPublished;
        return true;
    }

  private:
    static constexpr Word kPublished = Word(1) << 63;
    Word* words_;
    bool ordered_;
};

// The words that the tiles of one launch share, in temporary storage: the ticket, one word for
// whoever launches, and the states. All are zero when the launch begins. Null for a single tile,
// which has nobody to talk to.
template <class State>
class TileStates {
    using Values = PublishedValues<State>;

  public:
    explicit TileStates(std::int64_t tiles) : tiles_(tiles) {}

    // False where the size does not fit.
    [[nodiscard]] bool bytes(std::size_t& size) const {
        size = 0;
        if (tiles_ <= 1) return true;
        const std::uint64_t values =
            static_cast<std::uint64_t>(tiles_) +
            static_cast<std::uint64_t>(LookBackStates<State>::windows(tiles_)) + 1;
        constexpr std::size_t kMost =
            (std::numeric_limits<std::size_t>::max() - 1024) / Values::kClearedBytes;
        if (values > kMost) return false;
        size = 2 * sizeof(Word) + static_cast<std::size_t>(values) * Values::kClearedBytes;
        return true;
    }
    static Word* spare_word(void* cleared) { return static_cast<Word*>(cleared) + 1; }
    LookBackStates<State> states(void* cleared, bool ordered) const {
        if (cleared == nullptr) return {};
        Word* const ticket = static_cast<Word*>(cleared);
        char* const values = reinterpret_cast<char*>(ticket + 2);
        return {ticket, Values(values, ordered),
                Values(values + static_cast<std::size_t>(tiles_) * Values::kClearedBytes, ordered)};
    }

  private:
    std::int64_t tiles_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// Look-back for many counters at once: how a tile learns, for each digit, how many items of that
// digit stand in the tiles before it.
//
// A tile has one 32-bit word for each digit: two bits say what the other thirty are, nothing yet,
// the tile's own count, or the count up to and including the tile. One thread serves one digit and
// walks back over the tiles until it meets a count of the last kind. The order of adding does not
// matter to integers, so unlike look_back.cuh this may stop wherever it can. Tiles are handed out
// by a ticket, so every tile waited for is held by a block that runs.
//
// A pass leaves every word of the last kind. The next pass takes that for "nothing yet" and the
// kinds turn by two, so the words are cleared once and not before each pass.
//
// Source: Andy Adinets and Duane Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort
// for GPUs", arXiv 2206.01784, 2022, section 4; the turning of the kinds is ours.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// A launch counts this many items at most: the words have 30 bits for a count.
inline constexpr std::int64_t kMaxDigitLookBackItems = (std::int64_t(1) << 30) - 1;

class DigitLookBack {
  public:
    // words: `digits` for each tile; zero before the first pass. odd_pass: an odd number of passes
    // has gone over the words since they were cleared, each over the same tiles.
    __device__ DigitLookBack(unsigned* words, int digits, bool odd_pass)
        : words_(words), digits_(digits), turn_(odd_pass ? kInclusive : 0u) {}

    // How many items of the digit the tile has. Nothing waits.
    __device__ void publish(std::int64_t tile, int digit, unsigned count) const {
        store(tile, digit, (tile == 0 ? kInclusive : kOwn) | count);
    }

    // How many items of the digit the tiles before this one have. Called once, with what has been
    // published. kPause: for so many nanoseconds a thread that has found nothing new leaves the
    // memory to the others.
    template <int kPause = 0>
    __device__ unsigned before(std::int64_t tile, int digit, unsigned count) const {
        unsigned sum = 0;
        std::int64_t at = tile - 1;
        bool found = tile == 0;
        while (!found) {
            // Several words in flight at once; before tile 0 there are no items.
            unsigned words[kAhead];
            LIBSCAN_UNROLL(kAhead)
            for (int i = 0; i < kAhead; ++i) {
                words[i] = kInclusive;
                if (at >= i) words[i] = load_relaxed(words_ + (at - i) * digits_ + digit) ^ turn_;
            }
            [[maybe_unused]] const std::int64_t start = at;
            bool there = true;  // every word so far
            LIBSCAN_UNROLL(kAhead)
            for (int i = 0; i < kAhead; ++i) {
                there = there && (words[i] & kKind) != 0;
                if (there && !found) {
                    sum += words[i] & ~kKind;
                    --at;
                    found = (words[i] & kKind) == kInclusive;
                }
            }
            if constexpr (kPause > 0) {
                if (at == start) __nanosleep(kPause);
            }
        }
        if (tile > 0) store(tile, digit, kInclusive | (sum + count));
        return sum;
    }

  private:
    static constexpr int kAhead = 4;  // tiles
    static constexpr unsigned kKind = 3u << 30, kOwn = 1u << 30, kInclusive = 2u << 30;

    __device__ void store(std::int64_t tile, int digit, unsigned word) const {
        store_relaxed(words_ + tile * digits_ + digit, word ^ turn_);
    }

    unsigned* words_;
    int digits_;
    unsigned turn_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

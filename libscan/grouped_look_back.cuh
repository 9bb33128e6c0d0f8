// SPDX-License-Identifier: Apache-2.0
//
// Look-back for many counters at once, in two levels: as digit_look_back.cuh, but a tile adds its
// counts to sums of its group of tiles as well. A later tile reads the words of the tiles before it
// in its own group, and a sum for each group before that: where all tiles are in flight at the same
// time, and nobody knows a prefix yet, a few round trips in place of one for every four tiles.
//
// A group's sum counts its tiles in the upper bits: it is complete when all have been added. The
// last tile of a group says how many items there are up to the end of the group. As in
// digit_look_back.cuh tiles are handed out by a ticket, and no order of adding matters.
//
// The words of tiles and the inclusive counts have one bit that says whether the rest is there;
// a pass leaves it set in all of them, and in the next one it has the other meaning. The sums have
// words of their own for each pass.
//
// Source: Duane Merrill and Michael Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back", NVIDIA NVR-2016-002, 2016, for the look-back; the groups are ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

class GroupedLookBack {
  public:
    static constexpr int kGroup = 16;  // tiles

    // Words for so many tiles and passes.
    static std::size_t words(std::int64_t tiles, int digits, int passes) {
        const std::int64_t groups = (tiles + kGroup - 1) / kGroup;
        return static_cast<std::size_t>((tiles + groups * (1 + passes)) * digits);
    }

    // All words are zero before the first pass. pass: of `passes`. odd_pass: an odd number of
    // passes has gone over the words since they were cleared, each over the same tiles.
    __device__ GroupedLookBack(unsigned* words, std::int64_t tiles, int digits, int pass,
                               bool odd_pass)
        : tiles_(words), digits_(digits), turn_(odd_pass ? kThere : 0u) {
        const std::int64_t groups = (tiles + kGroup - 1) / kGroup;
        inclusive_ = tiles_ + tiles * digits;
        sums_ = inclusive_ + groups * digits * (1 + pass);
    }

    // How many items of the digit the tile has. Nothing waits.
    __device__ void publish(unsigned tile, int digit, unsigned count) const {
        store_relaxed(word(tiles_, tile, digit), (kThere | count) ^ turn_);
        atomicAdd(word(sums_, tile / kGroup, digit), kOneTile | count);
    }

    // How many items of the digit the tiles before this one have. Called once, with what has been
    // published.
    __device__ unsigned before(unsigned tile, int digit, unsigned count) const {
        const unsigned group = tile / kGroup;
        unsigned sum = 0;
        unsigned at = group * kGroup;           // the next tile of this group
        int earlier = static_cast<int>(group);  // groups whose items are not yet in the sum
        while (at < tile || earlier > 0) {
            // All that is asked for is in flight at once.
            unsigned tiles[kTilesAhead], inclusive[kGroupsAhead], sums[kGroupsAhead];
            LIBSCAN_UNROLL(kTilesAhead)
            for (int i = 0; i < kTilesAhead; ++i) {
                tiles[i] = turn_;
                if (at + i < tile) tiles[i] = load_relaxed(word(tiles_, at + i, digit));
            }
            LIBSCAN_UNROLL(kGroupsAhead)
            for (int i = 0; i < kGroupsAhead; ++i) {
                inclusive[i] = turn_;
                sums[i] = 0;
                if (i < earlier) {
                    const unsigned g = static_cast<unsigned>(earlier - 1 - i);
                    inclusive[i] = load_relaxed(word(inclusive_, g, digit));
                    sums[i] = load_relaxed(word(sums_, g, digit));
                }
            }
            unsigned there = kThere;  // every word so far
            LIBSCAN_UNROLL(kTilesAhead)
            for (int i = 0; i < kTilesAhead; ++i) {
                there &= tiles[i] ^ turn_;
                if (there != 0) {
                    sum += (tiles[i] ^ turn_) & ~kThere;
                    ++at;
                }
            }
            int walked = 0;
            bool more = true;
            LIBSCAN_UNROLL(kGroupsAhead)
            for (int i = 0; i < kGroupsAhead; ++i) {
                const unsigned word = inclusive[i] ^ turn_;
                if (more && (word & kThere) != 0) {
                    sum += word & ~kThere;
                    walked = earlier;
                    more = false;
                }
                more = more && sums[i] >= kGroup * kOneTile;
                if (more) {
                    sum += sums[i] & (kOneTile - 1);
                    ++walked;
                }
            }
            earlier -= walked;
        }
        if (tile % kGroup == kGroup - 1)
            store_relaxed(word(inclusive_, group, digit), (kThere | (sum + count)) ^ turn_);
        return sum;
    }

  private:
    static constexpr int kTilesAhead = 8, kGroupsAhead = 4;
    static constexpr unsigned kThere = 1u << 31;
    static constexpr unsigned kOneTile = 1u << 26;  // in a sum; below, items
    static_assert(kGroup < 1 << 6, "the upper bits count the tiles of a group");

    __device__ unsigned* word(unsigned* words, unsigned row, int digit) const {
        return words + static_cast<std::int64_t>(row) * digits_ + digit;
    }

    unsigned *tiles_, *inclusive_, *sums_;
    int digits_;
    unsigned turn_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

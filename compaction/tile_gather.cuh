// SPDX-License-Identifier: Apache-2.0
//
// How a block learns what stands before its tiles. Every tile publishes its counts as soon as it
// has them. A block keeps what all tiles up to its last one come to, and adds up what those since
// then have published, by loads that are all under way at once. So no tile waits for anything but
// the counts of earlier tiles, and nothing is handed on from block to block.
//
// For one block a multiprocessor; where more of them read the same words, that is what takes the
// time, and group_gather.cuh is faster. Counts are integers, and need no fixed order of
// combination, which libscan/look_back.cuh is for.
#pragma once

#include <compaction/tile_counts.cuh>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// For a full warp, all of whose lanes call together, for ever later tiles.
template <class State, class Combine>
class TileGather {
    using States = CompactionStates<State>;
    using Tiles = TileStates<State>;
    static constexpr int kLoads = 8, kPerLoad = Tiles::kTilesOfLoad;
    static constexpr int kRound = kLoads * kWarpSize * kPerLoad;  // tiles

  public:
    // Publishes the tile's counts, and returns what stands before it.
    __device__ __forceinline__ State operator()(const States& states, std::int64_t tile,
                                                const State& own) {
        if (lane() == 0) states.tiles.publish(tile, own);
        while (next_ < tile) add_round(states.tiles, tile);
        const State before = running_;
        running_ = Combine{}(running_, own);
        next_ = tile + 1;
        return before;
    }

  private:
    static __device__ __forceinline__ int lane() {
        return static_cast<int>(threadIdx.x) % kWarpSize;
    }

    __device__ __forceinline__ void add_round(const Tiles& states, std::int64_t tile) {
        // Of the lane's load c: tiles first + place(c) and, maybe, the next one. Those that count
        // are from `skip` on, and before `end`.
        const std::int64_t first = next_ / kPerLoad * kPerLoad;
        const int skip = static_cast<int>(next_ - first);
        const int end = tile - first < kRound ? static_cast<int>(tile - first) : kRound;
        const auto place = [](int c) { return (c * kWarpSize + lane()) * kPerLoad; };
        const auto counts = [&](int i) { return i >= skip && i < end; };

        typename Tiles::Found found[kLoads];
        bool missing;
        do {
            LIBSCAN_UNROLL_ALL
            for (int c = 0; c < kLoads; ++c) {
                bool want = false;
                LIBSCAN_UNROLL_ALL
                for (int i = 0; i < kPerLoad; ++i)
                    want = want || (counts(place(c) + i) && !found[c].there(i));
                states.load_if(want, first + place(c), found[c]);
            }
            missing = false;
            LIBSCAN_UNROLL_ALL
            for (int c = 0; c < kLoads; ++c) {
                LIBSCAN_UNROLL_ALL
                for (int i = 0; i < kPerLoad; ++i)
                    missing = missing || (counts(place(c) + i) && !found[c].there(i));
            }
        } while (__any_sync(~0u, missing));

        Combine combine;
        State sum{};
        LIBSCAN_UNROLL_ALL
        for (int c = 0; c < kLoads; ++c) {
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < kPerLoad; ++i) {
                State value{};
                if (counts(place(c) + i)) value = found[c].value(i);
                if constexpr (Combine::kCommutative) {
                    sum = combine(sum, value);
                } else {
                    const State row = warp_inclusive_scan(~0u, value, combine);
                    sum = combine(sum, broadcast(~0u, row, kWarpSize - 1));
                }
            }
        }
        if constexpr (Combine::kCommutative) {
            LIBSCAN_UNROLL_ALL
            for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
                const State other = move_words(
                    sum, [=](unsigned word) { return __shfl_xor_sync(~0u, word, distance); });
                sum = combine(sum, other);
            }
        }
        running_ = combine(running_, sum);
        next_ = first + end;
    }

    State running_{};  // what the tiles before next_ come to
    std::int64_t next_ = 0;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// The same as tile_gather.cuh for several blocks a multiprocessor: every tile adds its counts to
// the sum of its group of 32 tiles, too, and a block reads the sums of groups, and only those tiles
// that are before its own in the same group.
#pragma once

#include <compaction/tile_counts.cuh>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

__device__ __forceinline__ unsigned sum_of_lanes(unsigned value) {
    LIBSCAN_UNROLL_ALL
    for (int distance = kWarpSize / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(~0u, value, distance);
    return value;
}

// kSums: how many of the numbers, the first ones, are sums. The one behind is where something was
// last (LastHead), if there is one. For a full warp, all of whose lanes call together, for ever
// later tiles.
template <int kNumbers, int kSums>
class GroupGather {
    using State = Counts<kNumbers>;
    using States = CompactionStates<State>;
    using Tiles = TileStates<State>;
    static constexpr bool kHasLast = kSums < kNumbers;
    static constexpr int kGroup = States::kGroup;
    static_assert(kGroup == kWarpSize, "a lane looks at a tile");

  public:
    // Publishes the tile's counts, and returns what stands before it.
    __device__ __forceinline__ State operator()(const States& states, std::int64_t tile,
                                                const State& own) {
        const std::int64_t group = tile / kGroup;
        if (lane() == 0) {
            states.tiles.publish(tile, own);
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kSums; ++k)
                atomicAdd(states.groups + group * kSums + k, kArrival | own.count[k]);
        }
        typename Tiles::One found;
        // In order of tiles: those before this one, in its group, or just the last 32.
        const std::int64_t mine = (kHasLast ? tile - kGroup : group * kGroup) + lane();
        while (true) {
            const bool more = group - next_group_ > kWarpSize;
            const std::int64_t end = more ? next_group_ + kWarpSize : group;
            add_groups(states, end, !more && mine >= 0 && mine < tile, mine, found);
            if (!more) break;
        }
        State before = groups_;
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kSums; ++k) {
            const bool counts = mine >= group * kGroup && mine < tile;
            before.count[k] +=
                sum_of_lanes(counts ? static_cast<unsigned>(found.value().count[k]) : 0);
        }
        if constexpr (kHasLast) {
            before.count[kSums] = last_before(states, tile, mine >= 0 && mine < tile, found);
            known_ = tile + 1;
            last_ = own.count[kSums] > 0 ? own.count[kSums] : before.count[kSums];
        }
        return before;
    }

  private:
    static constexpr Word kArrival = Word(1) << 56;  // a group's count of tiles that have added
    static constexpr Word kComplete = kGroup * kArrival;
    static __device__ __forceinline__ int lane() {
        return static_cast<int>(threadIdx.x) % kWarpSize;
    }

    // Waits for the groups next_group_ .. end - 1, at most 32, and for the lane's tile.
    __device__ __forceinline__ void add_groups(const States& states, std::int64_t end, bool want,
                                               std::int64_t tile, typename Tiles::One& found) {
        const std::int64_t group = next_group_ + lane();
        const bool has_group = group < end;
        Word sums[kSums] = {};
        bool missing;
        do {
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kSums; ++k)
                load_relaxed_if(has_group && sums[k] < kComplete, states.groups + group * kSums + k,
                                sums[k]);
            states.tiles.load_if(want && !found.there(), tile, found);
            missing = want && !found.there();
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kSums; ++k) missing = missing || (has_group && sums[k] < kComplete);
        } while (__any_sync(~0u, missing));
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kSums; ++k)
            groups_.count[k] +=
                sum_of_lanes(has_group ? static_cast<unsigned>(sums[k] - kComplete) : 0);
        next_group_ = end;
    }

    // Where it was last in the tiles before this one; `found` are the last 32 of them. A tile that
    // has it has counted it.
    __device__ __forceinline__ Word last_before(const States& states, std::int64_t tile, bool any,
                                                typename Tiles::One found) const {
        std::int64_t first = tile - kGroup;
        while (true) {
            Word place = 0;
            if (any) place = found.value().count[kNumbers - 1];
            const unsigned having = __ballot_sync(~0u, place > 0);
            if (having != 0)
                return broadcast(~0u, place, kWarpSize - 1 - __clz(static_cast<int>(having)));
            if (first <= known_) return last_;
            first -= kGroup;
            found = {};
            any = first + lane() >= 0;
            do {
                states.tiles.load_if(any && !found.there(), first + lane(), found);
            } while (__any_sync(~0u, any && !found.there()));
        }
    }

    State groups_{};  // what the groups before next_group_ come to
    std::int64_t next_group_ = 0;
    std::int64_t known_ = 0;  // last_ is of the tiles before this
    Word last_ = 0;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

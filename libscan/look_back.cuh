// SPDX-License-Identifier: Apache-2.0
//
// Look-back: how a tile learns, while the grid runs, what stands before it.
//
// Every tile publishes its aggregate as soon as it has it, and then waits for aggregates of earlier
// tiles only. Tiles are handed out by a ticket, so every earlier tile is held by a block that runs:
// the lowest tile that is not finished never waits for long, however many blocks are resident and
// in whatever order they start.
//
// The order of combination is that of tile_windows.cuh. What stands before a window is published by
// the first tile of that window. A tile that comes before it is there goes back to the nearest
// window of which it is known, and adds up the windows from there on by itself, in the same order:
// the value is the same whoever computes it.
//
// Source: Duane Merrill and Michael Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back", NVIDIA NVR-2016-002, 2016; there the order depends on timing.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_start.cuh>
#include <libscan/tile_windows.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Publishes the tile's aggregate, and returns what stands before the tile. All lanes of one full
// warp call it together, for tiles of ever later tickets.
template <class T, class Op, class Start>
class LookBack {
  public:
    __device__ __forceinline__ LookBack(const LookBackStates<T>& states, Op op, Start start)
        : states_(states),
          op_(op),
          start_(start),
          lane_(static_cast<int>(threadIdx.x) % kWarpSize) {}

    __device__ __forceinline__ Prefix<T> operator()(std::int64_t tile, const T& aggregate) {
        if (lane_ == 0) states_.aggregates.publish(tile, aggregate);
        const std::int64_t window = tile / kWindowTiles<T>;
        const int within = static_cast<int>(tile % kWindowTiles<T>);
        Prefix<T> before = boundary(window, aggregate);
        if (within > 0) {
            before.add(op_, fold(window, within));
        } else if (window > 0 && lane_ == 0) {
            states_.boundaries.publish(window, before.value);
        }
        return before;
    }

  private:
    // Waits for the first `count` aggregates of a window, and folds them.
    __device__ __forceinline__ T fold(std::int64_t window, int count) {
        constexpr int kPerLane = kTilesPerLane<T>;
        typename TileStates<T>::Found found[kPerLane];
        const int needed = count - lane_ * kPerLane;
        do {
            states_.aggregates.poll(window * kWindowTiles<T> + lane_ * kPerLane, found, needed);
        } while (__any_sync(~0u, any_missing(found, needed)));
        return fold_window<T>([&](int i) { return found[i].value(); }, count, op_);
    }

    // What stands before a window. `filler` is any value.
    __device__ __forceinline__ Prefix<T> boundary(std::int64_t window, const T& filler) {
        unsigned known;
        T value = filler;
        do {
            // Lane l looks at the boundary l windows back; number 0 is the start.
            typename TileStates<T>::Found found[1];
            const std::int64_t candidate = window - lane_;
            states_.boundaries.poll(candidate > 0 ? candidate : 0, found, candidate > 0 ? 1 : 0);
            const bool there = candidate > 0 && found[0].there();
            if (there) value = found[0].value();
            known = __ballot_sync(~0u, there || candidate == 0);
        } while (known == 0);
        const int nearest = __ffs(static_cast<int>(known)) - 1;
        std::int64_t at = window - nearest;
        Prefix<T> before{broadcast(~0u, value, nearest), at > 0};
        if constexpr (!kIsNoStart<Start>) {
            if (at == 0) before = Prefix<T>{start_value<T>(start_), true};
        }
        for (; at < window; ++at) before.add(op_, fold(at, kWindowTiles<T>));
        return before;
    }

    const LookBackStates<T>& states_;
    Op op_;
    Start start_;
    int lane_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

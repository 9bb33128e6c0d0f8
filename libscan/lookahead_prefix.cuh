// SPDX-License-Identifier: Apache-2.0
//
// The gatherer of the look-ahead scan: prefixes of tiles out of the aggregates of all tiles before
// them, for one persistent block that meets ever later tiles.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/tile_windows.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Keeps what stands before one window; a later tile adds the windows that have been completed since
// then, and the part of its own. All lanes of one full warp.
template <class Acc, class Op>
class LookaheadPrefix {
    static constexpr int kPerLane = kTilesPerLane<Acc>;
    static constexpr int kWindow = kWindowTiles<Acc>;
    // Windows that are read together: their loads overlap. Blocks of an H200 meet a tile in 132,
    // which are 1.03 windows of 128 tiles, or 2.06 of 64.
    static constexpr int kBatch = kPerLane == 4 ? 2 : kPerLane == 2 ? 3 : 5;
    static constexpr unsigned kFar = 4;  // windows from which on a published prefix is looked for
    using Found = typename TileStates<Acc>::Found;

  public:
    __device__ __forceinline__ LookaheadPrefix(const LookBackStates<Acc>& states, Op op,
                                               const Prefix<Acc>& start)
        : states_(states),
          op_(op),
          carry_(start),
          lane_(static_cast<int>(threadIdx.x) % kWarpSize) {}

    // What stands before the tile, which is later than that of the call before. For tile 0 without
    // a start any value.
    __device__ __forceinline__ Acc of(unsigned tile) {
        const unsigned target = tile / kWindow;
        const int before = static_cast<int>(tile % kWindow);  // of its own window
        for (;;) {
            if (target - window_ > kFar) skip_ahead(target);
            const unsigned distance = target - window_;
            const int full = static_cast<int>(distance < kBatch ? distance : unsigned{kBatch});
            const bool last = distance < kBatch;
            const Acc prefix = add_windows(full, last ? before : 0);
            window_ += static_cast<unsigned>(full);
            if (last) {
                // The same value whoever computes it; the block that owns the tile writes it down.
                if (before == 0 && window_ > 0 && lane_ == 0)
                    states_.boundaries.publish(window_, carry_.value);
                return prefix;
            }
        }
    }

  private:
    // Entry j of a batch: window_ + j, whole for j < full, and `part` tiles of the one behind.
    static __device__ __forceinline__ int entry_size(int j, int full, int part) {
        return j < full ? kWindow : j == full ? part : 0;
    }

    // Adds `full` windows to the carry; returns the carry and `part` tiles of the next window.
    __device__ __forceinline__ Acc add_windows(int full, int part) {
        Found found[kBatch][kPerLane];
        bool waiting;
        do {
            LIBSCAN_UNROLL_ALL
            for (int j = 0; j < kBatch; ++j) {
                states_.aggregates.poll(
                    static_cast<std::int64_t>(window_ + static_cast<unsigned>(j)) * kWindow +
                        lane_ * kPerLane,
                    found[j], entry_size(j, full, part) - lane_ * kPerLane);
            }
            waiting = false;
            LIBSCAN_UNROLL_ALL
            for (int j = 0; j < kBatch; ++j) {
                const int needed = entry_size(j, full, part) - lane_ * kPerLane;
                waiting = waiting || any_missing(found[j], needed);
            }
        } while (__any_sync(~0u, waiting));
        Acc prefix = carry_.value;
        LIBSCAN_UNROLL_ALL
        for (int j = 0; j < kBatch; ++j) {
            const int size = entry_size(j, full, part);
            const Acc sum = fold_window<Acc>([&](int i) { return found[j][i].value(); }, size, op_);
            if (size > 0) {
                prefix = carry_.exists ? combine(op_, prefix, sum) : sum;
                if (j < full) carry_.exists = true;
            }
            if (j < full) carry_.value = prefix;
        }
        return prefix;
    }

    // Far behind (the block started late, or held one tile for long): goes on from the latest
    // window that has its prefix written down. Never waits.
    __device__ __forceinline__ void skip_ahead(unsigned target) {
        const bool ahead = target - window_ > static_cast<unsigned>(lane_);
        const unsigned candidate = ahead ? target - static_cast<unsigned>(lane_) : target;
        Found found[1];
        states_.boundaries.poll(candidate, found, ahead ? 1 : 0);
        const unsigned known = __ballot_sync(~0u, ahead && found[0].there());
        if (known == 0) return;
        const int nearest = __ffs(static_cast<int>(known)) - 1;
        carry_ = {broadcast(~0u, found[0].value(), nearest), true};
        window_ = target - static_cast<unsigned>(nearest);
    }

    const LookBackStates<Acc>& states_;
    Op op_;
    Prefix<Acc> carry_;  // what stands before window_
    unsigned window_ = 0;
    int lane_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
// Which accesses of a block are ordered: barrier epochs between warps, vector clocks inside a warp.
#pragma once

#include "worker.h"

namespace simt {

// One access as a later one sees it. epoch 0: there was none.
struct Stamp {
    uint32_t epoch = 0;   // of block barriers
    uint32_t clock = 0;   // of the lane's warp collectives
    uint32_t thread = 0;  // in the block
};

// Lane i knows lane j up to known[i][j]: a collective hands the knowledge of each lane that takes
// part to all of them (vector clocks; Fidge 1988, Mattern 1989).
class WarpClocks {
  public:
    void reset() {
        for (uint32_t i = 0; i < 32; ++i) {
            clock_[i] = 1;
            for (uint32_t j = 0; j < 32; ++j) known_[i][j] = 0;
        }
    }
    void join(uint32_t mask) {
        uint32_t all[32] = {};
        for (uint32_t m = mask; m; m &= m - 1) {
            const uint32_t i = uint32_t(__builtin_ctz(m));
            known_[i][i] = clock_[i]++;
            for (uint32_t j = 0; j < 32; ++j)
                if (known_[i][j] > all[j]) all[j] = known_[i][j];
        }
        for (uint32_t m = mask; m; m &= m - 1)
            std::memcpy(known_[__builtin_ctz(m)], all, sizeof all);
    }
    uint32_t clock(uint32_t lane) const { return clock_[lane]; }
    bool knows(uint32_t lane, uint32_t other, uint32_t clock) const {
        return known_[lane][other] >= clock;
    }

  private:
    uint32_t clock_[32], known_[32][32];
};

class BlockClocks {
  public:
    void reset() {
        for (WarpClocks& w : warps_) w.reset();
    }
    void join(const Warp& w, uint32_t mask) { warps_[w.id].join(mask); }
    Stamp now(const Lane& me) const {
        return {me.warp->block->epoch, warps_[me.warp->id].clock(me.lane), me.linear};
    }
    // Is the access `before` ordered before what `me` does now?
    bool ordered(const Stamp& before, const Lane& me) const {
        if (before.epoch != me.warp->block->epoch || before.thread == me.linear) return true;
        if (before.thread / 32 != me.warp->id) return false;
        return warps_[me.warp->id].knows(me.lane, before.thread % 32, before.clock);
    }

  private:
    WarpClocks warps_[32];
};

}  // namespace simt

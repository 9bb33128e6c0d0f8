// SPDX-License-Identifier: Apache-2.0
// Which accesses of a block are ordered: barrier epochs for the whole block, vector clocks for what
// warp collectives, atomics and mbarriers order inside an epoch, and phases of the cluster's
// barrier between blocks.
#pragma once

#include <algorithm>
#include <vector>

#include "worker.h"

namespace simt {

// One access as a later one sees it. epoch 0: there was none.
struct Stamp {
    uint32_t epoch = 0;   // of block barriers
    uint32_t clock = 0;   // of the lane's warp collectives
    uint16_t thread = 0;  // in the block
    uint16_t rank = 0;    // of the block in the cluster
    uint32_t phase = 0;   // the cluster barrier's phase that the thread would arrive in next
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
    uint32_t advance(uint32_t lane) { return known_[lane][lane] = clock_[lane]++; }
    uint32_t known(uint32_t lane, uint32_t other) const { return known_[lane][other]; }
    void learn(uint32_t lane, uint32_t other, uint32_t clock) {
        if (clock > known_[lane][other]) known_[lane][other] = clock;
    }
    bool knows(uint32_t lane, uint32_t other, uint32_t clock) const {
        return known_[lane][other] >= clock;
    }

  private:
    uint32_t clock_[32], known_[32][32];
};

// What a thread knows of the threads of its block: clock[t] is the last clock of thread t that is
// ordered before it. Valid for one barrier epoch; a block barrier orders all that came before it
// anyway.
struct Knowledge {
    uint32_t epoch = 0;
    uint32_t phases = 0;  // of the cluster's barrier; not bound to the epoch
    std::vector<uint32_t> clock;

    void merge(const Knowledge& other) {
        if (other.epoch < epoch) return;
        if (other.epoch > epoch || clock.size() < other.clock.size()) {
            if (other.epoch > epoch) clock.clear();
            epoch = other.epoch;
            clock.resize(other.clock.size(), 0);
        }
        for (size_t t = 0; t < other.clock.size(); ++t)
            if (other.clock[t] > clock[t]) clock[t] = other.clock[t];
    }
};

// The phases of the cluster's barrier that come before what `me` does now.
SIMT_NOTSAN inline uint32_t phases_known(const Lane& me) {
    return std::max(me.known_phases, me.warp->block->known_phases);
}

// Is `before`, an access by a thread of `by`, ordered before those who know `phases` of the
// barrier?
SIMT_NOTSAN inline bool ordered_by_cluster(const Stamp& before, const Block& by, uint32_t phases) {
    if (!phases) return false;
    const uint32_t last = (phases - 1) % 4;
    return before.phase < by.released[last] || before.epoch < by.covered[last];
}

class BlockClocks {
  public:
    // Stands for the engine that makes bulk copies: a thread of its own, that mbarriers order.
    static constexpr uint16_t kCopyEngine = 1024;

    void reset() {
        for (WarpClocks& w : warps_) w.reset();
        for (Knowledge& k : acquired_) k.epoch = 0;
        engine_clock_ = 1;
    }
    // A warp collective. What a lane has acquired from other warps is handed on, too.
    void join(const Warp& w, uint32_t mask) {
        warps_[w.id].join(mask);
        Knowledge all;
        for (uint32_t m = mask; m; m &= m - 1) {
            const Knowledge& k = acquired_[w.id * 32 + uint32_t(__builtin_ctz(m))];
            if (k.epoch == w.block->epoch) all.merge(k);
        }
        if (all.epoch)
            for (uint32_t m = mask; m; m &= m - 1)
                acquired_[w.id * 32 + uint32_t(__builtin_ctz(m))].merge(all);
    }
    // Release: adds what `me` has done and knows to `to`, the knowledge kept in a synchronisation
    // object.
    void release(const Lane& me, Knowledge& to) {
        const Block& b = *me.warp->block;
        Knowledge mine = acquired_[me.linear];
        if (mine.epoch != b.epoch) mine.clock.clear();
        mine.epoch = b.epoch;
        mine.clock.resize(kCopyEngine + 1, 0);
        for (uint32_t j = 0; j < 32; ++j) {
            uint32_t& c = mine.clock[me.warp->id * 32 + j];
            c = std::max(c, warps_[me.warp->id].known(me.lane, j));
        }
        mine.clock[me.linear] = warps_[me.warp->id].advance(me.lane);
        to.merge(mine);
    }
    // Acquire: `me` knows from now on what `from` holds.
    void acquire(const Lane& me, const Knowledge& from) {
        if (from.epoch != me.warp->block->epoch) return;
        acquired_[me.linear].merge(from);
        for (uint32_t j = 0; j < 32; ++j)
            warps_[me.warp->id].learn(me.lane, j, from.clock[me.warp->id * 32 + j]);
    }
    // A write by the copy engine: its stamp, and its release into `to`.
    Stamp engine_write(const Lane& issuer, Knowledge& to) {
        const Block& b = *issuer.warp->block;
        Knowledge done;
        done.epoch = b.epoch;
        done.clock.resize(kCopyEngine + 1, 0);
        done.clock[kCopyEngine] = engine_clock_;
        to.merge(done);
        return {b.epoch, engine_clock_++, kCopyEngine, uint16_t(b.rank), issuer.arrivals};
    }
    Stamp now(const Lane& me) const {
        const Block& b = *me.warp->block;
        return {b.epoch, warps_[me.warp->id].clock(me.lane), uint16_t(me.linear), uint16_t(b.rank),
                me.arrivals};
    }
    // Is `before`, an access by this block, ordered before what `me`, of this block, does now?
    bool ordered(const Stamp& before, const Lane& me) const {
        if (before.epoch != me.warp->block->epoch || before.thread == me.linear) return true;
        if (before.thread / 32 == me.warp->id &&
            warps_[me.warp->id].knows(me.lane, before.thread % 32, before.clock))
            return true;
        const Knowledge& k = acquired_[me.linear];
        return k.epoch == before.epoch && k.clock[before.thread] >= before.clock;
    }

  private:
    WarpClocks warps_[32];
    Knowledge acquired_[1024];  // through synchronisation objects, in the present epoch
    uint32_t engine_clock_ = 1;
};

}  // namespace simt

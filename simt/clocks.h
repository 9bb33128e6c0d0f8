// SPDX-License-Identifier: Apache-2.0
// Which accesses of a block are ordered: barrier epochs for the whole block, vector clocks for what
// warp collectives, atomics and mbarriers order inside an epoch, and phases of the cluster's
// barrier between blocks. Lanes that know the same share one vector clock: one for each lane would
// make every collective of a big block thousands of steps.
#pragma once

#include <algorithm>
#include <memory>
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

// A vector clock (Fidge 1988, Mattern 1989): entry slot_of(t) is the last clock of thread t of the
// block that is ordered before its owner.
using VectorClock = std::vector<uint32_t>;

// Threads by their number in the block; the engine that makes bulk copies, a thread of its own that
// mbarriers order, comes before them.
constexpr uint16_t kCopyEngine = 0xFFFF;
inline size_t slot_of(uint32_t thread) { return uint16_t(thread + 1); }

inline void merge(VectorClock& to, const VectorClock& from) {
    if (to.size() < from.size()) to.resize(from.size(), 0);
    for (size_t t = 0; t < from.size(); ++t)
        if (from[t] > to[t]) to[t] = from[t];
}
inline bool knows(const VectorClock& all, const VectorClock& some) {
    for (size_t t = 0; t < some.size(); ++t)
        if (some[t] > all[t]) return false;
    return true;
}

// What those who acquire a synchronisation object learn.
struct Knowledge {
    VectorClock clock;
    uint64_t version = 0;  // no two different states have the same
    uint32_t phases = 0;   // of the cluster's barrier
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
    BlockClocks() = default;
    BlockClocks(const BlockClocks&) = delete;
    BlockClocks& operator=(const BlockClocks&) = delete;

    void reset(uint32_t warp_count) {
        threads_ = 32 * warp_count;
        free_.clear();
        for (const std::unique_ptr<Row>& r : rows_) free_.push_back(r.get());
        for (Recent& r : recent_) r = {};
        Row* const nothing = take();
        nothing->clock.assign(threads_ + 1, 0);
        nothing->owners = threads_;
        for (uint32_t t = 0; t < threads_; ++t) row_[t] = nothing;
        for (uint32_t t = 0; t < threads_; ++t) clock_[t] = 1;
        engine_clock_ = 1;
    }
    // A warp collective: hands what each lane that takes part knows to all of them.
    void join(const Warp& w, uint32_t mask) {
        const uint32_t base = 32 * w.id;
        forget(w.id);
        Row* const first = row_[base + uint32_t(__builtin_ctz(mask))];
        bool same = true;
        for (uint32_t m = mask; m; m &= m - 1)
            same = same && row_[base + uint32_t(__builtin_ctz(m))] == first;
        Row* joint = first;
        if (!same || first->owners != uint32_t(__builtin_popcount(mask))) {
            joint = take();
            joint->clock = first->clock;
        }
        const Row* last = first;
        for (uint32_t m = mask; m && !same; m &= m - 1) {
            const Row* r = row_[base + uint32_t(__builtin_ctz(m))];
            if (r != last) merge(joint->clock, r->clock);
            last = r;
        }
        for (uint32_t m = mask; m; m &= m - 1) {
            const uint32_t t = base + uint32_t(__builtin_ctz(m));
            joint->clock[slot_of(t)] = clock_[t]++;
            give(t, joint);
        }
        joint->version = ++versions_;
    }
    // Release: adds what `me` has done and knows to `to`, the knowledge kept in a synchronisation
    // object.
    void release(const Lane& me, Knowledge& to) {
        merge(to.clock, row_[me.linear]->clock);
        to.clock[slot_of(me.linear)] = clock_[me.linear]++;
        to.version = ++versions_;
    }
    // Acquire: `me` knows from now on what `from` holds. The lanes of a warp do the same one after
    // the other, mostly.
    void acquire(const Lane& me, const Knowledge& from) {
        Row* const mine = row_[me.linear];
        Recent& recent = recent_[me.warp->id];
        if (!recent.after || recent.before != mine->version || recent.from != from.version) {
            forget(me.warp->id);
            Row* after = mine;
            if (!knows(mine->clock, from.clock)) {
                after = take();
                after->clock = mine->clock;
                merge(after->clock, from.clock);
            }
            recent = {mine->version, from.version, after};
            ++after->owners;
        }
        give(me.linear, recent.after);
    }
    // A write by the copy engine: its stamp, and its release into `to`.
    Stamp engine_write(const Lane& issuer, Knowledge& to) {
        const Block& b = *issuer.warp->block;
        to.clock.resize(threads_ + 1, 0);
        to.clock[slot_of(kCopyEngine)] = engine_clock_;
        to.version = ++versions_;
        return {b.epoch, engine_clock_++, kCopyEngine, uint16_t(b.rank), issuer.arrivals};
    }
    Stamp now(const Lane& me) const {
        const Block& b = *me.warp->block;
        return {b.epoch, clock_[me.linear], uint16_t(me.linear), uint16_t(b.rank), me.arrivals};
    }
    // Is `before`, an access by this block, ordered before what `me`, of this block, does now?
    bool ordered(const Stamp& before, const Lane& me) const {
        return before.epoch != me.warp->block->epoch || before.thread == me.linear ||
               row_[me.linear]->clock[slot_of(before.thread)] >= before.clock;
    }

  private:
    // What a lane knows. After a collective all lanes that took part have the same row.
    struct Row {
        VectorClock clock;
        uint64_t version;
        uint32_t owners;
    };
    // The warp's last acquire: a lane that had the row `before` got `after` by it.
    struct Recent {
        uint64_t before = 0, from = 0;
        Row* after = nullptr;  // one of whose owners this is
    };

    Row* take() {
        if (free_.empty()) {
            rows_.push_back(std::make_unique<Row>());
            free_.push_back(rows_.back().get());
        }
        Row* r = free_.back();
        free_.pop_back();
        r->owners = 0;
        r->version = ++versions_;
        return r;
    }
    void disown(Row* r) {
        if (--r->owners == 0) free_.push_back(r);
    }
    void give(uint32_t thread, Row* r) {
        Row* const old = row_[thread];
        if (old == r) return;
        ++r->owners;
        row_[thread] = r;
        disown(old);
    }
    void forget(uint32_t warp) {
        Row* const r = recent_[warp].after;
        recent_[warp].after = nullptr;
        if (r) disown(r);
    }

    uint32_t threads_ = 0;  // of whole warps
    uint32_t clock_[1024];  // of each thread; a release and a collective advance it
    Row* row_[1024];
    Recent recent_[32];
    std::vector<std::unique_ptr<Row>> rows_;
    std::vector<Row*> free_;
    uint32_t engine_clock_ = 1;
    uint64_t versions_ = 0;
};

}  // namespace simt

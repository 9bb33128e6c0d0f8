// SPDX-License-Identifier: Apache-2.0
// Hopper's mbarrier and bulk copy from global to shared memory (PTX ISA 8.0: mbarrier,
// cp.async.bulk).
//
// A lane that waits is out of the schedule until the phase completes. Then it is ready, and tests
// the parity again when its turn comes: as on a GPU, it waits on if the next phase has completed
// meanwhile, which is a fault of many a kernel.
//
// The copy engine is modelled as a thread of its own. In order it copies at once; in seeded
// schedules a copy comes at some use of an mbarrier or some poll, at the latest when nobody else in
// the block can go on, so code that reads too early reads poison or old data. For the race check
// the copied bytes are written by the engine, and only the mbarrier orders it.
#pragma once

#include "mbarrier_state.h"
#include "shared.h"

namespace simt {

namespace detail {

SIMT_NOTSAN inline Mbarriers::State& mbarrier_state(const Mbarrier* m, Site site) {
    Block& b = *self->warp->block;
    Mbarriers::State* s = b.mbarriers ? b.mbarriers->find(m) : nullptr;
    if (!s) b.worker->fail("an mbarrier that was not initialised", site);
    return *s;
}

SIMT_NOTSAN inline void wake_waiters(Block& b, const Mbarrier* m) {
    for (uint32_t k = 0; k < b.warp_count; ++k) {
        Warp& w = b.warps[k];
        uint32_t woken = 0;
        for (uint32_t lanes = w.at_mbarrier; lanes; lanes &= lanes - 1) {
            Lane& l = w.lanes[__builtin_ctz(lanes)];
            if (l.mbarrier != m) continue;
            l.mbarrier = nullptr;
            woken |= 1u << l.lane;
        }
        if (!woken) continue;
        w.at_mbarrier &= ~woken;
        w.ready |= woken;
        wake(b, k);
    }
}

SIMT_NOTSAN inline void complete_phase_if_due(Block& b, Mbarriers::State& s) {
    if (s.pending || s.bytes) return;
    s.pending = s.expected;
    ++s.phase;
    b.worker->launch().progress.fetch_add(1, std::memory_order_relaxed);
    wake_waiters(b, s.address);
}

// Makes the copy with index i in the list of issued ones.
SIMT_NOTSAN inline void make_copy(Block& b, size_t i) {
    Untracked untracked;
    const Mbarriers::Copy c = b.mbarriers->copies[i];
    b.mbarriers->copies.erase(b.mbarriers->copies.begin() + static_cast<std::ptrdiff_t>(i));
    std::memcpy(c.to, c.from, c.size);
    --b.copies_under_way;
    Mbarriers::State* s = b.mbarriers->find(c.barrier);
    s->bytes -= c.size;
    complete_phase_if_due(b, *s);
}

SIMT_NOTSAN inline void make_any_copy(Block& b) {
    make_copy(b, b.worker->random().below(b.copies_under_way));
}

SIMT_NOTSAN inline bool checking(const Block& b) { return b.shadow && hooks.warp_sync; }

}  // namespace detail

SIMT_NOTSAN inline void maybe_copy(Block& b) {
    Untracked untracked;
    while (b.copies_under_way && b.worker->copy_comes()) detail::make_any_copy(b);
}

SIMT_NOTSAN inline bool make_copies_due(Block& b) {
    Untracked untracked;
    while (!b.ready_warps && b.copies_under_way) detail::make_any_copy(b);
    return b.ready_warps != 0;
}

// A barrier in shared memory whose phases complete when all arrivals and all announced bytes have
// come.
class Mbarrier {
  public:
    // One thread; the others must be ordered after it, and after fence_init.
    SIMT_NOTSAN void init(unsigned arrivals, SIMT_SITE) {
        if (instrumented) instrument(&word_, sizeof word_, Access::kWrite, SIMT_HERE);
        Untracked untracked;
        Block& b = *self->warp->block;
        if (!b.mbarriers) b.mbarriers = std::make_shared<Mbarriers>();
        if (arrivals < 1 || arrivals >= 1u << 20)
            b.worker->fail("an mbarrier has 1 to 2^20 - 1 arrivals", SIMT_HERE);
        if (Mbarriers::State* s = b.mbarriers->find(this)) {
            *s = {this, arrivals, arrivals, 0, 0};
            detail::wake_waiters(b, this);
        } else {
            b.mbarriers->list.push_back({this, arrivals, arrivals, 0, 0});
        }
    }
    static void fence_init() {}

    SIMT_NOTSAN void arrive(SIMT_SITE) {
        arrive_expecting(0, SIMT_HERE.file, SIMT_HERE.line, SIMT_HERE.function);
    }
    // Announces `bytes` of bulk copies to the present phase, then arrives.
    SIMT_NOTSAN void arrive_expecting(unsigned bytes, SIMT_SITE) {
        maybe_preempt(2);
        Untracked untracked;
        Block& b = *self->warp->block;
        Mbarriers::State& s = detail::mbarrier_state(this, SIMT_HERE);
        check_use(b, SIMT_HERE);
        if (s.pending == 0)
            b.worker->fail("an mbarrier got more arrivals than it expects", SIMT_HERE);
        if (detail::checking(b)) b.shadow->release(*self, this);
#if SIMT_TSAN
        __tsan_release(this);
#endif
        s.bytes += bytes;
        --s.pending;
        note_progress();
        detail::complete_phase_if_due(b, s);
        maybe_copy(b);
    }
    // Has the phase with this parity completed? Parity 0 is that of the first phase.
    SIMT_NOTSAN bool test(unsigned parity, SIMT_SITE) {
        poll(SIMT_HERE);
        return completed(parity, SIMT_HERE);
    }
    SIMT_NOTSAN void wait(unsigned parity, SIMT_SITE) {
        maybe_preempt(2);
        Lane& me = *self;
        Warp& w = *me.warp;
        {
            Untracked untracked;
            (void)detail::mbarrier_state(this, SIMT_HERE);
            check_use(*w.block, SIMT_HERE);
        }
        while (!completed(parity, SIMT_HERE)) {
            me.site = SIMT_HERE;
            me.mbarrier = this;
            w.at_mbarrier |= 1u << me.lane;
            w.ready &= ~(1u << me.lane);
            w.block->worker->reschedule(me);
        }
    }

  private:
    // A use must be ordered after init.
    SIMT_NOTSAN void check_use(Block& b, Site site) {
        if (detail::checking(b))
            b.shadow->access(*self, b, reinterpret_cast<const char*>(&word_), sizeof word_,
                             Access::kAtomicLoad, site);
    }
    SIMT_NOTSAN bool completed(unsigned parity, Site site) {
        Untracked untracked;
        Block& b = *self->warp->block;
        const Mbarriers::State& s = detail::mbarrier_state(this, site);
        maybe_copy(b);
        if ((s.phase & 1) == (parity & 1)) return false;
        if (detail::checking(b)) b.shadow->acquire(*self, this);
#if SIMT_TSAN
        __tsan_acquire(this);
#endif
        return true;
    }
    alignas(8) uint64_t word_;  // its room in shared memory; the state is the executor's
};

// Copies `bytes` from global to shared memory and counts them to the present phase of `barrier`.
// Both addresses and the size are multiples of 16.
SIMT_NOTSAN inline void bulk_load(void* to, const void* from, unsigned bytes, Mbarrier& barrier,
                                  SIMT_SITE) {
    maybe_preempt(2);
    Untracked untracked;
    Lane& me = *self;
    Block& b = *me.warp->block;
    (void)detail::mbarrier_state(&barrier, SIMT_HERE);
    const auto misaligned = [](const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 != 0; };
    if (misaligned(to) || misaligned(from) || bytes % 16 != 0)
        b.worker->fail("a bulk copy whose addresses or size are not multiples of 16", SIMT_HERE);
    if (!in_shared(b, static_cast<char*>(to)))
        b.worker->fail("a bulk copy whose destination is not in shared memory", SIMT_HERE);
    if (detail::checking(b))
        b.shadow->bulk_write(me, static_cast<char*>(to), bytes, &barrier, SIMT_HERE);
    b.mbarriers->copies.push_back({to, from, bytes, &barrier, SIMT_HERE, me.linear});
    ++b.copies_under_way;
    if (b.worker->seeded())
        maybe_copy(b);
    else
        detail::make_copy(b, 0);
}

// Orders earlier ordinary accesses of shared memory before bulk copies that follow.
inline void fence_for_bulk() {}

}  // namespace simt

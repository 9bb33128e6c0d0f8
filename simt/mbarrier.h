// SPDX-License-Identifier: Apache-2.0
// Hopper's mbarrier and bulk copy from global to shared memory (PTX ISA 8.0: mbarrier,
// cp.async.bulk).
//
// The copy engine is modelled as a thread of its own. In order it copies at once; in seeded
// schedules a copy may come as late as the first wait that needs it, so code that reads too early
// reads poison or old data. For the race check the copied bytes are written by the engine, and only
// the mbarrier orders it.
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

SIMT_NOTSAN inline void complete_phase_if_due(Mbarriers::State& s) {
    if (s.pending || s.bytes) return;
    s.pending = s.expected;
    ++s.phase;
    note_progress();
}

// Makes the copy with index i in the list of issued ones.
SIMT_NOTSAN inline void make_copy(Block& b, size_t i) {
    Untracked untracked;
    const Mbarriers::Copy c = b.mbarriers->copies[i];
    b.mbarriers->copies.erase(b.mbarriers->copies.begin() + static_cast<std::ptrdiff_t>(i));
    std::memcpy(c.to, c.from, c.size);
    Mbarriers::State* s = b.mbarriers->find(c.barrier);
    s->bytes -= c.size;
    complete_phase_if_due(*s);
}

SIMT_NOTSAN inline bool checking(const Block& b) { return b.shadow && hooks.warp_sync; }

}  // namespace detail

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
        if (Mbarriers::State* s = b.mbarriers->find(this))
            *s = {this, arrivals, arrivals, 0, 0};
        else
            b.mbarriers->list.push_back({this, arrivals, arrivals, 0, 0});
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
        detail::complete_phase_if_due(s);
    }
    // Has the phase with this parity completed? Parity 0 is that of the first phase.
    SIMT_NOTSAN bool test(unsigned parity, SIMT_SITE) {
        poll(SIMT_HERE);
        Untracked untracked;
        Block& b = *self->warp->block;
        // Seeded: the copy engine works now and then, at the latest when nobody else can.
        while (!b.mbarriers->copies.empty() && (!b.worker->seeded() || b.worker->coin(4)))
            detail::make_copy(b, b.worker->seeded() ? b.worker->random().below(
                                                          uint32_t(b.mbarriers->copies.size()))
                                                    : 0);
        if ((detail::mbarrier_state(this, SIMT_HERE).phase & 1) == (parity & 1)) return false;
        if (detail::checking(b)) b.shadow->acquire(*self, this);
#if SIMT_TSAN
        __tsan_acquire(this);
#endif
        return true;
    }
    SIMT_NOTSAN void wait(unsigned parity, SIMT_SITE) {
        {
            Untracked untracked;
            (void)detail::mbarrier_state(this, SIMT_HERE);
            check_use(*self->warp->block, SIMT_HERE);
        }
        while (!test(parity, simt_file, simt_line, simt_function)) {
        }
    }

  private:
    // A use must be ordered after init.
    SIMT_NOTSAN void check_use(Block& b, Site site) {
        if (detail::checking(b))
            b.shadow->access(*self, b, reinterpret_cast<const char*>(&word_), sizeof word_,
                             Access::kAtomicLoad, site);
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
    if (!b.worker->seeded()) detail::make_copy(b, b.mbarriers->copies.size() - 1);
}

// Orders earlier ordinary accesses of shared memory before bulk copies that follow.
inline void fence_for_bulk() {}

}  // namespace simt

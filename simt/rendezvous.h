// SPDX-License-Identifier: Apache-2.0
// Where GPU threads meet: block barrier, cluster barrier, warp collective, poll, end of a thread.
// (Mbarriers: mbarrier.h.)
#pragma once

#include <cstdio>
#include <exception>

#include "describe.h"
#include "worker.h"

namespace simt {

SIMT_FAST bool same_place(const Site& a, const Site& b) {
    return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

SIMT_FAST void wake(Block& b, uint32_t warp) {
    b.ready_warps |= 1u << warp;
    b.spun_warps &= ~(1u << warp);
}

// ---- block barrier ------------------------------------------------------------------------------

SIMT_NOTSAN inline void barrier_release(Block& b) {
    for (uint32_t k = 0; k < b.warp_count; ++k) {
        Warp& w = b.warps[k];
        if (!w.at_barrier) continue;
        w.ready |= w.at_barrier;
        w.at_barrier = 0;
        wake(b, k);
    }
    b.arrived = 0;
    ++b.epoch;
    b.barrier_site = {};
    b.barrier_result = b.barrier_accumulator;
    b.known_phases = b.newest_phase;
    if (hooks.barrier) hooks.barrier(b);
}

[[noreturn]] SIMT_COLD inline void barrier_mismatch(Lane& me, Block& b) {
    Untracked untracked;
    char text[600];
    std::snprintf(
        text, sizeof text,
        "divergent __syncthreads: thread %u of the block waits at %s:%d, but thread %u came",
        b.barrier_first, b.barrier_site.file, b.barrier_site.line, me.linear);
    b.worker->fail(text, me.site);
}

// __syncthreads(): releases when every thread of the block that has not ended is here. All must
// stand at the same source line; the hardware would let them through, CUDA forbids it.
SIMT_FAST void block_barrier(Site site) {
    Lane& me = *self;
    Warp& w = *me.warp;
    Block& b = *w.block;
    Worker& worker = *b.worker;
#if SIMT_TSAN
    char* address = &b.tsan_address[b.epoch & 1];
    __tsan_release(address);
#endif
    me.site = site;
    if (!b.barrier_site.file) {
        b.barrier_site = site;
        b.barrier_first = me.linear;
    } else if (__builtin_expect(!same_place(b.barrier_site, site), 0)) {
        barrier_mismatch(me, b);
    }
    const uint32_t bit = 1u << me.lane;
    w.at_barrier |= bit;
    w.ready &= ~bit;
    if (++b.arrived == b.live) {
        barrier_release(b);
        worker.go(me, worker.any_of(b));
    } else {
        worker.reschedule(me);
    }
#if SIMT_TSAN
    __tsan_acquire(address);
#endif
}

// ---- warp collective ----------------------------------------------------------------------------

SIMT_FAST bool same_collective(const Lane& a, const Lane& b) {
    return a.fn == b.fn && a.mask == b.mask;  // the line may differ
}

[[noreturn]] SIMT_COLD inline void collective_mismatch(Lane& me, const Lane& other) {
    Untracked untracked;
    char text[700];
    std::snprintf(
        text, sizeof text,
        "mismatched warp collective: lane %u %s with mask %08x at %s:%d, but lane %u %s with "
        "mask %08x",
        other.lane, other.name, other.mask, other.site.file, other.site.line, me.lane, me.name,
        me.mask);
    this_worker().fail(text, me.site);
}

SIMT_NOTSAN inline bool try_complete(Warp& w, Lane& by) {
    const uint32_t need = by.mask & w.live;
    if ((w.at_collective & need) != need) return false;
    for (uint32_t m = need; m; m &= m - 1) {
        const Lane& l = w.lanes[__builtin_ctz(m)];
        if (__builtin_expect(!same_collective(l, by), 0)) {
            // Each waits for the other in a different operation: neither can ever complete.
            // Otherwise the other lane waits for somebody else first, and comes here later.
            if (self == &by && (l.mask >> by.lane & 1)) collective_mismatch(by, l);
            return false;
        }
    }
    if (by.fn) by.fn(w, need);
    if (hooks.warp_sync) hooks.warp_sync(w, need);
    w.at_collective &= ~need;
    w.ready |= need;
    wake(*w.block, w.id);
    return true;
}

// Waits for the live lanes of `mask`; the last one completes the operation for all.
SIMT_FAST void collective(const char* name, CollectiveFn fn, uint32_t mask, const void* in,
                          void* out, uint32_t size, uint32_t arg, uint32_t width, Site site) {
    Lane& me = *self;
    Warp& w = *me.warp;
    Worker& worker = *w.block->worker;
    const uint32_t bit = 1u << me.lane;
    me.site = site;
    if (__builtin_expect(!(mask & bit), 0))
        worker.fail("a warp collective whose mask leaves out the calling lane", site);
#if SIMT_TSAN
    __tsan_release(&w.tsan_address);
#endif
    me.name = name, me.fn = fn, me.mask = mask, me.in = in, me.out = out, me.size = size;
    me.arg = arg, me.width = width;
    w.at_collective |= bit;
    w.ready &= ~bit;
    if (!try_complete(w, me) || worker.seeded())
        worker.reschedule(me);
    else
        worker.go(me, w.lanes + __builtin_ctz(w.ready));
#if SIMT_TSAN
    __tsan_acquire(&w.tsan_address);
#endif
}

SIMT_NOTSAN inline uint32_t active_mask(Site site) {
    Lane& me = *self;
    Warp& w = *me.warp;
    me.site = site;
    w.at_active |= 1u << me.lane;
    w.ready &= ~(1u << me.lane);
    w.block->worker->reschedule(me);
    return me.mask;
}

// ---- giving way ---------------------------------------------------------------------------------

// A poll: the caller waits for something that others do. They get their turn first.
SIMT_FAST void poll(Site site) {
    Lane* me = self;
    if (!me) return;
    Warp& w = *me->warp;
    Worker& worker = *w.block->worker;
    me->site = site;
    worker.count_poll();
    if (w.block->copies_under_way) maybe_copy(*w.block);
    const uint32_t bit = 1u << me->lane;
    w.ready &= ~bit;
    w.spun |= bit;
    worker.reschedule(*me);
}

// Seeded schedules: once in `n` times another lane goes first.
SIMT_FAST void maybe_preempt(uint32_t n) {
    Lane* me = self;
    if (!me) return;
    Worker& worker = this_worker();
    if (__builtin_expect(worker.seeded(), 0) && worker.coin(n)) worker.reschedule(*me);
}

// Something that another lane may be waiting for has happened.
SIMT_FAST void note_progress() {
    if (self) this_worker().launch().progress.fetch_add(1, std::memory_order_relaxed);
}

// ---- cluster barrier ----------------------------------------------------------------------------
//
// A thread arrives, may go on, and waits later. A phase completes when every thread of the cluster
// that has not ended has arrived.

SIMT_NOTSAN inline void cluster_release(Cluster& c) {
    const uint32_t done = c.phase % 4, next = (c.phase + 1) % 4;
    for (uint32_t k = 0; k < c.size; ++k) {
        Block& b = c.blocks[k];
        b.released[next] = b.released[done];
        b.covered[next] = b.covered[done];
        for (uint32_t i = 0; i < b.warp_count; ++i) {
            Warp& w = b.warps[i];
            if (!w.at_cluster) continue;
            w.ready |= w.at_cluster;
            w.at_cluster = 0;
            wake(b, i);
        }
    }
    c.arrived = 0;
    ++c.phase;
    note_progress();
}

// A relaxed arrival orders nothing by itself, but a fence before it does.
SIMT_NOTSAN inline void cluster_arrive(bool relaxed, Site site) {
    maybe_preempt(2);
    Lane& me = *self;
    Block& b = *me.warp->block;
    Cluster& c = *b.cluster;
    me.site = site;
    if (me.arrivals != me.waits)
        b.worker->fail("a second arrival at the cluster barrier with no wait between", site);
    if (!relaxed || me.fenced) {
        b.released[c.phase % 4] = c.phase + 1;
        b.covered[c.phase % 4] = b.epoch;
#if SIMT_TSAN
        __tsan_release(&c.tsan_address[c.phase & 1]);
#endif
    }
    me.fenced = false;
    ++me.arrivals;
    if (++c.arrived == c.live) cluster_release(c);
    maybe_preempt(2);
}

SIMT_NOTSAN inline void cluster_wait(Site site) {
    Lane& me = *self;
    Warp& w = *me.warp;
    Block& b = *w.block;
    Cluster& c = *b.cluster;
    me.site = site;
    if (me.arrivals == me.waits)
        b.worker->fail("a wait at the cluster barrier with no arrival before", site);
    if (c.phase < me.arrivals) {
        w.at_cluster |= 1u << me.lane;
        w.ready &= ~(1u << me.lane);
        b.worker->reschedule(me);
    } else {
        maybe_preempt(2);
    }
    ++me.waits;
    if (me.known_phases < me.waits) me.known_phases = me.waits;
    if (b.newest_phase < me.waits) b.newest_phase = me.waits;
#if SIMT_TSAN
    __tsan_acquire(&c.tsan_address[(me.waits - 1) & 1]);
#endif
}

// ---- beginning and end of a thread --------------------------------------------------------------

SIMT_NOTSAN inline void lane_exit(Lane& me) {
    Warp& w = *me.warp;
    Block& b = *w.block;
    Cluster& c = *b.cluster;
    Worker& worker = *b.worker;
    if (__builtin_expect(fiber_overflowed(me.fiber), 0))
        worker.fail("stack overflow of a GPU thread (SIMT_STACK sets its size)", me.site);
    if (b.live == 1 && hooks.last_exit) hooks.last_exit(b);
    const uint32_t bit = 1u << me.lane;
    w.live &= ~bit;
    w.ready &= ~bit;
    --b.live;
    --c.live;
    if (me.arrivals > c.phase) --c.arrived;
    note_progress();
    // Lanes that wait for this one only: an ended lane no longer counts.
    for (uint32_t m = w.at_collective; m; m &= m - 1) {
        Lane& l = w.lanes[__builtin_ctz(m)];
        if ((w.at_collective >> l.lane & 1) && (l.mask & bit)) try_complete(w, l);
    }
    if (b.arrived && b.arrived == b.live) barrier_release(b);
    if (c.arrived && c.arrived == c.live) cluster_release(c);
    Lane* next = nullptr;
    if (b.live)
        next = worker.pick(me);
    else
        b.ready_warps = b.spun_warps = 0;
    worker.leave_for_good(me, next);
}

SIMT_NOTSAN inline void lane_main() {
#if SIMT_TSAN
    // A block comes after the launch and after the cluster that had its slots, not after others.
    Cluster& c = *self->warp->block->cluster;
    __tsan_acquire(&current_launch->tsan_start);
    __tsan_acquire(&c.tsan_address[2 + (c.generation & 1)]);
#endif
    std::string thrown;
    try {
        current_launch->body(current_launch->args);
    } catch (const std::exception& e) {
        thrown = e.what();
        if (thrown.empty()) thrown = "(no text)";
    } catch (...) {
        thrown = "(not a std::exception)";
    }
    // After the handler has ended: a fiber abandoned inside it would leave the C++ run time in it.
    if (!thrown.empty()) {
        thrown.insert(0, "an exception left the kernel: ");
        this_worker().fail(std::move(thrown));
    }
#if SIMT_TSAN
    __tsan_release(&c.tsan_address[c.phase & 1]);  // those who go on without it come after it
    __tsan_release(&c.tsan_address[2 + (~c.generation & 1)]);
    __tsan_release(&current_launch->tsan_end);
#endif
    lane_exit(*self);
}

}  // namespace simt

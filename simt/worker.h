// SPDX-License-Identifier: Apache-2.0
// A worker: one OS thread that runs the resident blocks of a launch, one GPU thread at a time.
//
// A GPU thread is a fiber that never changes its worker. It gives the worker up only at rendezvous
// points (block barrier, warp collective), at atomic and instrumented accesses and when it ends, so
// with one worker the order of everything is a function of the seed and the launch.
#pragma once

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "state.h"

namespace simt {

// Hooks of the optional checks; null while they are off.
struct Hooks {
    void (*block_begin)(Block&) = nullptr;
    void (*block_end)(Block&) = nullptr;
    void (*last_exit)(Block&) = nullptr;  // on the last thread of the block
    void (*barrier)(Block&) = nullptr;
    void (*warp_sync)(Warp&, uint32_t mask) = nullptr;
};
inline Hooks hooks;

constexpr size_t kStaticSharedLimit = 48 << 10;  // as nvcc's
constexpr size_t kArenaBytes = 64 << 10;         // room for the red zones, too
constexpr size_t kRedZone = 64;
constexpr unsigned char kSharedPoison = 0xCD;

class Worker {
  public:
    explicit Worker(unsigned id) : id_(id) {}
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // Runs blocks of `launch` until none is left or it failed.
    void run(Launch& launch, unsigned resident);

    // ---- called by the running lane ------------------------------------------------------------
    SIMT_FAST bool seeded() const { return config_.seed != 0; }
    SIMT_FAST bool coin(uint32_t n) { return random_.below(n) == 0; }
    SIMT_FAST Random& random() { return random_; }
    SIMT_FAST bool copy_comes() { return coin(copy_delay_); }
    SIMT_FAST Launch& launch() { return *launch_; }
    SIMT_FAST Lane* first_of(Block& b) {
        Warp& w = b.warps[__builtin_ctz(b.ready_warps)];
        return w.lanes + __builtin_ctz(w.ready);
    }
    SIMT_NOTSAN Lane* random_of(Block& b) {
        Warp& w = b.warps[random_bit(b.ready_warps)];
        return w.lanes + random_bit(w.ready);
    }
    SIMT_FAST Lane* any_of(Block& b) { return seeded() ? random_of(b) : first_of(b); }
    SIMT_FAST Lane* pick(Lane& me);
    SIMT_FAST void go(Lane& me, Lane* next);
    SIMT_FAST void reschedule(Lane& me) { go(me, pick(me)); }
    SIMT_NOTSAN void leave_for_good(Lane& me, Lane* next);
    // Counts one poll of a waiting lane; ends the launch when nothing else has moved for too long.
    SIMT_FAST void count_poll() {
        if (__builtin_expect(++polls_ >= poll_check_, 0)) check_progress();
    }
    // Ends the launch with an error; its fibers are abandoned where they stand, so what they own on
    // the heap is lost. Callers hand over a string that no other temporary stands beside.
    [[noreturn]] void fail(std::string&& message, Site site = {});
    // The same for another thread's fault.
    [[noreturn]] void fail_of(std::string&& message, Site site, uint3 block, uint3 thread);
    std::string who_waits() const;  // describe.h

  private:
    void prepare(unsigned resident);
    void drop_lanes();
    bool start_cluster(Cluster& c);
    void start_block(Block& b, uint3 index);
    void end_cluster(Cluster& c);
    void report_deadlock();
    void report_copy_under_way(const Block& b);
    void record_failure(Failure&& f);
    void leave_fibers();
    SIMT_FAST void retire_warp(Warp& w);
    SIMT_NOTSAN Lane* pick_random(Warp& w);
    SIMT_NOTSAN Lane* leave_block(Block& b);
    SIMT_NOTSAN bool can_go_on(Block& b);
    SIMT_NOTSAN void release_active(Warp& w);
    SIMT_NOTSAN void check_progress();
    SIMT_NOTSAN uint32_t random_bit(uint32_t mask) {
        for (uint32_t k = random_.below(uint32_t(__builtin_popcount(mask))); k; --k)
            mask &= mask - 1;
        return uint32_t(__builtin_ctz(mask));
    }
    // Not a multiple of the page size: otherwise all stack tops map to the same few cache sets.
    size_t stack_stride() const { return stack_bytes(config_) + 5 * 64; }

    unsigned id_;
    Config config_;
    Launch* launch_ = nullptr;
    Random random_;
    uint32_t block_jump_ = 8;  // seeded: leave the block once in this many choices
    uint32_t copy_delay_ = 1;  // seeded: a bulk copy comes once in this many chances
    Fiber main_;
    std::unique_ptr<Block[]> block_store_;
    std::unique_ptr<Lane[]> lane_store_;
    std::unique_ptr<Cluster[]> clusters_;
    Block* blocks_ = nullptr;
    unsigned resident_ = 0, block_capacity_ = 0;
    unsigned cluster_count_ = 0, cluster_capacity_ = 0;  // of the resident blocks
    size_t lane_capacity_ = 0;
    unsigned threads_ = 0;  // of a block
    char* stacks_ = nullptr;
    size_t stacks_bytes_ = 0;
    std::vector<char> shared_;
    uint64_t polls_ = 0, poll_check_ = 0, seen_progress_ = 0;
};

// The worker that runs the calling GPU thread.
SIMT_FAST Worker& this_worker() { return *self->warp->block->worker; }

void lane_main();  // rendezvous.h

// Bulk copies under way (mbarrier.h): perhaps some of them come now; those that it takes to make a
// lane of the block ready come now, and false if they do not suffice.
void maybe_copy(Block& b);
bool make_copies_due(Block& b);

// ---- choosing the next lane ---------------------------------------------------------------------

// The warp has no ready lane left: its polling lanes get their turn in the next round.
SIMT_FAST void Worker::retire_warp(Warp& w) {
    Block& b = *w.block;
    if (!w.ready && w.at_active) release_active(w);
    if (w.ready) return;
    b.ready_warps &= ~(1u << w.id);
    if (w.spun) {
        w.ready = w.spun;
        w.spun = 0;
        b.spun_warps |= 1u << w.id;
    }
}

// __activemask(): the lanes that wait at one site. Seeded: any subset that holds the first is
// legal.
SIMT_NOTSAN inline void Worker::release_active(Warp& w) {
    const Lane& first = w.lanes[__builtin_ctz(w.at_active)];
    uint32_t group = 0;
    for (uint32_t m = w.at_active; m; m &= m - 1) {
        const Lane& l = w.lanes[__builtin_ctz(m)];
        if (l.site.line == first.site.line && l.site.file == first.site.file) group |= 1u << l.lane;
    }
    if (seeded() && coin(2)) group &= random_() | 1u << first.lane;
    for (uint32_t m = group; m; m &= m - 1) w.lanes[__builtin_ctz(m)].mask = group;
    w.at_active &= ~group;
    w.ready |= group;
}

SIMT_FAST Lane* Worker::pick(Lane& me) {
    Warp& w = *me.warp;
    if (__builtin_expect(seeded(), 0)) return pick_random(w);
    if (w.ready) {
        const uint32_t after = w.ready & (~1u << me.lane);
        return w.lanes + __builtin_ctz(after ? after : w.ready);
    }
    retire_warp(w);
    Block& b = *w.block;
    if (b.ready_warps) {
        const uint32_t after = b.ready_warps & (~1u << w.id);
        Warp& v = b.warps[__builtin_ctz(after ? after : b.ready_warps)];
        return v.lanes + __builtin_ctz(v.ready);
    }
    return leave_block(b);
}

SIMT_NOTSAN inline Lane* Worker::pick_random(Warp& w) {
    Block& b = *w.block;
    if (!w.ready) retire_warp(w);
    if (!b.ready_warps) return leave_block(b);
    if (resident_ > 1 && coin(block_jump_)) {  // preempt the block although it could go on
        const unsigned first = random_.below(resident_);
        for (unsigned k = 0; k < resident_; ++k) {
            Block& other = blocks_[(first + k) % resident_];
            if (other.running && can_go_on(other)) return random_of(other);
        }
    }
    // Mostly stay in the warp: long runs of one warp are the schedules that hide in real hardware.
    if (w.ready && (b.ready_warps >> w.id & 1) && !coin(4)) return w.lanes + random_bit(w.ready);
    if (b.copies_under_way) maybe_copy(b);
    return random_of(b);
}

// Has the block a ready lane? Bulk copies that are late come now, if it takes them to have one.
SIMT_NOTSAN inline bool Worker::can_go_on(Block& b) {
    return b.ready_warps || (b.live && b.copies_under_way && make_copies_due(b));
}

// No lane of the block can go on: those that poll become ready again and another block has its
// turn. Null: back to the main loop.
SIMT_NOTSAN inline Lane* Worker::leave_block(Block& b) {
    if (b.spun_warps) {
        b.ready_warps = b.spun_warps;
        b.spun_warps = 0;
    }
    if (launch_->failed.load(std::memory_order_relaxed)) return nullptr;
    if (!b.ready_warps && seeded() && coin(2) && can_go_on(b)) return random_of(b);
    for (unsigned k = 1; k <= resident_; ++k) {
        Block& other = blocks_[(b.slot + k) % resident_];
        if (!other.running) continue;
        if (!other.live) {
            if (other.cluster->live) continue;
            return nullptr;  // finished: the main loop starts another cluster in its place
        }
        if (can_go_on(other)) {
            if (&other == &b) sched_yield();  // what it waits for is on another worker
            return any_of(other);
        }
    }
    return nullptr;
}

SIMT_FAST void Worker::go(Lane& me, Lane* next) {
    if (next == &me) return;
    if (__builtin_expect(!next, 0)) {
        fiber_switch(me.fiber, main_);
        return;
    }
    if (next->warp->block != me.warp->block) blockIdx = next->warp->block->index;
    self = next;
    threadIdx = next->thread;
    fiber_switch(me.fiber, next->fiber);
}

SIMT_NOTSAN SIMT_NOASAN inline void Worker::leave_for_good(Lane& me, Lane* next) {
#if SIMT_ASAN
    // Frames that are left without returning keep their poison, and the next fiber on this stack
    // meets it.
    char* here = static_cast<char*>(__builtin_frame_address(0)) - 1024;
    if (here < me.fiber.stack) here = me.fiber.stack;
    __asan_unpoison_memory_region(here, size_t(me.fiber.stack + me.fiber.size - here));
#endif
    if (next) {
        blockIdx = next->warp->block->index;
        self = next;
        threadIdx = next->thread;
    }
    fiber_switch(me.fiber, next ? next->fiber : main_, true);
    __builtin_trap();  // nobody resumes a lane that has ended
}

SIMT_NOTSAN inline void Worker::check_progress() {
    constexpr uint64_t kInterval = 256;
    const uint64_t now = launch_->progress.load(std::memory_order_relaxed);
    if (now != seen_progress_) {
        seen_progress_ = now;
        polls_ = 0;
    }
    if (launch_->failed.load(std::memory_order_relaxed)) {
        Lane& me = *self;
        for (;;) fiber_switch(me.fiber, main_);
    }
    if (polls_ >= config_.spin_limit) {
        Untracked untracked;
        std::string text =
            "no progress: " + std::to_string(polls_) + " polls in a row found nothing new";
        text += who_waits();
        fail(std::move(text), self->site);
    }
    poll_check_ = polls_ + kInterval;
}

// Puts the place behind the first line of the message.
inline void add_place(Failure& f) {
    auto at = [](uint3 v) {
        return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) +
               ")";
    };
    std::string place;
    if (!f.file.empty()) place += " at " + f.file + ":" + std::to_string(f.line);
    place += " in block " + at(f.block) + " thread " + at(f.thread);
    f.message.insert(std::min(f.message.find('\n'), f.message.size()), place);
}

[[noreturn]] inline void Worker::fail(std::string&& message, Site site) {
    uint3 block, thread;
    {
        Untracked untracked;
        block = self->warp->block->index;
        thread = self->thread;
    }
    fail_of(std::move(message), site, block, thread);
}

[[noreturn]] inline void Worker::fail_of(std::string&& message, Site site, uint3 block,
                                         uint3 thread) {
    Lane& me = *self;
    {
        Untracked untracked;
        auto& record = detail::failure_record();
        std::lock_guard<std::mutex> lock(record.mutex);
        Failure f{std::move(message), site.file ? site.file : "", site.line, block, thread};
        add_place(f);
        if (!launch_->failed.exchange(true)) record.last = std::move(f);
    }
    Untracked::abandon();
    for (;;) fiber_switch(me.fiber, main_);
}

}  // namespace simt

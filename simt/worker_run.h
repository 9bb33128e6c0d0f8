// SPDX-License-Identifier: Apache-2.0
// The worker's own thread: makes room for the resident clusters, starts them, and runs them to the
// end.
#pragma once

#include "describe.h"
#include "mbarrier_state.h"
#include "worker.h"

#if SIMT_ASAN
#include <pthread.h>
#endif

namespace simt {

// ThreadSanitizer allows some 8,000 fibers: those of lanes that are replaced have to go.
inline void Worker::drop_lanes() {
#if SIMT_TSAN
    for (size_t i = 0; i < lane_capacity_; ++i)
        if (lane_store_[i].fiber.tsan) __tsan_destroy_fiber(lane_store_[i].fiber.tsan);
#endif
    lane_store_.reset();
    lane_capacity_ = 0;
}

inline Worker::~Worker() {
    drop_lanes();
    if (stacks_) munmap(stacks_, stacks_bytes_);
}

inline void Worker::prepare(unsigned resident) {
    resident_ = resident;
    threads_ = launch_->block.x * launch_->block.y * launch_->block.z;
    const unsigned cluster_size = launch_->cluster.x * launch_->cluster.y * launch_->cluster.z;
    random_ = random_from(config_.seed, id_);
    block_jump_ = 2 + random_.below(1u << (1 + random_.below(9)));
    copy_delay_ = 1u << random_from(config_.seed, 3000 + id_).below(8);
    polls_ = poll_check_ = seen_progress_ = 0;

    const size_t lanes = size_t(resident_) * threads_;
    const size_t need = lanes * stack_stride() + 8192;
    if (need > stacks_bytes_) {
        if (stacks_) munmap(stacks_, stacks_bytes_);
        void* p = mmap(nullptr, need, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) {
            stacks_ = nullptr;
            stacks_bytes_ = 0;
            throw std::bad_alloc();
        }
        stacks_ = static_cast<char*>(p);
        stacks_bytes_ = need;
    }
    if (block_capacity_ < resident_) {
        block_store_ = std::make_unique<Block[]>(resident_);
        block_capacity_ = resident_;
    }
    cluster_count_ = resident_ / cluster_size;
    if (cluster_capacity_ < cluster_count_) {
        clusters_ = std::make_unique<Cluster[]>(cluster_count_);
        cluster_capacity_ = cluster_count_;
    }
    if (lane_capacity_ < lanes) {
        drop_lanes();
        lane_store_ = std::make_unique<Lane[]>(lanes);
        lane_capacity_ = lanes;
    }
    blocks_ = block_store_.get();
    const size_t dynamic = (launch_->dynamic_shared + kRedZone + 127) / 128 * 128;
    const size_t each = dynamic + kArenaBytes;
#if SIMT_ASAN
    if (!shared_.empty()) __asan_unpoison_memory_region(shared_.data(), shared_.size());
#endif
    if (shared_.size() < each * resident_ + 128) shared_.resize(each * resident_ + 128);
    char* base = shared_.data() + (128 - reinterpret_cast<uintptr_t>(shared_.data()) % 128) % 128;
#if SIMT_ASAN
    __asan_poison_memory_region(shared_.data(), shared_.size());
#endif
    for (unsigned i = 0; i < resident_; ++i) {
        Block& b = blocks_[i];
        b.worker = this;
        b.slot = i;
        b.cluster = &clusters_[i / cluster_size];
        b.rank = i % cluster_size;
        b.running = false;
        b.live = b.ready_warps = b.spun_warps = 0;
        b.lanes = &lane_store_[size_t(i) * threads_];
        b.dynamic = base + each * i;
        b.dynamic_bytes = launch_->dynamic_shared;
        b.arena = b.dynamic + dynamic;
#if SIMT_ASAN
        __asan_unpoison_memory_region(b.dynamic, b.dynamic_bytes);
#endif
    }
    for (unsigned i = 0; i < cluster_count_; ++i) {
        Cluster& c = clusters_[i];
        c.blocks = blocks_ + size_t(i) * cluster_size;
        c.size = cluster_size;
        c.running = false;
        c.live = 0;
    }
#if SIMT_TSAN
    main_.tsan = __tsan_get_current_fiber();
    __tsan_release(&launch_->tsan_start);  // orders what was prepared here before the fibers
#endif
#if SIMT_ASAN
    pthread_attr_t attributes;
    void* stack = nullptr;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &stack, &main_.size);
    pthread_attr_destroy(&attributes);
    main_.stack = static_cast<char*>(stack);
#endif
}

// Index i of a box with these extents.
inline uint3 unravel(uint64_t i, uint3 box) {
    return {unsigned(i % box.x), unsigned(i / box.x % box.y), unsigned(i / box.x / box.y)};
}

inline bool Worker::start_cluster(Cluster& c) {
    if (launch_->failed.load(std::memory_order_relaxed)) return false;
    uint64_t i = launch_->next.fetch_add(1, std::memory_order_relaxed);
    if (i >= launch_->cluster_count) return false;
    if (!launch_->order.empty()) i = launch_->order[i];
    const dim3 grid = launch_->grid, box = launch_->cluster;
    c.index = unravel(i, {grid.x / box.x, grid.y / box.y, grid.z / box.z});
    c.running = true;
    c.live = c.size * threads_;
    c.arrived = c.phase = 0;
    ++c.generation;
    for (uint32_t k = 0; k < c.size; ++k) {
        const uint3 at = unravel(k, box);
        start_block(c.blocks[k],
                    {c.index.x * box.x + at.x, c.index.y * box.y + at.y, c.index.z * box.z + at.z});
    }
    return true;
}

// The blocks of a cluster leave together: until then their shared memory can be in use.
inline void Worker::end_cluster(Cluster& c) {
    c.running = false;
    for (uint32_t k = 0; k < c.size; ++k) {
        Block& b = c.blocks[k];
        b.running = false;
        if (b.copies_under_way) report_copy_under_way(b);
        if (hooks.block_end) hooks.block_end(b);
    }
    launch_->progress.fetch_add(1, std::memory_order_relaxed);
}

inline void Worker::start_block(Block& b, uint3 index) {
    const dim3 block = launch_->block;
    b.index = index;
    b.warp_count = (threads_ + 31) / 32;
    b.live = threads_;
    b.arrived = 0;
    b.epoch = 1;
    ++b.generation;
    b.barrier_site = {};
    b.newest_phase = b.known_phases = 0;
    for (int k = 0; k < 4; ++k) b.released[k] = b.covered[k] = 0;
    b.running = true;
    b.spun_warps = 0;
    b.ready_warps = b.warp_count == 32 ? ~0u : (1u << b.warp_count) - 1;
    b.variable_count = 0;
    b.mbarriers.reset();
    b.copies_under_way = 0;
    b.arena_used = b.static_bytes = 0;
    {
        Untracked untracked;  // the next owner of this memory comes after its last one
        std::memset(b.dynamic, kSharedPoison, b.dynamic_bytes);
    }
    for (unsigned t = 0; t < threads_; ++t) {
        Lane& l = b.lanes[t];
        l.warp = &b.warps[t / 32];
        l.lane = t % 32;
        l.linear = t;
        l.thread = unravel(t, block);
        l.site = {};
        l.mbarrier = nullptr;
        l.arrivals = l.waits = l.known_phases = 0;
        l.fenced = false;
        char* stack = stacks_ + (size_t(b.slot) * threads_ + t) * stack_stride();
        fiber_make(l.fiber, stack, stack_bytes(config_), &lane_main);
    }
    for (unsigned k = 0; k < b.warp_count; ++k) {
        const unsigned lanes = threads_ - k * 32 < 32 ? threads_ - k * 32 : 32;
        Warp& w = b.warps[k];
        w.block = &b;
        w.id = k;
        w.live = w.ready = lanes == 32 ? ~0u : (1u << lanes) - 1;
        w.spun = w.at_barrier = w.at_collective = w.at_active = w.at_cluster = w.at_mbarrier = 0;
        w.lanes = b.lanes + k * 32;
    }
    if (hooks.block_begin) hooks.block_begin(b);
}

SIMT_NOTSAN inline void Worker::run(Launch& launch, unsigned resident) {
    launch_ = &launch;
    config_ = config();
    prepare(resident);
    current_launch = launch_;
    blockDim = launch.block;
    gridDim = launch.grid;
    for (unsigned i = 0; i < cluster_count_ && start_cluster(clusters_[i]); ++i) {
    }
    while (!launch.failed.load(std::memory_order_relaxed)) {
        Lane* next = nullptr;
        bool any = false;
        for (unsigned i = 0; i < cluster_count_; ++i) {
            Cluster& c = clusters_[i];
            if (c.running && !c.live) {
                end_cluster(c);
                start_cluster(c);
            }
            any |= c.running;
            for (uint32_t k = 0; k < c.size && c.running && !next; ++k)
                if (can_go_on(c.blocks[k])) next = any_of(c.blocks[k]);
        }
        if (!any) break;
        if (!next) {
            report_deadlock();
            break;
        }
        blockIdx = next->warp->block->index;
        self = next;
        threadIdx = next->thread;
        fiber_switch(main_, next->fiber);
    }
    self = nullptr;
    current_launch = nullptr;
    leave_fibers();
}

// Nothing in any resident block is ready and nobody polls. Names the first thread that waits, and
// all.
SIMT_NOTSAN inline void Worker::report_deadlock() {
    Failure f;
    for (unsigned i = 0; i < resident_ && f.line == 0; ++i) {
        const Block& b = blocks_[i];
        for (unsigned t = 0; b.running && t < threads_ && f.line == 0; ++t) {
            const Lane& l = b.lanes[t];
            if (!(l.warp->live >> l.lane & 1) || !l.site.file) continue;
            f = Failure{"", l.site.file, l.site.line, b.index, l.thread};
        }
    }
    f.message = "deadlock: no thread can go on; the first waits" + who_waits();
    record_failure(std::move(f));
}

// A block has ended before its bulk copy did: its shared memory would be somebody else's by then.
SIMT_NOTSAN inline void Worker::report_copy_under_way(const Block& b) {
    const Mbarriers::Copy& c = b.mbarriers->copies.front();
    Failure f{"the block has ended with a bulk copy under way, issued", c.site.file, c.site.line,
              b.index, b.lanes[c.issuer].thread};
    record_failure(std::move(f));
}

SIMT_NOTSAN inline void Worker::record_failure(Failure&& f) {
    add_place(f);
    auto& record = detail::failure_record();
    std::lock_guard<std::mutex> lock(record.mutex);
    if (!launch_->failed.exchange(true)) record.last = std::move(f);
}

// Tells the sanitizers that the fibers of this launch are over, also those that a failure
// abandoned.
SIMT_NOTSAN inline void Worker::leave_fibers() {
#if SIMT_ASAN
    if (launch_->failed) __asan_unpoison_memory_region(stacks_, stacks_bytes_);
#endif
#if SIMT_TSAN
    for (size_t i = 0; i < size_t(resident_) * threads_; ++i) {
        if (!blocks_[0].lanes[i].fiber.tsan) continue;
        __tsan_switch_to_fiber(blocks_[0].lanes[i].fiber.tsan, __tsan_switch_to_fiber_no_sync);
        __tsan_release(&launch_->tsan_end);
    }
    __tsan_switch_to_fiber(main_.tsan, __tsan_switch_to_fiber_no_sync);
#endif
}

}  // namespace simt

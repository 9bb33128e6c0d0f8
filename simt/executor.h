// SPDX-License-Identifier: Apache-2.0
// Runs one launch on the workers.
#pragma once

#include <thread>

#include "shared.h"
#include "worker_run.h"

namespace simt {

namespace detail {

struct Pool {
    std::mutex one_launch;
    std::vector<std::unique_ptr<Worker>> workers;
};
inline Pool& pool() {
    static Pool p;
    return p;
}

// Blocks in flight per worker, in whole clusters. Seeded launches draw 4 to 48: some faults need
// many, some need few.
inline unsigned resident_blocks(const Config& c, const Launch& l, unsigned workers) {
    constexpr uint64_t kMostLanes = 16384;  // where the number is ours to choose
    const uint64_t threads = uint64_t(l.block.x) * l.block.y * l.block.z;
    uint64_t n = c.resident;
    if (!n) {
        n = c.seed ? 4 + random_from(c.seed, 1000).below(45) : 4;
        n = std::min<uint64_t>(n, std::max<uint64_t>(4, kMostLanes / threads));
    }
    const uint64_t size = uint64_t(l.cluster.x) * l.cluster.y * l.cluster.z;
    const uint64_t clusters = std::min((l.cluster_count + workers - 1) / workers, n / size);
    return unsigned(std::max<uint64_t>(1, clusters) * size);
}

inline void set_up_checks(const Config& c) {
    hooks = Hooks{};
    if (c.check) {
        hooks.block_begin = &shadow_begin;
        hooks.last_exit = &shadow_last_exit;
        hooks.barrier = &shadow_barrier;
        hooks.warp_sync = &shadow_warp_sync;
    }
    if (c.count) {
        hooks.block_begin = [](Block& b) {
            if (hooks.warp_sync) shadow_begin(b);
            trace_begin(b);
        };
        hooks.barrier = [](Block& b) {
            if (hooks.warp_sync) shadow_barrier(b);
            trace_flush(b);
        };
        hooks.block_end = &trace_flush;
    }
    preempt_access = c.seed != 0;
    instrumented = c.check || c.count || preempt_access;
}

inline void record_failure(Launch& launch, const std::string& message) {
    std::lock_guard<std::mutex> lock(failure_record().mutex);
    if (!launch.failed.exchange(true)) failure_record().last = Failure{message, "", 0, {}, {}};
}

inline void run_worker(Worker& w, Launch& launch, unsigned resident) {
    try {
        w.run(launch, resident);
    } catch (const std::exception& e) {
        record_failure(launch, std::string("the executor: ") + e.what());
    }
}

}  // namespace detail

// Runs `launch` to its end. One launch at a time in a process; called from kernel code it fails.
// False: the launch failed and last_failure() says why.
inline bool execute(Launch& launch) {
    if (on_device()) return false;
    detail::Pool& pool = detail::pool();
    std::lock_guard<std::mutex> lock(pool.one_launch);
    const Config& c = config();
    if (!c.error.empty()) {
        detail::record_failure(launch, c.error);
        return false;
    }
    const dim3 grid = launch.grid, cluster = launch.cluster;
    launch.cluster_count =
        uint64_t(grid.x / cluster.x) * (grid.y / cluster.y) * (grid.z / cluster.z);
    if (c.seed && c.shuffle_blocks && launch.cluster_count < (uint64_t(1) << 24)) {
        Random r = random_from(c.seed, 2000);
        launch.order.resize(launch.cluster_count);
        for (uint32_t i = 0; i < launch.cluster_count; ++i) {
            const uint32_t j = r.below(i + 1);
            launch.order[i] = launch.order[j];
            launch.order[j] = i;
        }
    }
    detail::set_up_checks(c);
    const unsigned workers =
        unsigned(std::min<uint64_t>(worker_count(c), std::max<uint64_t>(1, launch.cluster_count)));
    const unsigned resident = detail::resident_blocks(c, launch, workers);
    while (pool.workers.size() < workers)
        pool.workers.push_back(std::make_unique<Worker>(unsigned(pool.workers.size())));
#if SIMT_TSAN
    __tsan_release(&launch.tsan_start);
#endif
    std::vector<std::thread> others;
    for (unsigned i = 1; i < workers; ++i)
        others.emplace_back([&, i] { detail::run_worker(*pool.workers[i], launch, resident); });
    detail::run_worker(*pool.workers[0], launch, resident);
    for (std::thread& t : others) t.join();
#if SIMT_TSAN
    __tsan_acquire(&launch.tsan_end);
#endif
    return !launch.failed;
}

}  // namespace simt

// SPDX-License-Identifier: Apache-2.0
// State of a launch: lanes (GPU threads) in warps in blocks in clusters, and the objects that
// kernels name.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "config.h"
#include "failure.h"
#include "fiber.h"
#include "types.h"

namespace simt {

struct Block;
struct Cluster;
struct Warp;
class Worker;
struct BlockShadow;  // shadow.h
struct BlockTrace;   // bank_counter.h
struct Mbarriers;    // mbarrier_state.h
class Mbarrier;      // mbarrier.h

// Completes a warp collective: reads and writes the operands of the lanes in `mask`.
using CollectiveFn = void (*)(Warp&, uint32_t mask);

struct alignas(64) Lane {
    Fiber fiber;
    Warp* warp = nullptr;
    uint3 thread{};
    uint32_t lane = 0;    // in the warp
    uint32_t linear = 0;  // in the block
    Site site;            // where it waits, or polled last
    // Operands of the warp collective that it waits in.
    CollectiveFn fn = nullptr;
    const char* name = nullptr;
    uint32_t mask = 0, arg = 0, width = 32, size = 0;
    const void* in = nullptr;
    void* out = nullptr;
    const Mbarrier* mbarrier = nullptr;  // that it waits at, or null
    // The cluster's barrier: how often it has arrived and waited, and how many of its phases are
    // ordered before what it does now.
    uint32_t arrivals = 0, waits = 0, known_phases = 0;
    bool fenced = false;  // since its last arrival
};

// Bit i of a mask stands for lane i. A live lane is in exactly one of ready, spun, at_barrier,
// at_collective, at_active, at_cluster, at_mbarrier.
struct Warp {
    Block* block;
    uint32_t id;
    uint32_t live, ready, spun, at_barrier, at_collective, at_active, at_cluster, at_mbarrier;
    Lane* lanes;
    char tsan_address;
};

// A cluster holds the blocks of adjacent slots of one worker, in the order of their ranks. Without
// clusters every block is one of its own.
struct Cluster {
    Block* blocks = nullptr;
    uint32_t size = 1;
    uint3 index{};
    bool running = false;
    uint32_t live = 0;        // threads
    uint32_t arrived = 0;     // of them, in the present phase of the barrier
    uint32_t phase = 0;       // phases completed so far
    uint32_t generation = 0;  // clusters that have run in these slots
    char tsan_address[4];     // two for the phases, two for the generations
};

struct Block {
    Worker* worker = nullptr;
    uint32_t slot = 0;
    Cluster* cluster = nullptr;
    uint32_t rank = 0;  // in the cluster
    uint32_t warp_count = 0, live = 0, arrived = 0;
    uint32_t ready_warps = 0, spun_warps = 0;  // bit i: warp i
    uint32_t epoch = 0;                        // block barriers so far, from 1
    uint32_t generation = 0;                   // blocks that have run in this slot
    bool running = false;
    uint3 index{};
    // The barrier in progress.
    Site barrier_site;
    uint32_t barrier_first = 0;
    int barrier_accumulator = 0, barrier_result = 0;
    // What the cluster's barrier orders. Phase p stands at p % 4: all accesses of a thread before
    // its arrival number released[p % 4], and all of the block before its own epoch covered[p % 4].
    uint32_t released[4], covered[4];
    uint32_t newest_phase = 0, known_phases = 0;  // waited for by any thread; known to all of them
    // Shared memory: the dynamic part, then the arena of the static variables.
    struct Variable {
        const void* key;
        char* address;
        size_t size, align;
    };
    static constexpr uint32_t kMaxVariables = 32;
    Variable variables[kMaxVariables];
    uint32_t variable_count = 0;
    size_t arena_used = 0, static_bytes = 0;
    char* dynamic = nullptr;
    char* arena = nullptr;
    size_t dynamic_bytes = 0;
    uint32_t copies_under_way = 0;         // bulk copies
    std::shared_ptr<Mbarriers> mbarriers;  // of this block, once it has made one
    std::shared_ptr<BlockShadow> shadow;   // while checking
    std::shared_ptr<BlockTrace> trace;     // while counting
    Warp warps[32];
    Lane* lanes = nullptr;
    char tsan_address[2];
};

// One kernel launch. `body(args)` is run once by every GPU thread.
struct Launch {
    dim3 grid, block;
    size_t dynamic_shared = 0;
    dim3 cluster;                    // of blocks; divides the grid
    bool cluster_specified = false;  // by the launch
    void (*body)(void* args) = nullptr;
    void* args = nullptr;
    const char* name = "kernel";

    // Filled in by execute().
    uint64_t cluster_count = 0;
    std::vector<uint32_t> order;        // of the clusters; empty: as they are numbered
    std::atomic<uint64_t> next{0};      // cluster to start
    std::atomic<uint64_t> progress{0};  // counts the events that can end somebody's waiting
    std::atomic<bool> failed{false};
    char tsan_start = 0, tsan_end = 0;
};

struct Random {  // xorshift64*
    uint64_t state = 1;
    SIMT_FAST uint32_t operator()() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<uint32_t>((state * 0x2545F4914F6CDD1Dull) >> 32);
    }
    SIMT_FAST uint32_t below(uint32_t n) {
        return static_cast<uint32_t>((uint64_t((*this)()) * n) >> 32);
    }
};
SIMT_NOTSAN inline Random random_from(uint64_t seed, uint64_t stream) {
    Random r;
    r.state = ((seed + 0x632BE59BD9B4E019ull * (stream + 1)) * 0x9E3779B97F4A7C15ull) | 1;
    for (int i = 0; i < 4; ++i) r();
    return r;
}

inline thread_local Lane* self = nullptr;  // the GPU thread that this OS thread runs now
inline thread_local Launch* current_launch = nullptr;

// True in kernel code.
inline bool on_device() { return self != nullptr; }

}  // namespace simt

// Objects and not macros: cudaLaunchConfig_t has members named gridDim and blockDim, and a debugger
// can break on them.
inline thread_local simt::uint3 threadIdx{0, 0, 0};
inline thread_local simt::uint3 blockIdx{0, 0, 0};
inline thread_local simt::dim3 blockDim;
inline thread_local simt::dim3 gridDim;
constexpr int warpSize = 32;

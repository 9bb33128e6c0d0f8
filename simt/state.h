// SPDX-License-Identifier: Apache-2.0
// State of a launch: lanes (GPU threads) in warps in blocks, and the objects that kernels name.
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
struct Warp;
class Worker;
struct BlockShadow;  // shadow.h
struct BlockTrace;   // bank_counter.h
struct Mbarriers;    // mbarrier.h

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
};

// Bit i of a mask stands for lane i. A live lane is in exactly one of ready, spun, at_barrier,
// at_collective, at_active.
struct Warp {
    Block* block;
    uint32_t id;
    uint32_t live, ready, spun, at_barrier, at_collective, at_active;
    Lane* lanes;
    char tsan_address;
};

struct Block {
    Worker* worker = nullptr;
    uint32_t slot = 0;
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
    // Shared memory: the dynamic part, then the arena of the static variables.
    struct Variable {
        const void* key;
        char* address;
    };
    static constexpr uint32_t kMaxVariables = 32;
    Variable variables[kMaxVariables];
    uint32_t variable_count = 0;
    size_t arena_used = 0, static_bytes = 0;
    char* dynamic = nullptr;
    char* arena = nullptr;
    size_t dynamic_bytes = 0;
    std::shared_ptr<Mbarriers> mbarriers;  // of this block, once it has made one
    std::shared_ptr<BlockShadow> shadow;   // while checking
    std::shared_ptr<BlockTrace> trace;     // while counting
    Warp warps[32];
    Lane* lanes = nullptr;
    char tsan_address[4];
};

// One kernel launch. `body(args)` is run once by every GPU thread.
struct Launch {
    dim3 grid, block;
    size_t dynamic_shared = 0;
    void (*body)(void* args) = nullptr;
    void* args = nullptr;
    const char* name = "kernel";

    // Filled in by execute().
    uint64_t block_count = 0;
    std::vector<uint32_t> order;        // of the blocks; empty: as they are numbered
    std::atomic<uint64_t> next{0};      // block to start
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

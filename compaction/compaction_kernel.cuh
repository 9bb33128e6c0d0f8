// SPDX-License-Identifier: Apache-2.0
//
// The kernel of all compactions, in one pass over the data: blocks take tile after tile, read it
// and find out what belongs where, learn by look-back how much stands before it, gather the results
// in shared memory and write them out coalesced. What is read, counted and written is the task's
// (select_task.cuh, run_length_task.cuh).
//
// The warps with items are one tile ahead of the prefixes: while a further warp waits for what
// stands before a tile, they write the one before it and count the next one, whose loads have been
// under way meanwhile. Between two tiles there is one barrier. Staged results have two buffers.
//
// A task has
//   Shape, State, Local, Combine   its tile; what look-back sums up, and the same within a tile,
//                                  where it counts from the tile's beginning; the operator of both
//   Shared                         results of a tile in shared memory
//   Tile                           one thread's items of a tile in registers: load(); count(), what
//                                  the thread's warp has, behind which nothing of the input is read
//                                  any more; stage(), given what the tile has before the warp
//   widen(local, base)             of the tile that begins at base
//   write(...)                     from shared to global memory
//   finish(end, n)                 called by one thread, with the State of the whole input
//
// Source: Duane Merrill and Michael Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back", NVIDIA NVR-2016-002, 2016, where compaction is one of the uses.
#pragma once

#include <compaction/tile_counts.cuh>
#include <compaction/tile_shape.cuh>
#include <cstdint>
#include <libscan/cluster_exchange.cuh>
#include <libscan/config.cuh>
#include <libscan/hopper.cuh>
#include <libscan/look_back.cuh>
#include <libscan/three_kernel_scan_kernels.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Task>
struct CompactionStorage {
    using Shape = typename Task::Shape;
    static constexpr std::size_t kMostForTwo = 48 * 1024;
    static constexpr bool kAhead =
        Shape::kAhead && 2 * sizeof(typename Task::Shared) <= kMostForTwo;

    typename Task::Shared task[kAhead ? 2 : 1];
    // Of the present tile and the one before, by turns.
    shared_array<typename Task::Local, 2 * kWarpSize> warps;
    shared_array<typename Task::State, 2> before;
    shared_array<typename Task::State, 2 * kClusterTiles> aggregates;
    shared_array<Word, 2> ticket;
};

// What look-back is told and told of where an output may be the input. A block writes when it knows
// what stands before its tile, and a result never stands to the right of the item that it comes
// from: what it writes over is read by tiles that have published their counts. So publishing must
// follow reading, and writing must follow finding.
__device__ __forceinline__ void order_in_place(bool in_place) {
    if (in_place) __threadfence();
}

// What a tile's warps come to: before the calling thread's warp, and in all.
template <class Task>
struct TileSums {
    typename Task::Local before, total;
};
template <class Task>
__device__ __forceinline__ TileSums<Task> sum_tile(
    const shared_array<typename Task::Local, 2 * kWarpSize>& warps, int turn) {
    using Local = typename Task::Local;
    constexpr int kWarps = Task::Shape::kWarps;
    const int lane = Task::Shape::lane(), warp = Task::Shape::warp();
    const Local own = warps[turn * kWarpSize + (lane < kWarps ? lane : 0)];
    typename Task::Combine combine;
    const Local sum = warp_inclusive_scan<kWarps>(~0u, own, combine, kWarps);
    TileSums<Task> sums{broadcast(~0u, sum, warp > 0 ? warp - 1 : 0),
                        broadcast(~0u, sum, kWarps - 1)};
    if (warp == 0) sums.before = Local{};
    return sums;
}

// The warp that looks back, or the lack of it.
template <class Task>
class PrefixFinder {
    using State = typename Task::State;
    using Combine = typename Task::Combine;

  public:
    __device__ __forceinline__ PrefixFinder(CompactionStorage<Task>& storage,
                                            const LookBackStates<State>& states, bool in_place)
        : storage_(storage), states_(states), in_place_(in_place) {}

    __device__ __forceinline__ State look_back(std::int64_t tile, const State& aggregate) {
        const Identity<State> nothing{State{}};
        order_in_place(in_place_);
        const State before =
            LookBack<State, Combine, Identity<State>>(states_, Combine{}, nothing)(tile, aggregate)
                .value;
        order_in_place(in_place_);
        return before;
    }

    // In a cluster: tells all blocks.
    __device__ __forceinline__ void tell(int turn, int rank, int blocks, const State& aggregate) {
#if LIBSCAN_HOPPER_CODE
        const int lane = Task::Shape::lane();
        if (lane < blocks) {
            void* const there = __cluster_map_shared_rank(
                &storage_.aggregates[turn * kClusterTiles + rank], static_cast<unsigned>(lane));
            shared_at<State>(there) = aggregate;
        }
#else
        (void)turn, (void)rank, (void)blocks, (void)aggregate;
#endif
    }
    // What stands before the tile of block `rank`; steps to the next `blocks` tiles.
    __device__ __forceinline__ State next_round(int turn, int rank, int blocks,
                                                const State& aggregate) {
        Combine combine;
        State before = running_;
        if (blocks == 1) {
            running_ = combine(running_, aggregate);
            return before;
        }
        for (int block = 0; block < blocks; ++block) {
            if (block == rank) before = running_;
            const State of_block = storage_.aggregates[turn * kClusterTiles + block];
            running_ = combine(running_, of_block);
        }
        return before;
    }

  private:
    CompactionStorage<Task>& storage_;
    const LookBackStates<State>& states_;
    bool in_place_;
    State running_{};
};

// Without states (a null ticket) the grid is one block or one cluster, whose blocks take turns.
//
// What a tile reads beyond itself is the last item of the tile before it; select_task.cuh says why
// that is safe in place.
template <class Task>
__global__ void __launch_bounds__(Task::Shape::kBlockThreads, Task::Shape::kBlocks)
    compaction_kernel(Task task, std::int64_t n, LookBackStates<typename Task::State> states,
                      bool in_place) {
    using Shape = typename Task::Shape;
    using State = typename Task::State;
    using Local = typename Task::Local;
    using Storage = CompactionStorage<Task>;
    constexpr bool kAhead = Storage::kAhead;
    Storage& storage = *dynamic_shared<Storage>();

    const bool by_ticket = states.ticket != nullptr;
    const bool finds = Shape::warp() == Shape::kWarps;  // the calling thread's warp has no items
    const int lane = Shape::lane();
    const std::int64_t tiles = n > 0 ? ceil_div(n, std::int64_t{Shape::kTile}) : 1;
    PrefixFinder<Task> finder(storage, states, in_place);

    int blocks = 1, rank = 0;
    if (by_ticket) {
        if (threadIdx.x == 0) storage.ticket[0] = atomicAdd(states.ticket, Word(1));
        __syncthreads();
    }
#if LIBSCAN_HOPPER_CODE
    if (!by_ticket) {
        blocks = static_cast<int>(__clusterSizeInBlocks());
        rank = static_cast<int>(__clusterRelativeBlockRank());
        // Nobody may write into a block that has not started.
        if (blocks > 1) {
            __cluster_barrier_arrive();
            __cluster_barrier_wait();
        }
    }
#endif
    std::int64_t tile = rank;
    if (by_ticket) {
        const Word ticket = storage.ticket[0];
        tile = static_cast<std::int64_t>(ticket);
    }

    // What stands before a tile is known, to one warp.
    const auto settle = [&](std::int64_t at, int turn, const State& before,
                            const State& aggregate) {
        if (lane != 0) return;
        storage.before[turn] = before;
        if (at == tiles - 1) task.finish(typename Task::Combine{}(before, aggregate), n);
    };
    const auto write = [&](std::int64_t at, int turn, const Local& total) {
        const State before = storage.before[turn];
        task.write(storage.task[kAhead ? turn : 0], at * Shape::kTile,
                   tile_count<Shape::kTile>(at, n), total, before, n);
    };

    typename Task::Tile mine;
    Local total_before{};
    std::int64_t tile_before = -1;
    bool live = tile - rank < tiles;
    if (live && !finds) {
        mine.load(task, tile * Shape::kTile, tile_count<Shape::kTile>(tile, n));
    }
    for (int round = 0; live || tile_before >= 0; ++round) {
        const int turn = round & 1;
        const std::int64_t base = tile * Shape::kTile;
        const int count = live ? tile_count<Shape::kTile>(tile, n) : 0;
        if (finds) {
            Word ticket = 0;
            if (by_ticket && live && lane == 0) ticket = atomicAdd(states.ticket, Word(1));
            if (kAhead && by_ticket && tile_before >= 0) {
                const State aggregate = Task::widen(total_before, tile_before * Shape::kTile);
                settle(tile_before, turn ^ 1, finder.look_back(tile_before, aggregate), aggregate);
            }
            if (by_ticket && live && lane == 0) storage.ticket[turn ^ 1] = ticket;
        } else if (live) {
            const Local own = mine.count(task, base, count);
            order_in_place(in_place);
            if (lane == 0) storage.warps[turn * kWarpSize + Shape::warp()] = own;
        }
        __syncthreads();

        std::int64_t next = tile + blocks;
        if (by_ticket && live) {
            const Word ticket = storage.ticket[turn ^ 1];
            next = static_cast<std::int64_t>(ticket);
        }
        const bool next_live = live && next - rank < tiles;
        TileSums<Task> sums{};
        if (live) sums = sum_tile<Task>(storage.warps, turn);
        const State aggregate = Task::widen(sums.total, base);
        if (live && !by_ticket) {
#if LIBSCAN_HOPPER_CODE
            if (blocks > 1) {
                if (finds) finder.tell(turn, rank, blocks, aggregate);
                __cluster_barrier_arrive();
                __cluster_barrier_wait();
            }
#endif
            if (finds)
                settle(tile, turn, finder.next_round(turn, rank, blocks, aggregate), aggregate);
        }
        if (!finds) {
            if (live)
                mine.stage(task, storage.task[kAhead ? turn : 0], count, sums.before, sums.total);
            if (next_live) mine.load(task, next * Shape::kTile, tile_count<Shape::kTile>(next, n));
            if (kAhead && tile_before >= 0) write(tile_before, turn ^ 1, total_before);
        }
        if constexpr (!kAhead) {
            if (live && by_ticket && finds)
                settle(tile, turn, finder.look_back(tile, aggregate), aggregate);
            __syncthreads();
            if (live && !finds) write(tile, turn, sums.total);
        }
        tile_before = kAhead && live ? tile : -1;
        total_before = sums.total;
        tile = next;
        live = next_live;
    }
}

// Number `which` of the counts that a compaction gives; of a single one the iterator need not know
// more than *.
template <int kCounts, class NumSelected>
__device__ void store_count(NumSelected num_selected, int which, Word count) {
    if constexpr (kCounts > 1) {
        store(num_selected, which, count);
    } else if constexpr (std::is_void_v<IteratorValue<NumSelected>>) {
        *num_selected = count;
    } else {
        *num_selected = static_cast<IteratorValue<NumSelected>>(count);
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

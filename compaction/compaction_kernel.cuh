// SPDX-License-Identifier: Apache-2.0
//
// The kernel of all compactions, in one pass over the data: blocks take tile after tile, read it
// and find out what belongs where, learn how much stands before it, collect the results in shared
// memory and write them out coalesced. What is read, counted and written is the task's
// (select_task.cuh, run_length_task.cuh).
//
// The warps with items are one tile ahead of the prefixes: while a further warp waits for what
// stands before a tile, they write the one before it and count the next one, whose loads have been
// under way meanwhile. Between two tiles there is one barrier. Staged results have two buffers.
//
// A task has
//   Shape               its tile
//   State, Local        what tiles tell each other, and the same within a tile, where it counts
//                       from the tile's beginning: widen(local, base) makes the one of the other
//   Combine, Gather     the operator on both; how a tile learns what stands before it
//   Shared              results of a tile in shared memory
//   Tile                one thread's items of a tile in registers: load(); count(), what the warp
//                       has, behind which nothing of the input is read any more; stage(), given
//                       what the tile has before the warp
//   write(...)          from shared to global memory
//   finish(end, n)      called by one thread, with the State of the whole input
//
// Source: Duane Merrill and Michael Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back", NVIDIA NVR-2016-002, 2016, where compaction is one of the uses.
#pragma once

#include <compaction/group_gather.cuh>
#include <compaction/tile_counts.cuh>
#include <compaction/tile_gather.cuh>
#include <compaction/tile_shape.cuh>
#include <cstdint>
#include <libscan/cluster_exchange.cuh>
#include <libscan/config.cuh>
#include <libscan/hopper.cuh>
#include <libscan/three_kernel_scan_kernels.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// How blocks of a shape learn what stands before their tiles; kSums as in group_gather.cuh.
template <class Shape, class State, class Combine, int kSums>
using GatherFor = std::conditional_t<Shape::kBlocks == 1, TileGather<State, Combine>,
                                     GroupGather<sizeof(State) / sizeof(Word), kSums>>;

template <class Task>
struct CompactionStorage {
    using Shape = typename Task::Shape;
    static constexpr bool kAhead = Shape::kAhead;

    struct alignas(alignof(typename Task::Shared) < 16 ? 16
                                                       : alignof(typename Task::Shared)) Results {
        typename Task::Shared of;
    };
    Results results[kAhead ? 2 : 1];
    // Of the present tile and the one before, by turns.
    shared_array<typename Task::Local, 2 * kWarpSize> warps;
    shared_array<typename Task::State, 2> before;
    shared_array<typename Task::State, 2 * kTilesOfCluster> aggregates;
    shared_array<Word, 2> ticket;
};

// Where an output may be the input: a block writes when it knows what stands before its tile, and a
// result never stands to the right of the item that it comes from, so what it writes over is read
// by tiles that have published their counts. Publishing must follow reading, and writing must
// follow finding.
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

// One block. Its warps have one of two roles; each barrier is met by both.
template <class Task>
class CompactionBlock {
    using Shape = typename Task::Shape;
    using State = typename Task::State;
    using Local = typename Task::Local;
    using Combine = typename Task::Combine;
    using Storage = CompactionStorage<Task>;
    static constexpr bool kAhead = Storage::kAhead;

  public:
    // Without states (a null ticket) the grid is one block or one cluster, whose blocks take turns.
    __device__ __forceinline__ CompactionBlock(Task& task, Storage& storage, std::int64_t n,
                                               const CompactionStates<State>& states, bool in_place)
        : task_(task),
          storage_(storage),
          states_(states),
          n_(n),
          tiles_(n > 0 ? ceil_div(n, std::int64_t{Shape::kTile}) : 1),
          in_place_(in_place),
          by_ticket_(states.ticket != nullptr) {}

    __device__ __forceinline__ void run() {
        std::int64_t tile = 0;
        if (by_ticket_) {
            if (threadIdx.x == 0) storage_.ticket[0] = take_ticket(states_.ticket);
            barrier();
            const Word ticket = storage_.ticket[0];
            tile = static_cast<std::int64_t>(ticket);
        } else {
#if LIBSCAN_HOPPER_CODE
            blocks_ = static_cast<int>(__clusterSizeInBlocks());
            rank_ = static_cast<int>(__clusterRelativeBlockRank());
            tile = rank_;
            if (blocks_ > 1) cluster_barrier();  // nobody may write into a block before it starts
#endif
        }
        if (Shape::warp() == Shape::kWarps) {
            find(tile);
        } else {
            work(tile);
        }
    }

  private:
    // The warps with items.
    __device__ __forceinline__ void work(std::int64_t tile) {
        typename Task::Tile mine;
        std::int64_t tile_before = -1;
        Local total_before{};
        bool live = is_live(tile);
        if (live) mine.load(task_, base(tile), count(tile));
        for (int turn = 0; live || tile_before >= 0; turn ^= 1) {
            if (live) {
                const Local own = mine.count(task_, base(tile), count(tile));
                order_in_place(in_place_);
                if (Shape::lane() == 0) storage_.warps[turn * kWarpSize + Shape::warp()] = own;
            }
            barrier();
            TileSums<Task> sums{};
            if (live) sums = sum_tile<Task>(storage_.warps, turn);
            if (live && blocks_ > 1) cluster_barrier();
            const std::int64_t next = tile_after(tile, turn, live);
            if (live) {
                mine.stage(task_, storage_.results[kAhead ? turn : 0].of, count(tile), sums.before,
                           sums.total);
            }
            const bool next_live = live && is_live(next);
            if (next_live) mine.load(task_, base(next), count(next));
            if constexpr (kAhead) {
                if (tile_before >= 0) write(tile_before, turn ^ 1, total_before);
                tile_before = live ? tile : -1;
                total_before = sums.total;
            } else {
                barrier();
                if (live) write(tile, turn, sums.total);
            }
            tile = next;
            live = next_live;
        }
    }

    // The warp that finds out what stands before the tiles.
    __device__ __forceinline__ void find(std::int64_t tile) {
        typename Task::Gather gather;
        State running{};  // what the rounds before come to, without tickets
        std::int64_t tile_before = -1;
        Local total_before{};
        bool live = is_live(tile);
        for (int turn = 0; live || tile_before >= 0; turn ^= 1) {
            Word ticket = 0;
            const bool takes = by_ticket_ && live && Shape::lane() == 0;
            if (takes) ticket = take_ticket(states_.ticket);
            if (kAhead && tile_before >= 0) look_back(gather, tile_before, turn ^ 1, total_before);
            if (takes) storage_.ticket[turn ^ 1] = ticket;
            barrier();
            TileSums<Task> sums{};
            if (live) {
                sums = sum_tile<Task>(storage_.warps, turn);
                if (!by_ticket_) exchange(running, tile, turn, sums.total);
            }
            if constexpr (!kAhead) {
                if (live && by_ticket_) look_back(gather, tile, turn, sums.total);
                barrier();
            }
            tile_before = kAhead && by_ticket_ && live ? tile : -1;
            total_before = sums.total;
            // The warps with items need one more round to write what they are ahead.
            const std::int64_t next = tile_after(tile, turn, live);
            const bool next_live = live && is_live(next);
            if (kAhead && !by_ticket_ && live && !next_live) barrier();
            tile = next;
            live = next_live;
        }
    }

    __device__ __forceinline__ void look_back(typename Task::Gather& gather, std::int64_t tile,
                                              int turn, const Local& total) {
        const State own = Task::widen(total, base(tile));
        order_in_place(in_place_);
        const State before = gather(states_, tile, own);
        order_in_place(in_place_);
        settle(tile, turn, before, own);
    }

    // Without tickets: the blocks tell each other what their tiles of this round come to.
    __device__ __forceinline__ void exchange(State& running, std::int64_t tile, int turn,
                                             const Local& total) {
        const State own = Task::widen(total, base(tile));
        State before = running;
        Combine combine;
        if (blocks_ == 1) {
            running = combine(running, own);
        } else {
#if LIBSCAN_HOPPER_CODE
            if (Shape::lane() < blocks_) {
                void* const there =
                    __cluster_map_shared_rank(&storage_.aggregates[turn * kTilesOfCluster + rank_],
                                              static_cast<unsigned>(Shape::lane()));
                shared_at<State>(there) = own;
            }
            cluster_barrier();
#endif
            LIBSCAN_UNROLL(1)
            for (int block = 0; block < blocks_; ++block) {
                if (block == rank_) before = running;
                const State of_block = storage_.aggregates[turn * kTilesOfCluster + block];
                running = combine(running, of_block);
            }
        }
        settle(tile, turn, before, own);
    }

    // What stands before the tile is known.
    __device__ __forceinline__ void settle(std::int64_t tile, int turn, const State& before,
                                           const State& own) {
        if (Shape::lane() != 0) return;
        storage_.before[turn] = before;
        if (tile == tiles_ - 1) task_.finish(Combine{}(before, own), n_);
    }

    __device__ __forceinline__ void write(std::int64_t tile, int turn, const Local& total) {
        const State before = storage_.before[turn];
        task_.write(storage_.results[kAhead ? turn : 0].of, base(tile), count(tile), total, before,
                    n_);
    }

    // All threads of the block, or of the cluster. The roles come here from different lines of
    // code, which a barrier with a number of threads allows and __syncthreads() does not.
    __device__ __forceinline__ void barrier() {
#if defined(__CUDACC__)
        asm volatile("barrier.sync 1, %0;" ::"n"(Shape::kBlockThreads) : "memory");
#else
        __syncthreads();
#endif
    }
    __device__ __forceinline__ void cluster_barrier() {
#if LIBSCAN_HOPPER_CODE
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
#endif
    }

    static __device__ __forceinline__ std::int64_t base(std::int64_t tile) {
        return tile * Shape::kTile;
    }
    __device__ __forceinline__ int count(std::int64_t tile) const {
        return tile_count<Shape::kTile>(tile, n_);
    }
    // False behind the last tile; in a cluster, behind the last round that has tiles.
    __device__ __forceinline__ bool is_live(std::int64_t tile) const {
        return tile - rank_ < tiles_;
    }
    __device__ __forceinline__ std::int64_t tile_after(std::int64_t tile, int turn,
                                                       bool live) const {
        if (!by_ticket_ || !live) return tile + blocks_;
        const Word ticket = storage_.ticket[turn ^ 1];
        return static_cast<std::int64_t>(ticket);
    }

    Task& task_;
    Storage& storage_;
    const CompactionStates<State>& states_;
    std::int64_t n_, tiles_;
    bool in_place_, by_ticket_;
    int blocks_ = 1, rank_ = 0;
};

// Before compute capability 8.0 a multiprocessor's shared memory has room for one block.
template <class Shape>
constexpr int blocks_for_registers() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    return 1;
#else
    return Shape::kBlocks;
#endif
}

// What a tile reads beyond itself is the last item of the tile before it; select_task.cuh says why
// that is safe in place.
template <class Task>
__global__ void __launch_bounds__(Task::Shape::kBlockThreads,
                                  blocks_for_registers<typename Task::Shape>())
    compaction_kernel(Task task, std::int64_t n, CompactionStates<typename Task::State> states,
                      bool in_place) {
    CompactionBlock<Task>(task, *dynamic_shared<CompactionStorage<Task>>(), n, states, in_place)
        .run();
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

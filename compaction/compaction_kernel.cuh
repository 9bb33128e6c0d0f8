// SPDX-License-Identifier: Apache-2.0
//
// The kernel of all compactions, in one pass over the data: a block takes a tile by ticket, reads
// it and finds out what belongs where, learns by look-back how much stands before it, gathers its
// results in shared memory and writes them out coalesced. What is read, counted and written is the
// task's (select_task.cuh, run_length_task.cuh).
//
// A task has
//   Shape, State, Combine   its tile, and what look-back sums up, with which operator
//   Shared                  its part of the block's shared memory
//   Tile                    one thread's view of a tile, whose phases the kernel calls in this
//                           order: read() returns the tile's State to all threads, after a barrier
//                           behind which nothing of the input is read any more; stage() brings
//                           results into shared memory; write(before) takes them to global memory.
//   finish(end, n)          called by one thread, with the State of the whole input
//
// Source: Duane Merrill and Michael Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back", NVIDIA NVR-2016-002, 2016, where compaction is one of the uses.
#pragma once

#include <compaction/tile_counts.cuh>
#include <compaction/tile_shape.cuh>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/look_back.cuh>
#include <libscan/three_kernel_scan_kernels.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Task>
struct CompactionStorage {
    typename Task::Shared task;
    shared_array<typename Task::State, 1> before;
    shared_array<Word, 1> ticket;
};

// Without states (a null ticket) the input is one tile, or empty, and there is one block.
//
// In place (an output that is the input) this is safe, because a result never stands to the right
// of the item that it comes from: what tile t writes stands in tiles up to t. A block writes when
// it knows what stands before its tile, so all tiles up to it have published their counts, and a
// tile publishes after it has read (tile_counts.cuh says how this is ordered). What a tile reads
// beyond itself is the last item of the tile before it; select_task.cuh says why that is safe.
template <class Task>
__global__ void __launch_bounds__(Task::Shape::kThreads)
    compaction_kernel(Task task, std::int64_t n, LookBackStates<typename Task::State> states) {
    using State = typename Task::State;
    using Combine = typename Task::Combine;
    CompactionStorage<Task>& storage = *dynamic_shared<CompactionStorage<Task>>();

    const bool one_tile = states.ticket == nullptr;
    std::int64_t tile = 0;
    if (!one_tile) {
        if (threadIdx.x == 0) storage.ticket[0] = atomicAdd(states.ticket, Word(1));
        __syncthreads();
        const Word ticket = storage.ticket[0];
        tile = static_cast<std::int64_t>(ticket);
    }
    const int count = tile_count<Task::Shape::kTile>(tile, n);
    if (count <= 0 && !one_tile) return;  // a grid in two dimensions may have blocks to spare

    const std::int64_t base = tile * Task::Shape::kTile;
    typename Task::Tile mine(task, storage.task, base, count);
    const State total = mine.read();
    if (threadIdx.x < kWarpSize) {
        State before{};
        if (!one_tile) {
            const Identity<State> nothing{State{}};
            before =
                LookBack<State, Combine, Identity<State>>(states, Combine{}, nothing)(tile, total)
                    .value;
        }
        if (threadIdx.x == 0) storage.before[0] = before;
    }
    mine.stage();
    __syncthreads();
    const State before = storage.before[0];
    mine.write(before, n);
    if (base + count == n && threadIdx.x == 0) task.finish(Combine{}(before, total), n);
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

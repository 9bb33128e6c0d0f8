// SPDX-License-Identifier: Apache-2.0
//
// Host side of compactions: storage, checks, launches.
#pragma once

#include <compaction/buffer_checks.cuh>
#include <compaction/compaction_call.cuh>
#include <compaction/compaction_kernel.cuh>
#include <compaction/tile_counts.cuh>
#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/temp_storage.cuh>
#include <libscan/three_kernel_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Shape>
constexpr std::int64_t tiles_of(std::int64_t n) {
    return ceil_div(n, static_cast<std::int64_t>(Shape::kTile));
}

// The kernel for n items, which a grid has room for, with the words of their tiles, which are zero,
// at `cleared`; one block with a null pointer, for a tile or nothing at all.
template <class Task>
[[nodiscard]] cudaError_t launch_compaction(const Task& task, std::int64_t n, void* cleared,
                                            bool ordered, cudaStream_t stream) {
    using Shape = typename Task::Shape;
    const std::int64_t tiles = tiles_of<Shape>(n);
    const TileGrid grid = tile_grid(cleared != nullptr ? tiles : 1);
    return launch(compaction_kernel<Task>,
                  dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y)),
                  Shape::kThreads, sizeof(CompactionStorage<Task>), stream, task, n,
                  TileStates<typename Task::State>(tiles).states(cleared, ordered));
}

// One tile is one launch; more are a memset of the tiles' words (8 or 16 bytes for each) and one
// launch. They are cleared before each launch, so one that was aborted leaves nothing behind that
// matters. `ordered`: an output may be an input (tile_counts.cuh).
template <class Task>
[[nodiscard]] cudaError_t run_compaction(const CompactionCall& call, const Task& task,
                                         std::int64_t n, const BufferChecks& buffers,
                                         bool ordered) {
    const std::int64_t tiles = tiles_of<typename Task::Shape>(n);
    const TileStates<typename Task::State> states(tiles);
    std::size_t sizes[1];
    void* parts[1] = {};
    if (!tile_grid(tiles).fits || !states.bytes(sizes[0])) return cudaErrorInvalidValue;
    cudaError_t error = alias_temp_storage(call.temp, call.temp_bytes, sizes, parts);
    if (error != cudaSuccess || call.temp == nullptr) return error;
    error = buffers.check(call.temp, call.temp_bytes);
    if (error != cudaSuccess) return error;
    if (parts[0] != nullptr) {
        error = cudaMemsetAsync(parts[0], 0, sizes[0], call.stream);
        if (error != cudaSuccess) return error;
    }
    return launch_compaction(task, n, parts[0], ordered, call.stream);
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

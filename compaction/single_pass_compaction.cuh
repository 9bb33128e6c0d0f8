// SPDX-License-Identifier: Apache-2.0
//
// Host side of compactions: storage, checks, launches.
#pragma once

#include <algorithm>
#include <compaction/buffer_checks.cuh>
#include <compaction/compaction_call.cuh>
#include <compaction/compaction_kernel.cuh>
#include <compaction/compaction_temp.cuh>
#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_traits.cuh>
#include <libscan/hopper_scan.cuh>
#include <libscan/operators.cuh>
#include <libscan/three_kernel_scan.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Shape>
constexpr std::int64_t tiles_of(std::int64_t n) {
    return ceil_div(n, static_cast<std::int64_t>(Shape::kTile));
}

// How many blocks run, and how they learn of each other.
struct CompactionGrid {
    int blocks = 1;
    bool cluster = false;
    bool by_ticket = false;
};

// Few items are one launch, without anything to be cleared before: a few tiles are a block each of
// one cluster, or one block goes over them.
template <class Task>
[[nodiscard]] cudaError_t compaction_grid(std::int64_t tiles, CompactionGrid& grid) {
    using Shape = typename Task::Shape;
    grid = {};
    if (tiles <= 1) return cudaSuccess;
    DeviceTraits device;
    cudaError_t error = device_traits(device);
    if (error != cudaSuccess) return error;
    if constexpr (kNewestArchitecture >= 900) {
        static AnswerOfDevice known;
        if (device.architecture >= 900 && tiles <= kTilesOfCluster) {
            bool hopper = false;
            error = has_hopper_code(known, device, &compaction_kernel<Task>, hopper);
            if (error != cudaSuccess) return error;
            if (hopper) {
                grid.blocks = static_cast<int>(tiles);
                grid.cluster = true;
                return cudaSuccess;
            }
        }
    }
    if (tiles <= kTilesOfFewItems) return cudaSuccess;
    grid.by_ticket = true;
    const std::int64_t most = std::int64_t{device.multiprocessors} * Shape::kBlocks;
    grid.blocks = static_cast<int>(std::min(tiles, std::max<std::int64_t>(most, 1)));
    return cudaSuccess;
}

// The kernel for n items. Words of tiles are cleared before each launch that uses them, so one that
// was aborted leaves nothing behind that matters; `cleared` says that they are clear already.
// `in_place`: an output may be an input.
template <class Task>
[[nodiscard]] cudaError_t launch_compaction(const Task& task, std::int64_t n,
                                            const CompactionTemp<typename Task::State>& storage,
                                            bool in_place, cudaStream_t stream,
                                            bool cleared = false) {
    CompactionGrid grid;
    cudaError_t error = compaction_grid<Task>(tiles_of<typename Task::Shape>(n), grid);
    if (error != cudaSuccess) return error;
    CompactionStates<typename Task::State> states{};
    if (grid.by_ticket) {
        states = storage.states();
        if (!cleared) {
            error = storage.clear(stream);
            if (error != cudaSuccess) return error;
        }
    }
    cudaLaunchAttribute cluster = cluster_of(grid.blocks);
    const LaunchShape shape{dim3(static_cast<unsigned>(grid.blocks)),
                            Task::Shape::kBlockThreads,
                            sizeof(CompactionStorage<Task>),
                            stream,
                            &cluster,
                            grid.cluster ? 1u : 0u};
    return launch(compaction_kernel<Task>, shape, task, n, states, in_place);
}

// Calls run(shape) with the one of the shapes that n items are to have.
template <class Shapes, class Run>
[[nodiscard]] cudaError_t with_shape(std::int64_t n, Run run) {
    using Few = typename Shapes::Few;
    using Many = typename Shapes::Many;
    constexpr bool kOld = kNewestArchitecture > 0 && kNewestArchitecture < 800;
    if constexpr (std::is_same_v<Few, Many> || kOld) {
        return run(Few());
    } else {
        if (n <= few_items(Shapes::kItems)) return run(Few());
        DeviceTraits device;
        const cudaError_t error = device_traits(device);
        if (error != cudaSuccess) return error;
        constexpr std::size_t kNeeded = 2 * Many::kTile * Shapes::kItems.tile + 4096;
        const bool fits = kNeeded <= static_cast<std::size_t>(device.shared_kilobytes) * 1024;
        return fits ? run(Many()) : run(Few());
    }
}

// What storage is planned for, so that its size does not fall where tiles become larger.
inline std::int64_t planned_tiles(std::int64_t n, std::int64_t tiles) {
    constexpr std::int64_t kSmallest = 512;  // of the tiles that become larger
    return std::max(tiles, ceil_div(std::min(n, few_items({1, 1, true, false, false})), kSmallest));
}

// Where there are few tiles this is one launch; else a memset of the tiles' words (8 or 16 bytes
// for each) and one launch.
template <class Task>
[[nodiscard]] cudaError_t run_compaction(const CompactionCall& call, const Task& task,
                                         std::int64_t n, const BufferChecks& buffers,
                                         bool in_place) {
    const std::int64_t tiles = tiles_of<typename Task::Shape>(n);
    CompactionTemp<typename Task::State> storage;
    // More tiles than a grid can have blocks, as everywhere in the library.
    if (!tile_grid(tiles).fits || !storage.plan(tiles, planned_tiles(n, tiles)))
        return cudaErrorInvalidValue;
    cudaError_t error = storage.alias(call.temp, call.temp_bytes);
    if (error != cudaSuccess || call.temp == nullptr) return error;
    error = buffers.check(call.temp, call.temp_bytes);
    if (error != cudaSuccess) return error;
    return launch_compaction(task, n, storage, in_place, call.stream);
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// Partitions: from the arguments of a call to tasks and their launches.
#pragma once

#include <compaction/criteria.cuh>
#include <compaction/select_task.cuh>
#include <compaction/single_pass_compaction.cuh>
#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <limits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Criterion, class In, class Out, class NumSelected>
BufferChecks partition_buffers(const Criterion& criterion, In in, Out out, NumSelected num_selected,
                               std::int64_t n) {
    BufferChecks buffers(n);
    buffers.reads(in);
    check_criterion(criterion, buffers);
    buffers.writes_all(out);
    buffers.counts(num_selected, 1);
    return buffers;
}

// Rejected items in reverse.
template <class Shape, class Criterion, class In, class Out, class NumSelected>
[[nodiscard]] cudaError_t run_partition(const CompactionCall& call, const Criterion& criterion,
                                        In in, Out out, NumSelected num_selected, std::int64_t n) {
    const BufferChecks buffers = partition_buffers(criterion, in, out, num_selected, n);
    using Task = SelectTask<Shape, Criterion, Column<In, ReversedSink<Out>>, NoColumn, NumSelected>;
    const Task task{criterion, {in, {out}, false}, {}, num_selected};
    return run_compaction(call, task, n, buffers, false);
}

// ---- Stable ------------------------------------------------------------------------------------
//
// The rejected items begin where the selected ones end, which is not known before all items have
// been looked at. So a first kernel asks the criterion, writes down its answers, one bit an item,
// and counts; the second one is the partition by these bits. The criterion is still asked once for
// each item.

// marks[i / 32] bit i % 32: item i is selected. Adds the number of these to *selected.
template <class Shape, class Criterion, class In>
__global__ void __launch_bounds__(Shape::kThreads)
    mark_kernel(Criterion criterion, In in, std::int64_t n, unsigned* marks, Word* selected) {
    LIBSCAN_SHARED(warp_counts, shared_array<int, Shape::kWarps>);
    const std::int64_t tile = tile_of_block();
    const int count = tile_count<Shape::kTile>(tile, n);
    if (count <= 0) return;
    const std::int64_t base = tile * Shape::kTile;
    LaneRow<IteratorValue<In>, Shape::kVector> rows[Shape::kRows];
    typename Criterion::template Registers<Shape> asked;
    ItemBits<Shape> parts[1];
    load_rows<Shape>(in, base, count, rows);
    criterion.template load<Shape>(asked, base, count);
    criterion.template classify<Shape>(asked, rows, base, count, parts);
    constexpr int kLanes = 32 / Shape::kVector;  // have the bits of a word
    int sum = 0;
    LIBSCAN_UNROLL_ALL
    for (int row = 0; row < Shape::kRows; ++row) {
        unsigned word = parts[0].row(row);
        sum += __popc(word);
        word <<= Shape::lane() % kLanes * Shape::kVector % 32;
        LIBSCAN_UNROLL_ALL
        for (int distance = 1; distance < kLanes; distance *= 2)
            word |= __shfl_xor_sync(~0u, word, distance);
        if (Shape::lane() % kLanes == 0 && Shape::at(row) < count)
            marks[(base + Shape::at(row)) / 32] = word;
    }
    LIBSCAN_UNROLL_ALL
    for (int distance = kWarpSize / 2; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(~0u, sum, distance);
    if (Shape::lane() == 0) warp_counts[Shape::warp()] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        Word all = 0;
        for (int warp = 0; warp < Shape::kWarps; ++warp) {
            const int of_warp = warp_counts[warp];
            all += static_cast<Word>(of_warp);
        }
        atomicAdd(selected, all);
    }
}

// A tile is partitioned by the criterion itself, in one launch; more are a memset and two launches,
// and take another bit of storage for each item.
template <class Shape, class Criterion, class In, class Out, class NumSelected>
[[nodiscard]] cudaError_t run_stable_partition(const CompactionCall& call,
                                               const Criterion& criterion, In in, Out out,
                                               NumSelected num_selected, std::int64_t n) {
    const BufferChecks buffers = partition_buffers(criterion, in, out, num_selected, n);
    using Main = Column<In, StableSink<Out>>;
    using Direct = SelectTask<Shape, Criterion, Main, NoColumn, NumSelected>;
    using Marked = SelectTask<Shape, MarkCriterion, Main, NoColumn, NumSelected>;
    const std::int64_t tiles = tiles_of<Shape>(n);
    const TileGrid grid = tile_grid(tiles);
    const std::uint64_t words =
        tiles > 1 ? static_cast<std::uint64_t>(ceil_div(n, std::int64_t{32})) : 0;
    if (words > std::numeric_limits<std::size_t>::max() / 16) return cudaErrorInvalidValue;
    CompactionTemp<typename Marked::State> storage;
    if (!grid.fits || !storage.plan(tiles, planned_tiles(n, tiles),
                                    static_cast<std::size_t>(words) * sizeof(unsigned)))
        return cudaErrorInvalidValue;
    cudaError_t error = storage.alias(call.temp, call.temp_bytes);
    if (error != cudaSuccess || call.temp == nullptr) return error;
    error = buffers.check(call.temp, call.temp_bytes);
    if (error != cudaSuccess) return error;
    if (tiles <= 1) {
        const Direct task{criterion, {in, {out, nullptr}, false}, {}, num_selected};
        return launch_compaction(task, n, storage, false, call.stream);
    }
    error = storage.clear(call.stream);
    if (error != cudaSuccess) return error;
    unsigned* const marks = static_cast<unsigned*>(storage.extra());
    Word* const selected = storage.spare_word();
    error = launch(mark_kernel<Shape, Criterion, In>,
                   dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y)),
                   Shape::kThreads, 0, call.stream, criterion, in, n, marks, selected);
    if (error != cudaSuccess) return error;
    const Marked task{MarkCriterion{marks}, {in, {out, selected}, false}, {}, num_selected};
    return launch_compaction(task, n, storage, false, call.stream, true);
}

// ---- Three ways --------------------------------------------------------------------------------

template <class Shape, class In, class First, class Second, class Unselected, class NumSelected,
          class FirstOp, class SecondOp>
[[nodiscard]] cudaError_t run_three_way(const CompactionCall& call, In in, First first,
                                        Second second, Unselected unselected,
                                        NumSelected num_selected, std::int64_t n, FirstOp first_op,
                                        SecondOp second_op) {
    BufferChecks buffers(n);
    buffers.reads(in);
    buffers.writes_some(first);
    buffers.writes_some(second);
    buffers.writes_some(unselected);
    buffers.counts(num_selected, 2);
    using Criterion = ThreeWayCriterion<FirstOp, SecondOp>;
    using Sink = ThreeWaySink<First, Second, Unselected>;
    using Task = SelectTask<Shape, Criterion, Column<In, Sink>, NoColumn, NumSelected>;
    const Task task{
        {first_op, second_op}, {in, {first, second, unselected}, false}, {}, num_selected};
    return run_compaction(call, task, n, buffers, false);
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

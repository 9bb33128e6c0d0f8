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
    PartBits<1> parts;
    for_each_row<Shape>(count, [&](int row, int i, bool inside) {
        int part = 1;
        if (inside) {
            if constexpr (Criterion::kNeedsItem) {
                const IteratorValue<In> item = in[base + i];
                part = criterion.part(base + i, item);
            } else {
                part = criterion.part(base + i);
            }
        }
        parts.set(part, row);
        const unsigned mask = __ballot_sync(~0u, part == 0);
        if (Shape::lane() == 0 && inside) marks[(base + i) / 32] = mask;
    });
    const PartCounts<1> counts = count_parts<Shape>(parts, warp_counts);
    if (threadIdx.x == 0) atomicAdd(selected, static_cast<Word>(counts.total[0]));
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
    using States = TileStates<typename Marked::State>;
    const std::int64_t tiles = tiles_of<Shape>(n);
    const TileGrid grid = tile_grid(tiles);
    std::size_t sizes[2] = {};
    void* parts[2] = {};
    if (!grid.fits || !States(tiles).bytes(sizes[0])) return cudaErrorInvalidValue;
    if (tiles > 1) {
        const std::uint64_t words = static_cast<std::uint64_t>(ceil_div(n, std::int64_t{32}));
        if (words > std::numeric_limits<std::size_t>::max() / 16) return cudaErrorInvalidValue;
        sizes[1] = static_cast<std::size_t>(words) * sizeof(unsigned);
    }
    cudaError_t error = alias_temp_storage(call.temp, call.temp_bytes, sizes, parts);
    if (error != cudaSuccess || call.temp == nullptr) return error;
    error = buffers.check(call.temp, call.temp_bytes);
    if (error != cudaSuccess) return error;
    if (tiles <= 1) {
        const Direct task{criterion, {in, {out, nullptr}, false}, {}, num_selected};
        return launch_compaction(task, n, nullptr, false, call.stream);
    }

    error = cudaMemsetAsync(parts[0], 0, sizes[0], call.stream);
    if (error != cudaSuccess) return error;
    unsigned* const marks = static_cast<unsigned*>(parts[1]);
    Word* const selected = States::spare_word(parts[0]);
    error = launch(mark_kernel<Shape, Criterion, In>,
                   dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y)),
                   Shape::kThreads, 0, call.stream, criterion, in, n, marks, selected);
    if (error != cudaSuccess) return error;
    const Marked task{MarkCriterion{marks}, {in, {out, selected}, false}, {}, num_selected};
    return launch_compaction(task, n, parts[0], false, call.stream);
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

// SPDX-License-Identifier: Apache-2.0
//
// Run-length encoding: from the arguments of a call to a task and its launch.
#pragma once

#include <compaction/buffer_checks.cuh>
#include <compaction/compaction_call.cuh>
#include <compaction/run_length_task.cuh>
#include <compaction/single_pass_compaction.cuh>
#include <cstdint>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class In, class First, class Second, class NumRuns>
BufferChecks run_buffers(In in, First first, Second second, NumRuns num_runs, std::int64_t n) {
    BufferChecks buffers(n);
    buffers.reads(in);
    buffers.writes_some(first);
    buffers.writes_some(second);
    buffers.counts(num_runs, 1);
    return buffers;
}

template <class Shape, class In, class Unique, class Lengths, class NumRuns, class Equality>
[[nodiscard]] cudaError_t run_encode(const CompactionCall& call, In in, Unique unique,
                                     Lengths lengths, NumRuns num_runs, std::int64_t n,
                                     Equality equal) {
    using Task = EncodeTask<Shape, In, Unique, Lengths, NumRuns, Equality>;
    const Task task{in, equal, unique, lengths, num_runs};
    return run_compaction(call, task, n, run_buffers(in, unique, lengths, num_runs, n), false);
}

template <class Shape, class In, class Offsets, class Lengths, class NumRuns, class Equality>
[[nodiscard]] cudaError_t run_non_trivial_runs(const CompactionCall& call, In in, Offsets offsets,
                                               Lengths lengths, NumRuns num_runs, std::int64_t n,
                                               Equality equal) {
    using Task = NonTrivialRunsTask<Shape, In, Offsets, Lengths, NumRuns, Equality>;
    const Task task{in, equal, offsets, lengths, num_runs};
    return run_compaction(call, task, n, run_buffers(in, offsets, lengths, num_runs, n), false);
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// Select and unique by key: from the arguments of a call to a task and its launch.
#pragma once

#include <compaction/buffer_checks.cuh>
#include <compaction/compaction_call.cuh>
#include <compaction/criteria.cuh>
#include <compaction/select_task.cuh>
#include <compaction/single_pass_compaction.cuh>
#include <compaction/sinks.cuh>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/type_traits.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Items of another type may replace those that were read, where they have the same size. Not so
// for unique, which may read an item that has just been replaced.
template <class Criterion, class In, class Out>
inline constexpr bool kCanReplace = true;
template <class Keys, class Equality, class In, class Out>
inline constexpr bool kCanReplace<UniqueCriterion<Keys, Equality>, In, Out> =
    std::is_same_v<IteratorValue<In>, IteratorValue<Out>>;

// The items of part 0 to out. `in_place`: out is in, which of iterators only the caller knows.
template <class Shape, class Criterion, class In, class Out, class NumSelected>
[[nodiscard]] cudaError_t run_select(const CompactionCall& call, const Criterion& criterion, In in,
                                     Out out, NumSelected num_selected, std::int64_t n,
                                     bool in_place) {
    BufferChecks buffers(n);
    const unsigned items = buffers.reads(in), flags = check_criterion(criterion, buffers);
    buffers.writes_some(out, (kCanReplace<Criterion, In, Out> ? items : 0u) | flags);
    buffers.counts(num_selected, 1);
    using Task = SelectTask<Shape, Criterion, Column<In, SelectedSink<Out>>, NoColumn, NumSelected>;
    const Task task{criterion, {in, {out}, in_place || is_same_array(in, out)}, {}, num_selected};
    return run_compaction(call, task, n, buffers, in_place || may_be_same_array(in, out));
}

template <class Shape, class Keys, class Values, class KeysOut, class ValuesOut, class NumSelected,
          class Equality>
[[nodiscard]] cudaError_t run_unique_by_key(const CompactionCall& call, Keys keys, Values values,
                                            KeysOut keys_out, ValuesOut values_out,
                                            NumSelected num_selected, std::int64_t n,
                                            Equality equal) {
    using Criterion = UniqueCriterion<Keys, Equality>;
    BufferChecks buffers(n);
    const unsigned read_keys = buffers.reads(keys), read_values = buffers.reads(values);
    buffers.writes_some(keys_out, kCanReplace<Criterion, Keys, KeysOut> ? read_keys : 0u);
    buffers.writes_some(values_out, read_values);
    buffers.counts(num_selected, 1);
    using Task = SelectTask<Shape, Criterion, Column<Keys, SelectedSink<KeysOut>>,
                            Column<Values, SelectedSink<ValuesOut>>, NumSelected>;
    const Task task{{keys, equal},
                    {keys, {keys_out}, is_same_array(keys, keys_out)},
                    {values, {values_out}, is_same_array(values, values_out)},
                    num_selected};
    return run_compaction(
        call, task, n, buffers,
        may_be_same_array(keys, keys_out) || may_be_same_array(values, values_out));
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

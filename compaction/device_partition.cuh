// SPDX-License-Identifier: Apache-2.0
//
// Device-wide partition with the names and signatures of cub::DevicePartition.
#pragma once

#include <compaction/compaction_call.cuh>
#include <compaction/compaction_options.cuh>
#include <compaction/criteria.cuh>
#include <compaction/run_partition.cuh>
#include <compaction/tile_shape.cuh>
#include <cstddef>
#include <cstdint>
#include <libscan/argument_checks.cuh>
#include <libscan/config.cuh>
#include <libscan/type_traits.cuh>

LIBSCAN_NAMESPACE_BEGIN

// Each function copies all items to the output, sorted into parts, and writes how many were
// selected to *d_num_selected_out.
//
// Flagged, If: d_out has num_items elements. The selected items stand at its front, in the order of
// the input; the rejected ones fill the rest from the end backwards, which is the reverse of their
// order in the input, or, with PartitionOrder::stable, in that order. Stable costs a second look at
// the input (and not a second call of the predicate), one more launch unless the input is small,
// and one more bit of storage for each item.
//
// If with two predicates: three outputs, each in the order of the input, and two counts: the items
// for which the first predicate is true; those for which it is not, but the second; the others. An
// output needs room for its own items only.
//
// For the ways to call (two-phase or in one call; here a two-phase call can also take
// CompactionOptions where it takes the stream), iterators, predicates, item types, counts, storage,
// errors and num_items == 0 see DeviceSelect (device_select.cuh). The second predicate is called
// once for each item that the first one does not want.
//
// Aliasing. Flags may be the input. There is no partition in place: it would have to write where it
// has not read yet, and is refused, with cudaErrorInvalidValue, as is any other overlap of what is
// written with anything else. Only pointers can be checked, and of the three outputs, whose lengths
// are not known to the host, only the first elements.
//
// One pass over the data (compaction_kernel.cuh), stable: two (run_partition.cuh).
struct DevicePartition {
    // ---- Flagged: selects the items whose flag, converted to bool, is true ---------------------

    template <class InputIteratorT, class FlagIterator, class OutputIteratorT,
              class NumSelectedIteratorT, class NumItemsT, class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t Flagged(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                             InputIteratorT d_in, FlagIterator d_flags,
                                             OutputIteratorT d_out,
                                             NumSelectedIteratorT d_num_selected_out,
                                             NumItemsT num_items, cudaStream_t stream = 0) {
        return partition<PartitionOrder::reversed>({d_temp_storage, temp_storage_bytes, stream},
                                                   detail::FlagCriterion<FlagIterator>{d_flags, {}},
                                                   d_in, d_out, d_num_selected_out, num_items);
    }
    template <class InputIteratorT, class FlagIterator, class OutputIteratorT,
              class NumSelectedIteratorT, class NumItemsT, class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t Flagged(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                             InputIteratorT d_in, FlagIterator d_flags,
                                             OutputIteratorT d_out,
                                             NumSelectedIteratorT d_num_selected_out,
                                             NumItemsT num_items,
                                             const CompactionOptions& options) {
        return partition_chosen({d_temp_storage, temp_storage_bytes, options.stream},
                                detail::FlagCriterion<FlagIterator>{d_flags, {}}, d_in, d_out,
                                d_num_selected_out, num_items, options.order);
    }
    template <class InputIteratorT, class FlagIterator, class OutputIteratorT,
              class NumSelectedIteratorT, class NumItemsT, class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t Flagged(InputIteratorT d_in, FlagIterator d_flags,
                                             OutputIteratorT d_out,
                                             NumSelectedIteratorT d_num_selected_out,
                                             NumItemsT num_items,
                                             const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return partition_chosen(call, detail::FlagCriterion<FlagIterator>{d_flags, {}}, d_in,
                                    d_out, d_num_selected_out, num_items, options.order);
        });
    }

    // ---- If: selects the items for which select_op(item) is true -------------------------------

    template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT,
              class SelectOp, class NumItemsT, class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t If(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        InputIteratorT d_in, OutputIteratorT d_out,
                                        NumSelectedIteratorT d_num_selected_out,
                                        NumItemsT num_items, SelectOp select_op,
                                        cudaStream_t stream = 0) {
        return partition<PartitionOrder::reversed>({d_temp_storage, temp_storage_bytes, stream},
                                                   detail::IfCriterion<SelectOp>{select_op}, d_in,
                                                   d_out, d_num_selected_out, num_items);
    }
    template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT,
              class SelectOp, class NumItemsT, class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t If(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        InputIteratorT d_in, OutputIteratorT d_out,
                                        NumSelectedIteratorT d_num_selected_out,
                                        NumItemsT num_items, SelectOp select_op,
                                        const CompactionOptions& options) {
        return partition_chosen({d_temp_storage, temp_storage_bytes, options.stream},
                                detail::IfCriterion<SelectOp>{select_op}, d_in, d_out,
                                d_num_selected_out, num_items, options.order);
    }
    template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT,
              class SelectOp, class NumItemsT, class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t If(InputIteratorT d_in, OutputIteratorT d_out,
                                        NumSelectedIteratorT d_num_selected_out,
                                        NumItemsT num_items, SelectOp select_op,
                                        const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return partition_chosen(call, detail::IfCriterion<SelectOp>{select_op}, d_in, d_out,
                                    d_num_selected_out, num_items, options.order);
        });
    }

    // ---- If, three ways: d_num_selected_out[0] items are in the first part, [1] in the second ---

    template <class InputIteratorT, class FirstOutputIteratorT, class SecondOutputIteratorT,
              class UnselectedOutputIteratorT, class NumSelectedIteratorT, class SelectFirstPartOp,
              class SelectSecondPartOp, class NumItemsT, class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t If(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        InputIteratorT d_in, FirstOutputIteratorT d_first_part_out,
                                        SecondOutputIteratorT d_second_part_out,
                                        UnselectedOutputIteratorT d_unselected_out,
                                        NumSelectedIteratorT d_num_selected_out,
                                        NumItemsT num_items, SelectFirstPartOp select_first_part_op,
                                        SelectSecondPartOp select_second_part_op,
                                        cudaStream_t stream = 0) {
        return three_way({d_temp_storage, temp_storage_bytes, stream}, d_in, d_first_part_out,
                         d_second_part_out, d_unselected_out, d_num_selected_out, num_items,
                         select_first_part_op, select_second_part_op);
    }
    // (A two-phase call of the other If has as many arguments, with temp_storage_bytes for the
    // first output.)
    template <class InputIteratorT, class FirstOutputIteratorT, class SecondOutputIteratorT,
              class UnselectedOutputIteratorT, class NumSelectedIteratorT, class SelectFirstPartOp,
              class SelectSecondPartOp, class NumItemsT, class = detail::IfCount<NumItemsT>,
              class = detail::IfOperator<FirstOutputIteratorT>>
    [[nodiscard]] static cudaError_t If(InputIteratorT d_in, FirstOutputIteratorT d_first_part_out,
                                        SecondOutputIteratorT d_second_part_out,
                                        UnselectedOutputIteratorT d_unselected_out,
                                        NumSelectedIteratorT d_num_selected_out,
                                        NumItemsT num_items, SelectFirstPartOp select_first_part_op,
                                        SelectSecondPartOp select_second_part_op,
                                        const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return three_way(call, d_in, d_first_part_out, d_second_part_out, d_unselected_out,
                             d_num_selected_out, num_items, select_first_part_op,
                             select_second_part_op);
        });
    }

  private:
    // The order is chosen when the program runs only where there are options, so that other calls
    // do not pay for compiling both.
    template <PartitionOrder kOrder, class Criterion, class In, class Out, class NumSelected,
              class NumItems>
    [[nodiscard]] static cudaError_t partition(const detail::CompactionCall& call,
                                               const Criterion& criterion, In in, Out out,
                                               NumSelected num_selected, NumItems num_items) {
        std::int64_t n = 0;
        if (!detail::to_item_count(num_items, n)) return cudaErrorInvalidValue;
        using Shapes = detail::ShapesFor<In, sizeof(IteratorValue<In>), false, true>;
        return detail::with_shape<Shapes>(n, [&](auto shape) {
            using Shape = decltype(shape);
            if constexpr (kOrder == PartitionOrder::stable) {
                return detail::run_stable_partition<Shape>(call, criterion, in, out, num_selected,
                                                           n);
            } else {
                return detail::run_partition<Shape>(call, criterion, in, out, num_selected, n);
            }
        });
    }

    template <class Criterion, class In, class Out, class NumSelected, class NumItems>
    [[nodiscard]] static cudaError_t partition_chosen(const detail::CompactionCall& call,
                                                      const Criterion& criterion, In in, Out out,
                                                      NumSelected num_selected, NumItems num_items,
                                                      PartitionOrder order) {
        if (order == PartitionOrder::stable) {
            return partition<PartitionOrder::stable>(call, criterion, in, out, num_selected,
                                                     num_items);
        }
        return partition<PartitionOrder::reversed>(call, criterion, in, out, num_selected,
                                                   num_items);
    }

    template <class In, class First, class Second, class Unselected, class NumSelected,
              class NumItems, class FirstOp, class SecondOp>
    [[nodiscard]] static cudaError_t three_way(const detail::CompactionCall& call, In in,
                                               First first, Second second, Unselected unselected,
                                               NumSelected num_selected, NumItems num_items,
                                               FirstOp first_op, SecondOp second_op) {
        std::int64_t n = 0;
        if (!detail::to_item_count(num_items, n)) return cudaErrorInvalidValue;
        using Shapes = detail::ShapesFor<In, sizeof(IteratorValue<In>), true, true>;
        return detail::with_shape<Shapes>(n, [&](auto shape) {
            return detail::run_three_way<decltype(shape)>(call, in, first, second, unselected,
                                                          num_selected, n, first_op, second_op);
        });
    }
};

LIBSCAN_NAMESPACE_END

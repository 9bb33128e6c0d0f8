// SPDX-License-Identifier: Apache-2.0
//
// Device-wide selection with the names and signatures of cub::DeviceSelect.
#pragma once

#include <compaction/compaction_call.cuh>
#include <compaction/compaction_options.cuh>
#include <compaction/criteria.cuh>
#include <compaction/run_select.cuh>
#include <compaction/tile_shape.cuh>
#include <cstddef>
#include <cstdint>
#include <libscan/argument_checks.cuh>
#include <libscan/by_key.cuh>
#include <libscan/config.cuh>
#include <libscan/type_traits.cuh>

LIBSCAN_NAMESPACE_BEGIN

// Each function copies the selected items, in the order of the input, to the front of the output,
// and writes their number to *d_num_selected_out. Nothing else of the output is touched, so it need
// have room only for what is selected.
//
// Each can be called in these ways. Two-phase, as in CUB: with d_temp_storage == nullptr it only
// sets temp_storage_bytes (at least 1, never less for a larger num_items), and looks at nothing but
// num_items; called again with that much device memory, at any alignment, it enqueues its work on
// `stream` and returns. Nothing is allocated and nothing waits; it can be captured in a graph. In
// one call: without storage, with CompactionOptions at the end, which say the stream; the storage
// is allocated on it. Each of the two also in place, with d_data for d_in and d_out.
//
// d_in, d_flags: pointers or random access iterators that device code can dereference; an element
// may be read more than once. d_out: the same, and may be write-only. d_num_selected_out: a pointer
// or iterator to one element of any integral type (or write-only), to which *d_num_selected_out = n
// is assigned. num_items: any integral type; counts have 64 bits throughout. Items are default
// constructible and copied as they are (trivially copyable on the CPU back end), and of any size of
// which 32 have room in a block's shared memory, else the call returns cudaErrorInvalidValue.
//
// A predicate is called exactly once for each item (or flag), an equality operator exactly once for
// each pair of neighbours, as equality_op(left, right); neither for anything else. They may have
// state, and are copied to each thread.
//
// Aliasing. d_out == d_in is allowed, where both have elements of one size (and for Unique and
// UniqueByKey of one type); so are d_flags == d_in and d_out == d_flags, likewise. Any other
// overlap of what is written with anything else is not. Only pointers can be checked, and of d_out,
// whose length is not known to the host, only the first element.
//
// Returns cudaErrorInvalidValue, before anything is launched or written, for a negative num_items,
// a null or misaligned pointer with num_items > 0, a null d_num_selected_out, a forbidden overlap,
// or too small storage; otherwise the first error of a launch. num_items == 0 succeeds and writes 0
// to *d_num_selected_out. An earlier error of the caller is neither returned nor cleared.
//
// The result is the same in every run. One pass over the data (compaction_kernel.cuh); a small
// input is one launch, a larger one a memset of a few bytes for each tile and one launch.
struct DeviceSelect {
    // ---- Flagged: the items whose flag, converted to bool, is true -----------------------------

    template <class InputIteratorT, class FlagIterator, class OutputIteratorT,
              class NumSelectedIteratorT>
    [[nodiscard]] static cudaError_t Flagged(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                             InputIteratorT d_in, FlagIterator d_flags,
                                             OutputIteratorT d_out,
                                             NumSelectedIteratorT d_num_selected_out,
                                             std::int64_t num_items, cudaStream_t stream = 0) {
        return select({d_temp_storage, temp_storage_bytes, stream},
                      detail::FlagCriterion<FlagIterator>{d_flags, {}}, d_in, d_out,
                      d_num_selected_out, num_items, false);
    }
    template <class IteratorT, class FlagIterator, class NumSelectedIteratorT>
    [[nodiscard]] static cudaError_t Flagged(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                             IteratorT d_data, FlagIterator d_flags,
                                             NumSelectedIteratorT d_num_selected_out,
                                             std::int64_t num_items, cudaStream_t stream = 0) {
        return select({d_temp_storage, temp_storage_bytes, stream},
                      detail::FlagCriterion<FlagIterator>{d_flags, {}}, d_data, d_data,
                      d_num_selected_out, num_items, true);
    }
    template <class InputIteratorT, class FlagIterator, class OutputIteratorT,
              class NumSelectedIteratorT>
    [[nodiscard]] static cudaError_t Flagged(InputIteratorT d_in, FlagIterator d_flags,
                                             OutputIteratorT d_out,
                                             NumSelectedIteratorT d_num_selected_out,
                                             std::int64_t num_items,
                                             const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return select(call, detail::FlagCriterion<FlagIterator>{d_flags, {}}, d_in, d_out,
                          d_num_selected_out, num_items, false);
        });
    }
    template <class IteratorT, class FlagIterator, class NumSelectedIteratorT>
    [[nodiscard]] static cudaError_t Flagged(IteratorT d_data, FlagIterator d_flags,
                                             NumSelectedIteratorT d_num_selected_out,
                                             std::int64_t num_items,
                                             const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return select(call, detail::FlagCriterion<FlagIterator>{d_flags, {}}, d_data, d_data,
                          d_num_selected_out, num_items, true);
        });
    }

    // ---- If: the items for which select_op(item) is true ---------------------------------------

    template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT,
              class SelectOp>
    [[nodiscard]] static cudaError_t If(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        InputIteratorT d_in, OutputIteratorT d_out,
                                        NumSelectedIteratorT d_num_selected_out,
                                        std::int64_t num_items, SelectOp select_op,
                                        cudaStream_t stream = 0) {
        return select({d_temp_storage, temp_storage_bytes, stream},
                      detail::IfCriterion<SelectOp>{select_op}, d_in, d_out, d_num_selected_out,
                      num_items, false);
    }
    template <class IteratorT, class NumSelectedIteratorT, class SelectOp>
    [[nodiscard]] static cudaError_t If(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        IteratorT d_data, NumSelectedIteratorT d_num_selected_out,
                                        std::int64_t num_items, SelectOp select_op,
                                        cudaStream_t stream = 0) {
        return select({d_temp_storage, temp_storage_bytes, stream},
                      detail::IfCriterion<SelectOp>{select_op}, d_data, d_data, d_num_selected_out,
                      num_items, true);
    }
    template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT,
              class SelectOp>
    [[nodiscard]] static cudaError_t If(InputIteratorT d_in, OutputIteratorT d_out,
                                        NumSelectedIteratorT d_num_selected_out,
                                        std::int64_t num_items, SelectOp select_op,
                                        const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return select(call, detail::IfCriterion<SelectOp>{select_op}, d_in, d_out,
                          d_num_selected_out, num_items, false);
        });
    }
    template <class IteratorT, class NumSelectedIteratorT, class SelectOp>
    [[nodiscard]] static cudaError_t If(IteratorT d_data, NumSelectedIteratorT d_num_selected_out,
                                        std::int64_t num_items, SelectOp select_op,
                                        const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return select(call, detail::IfCriterion<SelectOp>{select_op}, d_data, d_data,
                          d_num_selected_out, num_items, true);
        });
    }

    // ---- FlaggedIf: the items for whose flag select_op(flag) is true ---------------------------

    template <class InputIteratorT, class FlagIterator, class OutputIteratorT,
              class NumSelectedIteratorT, class SelectOp>
    [[nodiscard]] static cudaError_t FlaggedIf(void* d_temp_storage,
                                               std::size_t& temp_storage_bytes, InputIteratorT d_in,
                                               FlagIterator d_flags, OutputIteratorT d_out,
                                               NumSelectedIteratorT d_num_selected_out,
                                               std::int64_t num_items, SelectOp select_op,
                                               cudaStream_t stream = 0) {
        return select({d_temp_storage, temp_storage_bytes, stream},
                      detail::FlagCriterion<FlagIterator, SelectOp>{d_flags, select_op}, d_in,
                      d_out, d_num_selected_out, num_items, false);
    }
    template <class IteratorT, class FlagIterator, class NumSelectedIteratorT, class SelectOp>
    [[nodiscard]] static cudaError_t FlaggedIf(void* d_temp_storage,
                                               std::size_t& temp_storage_bytes, IteratorT d_data,
                                               FlagIterator d_flags,
                                               NumSelectedIteratorT d_num_selected_out,
                                               std::int64_t num_items, SelectOp select_op,
                                               cudaStream_t stream = 0) {
        return select({d_temp_storage, temp_storage_bytes, stream},
                      detail::FlagCriterion<FlagIterator, SelectOp>{d_flags, select_op}, d_data,
                      d_data, d_num_selected_out, num_items, true);
    }
    template <class InputIteratorT, class FlagIterator, class OutputIteratorT,
              class NumSelectedIteratorT, class SelectOp>
    [[nodiscard]] static cudaError_t FlaggedIf(InputIteratorT d_in, FlagIterator d_flags,
                                               OutputIteratorT d_out,
                                               NumSelectedIteratorT d_num_selected_out,
                                               std::int64_t num_items, SelectOp select_op,
                                               const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return select(call, detail::FlagCriterion<FlagIterator, SelectOp>{d_flags, select_op},
                          d_in, d_out, d_num_selected_out, num_items, false);
        });
    }
    template <class IteratorT, class FlagIterator, class NumSelectedIteratorT, class SelectOp>
    [[nodiscard]] static cudaError_t FlaggedIf(IteratorT d_data, FlagIterator d_flags,
                                               NumSelectedIteratorT d_num_selected_out,
                                               std::int64_t num_items, SelectOp select_op,
                                               const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return select(call, detail::FlagCriterion<FlagIterator, SelectOp>{d_flags, select_op},
                          d_data, d_data, d_num_selected_out, num_items, true);
        });
    }

    // ---- Unique: the first item of each run ----------------------------------------------------
    //
    // A run is a maximal range of items of which each equals the one before it, by ==, or by
    // equality_op if there is one.

    template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT>
    [[nodiscard]] static cudaError_t Unique(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                            InputIteratorT d_in, OutputIteratorT d_out,
                                            NumSelectedIteratorT d_num_selected_out,
                                            std::int64_t num_items, cudaStream_t stream = 0) {
        return unique({d_temp_storage, temp_storage_bytes, stream}, d_in, d_out, d_num_selected_out,
                      num_items, Equal{}, false);
    }
    template <class IteratorT, class NumSelectedIteratorT>
    [[nodiscard]] static cudaError_t Unique(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                            IteratorT d_data,
                                            NumSelectedIteratorT d_num_selected_out,
                                            std::int64_t num_items, cudaStream_t stream = 0) {
        return unique({d_temp_storage, temp_storage_bytes, stream}, d_data, d_data,
                      d_num_selected_out, num_items, Equal{}, true);
    }
    template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT,
              class EqualityOpT, class = detail::IfOperator<EqualityOpT>>
    [[nodiscard]] static cudaError_t Unique(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                            InputIteratorT d_in, OutputIteratorT d_out,
                                            NumSelectedIteratorT d_num_selected_out,
                                            std::int64_t num_items, EqualityOpT equality_op,
                                            cudaStream_t stream = 0) {
        return unique({d_temp_storage, temp_storage_bytes, stream}, d_in, d_out, d_num_selected_out,
                      num_items, equality_op, false);
    }
    template <class IteratorT, class NumSelectedIteratorT, class EqualityOpT,
              class = detail::IfOperator<EqualityOpT>>
    [[nodiscard]] static cudaError_t Unique(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                            IteratorT d_data,
                                            NumSelectedIteratorT d_num_selected_out,
                                            std::int64_t num_items, EqualityOpT equality_op,
                                            cudaStream_t stream = 0) {
        return unique({d_temp_storage, temp_storage_bytes, stream}, d_data, d_data,
                      d_num_selected_out, num_items, equality_op, true);
    }
    template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT>
    [[nodiscard]] static cudaError_t Unique(InputIteratorT d_in, OutputIteratorT d_out,
                                            NumSelectedIteratorT d_num_selected_out,
                                            std::int64_t num_items,
                                            const CompactionOptions& options = {}) {
        return Unique(d_in, d_out, d_num_selected_out, num_items, Equal{}, options);
    }
    template <class IteratorT, class NumSelectedIteratorT>
    [[nodiscard]] static cudaError_t Unique(IteratorT d_data,
                                            NumSelectedIteratorT d_num_selected_out,
                                            std::int64_t num_items,
                                            const CompactionOptions& options = {}) {
        return Unique(d_data, d_num_selected_out, num_items, Equal{}, options);
    }
    template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT,
              class EqualityOpT, class = detail::IfOperator<EqualityOpT>>
    [[nodiscard]] static cudaError_t Unique(InputIteratorT d_in, OutputIteratorT d_out,
                                            NumSelectedIteratorT d_num_selected_out,
                                            std::int64_t num_items, EqualityOpT equality_op,
                                            const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return unique(call, d_in, d_out, d_num_selected_out, num_items, equality_op, false);
        });
    }
    template <class IteratorT, class NumSelectedIteratorT, class EqualityOpT,
              class = detail::IfOperator<EqualityOpT>>
    [[nodiscard]] static cudaError_t Unique(IteratorT d_data,
                                            NumSelectedIteratorT d_num_selected_out,
                                            std::int64_t num_items, EqualityOpT equality_op,
                                            const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return unique(call, d_data, d_data, d_num_selected_out, num_items, equality_op, true);
        });
    }

    // ---- UniqueByKey: the first key of each run of equal keys, and its value -------------------
    //
    // In place (which CUB does not have) where d_keys_out == d_keys_in, d_values_out ==
    // d_values_in, or both.

    template <class KeyInputIteratorT, class ValueInputIteratorT, class KeyOutputIteratorT,
              class ValueOutputIteratorT, class NumSelectedIteratorT, class NumItemsT,
              class EqualityOpT, class = detail::IfCount<NumItemsT>,
              class = detail::IfOperator<EqualityOpT>>
    [[nodiscard]] static cudaError_t UniqueByKey(
        void* d_temp_storage, std::size_t& temp_storage_bytes, KeyInputIteratorT d_keys_in,
        ValueInputIteratorT d_values_in, KeyOutputIteratorT d_keys_out,
        ValueOutputIteratorT d_values_out, NumSelectedIteratorT d_num_selected_out,
        NumItemsT num_items, EqualityOpT equality_op, cudaStream_t stream = 0) {
        return unique_by_key({d_temp_storage, temp_storage_bytes, stream}, d_keys_in, d_values_in,
                             d_keys_out, d_values_out, d_num_selected_out, num_items, equality_op);
    }
    template <class KeyInputIteratorT, class ValueInputIteratorT, class KeyOutputIteratorT,
              class ValueOutputIteratorT, class NumSelectedIteratorT, class NumItemsT,
              class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t UniqueByKey(
        void* d_temp_storage, std::size_t& temp_storage_bytes, KeyInputIteratorT d_keys_in,
        ValueInputIteratorT d_values_in, KeyOutputIteratorT d_keys_out,
        ValueOutputIteratorT d_values_out, NumSelectedIteratorT d_num_selected_out,
        NumItemsT num_items, cudaStream_t stream = 0) {
        return unique_by_key({d_temp_storage, temp_storage_bytes, stream}, d_keys_in, d_values_in,
                             d_keys_out, d_values_out, d_num_selected_out, num_items, Equal{});
    }
    template <class KeyInputIteratorT, class ValueInputIteratorT, class KeyOutputIteratorT,
              class ValueOutputIteratorT, class NumSelectedIteratorT, class NumItemsT,
              class EqualityOpT, class = detail::IfCount<NumItemsT>,
              class = detail::IfOperator<EqualityOpT>>
    [[nodiscard]] static cudaError_t UniqueByKey(
        KeyInputIteratorT d_keys_in, ValueInputIteratorT d_values_in, KeyOutputIteratorT d_keys_out,
        ValueOutputIteratorT d_values_out, NumSelectedIteratorT d_num_selected_out,
        NumItemsT num_items, EqualityOpT equality_op, const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return unique_by_key(call, d_keys_in, d_values_in, d_keys_out, d_values_out,
                                 d_num_selected_out, num_items, equality_op);
        });
    }
    template <class KeyInputIteratorT, class ValueInputIteratorT, class KeyOutputIteratorT,
              class ValueOutputIteratorT, class NumSelectedIteratorT, class NumItemsT,
              class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t UniqueByKey(
        KeyInputIteratorT d_keys_in, ValueInputIteratorT d_values_in, KeyOutputIteratorT d_keys_out,
        ValueOutputIteratorT d_values_out, NumSelectedIteratorT d_num_selected_out,
        NumItemsT num_items, const CompactionOptions& options = {}) {
        return UniqueByKey(d_keys_in, d_values_in, d_keys_out, d_values_out, d_num_selected_out,
                           num_items, Equal{}, options);
    }

  private:
    template <class Criterion, class In, class Out, class NumSelected>
    [[nodiscard]] static cudaError_t select(const detail::CompactionCall& call,
                                            const Criterion& criterion, In in, Out out,
                                            NumSelected num_selected, std::int64_t num_items,
                                            bool in_place) {
        std::int64_t n = 0;
        if (!detail::to_item_count(num_items, n)) return cudaErrorInvalidValue;
        // Flags are as many as items, but in registers they matter only beside small ones.
        constexpr std::size_t kBytes = sizeof(IteratorValue<In>);
        constexpr bool kFlagsCount = Criterion::kHasFlags && (kBytes < 8);
        using Shapes = detail::ShapesFor<In, kBytes, kFlagsCount>;
        return detail::with_shape<Shapes>(n, [&](auto shape) {
            return detail::run_select<decltype(shape)>(call, criterion, in, out, num_selected, n,
                                                       in_place);
        });
    }

    template <class In, class Out, class NumSelected, class Equality>
    [[nodiscard]] static cudaError_t unique(const detail::CompactionCall& call, In in, Out out,
                                            NumSelected num_selected, std::int64_t num_items,
                                            Equality equal, bool in_place) {
        return select(call, detail::UniqueCriterion<In, Equality>{in, equal}, in, out, num_selected,
                      num_items, in_place);
    }

    template <class Keys, class Values, class KeysOut, class ValuesOut, class NumSelected,
              class NumItems, class Equality>
    [[nodiscard]] static cudaError_t unique_by_key(const detail::CompactionCall& call, Keys keys,
                                                   Values values, KeysOut keys_out,
                                                   ValuesOut values_out, NumSelected num_selected,
                                                   NumItems num_items, Equality equal) {
        std::int64_t n = 0;
        if (!detail::to_item_count(num_items, n)) return cudaErrorInvalidValue;
        using Shapes =
            detail::ShapesFor<Keys, sizeof(IteratorValue<Keys>) + sizeof(IteratorValue<Values>),
                              true>;
        return detail::with_shape<Shapes>(n, [&](auto shape) {
            return detail::run_unique_by_key<decltype(shape)>(call, keys, values, keys_out,
                                                              values_out, num_selected, n, equal);
        });
    }
};

LIBSCAN_NAMESPACE_END

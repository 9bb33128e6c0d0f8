// SPDX-License-Identifier: Apache-2.0
//
// Device-wide run-length encoding with the names and signatures of cub::DeviceRunLengthEncode.
#pragma once

#include <compaction/compaction_call.cuh>
#include <compaction/compaction_options.cuh>
#include <compaction/run_encode.cuh>
#include <compaction/tile_shape.cuh>
#include <cstddef>
#include <cstdint>
#include <libscan/argument_checks.cuh>
#include <libscan/by_key.cuh>
#include <libscan/config.cuh>
#include <libscan/type_traits.cuh>

LIBSCAN_NAMESPACE_BEGIN

// A run is a maximal range of items of which each equals, by ==, the one before it. The outputs
// have an element for each run, in order, and need room for no more; nothing else of them is
// touched. The number of runs is written to *d_num_runs_out.
//
// For the ways to call, iterators, item types, counts, storage, errors and num_items == 0 see
// DeviceSelect (device_select.cuh): what is said there of d_num_selected_out holds for
// d_num_runs_out. == is called exactly once for each pair of neighbours. Lengths and offsets have
// 64 bits until they are converted to the type of their output.
//
// Aliasing: nothing that is written may overlap anything else. Only pointers can be checked, and of
// the outputs, whose length is not known to the host, only the first element.
//
// One pass over the data (compaction_kernel.cuh, run_length_task.cuh).
struct DeviceRunLengthEncode {
    // d_unique_out[i] = the first item of run i, d_counts_out[i] = the number of its items.
    template <class InputIteratorT, class UniqueOutputIteratorT, class LengthsOutputIteratorT,
              class NumRunsOutputIteratorT, class NumItemsT, class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t Encode(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                            InputIteratorT d_in, UniqueOutputIteratorT d_unique_out,
                                            LengthsOutputIteratorT d_counts_out,
                                            NumRunsOutputIteratorT d_num_runs_out,
                                            NumItemsT num_items, cudaStream_t stream = 0) {
        return encode({d_temp_storage, temp_storage_bytes, stream}, d_in, d_unique_out,
                      d_counts_out, d_num_runs_out, num_items);
    }
    template <class InputIteratorT, class UniqueOutputIteratorT, class LengthsOutputIteratorT,
              class NumRunsOutputIteratorT, class NumItemsT, class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t Encode(InputIteratorT d_in, UniqueOutputIteratorT d_unique_out,
                                            LengthsOutputIteratorT d_counts_out,
                                            NumRunsOutputIteratorT d_num_runs_out,
                                            NumItemsT num_items,
                                            const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return encode(call, d_in, d_unique_out, d_counts_out, d_num_runs_out, num_items);
        });
    }

    // Of the runs with more than one item: d_offsets_out[i] = the index of the first item of run i,
    // d_lengths_out[i] = the number of its items.
    template <class InputIteratorT, class OffsetsOutputIteratorT, class LengthsOutputIteratorT,
              class NumRunsOutputIteratorT, class NumItemsT, class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t NonTrivialRuns(
        void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
        OffsetsOutputIteratorT d_offsets_out, LengthsOutputIteratorT d_lengths_out,
        NumRunsOutputIteratorT d_num_runs_out, NumItemsT num_items, cudaStream_t stream = 0) {
        return non_trivial_runs({d_temp_storage, temp_storage_bytes, stream}, d_in, d_offsets_out,
                                d_lengths_out, d_num_runs_out, num_items);
    }
    template <class InputIteratorT, class OffsetsOutputIteratorT, class LengthsOutputIteratorT,
              class NumRunsOutputIteratorT, class NumItemsT, class = detail::IfCount<NumItemsT>>
    [[nodiscard]] static cudaError_t NonTrivialRuns(InputIteratorT d_in,
                                                    OffsetsOutputIteratorT d_offsets_out,
                                                    LengthsOutputIteratorT d_lengths_out,
                                                    NumRunsOutputIteratorT d_num_runs_out,
                                                    NumItemsT num_items,
                                                    const CompactionOptions& options = {}) {
        return detail::call_with_storage(options, [&](const detail::CompactionCall& call) {
            return non_trivial_runs(call, d_in, d_offsets_out, d_lengths_out, d_num_runs_out,
                                    num_items);
        });
    }

  private:
    template <class In, class Unique, class Lengths, class NumRuns, class NumItems>
    [[nodiscard]] static cudaError_t encode(const detail::CompactionCall& call, In in,
                                            Unique unique, Lengths lengths, NumRuns num_runs,
                                            NumItems num_items) {
        std::int64_t n = 0;
        if (!detail::to_item_count(num_items, n)) return cudaErrorInvalidValue;
        // A tile keeps the heads of runs and where these are.
        using Shapes = detail::ShapesFor<In, sizeof(IteratorValue<In>) + 2, true>;
        return detail::with_shape<Shapes>(n, [&](auto shape) {
            return detail::run_encode<decltype(shape)>(call, in, unique, lengths, num_runs, n,
                                                       Equal{});
        });
    }

    template <class In, class Offsets, class Lengths, class NumRuns, class NumItems>
    [[nodiscard]] static cudaError_t non_trivial_runs(const detail::CompactionCall& call, In in,
                                                      Offsets offsets, Lengths lengths,
                                                      NumRuns num_runs, NumItems num_items) {
        std::int64_t n = 0;
        if (!detail::to_item_count(num_items, n)) return cudaErrorInvalidValue;
        // A tile keeps where runs of two items and more begin and end.
        constexpr std::size_t kBytes = sizeof(IteratorValue<In>), kLeast = 2;
        constexpr std::size_t kTileBytes = kBytes > kLeast ? kBytes : kLeast;
        using Shapes = detail::ShapesFor<In, kTileBytes, true>;
        return detail::with_shape<Shapes>(n, [&](auto shape) {
            return detail::run_non_trivial_runs<decltype(shape)>(call, in, offsets, lengths,
                                                                 num_runs, n, Equal{});
        });
    }
};

LIBSCAN_NAMESPACE_END

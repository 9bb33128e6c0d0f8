// SPDX-License-Identifier: Apache-2.0
//
// Stable radix sort of many segments with the names and signatures of
// cub::DeviceSegmentedRadixSort.
#pragma once

#include <cstddef>
#include <libscan/config.cuh>
#include <radixsort/double_buffer.cuh>
#include <radixsort/sort_calls.cuh>
#include <radixsort/sort_options.cuh>

LIBSCAN_NAMESPACE_BEGIN

// Sorts the items [d_begin_offsets[s], d_end_offsets[s]) of each segment s < num_segments among
// themselves, in one launch. num_items is the length of the arrays; both numbers have any integral
// type. The offsets are pointers or random access iterators that device code can dereference, of
// any integral type; with one array of num_segments + 1 offsets give `offsets` and `offsets + 1`.
// A segment that does not end behind its begin is empty. Segments lie within [0, num_items) and do
// not overlap each other; otherwise they are in any order. Items that are in no segment are not
// written to an output, and after a sort of two buffers are to be found where they were, which may
// not be the current buffer.
//
// A block sorts a segment alone: one of up to a few thousand items, depending on their size, in
// shared memory, a longer one pass by pass. That is made for many segments; a few long ones are
// sorted sooner by DeviceRadixSort, one after the other.
//
// All else is as for DeviceRadixSort: stability, keys, values, bits, two buffers (here the result
// is always in what was the other one, unless no bit is looked at), the two ways of calling,
// aliasing and errors. Where there are items and segments, a null pointer to offsets is refused,
// and offsets in what is written: an output, a buffer, or the storage. num_items == 0 and
// num_segments == 0 succeed and write nothing.
struct DeviceSegmentedRadixSort {
    // ---- SortKeys
    template <class KeyT, class BeginOffsetIteratorT, class EndOffsetIteratorT, class NumItemsT,
              class NumSegmentsT>
    [[nodiscard]] static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              const KeyT* d_keys_in, KeyT* d_keys_out,
                                              NumItemsT num_items, NumSegmentsT num_segments,
                                              BeginOffsetIteratorT d_begin_offsets,
                                              EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
                                              int end_bit = sizeof(KeyT) * 8,
                                              cudaStream_t stream = 0) {
        return detail::sort_segments(d_temp_storage, temp_storage_bytes,
                                     detail::keys_of(d_keys_in, d_keys_out), num_items,
                                     num_segments, d_begin_offsets, d_end_offsets,
                                     detail::some_bits(false, begin_bit, end_bit), stream);
    }
    template <class KeyT, class BeginOffsetIteratorT, class EndOffsetIteratorT, class NumItemsT,
              class NumSegmentsT>
    [[nodiscard]] static cudaError_t SortKeys(const KeyT* d_keys_in, KeyT* d_keys_out,
                                              NumItemsT num_items, NumSegmentsT num_segments,
                                              BeginOffsetIteratorT d_begin_offsets,
                                              EndOffsetIteratorT d_end_offsets,
                                              const SortOptions& options) {
        return detail::sort_segments(detail::keys_of(d_keys_in, d_keys_out), num_items,
                                     num_segments, d_begin_offsets, d_end_offsets, false, options);
    }

    template <class KeyT, class BeginOffsetIteratorT, class EndOffsetIteratorT, class NumItemsT,
              class NumSegmentsT, template <class> class Buffer,
              class = detail::IfDoubleBuffer<Buffer, KeyT>>
    [[nodiscard]] static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              Buffer<KeyT>& d_keys, NumItemsT num_items,
                                              NumSegmentsT num_segments,
                                              BeginOffsetIteratorT d_begin_offsets,
                                              EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
                                              int end_bit = sizeof(KeyT) * 8,
                                              cudaStream_t stream = 0) {
        return detail::sort_segments(d_temp_storage, temp_storage_bytes, detail::keys_of(d_keys),
                                     num_items, num_segments, d_begin_offsets, d_end_offsets,
                                     detail::some_bits(false, begin_bit, end_bit), stream);
    }
    template <class KeyT, class BeginOffsetIteratorT, class EndOffsetIteratorT, class NumItemsT,
              class NumSegmentsT, template <class> class Buffer,
              class = detail::IfDoubleBuffer<Buffer, KeyT>>
    [[nodiscard]] static cudaError_t SortKeys(Buffer<KeyT>& d_keys, NumItemsT num_items,
                                              NumSegmentsT num_segments,
                                              BeginOffsetIteratorT d_begin_offsets,
                                              EndOffsetIteratorT d_end_offsets,
                                              const SortOptions& options) {
        return detail::sort_segments(detail::keys_of(d_keys), num_items, num_segments,
                                     d_begin_offsets, d_end_offsets, false, options);
    }

    // ---- SortKeysDescending
    template <class KeyT, class BeginOffsetIteratorT, class EndOffsetIteratorT, class NumItemsT,
              class NumSegmentsT>
    [[nodiscard]] static cudaError_t SortKeysDescending(
        void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
        KeyT* d_keys_out, NumItemsT num_items, NumSegmentsT num_segments,
        BeginOffsetIteratorT d_begin_offsets, EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
        int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
        return detail::sort_segments(d_temp_storage, temp_storage_bytes,
                                     detail::keys_of(d_keys_in, d_keys_out), num_items,
                                     num_segments, d_begin_offsets, d_end_offsets,
                                     detail::some_bits(true, begin_bit, end_bit), stream);
    }
    template <class KeyT, class BeginOffsetIteratorT, class EndOffsetIteratorT, class NumItemsT,
              class NumSegmentsT>
    [[nodiscard]] static cudaError_t SortKeysDescending(const KeyT* d_keys_in, KeyT* d_keys_out,
                                                        NumItemsT num_items,
                                                        NumSegmentsT num_segments,
                                                        BeginOffsetIteratorT d_begin_offsets,
                                                        EndOffsetIteratorT d_end_offsets,
                                                        const SortOptions& options) {
        return detail::sort_segments(detail::keys_of(d_keys_in, d_keys_out), num_items,
                                     num_segments, d_begin_offsets, d_end_offsets, true, options);
    }

    template <class KeyT, class BeginOffsetIteratorT, class EndOffsetIteratorT, class NumItemsT,
              class NumSegmentsT, template <class> class Buffer,
              class = detail::IfDoubleBuffer<Buffer, KeyT>>
    [[nodiscard]] static cudaError_t SortKeysDescending(
        void* d_temp_storage, std::size_t& temp_storage_bytes, Buffer<KeyT>& d_keys,
        NumItemsT num_items, NumSegmentsT num_segments, BeginOffsetIteratorT d_begin_offsets,
        EndOffsetIteratorT d_end_offsets, int begin_bit = 0, int end_bit = sizeof(KeyT) * 8,
        cudaStream_t stream = 0) {
        return detail::sort_segments(d_temp_storage, temp_storage_bytes, detail::keys_of(d_keys),
                                     num_items, num_segments, d_begin_offsets, d_end_offsets,
                                     detail::some_bits(true, begin_bit, end_bit), stream);
    }
    template <class KeyT, class BeginOffsetIteratorT, class EndOffsetIteratorT, class NumItemsT,
              class NumSegmentsT, template <class> class Buffer,
              class = detail::IfDoubleBuffer<Buffer, KeyT>>
    [[nodiscard]] static cudaError_t SortKeysDescending(Buffer<KeyT>& d_keys, NumItemsT num_items,
                                                        NumSegmentsT num_segments,
                                                        BeginOffsetIteratorT d_begin_offsets,
                                                        EndOffsetIteratorT d_end_offsets,
                                                        const SortOptions& options) {
        return detail::sort_segments(detail::keys_of(d_keys), num_items, num_segments,
                                     d_begin_offsets, d_end_offsets, true, options);
    }

    // ---- SortPairs
    template <class KeyT, class ValueT, class BeginOffsetIteratorT, class EndOffsetIteratorT,
              class NumItemsT, class NumSegmentsT, class ValuesInT>
    [[nodiscard]] static cudaError_t SortPairs(
        void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
        KeyT* d_keys_out, ValuesInT d_values_in, ValueT* d_values_out, NumItemsT num_items,
        NumSegmentsT num_segments, BeginOffsetIteratorT d_begin_offsets,
        EndOffsetIteratorT d_end_offsets, int begin_bit = 0, int end_bit = sizeof(KeyT) * 8,
        cudaStream_t stream = 0) {
        return detail::sort_segments(
            d_temp_storage, temp_storage_bytes,
            detail::pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
            num_segments, d_begin_offsets, d_end_offsets,
            detail::some_bits(false, begin_bit, end_bit), stream);
    }
    template <class KeyT, class ValueT, class BeginOffsetIteratorT, class EndOffsetIteratorT,
              class NumItemsT, class NumSegmentsT, class ValuesInT>
    [[nodiscard]] static cudaError_t SortPairs(const KeyT* d_keys_in, KeyT* d_keys_out,
                                               ValuesInT d_values_in, ValueT* d_values_out,
                                               NumItemsT num_items, NumSegmentsT num_segments,
                                               BeginOffsetIteratorT d_begin_offsets,
                                               EndOffsetIteratorT d_end_offsets,
                                               const SortOptions& options) {
        return detail::sort_segments(
            detail::pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
            num_segments, d_begin_offsets, d_end_offsets, false, options);
    }

    template <class KeyT, class ValueT, class BeginOffsetIteratorT, class EndOffsetIteratorT,
              class NumItemsT, class NumSegmentsT, template <class> class Buffer,
              template <class> class ValueBuffer, class = detail::IfDoubleBuffer<Buffer, KeyT>,
              class = detail::IfDoubleBuffer<ValueBuffer, ValueT>>
    [[nodiscard]] static cudaError_t SortPairs(
        void* d_temp_storage, std::size_t& temp_storage_bytes, Buffer<KeyT>& d_keys,
        ValueBuffer<ValueT>& d_values, NumItemsT num_items, NumSegmentsT num_segments,
        BeginOffsetIteratorT d_begin_offsets, EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
        int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
        return detail::sort_segments(d_temp_storage, temp_storage_bytes,
                                     detail::pairs_of(d_keys, d_values), num_items, num_segments,
                                     d_begin_offsets, d_end_offsets,
                                     detail::some_bits(false, begin_bit, end_bit), stream);
    }
    template <class KeyT, class ValueT, class BeginOffsetIteratorT, class EndOffsetIteratorT,
              class NumItemsT, class NumSegmentsT, template <class> class Buffer,
              template <class> class ValueBuffer, class = detail::IfDoubleBuffer<Buffer, KeyT>,
              class = detail::IfDoubleBuffer<ValueBuffer, ValueT>>
    [[nodiscard]] static cudaError_t SortPairs(Buffer<KeyT>& d_keys, ValueBuffer<ValueT>& d_values,
                                               NumItemsT num_items, NumSegmentsT num_segments,
                                               BeginOffsetIteratorT d_begin_offsets,
                                               EndOffsetIteratorT d_end_offsets,
                                               const SortOptions& options) {
        return detail::sort_segments(detail::pairs_of(d_keys, d_values), num_items, num_segments,
                                     d_begin_offsets, d_end_offsets, false, options);
    }

    // ---- SortPairsDescending
    template <class KeyT, class ValueT, class BeginOffsetIteratorT, class EndOffsetIteratorT,
              class NumItemsT, class NumSegmentsT, class ValuesInT>
    [[nodiscard]] static cudaError_t SortPairsDescending(
        void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
        KeyT* d_keys_out, ValuesInT d_values_in, ValueT* d_values_out, NumItemsT num_items,
        NumSegmentsT num_segments, BeginOffsetIteratorT d_begin_offsets,
        EndOffsetIteratorT d_end_offsets, int begin_bit = 0, int end_bit = sizeof(KeyT) * 8,
        cudaStream_t stream = 0) {
        return detail::sort_segments(
            d_temp_storage, temp_storage_bytes,
            detail::pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
            num_segments, d_begin_offsets, d_end_offsets,
            detail::some_bits(true, begin_bit, end_bit), stream);
    }
    template <class KeyT, class ValueT, class BeginOffsetIteratorT, class EndOffsetIteratorT,
              class NumItemsT, class NumSegmentsT, class ValuesInT>
    [[nodiscard]] static cudaError_t SortPairsDescending(
        const KeyT* d_keys_in, KeyT* d_keys_out, ValuesInT d_values_in, ValueT* d_values_out,
        NumItemsT num_items, NumSegmentsT num_segments, BeginOffsetIteratorT d_begin_offsets,
        EndOffsetIteratorT d_end_offsets, const SortOptions& options) {
        return detail::sort_segments(
            detail::pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
            num_segments, d_begin_offsets, d_end_offsets, true, options);
    }

    template <class KeyT, class ValueT, class BeginOffsetIteratorT, class EndOffsetIteratorT,
              class NumItemsT, class NumSegmentsT, template <class> class Buffer,
              template <class> class ValueBuffer, class = detail::IfDoubleBuffer<Buffer, KeyT>,
              class = detail::IfDoubleBuffer<ValueBuffer, ValueT>>
    [[nodiscard]] static cudaError_t SortPairsDescending(
        void* d_temp_storage, std::size_t& temp_storage_bytes, Buffer<KeyT>& d_keys,
        ValueBuffer<ValueT>& d_values, NumItemsT num_items, NumSegmentsT num_segments,
        BeginOffsetIteratorT d_begin_offsets, EndOffsetIteratorT d_end_offsets, int begin_bit = 0,
        int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
        return detail::sort_segments(d_temp_storage, temp_storage_bytes,
                                     detail::pairs_of(d_keys, d_values), num_items, num_segments,
                                     d_begin_offsets, d_end_offsets,
                                     detail::some_bits(true, begin_bit, end_bit), stream);
    }
    template <class KeyT, class ValueT, class BeginOffsetIteratorT, class EndOffsetIteratorT,
              class NumItemsT, class NumSegmentsT, template <class> class Buffer,
              template <class> class ValueBuffer, class = detail::IfDoubleBuffer<Buffer, KeyT>,
              class = detail::IfDoubleBuffer<ValueBuffer, ValueT>>
    [[nodiscard]] static cudaError_t SortPairsDescending(
        Buffer<KeyT>& d_keys, ValueBuffer<ValueT>& d_values, NumItemsT num_items,
        NumSegmentsT num_segments, BeginOffsetIteratorT d_begin_offsets,
        EndOffsetIteratorT d_end_offsets, const SortOptions& options) {
        return detail::sort_segments(detail::pairs_of(d_keys, d_values), num_items, num_segments,
                                     d_begin_offsets, d_end_offsets, true, options);
    }
};

LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// SortPairs and SortPairsDescending of DeviceRadixSort; device_radix_sort.cuh says what they do.
#pragma once

#include <cstddef>
#include <libscan/config.cuh>
#include <radixsort/sort_calls.cuh>
#include <radixsort/sort_options.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

struct DeviceSortPairs {
    // ---- SortPairs
    template <class KeyT, class ValueT, class NumItemsT, class ValuesInT>
    [[nodiscard]] static cudaError_t SortPairs(
        void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
        KeyT* d_keys_out, ValuesInT d_values_in, ValueT* d_values_out, NumItemsT num_items,
        int begin_bit = 0, int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes,
                          pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                          some_bits(false, begin_bit, end_bit), NoDecomposer{}, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT, class ValuesInT,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairs(void* d_temp_storage,
                                               std::size_t& temp_storage_bytes,
                                               const KeyT* d_keys_in, KeyT* d_keys_out,
                                               ValuesInT d_values_in, ValueT* d_values_out,
                                               NumItemsT num_items, DecomposerT decomposer,
                                               cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes,
                          pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                          all_bits(false), decomposer, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT, class ValuesInT,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairs(
        void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
        KeyT* d_keys_out, ValuesInT d_values_in, ValueT* d_values_out, NumItemsT num_items,
        DecomposerT decomposer, int begin_bit, int end_bit, cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes,
                          pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                          some_bits(false, begin_bit, end_bit), decomposer, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, class ValuesInT>
    [[nodiscard]] static cudaError_t SortPairs(const KeyT* d_keys_in, KeyT* d_keys_out,
                                               ValuesInT d_values_in, ValueT* d_values_out,
                                               NumItemsT num_items, const SortOptions& options) {
        return sort_items(pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                          false, options);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT, class ValuesInT,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairs(const KeyT* d_keys_in, KeyT* d_keys_out,
                                               ValuesInT d_values_in, ValueT* d_values_out,
                                               NumItemsT num_items, DecomposerT decomposer,
                                               const SortOptions& options) {
        return sort_items(pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                          false, options, decomposer);
    }

    template <class KeyT, class ValueT, class NumItemsT, template <class> class Buffer,
              template <class> class ValueBuffer, class = IfDoubleBuffer<Buffer, KeyT>,
              class = IfDoubleBuffer<ValueBuffer, ValueT>>
    [[nodiscard]] static cudaError_t SortPairs(void* d_temp_storage,
                                               std::size_t& temp_storage_bytes,
                                               Buffer<KeyT>& d_keys, ValueBuffer<ValueT>& d_values,
                                               NumItemsT num_items, int begin_bit = 0,
                                               int end_bit = sizeof(KeyT) * 8,
                                               cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, pairs_of(d_keys, d_values), num_items,
                          some_bits(false, begin_bit, end_bit), NoDecomposer{}, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT,
              template <class> class Buffer, template <class> class ValueBuffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDoubleBuffer<ValueBuffer, ValueT>,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairs(void* d_temp_storage,
                                               std::size_t& temp_storage_bytes,
                                               Buffer<KeyT>& d_keys, ValueBuffer<ValueT>& d_values,
                                               NumItemsT num_items, DecomposerT decomposer,
                                               cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, pairs_of(d_keys, d_values), num_items,
                          all_bits(false), decomposer, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT,
              template <class> class Buffer, template <class> class ValueBuffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDoubleBuffer<ValueBuffer, ValueT>,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairs(void* d_temp_storage,
                                               std::size_t& temp_storage_bytes,
                                               Buffer<KeyT>& d_keys, ValueBuffer<ValueT>& d_values,
                                               NumItemsT num_items, DecomposerT decomposer,
                                               int begin_bit, int end_bit,
                                               cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, pairs_of(d_keys, d_values), num_items,
                          some_bits(false, begin_bit, end_bit), decomposer, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, template <class> class Buffer,
              template <class> class ValueBuffer, class = IfDoubleBuffer<Buffer, KeyT>,
              class = IfDoubleBuffer<ValueBuffer, ValueT>>
    [[nodiscard]] static cudaError_t SortPairs(Buffer<KeyT>& d_keys, ValueBuffer<ValueT>& d_values,
                                               NumItemsT num_items, const SortOptions& options) {
        return sort_items(pairs_of(d_keys, d_values), num_items, false, options);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT,
              template <class> class Buffer, template <class> class ValueBuffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDoubleBuffer<ValueBuffer, ValueT>,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairs(Buffer<KeyT>& d_keys, ValueBuffer<ValueT>& d_values,
                                               NumItemsT num_items, DecomposerT decomposer,
                                               const SortOptions& options) {
        return sort_items(pairs_of(d_keys, d_values), num_items, false, options, decomposer);
    }

    // ---- SortPairsDescending
    template <class KeyT, class ValueT, class NumItemsT, class ValuesInT>
    [[nodiscard]] static cudaError_t SortPairsDescending(
        void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
        KeyT* d_keys_out, ValuesInT d_values_in, ValueT* d_values_out, NumItemsT num_items,
        int begin_bit = 0, int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes,
                          pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                          some_bits(true, begin_bit, end_bit), NoDecomposer{}, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT, class ValuesInT,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairsDescending(
        void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
        KeyT* d_keys_out, ValuesInT d_values_in, ValueT* d_values_out, NumItemsT num_items,
        DecomposerT decomposer, cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes,
                          pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                          all_bits(true), decomposer, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT, class ValuesInT,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairsDescending(
        void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
        KeyT* d_keys_out, ValuesInT d_values_in, ValueT* d_values_out, NumItemsT num_items,
        DecomposerT decomposer, int begin_bit, int end_bit, cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes,
                          pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                          some_bits(true, begin_bit, end_bit), decomposer, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, class ValuesInT>
    [[nodiscard]] static cudaError_t SortPairsDescending(const KeyT* d_keys_in, KeyT* d_keys_out,
                                                         ValuesInT d_values_in,
                                                         ValueT* d_values_out, NumItemsT num_items,
                                                         const SortOptions& options) {
        return sort_items(pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                          true, options);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT, class ValuesInT,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairsDescending(const KeyT* d_keys_in, KeyT* d_keys_out,
                                                         ValuesInT d_values_in,
                                                         ValueT* d_values_out, NumItemsT num_items,
                                                         DecomposerT decomposer,
                                                         const SortOptions& options) {
        return sort_items(pairs_of(d_keys_in, d_keys_out, d_values_in, d_values_out), num_items,
                          true, options, decomposer);
    }

    template <class KeyT, class ValueT, class NumItemsT, template <class> class Buffer,
              template <class> class ValueBuffer, class = IfDoubleBuffer<Buffer, KeyT>,
              class = IfDoubleBuffer<ValueBuffer, ValueT>>
    [[nodiscard]] static cudaError_t SortPairsDescending(
        void* d_temp_storage, std::size_t& temp_storage_bytes, Buffer<KeyT>& d_keys,
        ValueBuffer<ValueT>& d_values, NumItemsT num_items, int begin_bit = 0,
        int end_bit = sizeof(KeyT) * 8, cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, pairs_of(d_keys, d_values), num_items,
                          some_bits(true, begin_bit, end_bit), NoDecomposer{}, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT,
              template <class> class Buffer, template <class> class ValueBuffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDoubleBuffer<ValueBuffer, ValueT>,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairsDescending(
        void* d_temp_storage, std::size_t& temp_storage_bytes, Buffer<KeyT>& d_keys,
        ValueBuffer<ValueT>& d_values, NumItemsT num_items, DecomposerT decomposer,
        cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, pairs_of(d_keys, d_values), num_items,
                          all_bits(true), decomposer, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT,
              template <class> class Buffer, template <class> class ValueBuffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDoubleBuffer<ValueBuffer, ValueT>,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairsDescending(
        void* d_temp_storage, std::size_t& temp_storage_bytes, Buffer<KeyT>& d_keys,
        ValueBuffer<ValueT>& d_values, NumItemsT num_items, DecomposerT decomposer, int begin_bit,
        int end_bit, cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, pairs_of(d_keys, d_values), num_items,
                          some_bits(true, begin_bit, end_bit), decomposer, stream);
    }
    template <class KeyT, class ValueT, class NumItemsT, template <class> class Buffer,
              template <class> class ValueBuffer, class = IfDoubleBuffer<Buffer, KeyT>,
              class = IfDoubleBuffer<ValueBuffer, ValueT>>
    [[nodiscard]] static cudaError_t SortPairsDescending(Buffer<KeyT>& d_keys,
                                                         ValueBuffer<ValueT>& d_values,
                                                         NumItemsT num_items,
                                                         const SortOptions& options) {
        return sort_items(pairs_of(d_keys, d_values), num_items, true, options);
    }
    template <class KeyT, class ValueT, class NumItemsT, class DecomposerT,
              template <class> class Buffer, template <class> class ValueBuffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDoubleBuffer<ValueBuffer, ValueT>,
              class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortPairsDescending(Buffer<KeyT>& d_keys,
                                                         ValueBuffer<ValueT>& d_values,
                                                         NumItemsT num_items,
                                                         DecomposerT decomposer,
                                                         const SortOptions& options) {
        return sort_items(pairs_of(d_keys, d_values), num_items, true, options, decomposer);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

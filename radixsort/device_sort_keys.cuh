// SPDX-License-Identifier: Apache-2.0
//
// SortKeys and SortKeysDescending of DeviceRadixSort; device_radix_sort.cuh says what they do.
#pragma once

#include <cstddef>
#include <libscan/config.cuh>
#include <radixsort/sort_calls.cuh>
#include <radixsort/sort_options.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

struct DeviceSortKeys {
    // ---- SortKeys
    template <class KeyT, class NumItemsT>
    [[nodiscard]] static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              const KeyT* d_keys_in, KeyT* d_keys_out,
                                              NumItemsT num_items, int begin_bit = 0,
                                              int end_bit = sizeof(KeyT) * 8,
                                              cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys_in, d_keys_out),
                          num_items, some_bits(false, begin_bit, end_bit), NoDecomposer{}, stream);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              const KeyT* d_keys_in, KeyT* d_keys_out,
                                              NumItemsT num_items, DecomposerT decomposer,
                                              cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys_in, d_keys_out),
                          num_items, all_bits(false), decomposer, stream);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              const KeyT* d_keys_in, KeyT* d_keys_out,
                                              NumItemsT num_items, DecomposerT decomposer,
                                              int begin_bit, int end_bit, cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys_in, d_keys_out),
                          num_items, some_bits(false, begin_bit, end_bit), decomposer, stream);
    }
    template <class KeyT, class NumItemsT>
    [[nodiscard]] static cudaError_t SortKeys(const KeyT* d_keys_in, KeyT* d_keys_out,
                                              NumItemsT num_items, const SortOptions& options) {
        return sort_items(keys_of(d_keys_in, d_keys_out), num_items, false, options);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeys(const KeyT* d_keys_in, KeyT* d_keys_out,
                                              NumItemsT num_items, DecomposerT decomposer,
                                              const SortOptions& options) {
        return sort_items(keys_of(d_keys_in, d_keys_out), num_items, false, options, decomposer);
    }

    template <class KeyT, class NumItemsT, template <class> class Buffer,
              class = IfDoubleBuffer<Buffer, KeyT>>
    [[nodiscard]] static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              Buffer<KeyT>& d_keys, NumItemsT num_items,
                                              int begin_bit = 0, int end_bit = sizeof(KeyT) * 8,
                                              cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys), num_items,
                          some_bits(false, begin_bit, end_bit), NoDecomposer{}, stream);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, template <class> class Buffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              Buffer<KeyT>& d_keys, NumItemsT num_items,
                                              DecomposerT decomposer, cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys), num_items,
                          all_bits(false), decomposer, stream);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, template <class> class Buffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              Buffer<KeyT>& d_keys, NumItemsT num_items,
                                              DecomposerT decomposer, int begin_bit, int end_bit,
                                              cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys), num_items,
                          some_bits(false, begin_bit, end_bit), decomposer, stream);
    }
    template <class KeyT, class NumItemsT, template <class> class Buffer,
              class = IfDoubleBuffer<Buffer, KeyT>>
    [[nodiscard]] static cudaError_t SortKeys(Buffer<KeyT>& d_keys, NumItemsT num_items,
                                              const SortOptions& options) {
        return sort_items(keys_of(d_keys), num_items, false, options);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, template <class> class Buffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeys(Buffer<KeyT>& d_keys, NumItemsT num_items,
                                              DecomposerT decomposer, const SortOptions& options) {
        return sort_items(keys_of(d_keys), num_items, false, options, decomposer);
    }

    // ---- SortKeysDescending
    template <class KeyT, class NumItemsT>
    [[nodiscard]] static cudaError_t SortKeysDescending(void* d_temp_storage,
                                                        std::size_t& temp_storage_bytes,
                                                        const KeyT* d_keys_in, KeyT* d_keys_out,
                                                        NumItemsT num_items, int begin_bit = 0,
                                                        int end_bit = sizeof(KeyT) * 8,
                                                        cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys_in, d_keys_out),
                          num_items, some_bits(true, begin_bit, end_bit), NoDecomposer{}, stream);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeysDescending(void* d_temp_storage,
                                                        std::size_t& temp_storage_bytes,
                                                        const KeyT* d_keys_in, KeyT* d_keys_out,
                                                        NumItemsT num_items, DecomposerT decomposer,
                                                        cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys_in, d_keys_out),
                          num_items, all_bits(true), decomposer, stream);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeysDescending(void* d_temp_storage,
                                                        std::size_t& temp_storage_bytes,
                                                        const KeyT* d_keys_in, KeyT* d_keys_out,
                                                        NumItemsT num_items, DecomposerT decomposer,
                                                        int begin_bit, int end_bit,
                                                        cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys_in, d_keys_out),
                          num_items, some_bits(true, begin_bit, end_bit), decomposer, stream);
    }
    template <class KeyT, class NumItemsT>
    [[nodiscard]] static cudaError_t SortKeysDescending(const KeyT* d_keys_in, KeyT* d_keys_out,
                                                        NumItemsT num_items,
                                                        const SortOptions& options) {
        return sort_items(keys_of(d_keys_in, d_keys_out), num_items, true, options);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeysDescending(const KeyT* d_keys_in, KeyT* d_keys_out,
                                                        NumItemsT num_items, DecomposerT decomposer,
                                                        const SortOptions& options) {
        return sort_items(keys_of(d_keys_in, d_keys_out), num_items, true, options, decomposer);
    }

    template <class KeyT, class NumItemsT, template <class> class Buffer,
              class = IfDoubleBuffer<Buffer, KeyT>>
    [[nodiscard]] static cudaError_t SortKeysDescending(void* d_temp_storage,
                                                        std::size_t& temp_storage_bytes,
                                                        Buffer<KeyT>& d_keys, NumItemsT num_items,
                                                        int begin_bit = 0,
                                                        int end_bit = sizeof(KeyT) * 8,
                                                        cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys), num_items,
                          some_bits(true, begin_bit, end_bit), NoDecomposer{}, stream);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, template <class> class Buffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeysDescending(void* d_temp_storage,
                                                        std::size_t& temp_storage_bytes,
                                                        Buffer<KeyT>& d_keys, NumItemsT num_items,
                                                        DecomposerT decomposer,
                                                        cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys), num_items,
                          all_bits(true), decomposer, stream);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, template <class> class Buffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeysDescending(void* d_temp_storage,
                                                        std::size_t& temp_storage_bytes,
                                                        Buffer<KeyT>& d_keys, NumItemsT num_items,
                                                        DecomposerT decomposer, int begin_bit,
                                                        int end_bit, cudaStream_t stream = 0) {
        return sort_items(d_temp_storage, temp_storage_bytes, keys_of(d_keys), num_items,
                          some_bits(true, begin_bit, end_bit), decomposer, stream);
    }
    template <class KeyT, class NumItemsT, template <class> class Buffer,
              class = IfDoubleBuffer<Buffer, KeyT>>
    [[nodiscard]] static cudaError_t SortKeysDescending(Buffer<KeyT>& d_keys, NumItemsT num_items,
                                                        const SortOptions& options) {
        return sort_items(keys_of(d_keys), num_items, true, options);
    }
    template <class KeyT, class NumItemsT, class DecomposerT, template <class> class Buffer,
              class = IfDoubleBuffer<Buffer, KeyT>, class = IfDecomposer<DecomposerT>>
    [[nodiscard]] static cudaError_t SortKeysDescending(Buffer<KeyT>& d_keys, NumItemsT num_items,
                                                        DecomposerT decomposer,
                                                        const SortOptions& options) {
        return sort_items(keys_of(d_keys), num_items, true, options, decomposer);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

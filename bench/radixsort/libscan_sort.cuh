// SPDX-License-Identifier: Apache-2.0
//
// libscan's DeviceRadixSort as a contestant. Included by libscan_<types>.cu only, so that the types
// compile in parallel.
#pragma once

#include <radixsort/device_radix_sort.cuh>

#include "sort_contestant.h"

namespace bench {

struct LibscanSort {
    static constexpr const char* kName = "libscan";

    template <class Key>
    static cudaError_t sort_keys(void* temp, std::size_t& bytes, const Key* in, Key* out, int n,
                                 cudaStream_t stream) {
        return libscan::DeviceRadixSort::SortKeys(temp, bytes, in, out, n, 0,
                                                  static_cast<int>(8 * sizeof(Key)), stream);
    }
    template <class Key, class Value>
    static cudaError_t sort_pairs(void* temp, std::size_t& bytes, const Key* keys_in, Key* keys_out,
                                  const Value* values_in, Value* values_out, int n,
                                  cudaStream_t stream) {
        return libscan::DeviceRadixSort::SortPairs(temp, bytes, keys_in, keys_out, values_in,
                                                   values_out, n, 0,
                                                   static_cast<int>(8 * sizeof(Key)), stream);
    }
};

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
//
// Sorts of keys, and of keys with values, in no regular order. Keys are pointers, so what is read
// and written is not counted.
#include "count_call.h"
// count_call.h comes first, see there.
#include <algorithm>
#include <radixsort/device_radix_sort.cuh>

namespace counts {

std::vector<Row> count_sorts(std::int64_t n) {
    std::vector<Item> keys;
    for (Item i = 0; i < n; ++i) keys.push_back((i + 1) * 2654435761u);
    std::vector<Item> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    DeviceArray<Item> values(keys), values_out(keys.size());
    return {
        count_call<false>(
            "sort_keys", keys, sorted,
            [&](void* temp, std::size_t& bytes, Item* in, Item* out, cudaStream_t stream) {
                return libscan::DeviceRadixSort::SortKeys(temp, bytes, in, out, n, 0, 32, stream);
            }),
        count_call<false>(
            "sort_pairs", keys, sorted,
            [&](void* temp, std::size_t& bytes, Item* in, Item* out, cudaStream_t stream) {
                return libscan::DeviceRadixSort::SortPairs(temp, bytes, in, out, values.data(),
                                                           values_out.data(), n, 0, 32, stream);
            }),
    };
}

}  // namespace counts

// SPDX-License-Identifier: Apache-2.0
//
// Thrust as a contestant, for 32-bit keys. Its sort works in place and gets its storage for itself:
// the copy to the output and the allocations are part of the time, as they are for everyone who
// wants to keep the input.
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "sort_contestant.h"

namespace bench {
namespace {

using Word = std::uint32_t;

cudaError_t copy_words(void* to, const void* from, std::int64_t n, cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, static_cast<std::size_t>(n) * sizeof(Word),
                           cudaMemcpyDeviceToDevice, stream);
}

template <class Sort>
cudaError_t sorted(Sort sort) {
    try {
        sort();
    } catch (...) {
        const cudaError_t error = cudaGetLastError();
        return error != cudaSuccess ? error : cudaErrorUnknown;
    }
    return cudaSuccess;
}

cudaError_t sort_words(void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                       cudaStream_t stream) {
    bytes = 0;
    if (temp == nullptr) return cudaSuccess;
    Word* const keys = static_cast<Word*>(arrays.at[1]);
    const cudaError_t error = copy_words(keys, arrays.at[0], n, stream);
    if (error != cudaSuccess) return error;
    return sorted(
        [=] { thrust::stable_sort(thrust::cuda::par_nosync.on(stream), keys, keys + n); });
}

cudaError_t sort_word_pairs(void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                            cudaStream_t stream) {
    bytes = 0;
    if (temp == nullptr) return cudaSuccess;
    Word* const keys = static_cast<Word*>(arrays.at[2]);
    Word* const values = static_cast<Word*>(arrays.at[3]);
    cudaError_t error = copy_words(keys, arrays.at[0], n, stream);
    if (error == cudaSuccess) error = copy_words(values, arrays.at[1], n, stream);
    if (error != cudaSuccess) return error;
    return sorted([=] {
        thrust::stable_sort_by_key(thrust::cuda::par_nosync.on(stream), keys, keys + n, values);
    });
}

struct AddThrustSorts {
    AddThrustSorts() {
        add_sort("sort_keys", "u32", "thrust", sort_words);
        add_sort("sort_pairs", "u32_u32", "thrust", sort_word_pairs);
    }
};
const AddThrustSorts sorts;

}  // namespace
}  // namespace bench

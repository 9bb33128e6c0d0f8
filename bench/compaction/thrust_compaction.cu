// SPDX-License-Identifier: Apache-2.0
//
// Thrust as a contestant, for items of 32 bits. Its calls get their temporary storage for
// themselves, wait, and return the end of the output to the host; all that is part of their time.
// The number of items is sent back, since the check wants it where the other contestants leave it.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/unique.h>

#include "../harness/workload.h"
#include "elements.h"

namespace bench {
namespace {

using Word = std::uint32_t;

template <class Compact>
cudaError_t compacted(void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                      cudaStream_t stream, Compact compact) {
    bytes = 0;
    if (temp == nullptr) return cudaSuccess;
    const Word* const in = static_cast<const Word*>(arrays.at[CompactionArrays::kIn]);
    Word* const out = static_cast<Word*>(arrays.at[CompactionArrays::kOut]);
    try {
        const int count = static_cast<int>(compact(in, in + n, out) - out);
        return cudaMemcpyAsync(arrays.at[CompactionArrays::kCounts], &count, sizeof count,
                               cudaMemcpyHostToDevice, stream);
    } catch (...) {
        const cudaError_t error = cudaGetLastError();
        return error != cudaSuccess ? error : cudaErrorUnknown;
    }
}

cudaError_t unique_words(void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                         cudaStream_t stream) {
    return compacted(
        temp, bytes, arrays, n, stream, [stream](const Word* begin, const Word* end, Word* out) {
            return thrust::unique_copy(thrust::cuda::par_nosync.on(stream), begin, end, out);
        });
}

Call select_words(Below<Word> selects) {
    return [selects](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                     cudaStream_t stream) {
        return compacted(temp, bytes, arrays, n, stream,
                         [=](const Word* begin, const Word* end, Word* out) {
                             return thrust::copy_if(thrust::cuda::par_nosync.on(stream), begin, end,
                                                    out, selects);
                         });
    };
}

struct AddThrustCompactions {
    AddThrustCompactions() {
        for (const Share& share : kShares) {
            contestants().push_back({select_name(share) + "/u32", "thrust",
                                     select_words({item_at<Word>(share.of_256)})});
        }
        for (const int run : kRuns)
            contestants().push_back({runs_name("unique", run) + "/u32", "thrust", unique_words});
    }
};
const AddThrustCompactions compactions;

}  // namespace
}  // namespace bench

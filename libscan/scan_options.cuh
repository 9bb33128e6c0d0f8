// SPDX-License-Identifier: Apache-2.0
//
// Options of the one-call scans, which allocate their temporary storage on the stream.
#pragma once

#include <cstddef>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN

// How far a result repeats. Both hold for every type and operator, at no cost: the order in which
// values are combined depends on their indices, their number and the sizes of the types, on nothing
// else.
enum class Determinism {
    run_to_run,  // the same bits in every run on one GPU
    everywhere,  // the same bits on every GPU and on the CPU, if the operator gives the same there
};

enum class ScanStrategy {
    automatic,
    single_pass,   // each element is read once and written once
    three_kernel,  // no block waits for another
};

struct ScanOptions {
    cudaStream_t stream = nullptr;
    Determinism determinism = Determinism::run_to_run;
    ScanStrategy strategy = ScanStrategy::automatic;
};

namespace detail {

// call(temp, bytes) with storage of the size that call(nullptr, bytes) asks for. The storage lives
// on the stream, so nothing waits. The first error is returned; the storage is given back in any
// case.
template <class Call>
[[nodiscard]] cudaError_t with_stream_storage(cudaStream_t stream, Call call) {
    std::size_t bytes = 0;
    cudaError_t error = call(static_cast<void*>(nullptr), bytes);
    if (error != cudaSuccess) return error;
    void* storage = nullptr;
    error = cudaMallocAsync(&storage, bytes, stream);
    if (error != cudaSuccess) return error;
    error = call(storage, bytes);
    const cudaError_t freed = cudaFreeAsync(storage, stream);
    return error != cudaSuccess ? error : freed;
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

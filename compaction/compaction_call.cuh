// SPDX-License-Identifier: Apache-2.0
//
// What the ways of calling a compaction have in common.
#pragma once

#include <compaction/compaction_options.cuh>
#include <cstddef>
#include <libscan/config.cuh>
#include <libscan/scan_options.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Overloads are told apart by what can be a number of items and what can be an operator.
template <class NumItems>
using IfCount = std::enable_if_t<std::is_integral_v<NumItems>>;
template <class Op>
using IfOperator =
    std::enable_if_t<!std::is_integral_v<Op> && !std::is_convertible_v<Op, cudaStream_t> &&
                     !std::is_same_v<Op, CompactionOptions>>;

// Temporary storage of a call, and the stream that it is for. With temp == nullptr the call only
// sets temp_bytes.
struct CompactionCall {
    void* temp;
    std::size_t& temp_bytes;
    cudaStream_t stream;
};

// call(CompactionCall) with storage that is allocated on the stream.
template <class Call>
[[nodiscard]] cudaError_t call_with_storage(const CompactionOptions& options, Call call) {
    return with_stream_storage(options.stream, [&](void* temp, std::size_t& bytes) {
        return call(CompactionCall{temp, bytes, options.stream});
    });
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

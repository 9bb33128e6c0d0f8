// SPDX-License-Identifier: Apache-2.0
//
// Select and partition with half of the items kept, unique and run-length encode of runs of four.
#include "count_call.h"
// count_call.h comes first, see there.
#include <compaction/device_partition.cuh>
#include <compaction/device_run_length_encode.cuh>
#include <compaction/device_select.cuh>

namespace counts {
namespace {

constexpr Item kRun = 4;

// Half of the items, in no regular pattern.
struct IsKept {
    __host__ __device__ bool operator()(Item item) const {
        return (item * 2654435761u >> 16 & 1) == 0;
    }
};

}  // namespace

std::vector<Row> count_compactions(std::int64_t n) {
    std::vector<Item> items, runs, kept, parted, heads;
    for (Item i = 0; i < n; ++i) {
        items.push_back(i);
        runs.push_back(i / kRun);
        if (i % kRun == 0) heads.push_back(i / kRun);
        if (IsKept{}(i)) kept.push_back(i);
    }
    parted = kept;  // and the others, from the end backwards
    for (Item i = static_cast<Item>(n); i-- > 0;) {
        if (!IsKept{}(i)) parted.push_back(i);
    }
    DeviceArray<std::int64_t> count(1);
    DeviceArray<Item> lengths(heads.size());
    std::vector<Row> rows;
    rows.push_back(
        count_call("select_if_50", items, kept,
                   [&](void* temp, std::size_t& bytes, auto in, auto out, cudaStream_t stream) {
                       return libscan::DeviceSelect::If(temp, bytes, in, out, count.data(), n,
                                                        IsKept{}, stream);
                   }));
    rows.push_back(
        count_call("partition_if_50", items, parted,
                   [&](void* temp, std::size_t& bytes, auto in, auto out, cudaStream_t stream) {
                       return libscan::DevicePartition::If(temp, bytes, in, out, count.data(), n,
                                                           IsKept{}, stream);
                   }));
    rows.push_back(count_call(
        "unique_runs_4", runs, heads,
        [&](void* temp, std::size_t& bytes, auto in, auto out, cudaStream_t stream) {
            return libscan::DeviceSelect::Unique(temp, bytes, in, out, count.data(), n, stream);
        }));
    rows.push_back(
        count_call("run_length_encode_runs_4", runs, heads,
                   [&](void* temp, std::size_t& bytes, auto in, auto out, cudaStream_t stream) {
                       return libscan::DeviceRunLengthEncode::Encode(
                           temp, bytes, in, out, lengths.data(), count.data(), n, stream);
                   }));
    return rows;
}

}  // namespace counts

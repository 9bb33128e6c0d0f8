// SPDX-License-Identifier: Apache-2.0
//
// The check of a compaction: a task tells what part each item of the input belongs to, and is asked
// whether the right thing is at the place that the items before it leave. Those are counted in
// chunks, each by one thread: slow, and simple enough to be believed.
//
// A task has part(arrays, i), which is 0 for items that are in neither of the two counted parts, 1,
// or 2; right(arrays, i, n, part, first, second), with the numbers of items of part 1 and 2 before
// item i; and kCounts, the number of counts that the call writes.
#pragma once

#include "../harness/kernels.cuh"
#include "elements.h"

namespace bench {

inline constexpr std::int64_t kCheckChunk = 512;
inline constexpr std::int64_t kCheckSegments = 32;  // of chunks

// Two counts of 32 bits.
using PartCounts = std::uint64_t;
__device__ inline PartCounts one_of(int part) {
    return part == 0 ? 0 : part == 1 ? 1 : PartCounts(1) << 32;
}
__device__ inline std::int64_t first_of(PartCounts counts) {
    return static_cast<std::int64_t>(counts & 0xffffffffu);
}
__device__ inline std::int64_t second_of(PartCounts counts) {
    return static_cast<std::int64_t>(counts >> 32);
}

inline constexpr std::size_t kScratchFixedBytes =
    static_cast<std::size_t>(kCheckSegments + 1) * sizeof(PartCounts);
inline constexpr double kScratchItemBytes =
    static_cast<double>(sizeof(PartCounts)) / static_cast<double>(kCheckChunk);

// The counts of segments, then those of chunks.
__device__ inline PartCounts* scratch_of(const Arrays& arrays) {
    return static_cast<PartCounts*>(arrays.at[CompactionArrays::kScratch]);
}
__host__ __device__ inline std::int64_t chunks_of(std::int64_t n) {
    return (n + kCheckChunk - 1) / kCheckChunk;
}
__device__ inline std::int64_t lesser(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

template <class Task>
__global__ void count_parts_kernel(Arrays arrays, std::int64_t n, Task task) {
    for (std::int64_t chunk = first_item(); chunk < chunks_of(n); chunk += item_step()) {
        PartCounts counts = 0;
        const std::int64_t end = lesser(n, (chunk + 1) * kCheckChunk);
        for (std::int64_t i = chunk * kCheckChunk; i < end; ++i)
            counts += one_of(task.part(arrays, i));
        scratch_of(arrays)[kCheckSegments + chunk] = counts;
    }
}

// One thread a segment: its sum; or, once those are there, what is before each of its chunks.
template <class Task, bool kSums>
__global__ void scan_parts_kernel(Arrays arrays, std::int64_t n) {
    PartCounts* const segments = scratch_of(arrays);
    PartCounts* const chunks = segments + kCheckSegments;
    const std::int64_t length = (chunks_of(n) + kCheckSegments - 1) / kCheckSegments;
    const std::int64_t segment = first_item();
    PartCounts counts = 0;
    if (!kSums) {
        for (std::int64_t s = 0; s < segment; ++s) counts += segments[s];
    }
    const std::int64_t end = lesser(chunks_of(n), (segment + 1) * length);
    for (std::int64_t chunk = segment * length; chunk < end; ++chunk) {
        const PartCounts own = chunks[chunk];
        if (!kSums) chunks[chunk] = counts;
        counts += own;
    }
    if (kSums) segments[segment] = counts;
}

template <class Task>
__global__ void check_parts_kernel(Arrays arrays, std::int64_t n, Task task,
                                   unsigned long long* errors) {
    for (std::int64_t chunk = first_item(); chunk < chunks_of(n); chunk += item_step()) {
        PartCounts counts = scratch_of(arrays)[kCheckSegments + chunk];
        unsigned long long wrong = 0;
        const std::int64_t end = lesser(n, (chunk + 1) * kCheckChunk);
        for (std::int64_t i = chunk * kCheckChunk; i < end; ++i) {
            const int part = task.part(arrays, i);
            if (!task.right(arrays, i, n, part, first_of(counts), second_of(counts))) ++wrong;
            counts += one_of(part);
        }
        if (end == n) {
            const int* const found = static_cast<const int*>(arrays.at[CompactionArrays::kCounts]);
            if (found[0] != first_of(counts)) ++wrong;
            if (Task::kCounts == 2 && found[1] != second_of(counts)) ++wrong;
        }
        if (wrong != 0) atomicAdd(errors, wrong);
    }
}

template <class Task>
cudaError_t check_parts(const Task& task, const Arrays& arrays, std::int64_t n,
                        unsigned long long* errors, cudaStream_t stream) {
    const dim3 blocks = blocks_for(chunks_of(n));
    const int segments = static_cast<int>(kCheckSegments);
    cudaError_t error =
        libscan::launch(count_parts_kernel<Task>, blocks, kThreads, 0, stream, arrays, n, task);
    if (error == cudaSuccess)
        error = libscan::launch(scan_parts_kernel<Task, true>, 1, segments, 0, stream, arrays, n);
    if (error == cudaSuccess)
        error = libscan::launch(scan_parts_kernel<Task, false>, 1, segments, 0, stream, arrays, n);
    if (error == cudaSuccess)
        error = libscan::launch(check_parts_kernel<Task>, blocks, kThreads, 0, stream, arrays, n,
                                task, errors);
    return error;
}

}  // namespace bench

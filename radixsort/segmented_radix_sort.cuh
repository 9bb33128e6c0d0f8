// SPDX-License-Identifier: Apache-2.0
//
// Host side of the segmented radix sort: checks, storage, and its one launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/argument_checks.cuh>
#include <libscan/config.cuh>
#include <libscan/temp_storage.cuh>
#include <limits>
#include <radixsort/radix_sort.cuh>
#include <radixsort/small_sort_kernels.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
class SegmentedRadixSort {
    using Arrays = SortArrays<Key, Value, ValuesIn>;
    using Order = KeyOrder<Key, Decomposer>;
    using Shape = SegmentShape<Tuning, Key, Decomposer, Value, ValuesIn>;

  public:
    // Sorts each of the segments [begins[s], ends[s]) of arrays of n items; the items are as for
    // RadixSort. The result is number 1 of the arrays, or with two buffers and no pass number 2.
    template <class Begins, class Ends>
    [[nodiscard]] static cudaError_t run(void* temp, std::size_t& temp_bytes, Arrays arrays,
                                         std::int64_t n, std::int64_t segments, Begins begins,
                                         Ends ends, const Order& order, bool two_buffers,
                                         int& result, cudaStream_t stream) {
        if (!order.is_valid() || !can_be_in_memory<Key, Value>(n)) return cudaErrorInvalidValue;
        const int passes = order.passes(Tuning::kPolicy.digit_bits);
        // A segment of one launch needs no third array; but how long segments are is not known
        // here.
        const bool third_array = !two_buffers && passes > 1 && n > Shape::Sort::kTile;
        const std::size_t sizes[2] = {third_array ? storage_of<Key>(n) : 0,
                                      third_array ? storage_of<Value>(n) : 0};
        void* parts[2] = {};
        cudaError_t error = alias_temp_storage(temp, temp_bytes, sizes, parts);
        if (error != cudaSuccess || temp == nullptr) return error;
        if (n == 0 || segments == 0) return cudaSuccess;
        error = check_sort_arrays(arrays, n, two_buffers, temp, temp_bytes);
        if (error != cudaSuccess) return error;
        if (!are_readable(begins, segments, arrays, n, two_buffers, temp, temp_bytes) ||
            !are_readable(ends, segments, arrays, n, two_buffers, temp, temp_bytes)) {
            return cudaErrorInvalidValue;
        }
        result = passes == 0 && two_buffers ? 2 : 1;
        if (result == 2) return cudaSuccess;
        if (!two_buffers) {
            arrays.keys[1] = static_cast<Key*>(parts[0]);
            arrays.values[1] = static_cast<Value*>(parts[1]);
        }
        constexpr std::int64_t kMostBlocks = std::numeric_limits<std::int32_t>::max();
        const dim3 grid(static_cast<unsigned>(segments < kMostBlocks ? segments : kMostBlocks));
        return launch(segmented_sort_kernel<Tuning, Key, Decomposer, Value, ValuesIn, Begins, Ends>,
                      grid, Tuning::kPolicy.small_threads, sizeof(typename Shape::Storage), stream,
                      arrays, order, segments, begins, ends, two_buffers);
    }

  private:
    // Offsets that are there, and in nothing that the sort writes.
    template <class Offsets>
    [[nodiscard]] static bool are_readable(Offsets offsets, std::int64_t segments,
                                           const Arrays& arrays, std::int64_t n, bool two_buffers,
                                           const void* temp, std::size_t temp_bytes) {
        ByteRange read;
        if (!to_byte_range(offsets, segments, read)) return false;
        ByteRange written[5] = {};  // the arrays have been checked
        written[4] = ByteRange{reinterpret_cast<std::uintptr_t>(temp), temp_bytes, true};
        bool good = to_byte_range(arrays.keys[0], n, written[0]);
        if (two_buffers) good = good && to_byte_range(arrays.keys[1], n, written[1]);
        if constexpr (!std::is_same_v<Value, NoValues>) {
            good = good && to_byte_range(arrays.values[0], n, written[2]);
            if (two_buffers) good = good && to_byte_range(arrays.values[1], n, written[3]);
        }
        for (const ByteRange& range : written) good = good && !overlap(read, range);
        return good;
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

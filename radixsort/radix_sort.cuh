// SPDX-License-Identifier: Apache-2.0
//
// Host side of the radix sort: checks, storage, launches. A short array is one launch, and a
// somewhat longer one as well where there are clusters; else it is a memset, a launch that counts
// the digits of all passes, and one launch for each pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <libscan/argument_checks.cuh>
#include <libscan/config.cuh>
#include <libscan/temp_storage.cuh>
#include <limits>
#include <radixsort/byte_sort_kernel.cuh>
#include <radixsort/cluster_radix_sort.cuh>
#include <radixsort/fill_runs_kernel.cuh>
#include <radixsort/histogram_kernel.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/onesweep_kernel.cuh>
#include <radixsort/pipelined_pass_launch.cuh>
#include <radixsort/radix_sort_policy.cuh>
#include <radixsort/rank_sort_kernel.cuh>
#include <radixsort/small_sort_kernels.cuh>
#include <radixsort/sort_items.cuh>
#include <radixsort/sort_plan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// No null pointer, and no overlap but of what is only read.
template <class Key, class Value, class ValuesIn>
[[nodiscard]] cudaError_t check_sort_arrays(const SortArrays<Key, Value, ValuesIn>& arrays,
                                            std::int64_t n, bool two_buffers, const void* temp,
                                            std::size_t temp_bytes) {
    constexpr int kRanges = 5;
    ByteRange ranges[kRanges];  // inputs, outputs, storage
    if (!to_byte_range(arrays.keys_in, n, ranges[0]) ||
        !to_byte_range(arrays.keys[0], n, ranges[2])) {
        return cudaErrorInvalidValue;
    }
    if constexpr (!std::is_same_v<Value, NoValues>) {
        if (!to_byte_range(arrays.values_in, n, ranges[1]) ||
            !to_byte_range(arrays.values[0], n, ranges[3])) {
            return cudaErrorInvalidValue;
        }
    }
    ranges[4] = ByteRange{reinterpret_cast<std::uintptr_t>(temp), temp_bytes, true};
    for (int a = 0; a < kRanges; ++a) {
        for (int b = two_buffers ? a + 1 : (a < 2 ? 2 : a + 1); b < kRanges; ++b)
            if (overlap(ranges[a], ranges[b])) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

// False where so many items cannot be in memory.
template <class Key, class Value>
[[nodiscard]] bool can_be_in_memory(std::int64_t n) {
    constexpr std::size_t kSize = sizeof(Key) > sizeof(Value) ? sizeof(Key) : sizeof(Value);
    return static_cast<std::uint64_t>(n) <=
           (std::numeric_limits<std::size_t>::max() - (std::size_t(1) << 20)) / (4 * kSize);
}

// Bytes of an array of n items that only exists in storage.
template <class Item>
[[nodiscard]] std::size_t storage_of(std::int64_t n) {
    return std::is_same_v<Item, NoValues> ? 0 : static_cast<std::size_t>(n) * sizeof(Item);
}

// Without a pass, the output is the input.
template <class Key, class Value, class ValuesIn>
[[nodiscard]] cudaError_t copy_unsorted(const SortArrays<Key, Value, ValuesIn>& arrays,
                                        std::int64_t n, cudaStream_t stream) {
    constexpr int kThreads = 256;
    constexpr std::int64_t kMostBlocks = 1 << 20;
    const std::int64_t blocks = ceil_div(n, std::int64_t(kThreads) * 16);
    const dim3 grid(static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks));
    return launch(copy_items_kernel<kThreads, Key, Value, ValuesIn>, grid, kThreads, 0, stream,
                  arrays, n);
}

template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
class RadixSort {
    static constexpr RadixSortPolicy kPolicy = Tuning::kPolicy;
    static_assert(std::is_trivially_copyable_v<Key> && std::is_default_constructible_v<Key>,
                  "keys are trivially copyable and default constructible");
    static_assert(std::is_trivially_copyable_v<Value> && std::is_default_constructible_v<Value>,
                  "values are trivially copyable and default constructible");
    using Arrays = SortArrays<Key, Value, ValuesIn>;
    using Order = KeyOrder<Key, Decomposer>;
    using Small = BlockRadixSort<Tuning, Key, Decomposer, Value, ValuesIn>;
    // A few items are sorted in one launch.
    static constexpr bool kByRank =
        kPolicy.rank_items > 0 && std::is_same_v<Decomposer, NoDecomposer>;
    // Bytes alone can be written down when they have been counted.
    static constexpr bool kBytesAlone = sizeof(Key) == 1 && kPolicy.digit_bits == 8 &&
                                        std::is_same_v<Decomposer, NoDecomposer> &&
                                        std::is_same_v<Value, NoValues>;
    static constexpr int kFewItems = kByRank ? kPolicy.rank_items : Small::kTile;
    using Cluster = ClusterSortLaunch<Tuning, Key, Decomposer, Value, ValuesIn>;
    static constexpr bool kClusters =
        kNewestArchitecture >= 900 && kPolicy.cluster_items > 0 && Cluster::Sort::kPossible;
    // Of a key the pipelined pass takes the digit three times, from shared memory: for floats and
    // structs, of many tiles, that costs more than it gains.
    static constexpr bool has_plain_digits() {
        if constexpr (std::is_same_v<Decomposer, NoDecomposer>) {
            return KeyBits<Key>::kKind == KeyKind::kUnsigned;
        } else {
            return false;
        }
    }
    using Pipelined = PipelinedPassLaunch<Tuning, Key, Decomposer, Value, ValuesIn>;
    using Scatter = BlockRadixScatter<Tuning, Key, Decomposer, Value, ValuesIn>;
    using Histogram =
        HistogramShape<kPolicy.histogram_threads, kPolicy.histogram_items, kPolicy.digit_bits,
                       ceil_div(Order::kBits, kPolicy.digit_bits)>;
    static constexpr bool kHasWideHistogram =
        kNewestArchitecture >= 900 && kPolicy.wide_histogram_copies > 0;
    using WideHistogram =
        HistogramShape<kHasWideHistogram ? kPolicy.wide_histogram_threads : kWarpSize,
                       kPolicy.histogram_items, kPolicy.digit_bits,
                       ceil_div(Order::kBits, kPolicy.digit_bits),
                       kHasWideHistogram ? kPolicy.wide_histogram_copies : 1>;
    static constexpr int kDigits = Scatter::kDigits, kTile = Scatter::kTile;
    static_assert(kPolicy.portion % kTile == 0 && kPolicy.portion <= kMaxDigitLookBackItems,
                  "a portion is a number of tiles whose items a look-back can count");

  public:
    // Sorts n items. two_buffers: arrays.keys[1] is keys_in, and so for the values; afterwards
    // `result` is the number of the array that has the sorted items, known when this returns.
    // Otherwise number 2 of the arrays is made here, in the storage, and the result is number 1.
    [[nodiscard]] static cudaError_t run(void* temp, std::size_t& temp_bytes, Arrays arrays,
                                         std::int64_t n, const Order& order, bool two_buffers,
                                         int& result, cudaStream_t stream) {
        if (!order.is_valid() || !can_be_in_memory<Key, Value>(n)) return cudaErrorInvalidValue;
        const int passes = order.passes(kPolicy.digit_bits);
        const bool one_launch = passes == 0 || n <= kFewItems || is_byte_sort(order, n);
        const bool third_array = !one_launch && !two_buffers && passes > 1;
        PassShape shape;
        cudaError_t error = one_launch ? cudaSuccess : pass_shape(n, passes, shape);
        if (error != cudaSuccess) return error;
        const std::int64_t portions = one_launch ? 0 : ceil_div(n, shape.portion);
        if (portions > std::numeric_limits<int>::max()) return cudaErrorInvalidValue;

        const std::size_t words = static_cast<std::size_t>(1 + passes * (portions + kDigits));
        const std::size_t cleared =
            one_launch ? 0 : words * sizeof(Word) + shape.look_back_words * sizeof(unsigned);
        const std::size_t starts = static_cast<std::size_t>(passes * portions) * kDigits;
        const std::size_t sizes[5] = {
            cleared, starts * sizeof(Word),
            one_launch ? 0 : static_cast<std::size_t>(passes) * sizeof(PassPlan),
            third_array ? storage_of<Key>(n) : 0, third_array ? storage_of<Value>(n) : 0};
        void* parts[5] = {};
        error = alias_temp_storage(temp, temp_bytes, sizes, parts);
        if (error != cudaSuccess || temp == nullptr) return error;
        if (n == 0) return cudaSuccess;
        error = check_sort_arrays(arrays, n, two_buffers, temp, temp_bytes);
        if (error != cudaSuccess) return error;

        result = one_launch || !two_buffers || passes % 2 != 0 ? 1 : 2;
        if (passes == 0) {
            result = two_buffers ? 2 : 1;
            return two_buffers ? cudaSuccess : copy_unsorted(arrays, n, stream);
        }
        if (one_launch) return sort_few(arrays, order, static_cast<int>(n), stream);
        if constexpr (kClusters) {
            bool done = false;
            error = Cluster::run(arrays, n, order, stream, done);
            if (done) result = 1;
            if (error != cudaSuccess || done) return error;
        }
        if (!two_buffers) {
            arrays.keys[1] = static_cast<Key*>(parts[3]);
            arrays.values[1] = static_cast<Value*>(parts[4]);
        }
        SortState state{};
        state.passes = passes;
        state.portions = static_cast<int>(portions);
        state.finished = static_cast<Word*>(parts[0]);
        state.tickets = state.finished + 1;
        state.counts = state.tickets + passes * portions;
        state.look_back = reinterpret_cast<unsigned*>(state.finished + words);
        state.starts = static_cast<Word*>(parts[1]);
        state.plans = static_cast<PassPlan*>(parts[2]);
        error = cudaMemsetAsync(parts[0], 0, cleared, stream);
        if (error != cudaSuccess) return error;
        error = count_digits(arrays.keys_in, n, order, state, two_buffers, stream);
        if constexpr (kBytesAlone) {
            if (error == cudaSuccess && order.has_all_bits())
                return fill_runs(arrays.keys[0], n, order, state, stream);
        }
        for (int pass = 0; pass < passes && error == cudaSuccess; ++pass)
            error = sort_by_digit(arrays, n, order, state, shape, pass, stream);
        return error;
    }

    // Whether the device runs code that has these kernels, which are for compute capability 9.0.
    [[nodiscard]] static cudaError_t is_in_code_for_device(bool& answer) {
        static AnswerOfDevice known;
        answer = false;
        DeviceTraits device;
        const cudaError_t error = device_traits(device);
        if (error != cudaSuccess || device.architecture < 900) return error;
        return has_hopper_code(known, device,
                               &onesweep_kernel<Tuning, Key, Decomposer, Value, ValuesIn>, answer);
    }

  private:
    // How the passes cut n items: words of the look-back, and items of a launch.
    struct PassShape {
        std::size_t look_back_words = 0;
        std::int64_t portion = 1;
        bool pipelined = false;
        DeviceTraits device;  // where it is
    };
    // Of the look-back of the passes that are not pipelined.
    [[nodiscard]] static std::size_t tile_words(std::int64_t n) {
        const std::int64_t tiles = ceil_div(std::min(n, kPolicy.portion), std::int64_t(kTile));
        return static_cast<std::size_t>(tiles) * kDigits;
    }
    [[nodiscard]] static cudaError_t pass_shape(std::int64_t n, int passes, PassShape& shape) {
        std::size_t others = 0;
        if constexpr (Pipelined::kPossible) {
            DeviceTraits device;
            bool usable = false;
            cudaError_t error = device_traits(device);
            if (error == cudaSuccess) error = Pipelined::usable(device, usable);
            if (error != cudaSuccess) return error;
            if (usable) {
                const Pipelined pipelined(device);
                const bool many =
                    kPolicy.pass_many_tiles && n >= kPolicy.pass_many_least && has_plain_digits();
                const std::int64_t most = many ? n : std::min(n, pipelined.all_at_once());
                const std::int64_t portion = kPolicy.portion / pipelined.tile() * pipelined.tile();
                const std::int64_t tiles = pipelined.most_tiles(std::min(most, portion));
                others = pipelined.look_back_words(tiles, kDigits, passes);
                if (n == most) {
                    if (many) others = std::max(others, tile_words(kPolicy.pass_many_least));
                    shape = PassShape{others, portion, true, device};
                    return cudaSuccess;
                }
            }
        }
        // Storage never shrinks as n grows.
        shape = PassShape{std::max(tile_words(n), others), kPolicy.portion, false, {}};
        return cudaSuccess;
    }

    // Few bytes alone.
    [[nodiscard]] static bool is_byte_sort(const Order& order, std::int64_t n) {
        return kBytesAlone && n <= kPolicy.byte_items && order.has_all_bits();
    }

    [[nodiscard]] static cudaError_t sort_few(const Arrays& arrays, const Order& order, int n,
                                              cudaStream_t stream) {
        if constexpr (kBytesAlone) {
            if (is_byte_sort(order, n)) {
                constexpr int kThreads = 1024;
                return launch(byte_sort_kernel<kThreads, Key>, dim3(1), kThreads, 0, stream,
                              arrays.keys_in, arrays.keys[0], n, order);
            }
        }
        if constexpr (kByRank) {
            using Few = RankSort<kPolicy.rank_threads, Key>;
            return launch(rank_sort_kernel<kPolicy.rank_threads, Key, Value, ValuesIn>,
                          dim3(static_cast<unsigned>(ceil_div(n, kWarpSize))), Few::kThreads,
                          Few::shared_bytes(n), stream, arrays, order, n);
        } else {
            return launch(small_sort_kernel<Tuning, Key, Decomposer, Value, ValuesIn>, dim3(1),
                          Small::kThreads, sizeof(typename Small::TempStorage), stream, arrays,
                          order, n);
        }
    }

    [[nodiscard]] static cudaError_t count_digits(const Key* keys, std::int64_t n,
                                                  const Order& order, const SortState& state,
                                                  bool two_buffers, cudaStream_t stream) {
        if constexpr (kHasWideHistogram) {
            constexpr std::size_t kBytes = sizeof(typename WideHistogram::Storage);
            DeviceTraits device;
            const cudaError_t error = device_traits(device);
            if (error != cudaSuccess) return error;
            if (n >= kPolicy.wide_histogram_least &&
                device.shared_kilobytes * std::size_t(1024) >= kBytes) {
                const int fit = 2 * kBytes <= device.shared_kilobytes * std::size_t(1024) ? 2 : 1;
                return count_digits_by<WideHistogram>(keys, n, order, state, two_buffers,
                                                      fit * device.multiprocessors, stream);
            }
        }
        return count_digits_by<Histogram>(keys, n, order, state, two_buffers,
                                          kPolicy.histogram_blocks, stream);
    }
    template <class Shape>
    [[nodiscard]] static cudaError_t count_digits_by(const Key* keys, std::int64_t n,
                                                     const Order& order, const SortState& state,
                                                     bool two_buffers, std::int64_t most_blocks,
                                                     cudaStream_t stream) {
        constexpr std::int64_t kMost = std::int64_t(1) << 30;  // keys that a block can count
        const std::int64_t chunk = Shape::kThreads * Shape::kItems;
        const std::int64_t blocks =
            std::max(std::min(ceil_div(n, chunk), most_blocks), ceil_div(n, kMost));
        const dim3 grid(static_cast<unsigned>(blocks),
                        static_cast<unsigned>(ceil_div(state.passes, Shape::kPasses)));
        return launch(radix_histogram_kernel<Shape, Key, Decomposer>, grid, Shape::kThreads,
                      sizeof(typename Shape::Storage), stream, keys, n, order, state, two_buffers);
    }

    [[nodiscard]] static cudaError_t fill_runs(Key* keys, std::int64_t n, const Order& order,
                                               const SortState& state, cudaStream_t stream) {
        constexpr int kThreads = 256;
        constexpr std::int64_t kMostBlocks = 4096;
        const std::int64_t blocks = ceil_div(n, std::int64_t(kThreads) * 16 * 4);
        const dim3 grid(static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks));
        return launch(fill_runs_kernel<kThreads, Key>, grid, kThreads, 0, stream, keys, n, order,
                      state.starts);
    }

    [[nodiscard]] static cudaError_t sort_by_digit(const Arrays& arrays, std::int64_t n,
                                                   const Order& order, const SortState& state,
                                                   const PassShape& shape, int pass,
                                                   cudaStream_t stream) {
        for (int portion = 0; portion < state.portions; ++portion) {
            const std::int64_t first = portion * shape.portion;
            const std::int64_t items = std::min(n - first, shape.portion);
            if (state.portions > 1) {
                const std::size_t bytes = shape.look_back_words * sizeof(unsigned);
                const cudaError_t error = cudaMemsetAsync(state.look_back, 0, bytes, stream);
                if (error != cudaSuccess) return error;
            }
            const cudaError_t error =
                launch_pass(arrays, order, state, shape, pass, portion, first, items, stream);
            if (error != cudaSuccess) return error;
        }
        return cudaSuccess;
    }
    // n: of the launch.
    [[nodiscard]] static cudaError_t launch_pass(const Arrays& arrays, const Order& order,
                                                 const SortState& state, const PassShape& shape,
                                                 int pass, int portion, std::int64_t first,
                                                 std::int64_t n, cudaStream_t stream) {
        if constexpr (Pipelined::kPossible) {
            if (shape.pipelined) {
                const Pipelined passes(shape.device);
                // Of several launches all have tiles of one size.
                const int rows = passes.rows(state.portions > 1 ? shape.portion : n);
                return passes.launch_pass(arrays, order, state, pass, portion, first, n, rows,
                                          stream);
            }
        }
        const std::int64_t tiles = ceil_div(n, std::int64_t(kTile));
        return launch(onesweep_kernel<Tuning, Key, Decomposer, Value, ValuesIn>,
                      dim3(static_cast<unsigned>(tiles)), kPolicy.threads,
                      sizeof(OnesweepStorage<Scatter>), stream, arrays, order, state, pass, portion,
                      first, n);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

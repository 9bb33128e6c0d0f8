// SPDX-License-Identifier: Apache-2.0
//
// Sorts a short array by counting: an item's place is the number of items that go before it, which
// are those with a smaller key, and those with the same key that stand before it. That is n * n
// comparisons, but no step waits for another, and all multiprocessors share them: up to some
// thousand items nothing is faster.
//
// Source: Donald E. Knuth, "The Art of Computer Programming", volume 3, section 5.2, algorithm C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>
#include <libscan/vector_row.cuh>
#include <libscan/warp_scan.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/sort_items.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// A block finds the places of 32 items, one for each lane; each warp compares them with a part of
// all items.
template <int kThreadsOfBlock, class Key>
class RankSort {
    using Order = KeyOrder<Key, NoDecomposer>;
    using Window = typename Order::Window;
    static constexpr int kVector = 16 / static_cast<int>(sizeof(Window));

  public:
    static constexpr int kThreads = kThreadsOfBlock;
    static constexpr int kWarps = kThreads / kWarpSize;

    // The shared memory has the windows of the keys of all items, as whole rows of 32 for each
    // warp, and the counts of each warp.
    __host__ __device__ static constexpr int rows(int n) { return ceil_div(n, kThreads); }
    __host__ __device__ static constexpr std::size_t shared_bytes(int n) {
        return kThreads * (static_cast<std::size_t>(rows(n)) * sizeof(Window) + sizeof(int));
    }

    __device__ RankSort(char* shared, int n)
        : windows_(shared),
          counts_(shared + static_cast<std::size_t>(kThreads) * rows(n) * sizeof(Window)),
          n_(n),
          thread_(static_cast<int>(threadIdx.x)) {}

    // The place of item blockIdx.x * 32 + lane, in all lanes of the first warp that have an item.
    // Collective.
    __device__ int place(const Order& order, const Key* keys) {
        for (int i = thread_; i < kThreads * rows(n_); i += kThreads) {
            Window window = ~Window{0};  // goes before nothing
            if (i < n_) window = order.window(keys[i]);
            shared_at<Window>(windows_ + i * sizeof(Window)) = window;
        }
        __syncthreads();
        const int lane = thread_ % kWarpSize, warp = thread_ / kWarpSize;
        const int group = static_cast<int>(blockIdx.x) * kWarpSize;  // of the block's items
        const Window mine = shared_at<Window>(windows_ + (group + lane) * sizeof(Window));
        const int begin = warp * kWarpSize * rows(n_), end = begin + kWarpSize * rows(n_);
        int count = 0;
        for (int i = begin; i < end; i += kWarpSize) {
            if (i < group) {
                count += count_row(i, [mine](Window other, int) { return other <= mine; });
            } else if (i > group) {
                count += count_row(i, [mine](Window other, int) { return other < mine; });
            } else {
                count += count_row(i, [mine, lane](Window other, int at) {
                    return other < mine || (other == mine && at < lane);
                });
            }
        }
        shared_at<int>(counts_ + thread_ * sizeof(int)) = count;
        __syncthreads();
        int place = 0;
        if (warp == 0) {
            for (int w = 0; w < kWarps; ++w) {
                const int part = shared_at<int>(counts_ + (w * kWarpSize + lane) * sizeof(int));
                place += part;
            }
        }
        return place;
    }

  private:
    // How many of the items first .. first + 31 go before this lane's.
    template <class Before>
    __device__ int count_row(int first, Before before) {
        int count = 0;
        LIBSCAN_UNROLL_ALL
        for (int i = 0; i < kWarpSize; i += kVector) {
            const Vector16 vector = shared_at16(windows_ + (first + i) * sizeof(Window));
            Window others[kVector];
            std::memcpy(others, vector.w, sizeof others);
            LIBSCAN_UNROLL_ALL
            for (int j = 0; j < kVector; ++j) count += before(others[j], i + j) ? 1 : 0;
        }
        return count;
    }

    char* windows_;
    char* counts_;
    int n_;
    int thread_;
};

// Sorts n items from array 0 to array 1. A block for each 32 items.
template <int kThreads, class Key, class Value, class ValuesIn>
__global__ void __launch_bounds__(kThreads)
    rank_sort_kernel(SortArrays<Key, Value, ValuesIn> arrays, KeyOrder<Key, NoDecomposer> order,
                     int n) {
    const auto source = arrays.source(0);
    const auto target = arrays.target(1);
    const int place = RankSort<kThreads, Key>(dynamic_shared<char>(), n).place(order, source.keys);
    const int item = static_cast<int>(blockIdx.x * kWarpSize + threadIdx.x);
    if (threadIdx.x >= kWarpSize || item >= n) return;
    target.keys[place] = source.key(item);
    if constexpr (!std::is_same_v<Value, NoValues>) target.values[place] = source.value(item);
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

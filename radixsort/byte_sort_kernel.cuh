// SPDX-License-Identifier: Apache-2.0
//
// Few keys of one byte, sorted by all their bits, without values: one block counts them and writes
// down what comes out. (Counting sort; the same for many: histogram_kernel.cuh and
// fill_runs_kernel.cuh.)
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/warp_scan.cuh>
#include <radixsort/digit_counters.cuh>
#include <radixsort/key_order.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <int kThreads>
class ByteSort {
    static constexpr int kDigits = 256, kCopies = 8;  // of each counter, so that few warps meet
    static constexpr int kGroups = kDigits / kWarpSize;
    static_assert(kThreads % (kCopies * kWarpSize) == 0, "a copy for some warps each");

  public:
    struct Storage {
        shared_array<unsigned, kCopies * kDigits> counters;
        shared_array<unsigned, kGroups> totals;
        shared_array<int, kDigits> starts;  // where the keys with the digit begin
    };

    // A whole block. Keys in and out may be the same.
    template <class Key>
    __device__ static void sort(Storage& storage, const Key* in, Key* out, int n,
                                const KeyOrder<Key, NoDecomposer>& order) {
        const auto digit = order.digit(0, 8);
        count(storage, in, n, digit);
        __syncthreads();
        scan(storage);
        __syncthreads();
        write(storage, out, n, digit.flip);
    }

  private:
    template <class Key, class Digit>
    __device__ static void count(Storage& storage, const Key* in, int n, const Digit& digit) {
        constexpr int kAhead = 4;  // loads
        const int thread = static_cast<int>(threadIdx.x);
        for (int i = thread; i < kCopies * kDigits; i += kThreads) storage.counters[i] = 0;
        __syncthreads();
        const int copy = thread / kWarpSize % kCopies * kDigits;
        for (int first = thread; first < n; first += kAhead * kThreads) {
            Key keys[kAhead]{};
            LIBSCAN_UNROLL(kAhead)
            for (int k = 0; k < kAhead; ++k)
                if (first + k * kThreads < n) keys[k] = in[first + k * kThreads];
            LIBSCAN_UNROLL(kAhead)
            for (int k = 0; k < kAhead; ++k) {
                if (first + k * kThreads < n)
                    atomicAdd(&storage.counters[copy + static_cast<int>(digit(keys[k]))], 1u);
            }
        }
    }

    __device__ static void scan(Storage& storage) {
        const int thread = static_cast<int>(threadIdx.x);
        unsigned count = 0, until = 0;
        if (thread < kDigits) {
            count = column_sum<kCopies, kDigits>(storage.counters, thread);
            until = warp_inclusive_scan(~0u, count, Plus{});
            if (thread % kWarpSize == kWarpSize - 1) storage.totals[thread / kWarpSize] = until;
        }
        __syncthreads();
        if (thread < kDigits) {
            unsigned start = until - count;
            LIBSCAN_UNROLL(kGroups)
            for (int g = 0; g < kGroups; ++g) {
                const unsigned total = storage.totals[g];
                start += g < thread / kWarpSize ? total : 0;
            }
            storage.starts[thread] = static_cast<int>(start);
        }
    }

    template <class Key>
    __device__ static void write(Storage& storage, Key* out, int n, unsigned flip) {
        // Words of four aligned bytes; the first and the last may reach out of the array.
        const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(out) % 4);
        for (int first = 4 * static_cast<int>(threadIdx.x) - shift; first < n;
             first += 4 * kThreads) {
            // Of each byte the last digit that begins at or before it; the four searches together.
            int digits[4] = {};
            LIBSCAN_UNROLL_ALL
            for (int half = kDigits / 2; half > 0; half /= 2) {
                LIBSCAN_UNROLL(4)
                for (int i = 0; i < 4; ++i) {
                    const int start = storage.starts[digits[i] + half];
                    if (start <= first + i) digits[i] += half;
                }
            }
            unsigned word = 0;
            LIBSCAN_UNROLL(4)
            for (int i = 0; i < 4; ++i) {
                digits[i] = static_cast<int>(static_cast<unsigned>(digits[i]) ^ flip);
                word |= static_cast<unsigned>(digits[i]) << (8 * i);
            }
            if (first >= 0 && first + 4 <= n) {
                *reinterpret_cast<unsigned*>(out + first) = word;
            } else {
                LIBSCAN_UNROLL(4)
                for (int i = 0; i < 4; ++i)
                    if (first + i >= 0 && first + i < n)
                        out[first + i] = static_cast<Key>(digits[i]);
            }
        }
    }
};

template <int kThreads, class Key>
__global__ void __launch_bounds__(kThreads)
    byte_sort_kernel(const Key* in, Key* out, int n, KeyOrder<Key, NoDecomposer> order) {
    using Sort = ByteSort<kThreads>;
    LIBSCAN_SHARED(storage, typename Sort::Storage);
    Sort::sort(storage, in, out, n, order);
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

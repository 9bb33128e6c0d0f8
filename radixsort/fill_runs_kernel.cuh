// SPDX-License-Identifier: Apache-2.0
//
// Keys of one byte that are sorted by all their bits, without values, need not be moved: how many
// there are of each says what the sorted array is. (Counting sort.)
#pragma once

#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/vector_row.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/sort_plan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Writes n keys; starts[d] = where the keys with the digit d begin. Blocks share the work.
template <int kThreads, class Key>
__global__ void __launch_bounds__(kThreads)
    fill_runs_kernel(Key* keys, std::int64_t n, KeyOrder<Key, NoDecomposer> order,
                     const Word* starts) {
    constexpr int kDigits = 256;
    LIBSCAN_SHARED(start_of, shared_array<std::int64_t, kDigits + 1>);
    for (int d = static_cast<int>(threadIdx.x); d < kDigits; d += kThreads)
        start_of[d] = static_cast<std::int64_t>(starts[d]);
    if (threadIdx.x == 0) start_of[kDigits] = n;
    __syncthreads();

    const unsigned flip = order.digit(0, 8).flip;
    // Vectors of 16 aligned bytes; the first and the last may reach out of the array.
    const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(keys) % 16);
    const std::int64_t vectors = (shift + n + 15) / 16;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
    for (std::int64_t v = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
         v < vectors; v += step) {
        const std::int64_t first = 16 * v - shift;
        // The last digit that begins at or before the first byte, and has bytes.
        int digit = 0;
        for (int half = kDigits / 2; half > 0; half /= 2) {
            const std::int64_t start = start_of[digit + half];
            if (start <= first) digit += half;
        }
        std::int64_t next = start_of[digit + 1];
        std::uint8_t bytes[16];
        for (int i = 0; i < 16; ++i) {
            while (first + i >= next && digit + 1 < kDigits) {
                ++digit;
                next = start_of[digit + 1];
            }
            bytes[i] = static_cast<std::uint8_t>(static_cast<unsigned>(digit) ^ flip);
        }
        if (first >= 0 && first + 16 <= n) {
            std::uint32_t words[4];
            std::memcpy(words, bytes, sizeof words);
            stream16(keys + first, words);
        } else {
            for (int i = 0; i < 16; ++i)
                if (first + i >= 0 && first + i < n) keys[first + i] = static_cast<Key>(bytes[i]);
        }
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

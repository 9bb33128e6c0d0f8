// SPDX-License-Identifier: Apache-2.0
//
// Items of one or two bytes from shared to global memory, four bytes at a time.
#pragma once

#include <compaction/tile_shape.cuh>
#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// to[0 .. count): the staged items from `first` on, or backwards, ending with it.
template <int kThreads, bool kBackwards, class T>
__device__ __forceinline__ void copy_packed(char* from, int first, int count, T* to) {
    static_assert(sizeof(T) <= 2, "items in words");
    constexpr int kBytes = static_cast<int>(sizeof(T)), kItems = 4 / kBytes;
    const int thread = static_cast<int>(threadIdx.x);
    // Items up to where `to` is aligned; words; the rest. The staged items end within a word, which
    // is therefore not read as one: it belongs to the last word, or to the first one backwards.
    const int ahead = static_cast<int>((0 - reinterpret_cast<std::uintptr_t>(to)) % 4) / kBytes;
    int begin = ahead < count ? ahead : count;
    int words = (count - begin) / kItems;
    if (words > 0) {
        --words;
        if (kBackwards) begin += kItems;
    }
    const int end = begin + words * kItems;
    const auto store_word = [&](int w, std::uint32_t word) {
        if (kBackwards) word = __byte_perm(word, 0, kBytes == 1 ? 0x0123 : 0x1032);
#if defined(__CUDACC__)
        reinterpret_cast<std::uint32_t*>(to + begin)[w] = word;
#else
        std::memcpy(to + begin + w * kItems, &word, sizeof word);
#endif
    };
    // Four staged bytes lie in two words, or in one.
    const int source = (kBackwards ? first + count - begin - kItems : first + begin) * kBytes;
    const int aligned = source & ~3, behind = (source & 3) != 0 ? 4 : 0;
    const unsigned shift = static_cast<unsigned>(8 * (source & 3));
    const auto load_word = [&](int w) {
        char* const at = from + aligned + (kBackwards ? -4 : 4) * w;
        const std::uint32_t low = shared_at<std::uint32_t>(at);
        const std::uint32_t high = shared_at<std::uint32_t>(at + behind);
        return __funnelshift_r(low, high, shift);
    };
    for_some_at_once<kThreads, 4>(thread, words, load_word, store_word);
    LIBSCAN_UNROLL(1)
    for (int k = thread; k < count - end + begin; k += kThreads) {
        const int i = k < begin ? k : end + k - begin;
        const int at = kBackwards ? first + count - 1 - i : first + i;
        const T item = shared_at<T>(from + at * kBytes);
        to[i] = item;
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

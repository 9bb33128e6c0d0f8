// SPDX-License-Identifier: Apache-2.0
//
// Items of one or two bytes from shared to global memory, four bytes at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Four bytes of shared memory from byte `at` on, which need not be aligned; `bytes` bytes of it
// have been written, and no others are looked at. `from` is aligned.
__device__ __forceinline__ std::uint32_t unaligned_word(char* from, int at, int bytes) {
    const int low_at = at & ~3, high_at = low_at + 4;
    const std::uint32_t low = shared_at<std::uint32_t>(from + low_at);
    std::uint32_t high = 0;
    if (high_at + 4 <= bytes) {
        high = shared_at<std::uint32_t>(from + high_at);
    } else {
        for (int i = high_at; i < bytes; ++i) {
            const unsigned char byte = shared_at<unsigned char>(from + i);
            high |= std::uint32_t{byte} << (8 * (i - high_at));
        }
    }
    return __funnelshift_r(low, high, static_cast<unsigned>(8 * (at & 3)));
}

// to[0 .. count): the staged items from `first` on, or backwards, ending with it. `staged` of them
// are there.
template <int kThreads, bool kBackwards, class T>
__device__ __forceinline__ void copy_packed(char* from, int first, int count, int staged, T* to) {
    static_assert(sizeof(T) <= 2, "items in words");
    constexpr int kBytes = static_cast<int>(sizeof(T)), kItems = 4 / kBytes;
    const int thread = static_cast<int>(threadIdx.x);
    const int ahead = static_cast<int>((0 - reinterpret_cast<std::uintptr_t>(to)) % 4) / kBytes;
    const int head = ahead < count ? ahead : count;
    const int words = (count - head) / kItems, tail = head + words * kItems;
    for (int w = thread; w < words; w += kThreads) {
        const int i = head + w * kItems;
        const int source = kBackwards ? first + count - i - kItems : first + i;
        std::uint32_t word = unaligned_word(from, source * kBytes, staged * kBytes);
        if (kBackwards) word = __byte_perm(word, 0, kBytes == 1 ? 0x0123 : 0x1032);
#if defined(__CUDACC__)
        *reinterpret_cast<std::uint32_t*>(to + i) = word;
#else
        std::memcpy(to + i, &word, sizeof word);
#endif
    }
    for (int k = thread; k < count - tail + head; k += kThreads) {
        const int i = k < head ? k : tail + k - head;
        const int source = kBackwards ? first + count - 1 - i : first + i;
        const T item = shared_at<T>(from + source * kBytes);
        to[i] = item;
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

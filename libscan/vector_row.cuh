// SPDX-License-Identifier: Apache-2.0
//
// What one lane holds of a row: 16 bytes in four registers where whole items fit in them, else one
// item. Small items stay packed in their words, as they came from memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

struct alignas(16) Vector16 {
    std::uint32_t w[4];
};

// 16 aligned bytes of global memory at once.
__device__ __forceinline__ Vector16 load16(const void* from) {
#if defined(__CUDACC__)
    const uint4 v = *static_cast<const uint4*>(from);
    return Vector16{{v.x, v.y, v.z, v.w}};
#else
    Vector16 v;
    std::memcpy(&v, from, sizeof v);
    return v;
#endif
}
// The same where some of the bytes belong to another block, which may be writing them by now, and
// the caller drops them.
LIBSCAN_READS_AROUND Vector16 load16_around(const void* from) {
#if defined(__CUDACC__)
    return load16(from);
#else
    Vector16 v;
    std::memcpy(&v, from, sizeof v);
    return v;
#endif
}
// 16 aligned bytes from shared memory.
__device__ __forceinline__ Vector16 shared_at16(char* from) {
#if defined(__CUDACC__)
    return load16(from);
#else
    return shared_at<Vector16>(from);
#endif
}
// Stores 16 aligned bytes that nobody will read again soon.
__device__ __forceinline__ void stream16(void* to, const std::uint32_t (&w)[4]) {
#if defined(__CUDACC__)
    __stcs(static_cast<uint4*>(to), uint4{w[0], w[1], w[2], w[3]});
#else
    std::memcpy(to, w, sizeof w);
#endif
}

// Bytes shift .. shift + 15 of the 32 bytes a, b. The shift is the same in all lanes of a warp.
__device__ __forceinline__ void funnel(std::uint32_t (&r)[4], const std::uint32_t (&a)[4],
                                       const std::uint32_t (&b)[4], int shift) {
    std::uint32_t w[8] = {a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
    if (shift & 8) {
        LIBSCAN_UNROLL_ALL
        for (int i = 0; i < 6; ++i) w[i] = w[i + 2];
    }
    if (shift & 4) {
        LIBSCAN_UNROLL_ALL
        for (int i = 0; i < 5; ++i) w[i] = w[i + 1];
    }
    LIBSCAN_UNROLL_ALL
    for (int i = 0; i < 4; ++i) {
        r[i] = __funnelshift_r(w[i], w[i + 1], static_cast<unsigned>(8 * (shift & 3)));
    }
}

// get_as and set_as convert between the items and an accumulator type. set_as goes through the
// items in ascending order: the first item of a word makes the word.
template <class T, bool kPacked = (16 % sizeof(T) == 0)>
struct VectorRow;

template <class T>
struct VectorRow<T, true> {
    static constexpr int kItems = 16 / static_cast<int>(sizeof(T));
    std::uint32_t w[4];

    template <class Acc>
    __device__ __forceinline__ Acc get_as(int i, [[maybe_unused]] std::uint32_t zero = 0) const {
        if constexpr (kByPermute<Acc>) {
            return static_cast<Acc>(unpack(w[word_of(i)], i % kPerWord, zero));
        } else {
            T item;
            if constexpr (sizeof(T) >= 4) {
                std::memcpy(static_cast<void*>(__builtin_addressof(item)), &w[word_of(i)],
                            sizeof(T));
            } else {
                const std::uint32_t word =
                    w[word_of(i)] >> (8 * static_cast<int>(sizeof(T)) * (i % kPerWord));
                std::memcpy(static_cast<void*>(__builtin_addressof(item)), &word, sizeof(T));
            }
            return static_cast<Acc>(item);
        }
    }

    template <class Acc>
    __device__ __forceinline__ void set_as(int i, const Acc& value) {
        if constexpr (kByPermute<Acc>) {
            pack(w[word_of(i)], i % kPerWord, static_cast<std::uint32_t>(value));
        } else {
            const T item = static_cast<T>(value);
            if constexpr (sizeof(T) >= 4) {
                std::memcpy(&w[word_of(i)], static_cast<const void*>(__builtin_addressof(item)),
                            sizeof(T));
            } else {
                std::uint32_t word = 0;
                std::memcpy(&word, static_cast<const void*>(__builtin_addressof(item)), sizeof(T));
                pack(w[word_of(i)], i % kPerWord, word);
            }
        }
    }

    // Without it the compiler unpacks small items once, and holds all of them in registers.
    __device__ __forceinline__ void keep_packed() {
#if defined(__CUDACC__)
        if constexpr (sizeof(T) < 4) {
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(w[i]));
        }
#endif
    }

  private:
    static constexpr int kPerWord = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;
    static __device__ __forceinline__ constexpr int word_of(int i) {
        return i * static_cast<int>(sizeof(T)) / 4;
    }

    // Small integers: one instruction unpacks and extends one, one packs it.
    template <class Acc>
    static constexpr bool kByPermute =
        sizeof(T) < 4 && sizeof(Acc) == 4 && std::is_integral_v<T>&& std::is_integral_v<Acc> &&
        !std::is_same_v<T, bool>;

    // Item `place` of a word, extended to 32 bits. A `zero` that the compiler does not know makes
    // it unpack an item again where it would else keep the result of an earlier time.
    static __device__ __forceinline__ std::uint32_t unpack(std::uint32_t word, int place,
                                                           [[maybe_unused]] std::uint32_t zero) {
        constexpr bool kSigned = std::is_signed_v<T>;
#if defined(__CUDACC__)
        const unsigned at = static_cast<unsigned>(place) * sizeof(T);
        const unsigned top = at + static_cast<unsigned>(sizeof(T)) - 1;
        // A selector of 4 is a byte of the second operand, zero; with bit 3, copies of a sign.
        // (__byte_perm has no signs.)
        const unsigned rest = kSigned ? (8 | top) : 4;
        const unsigned second = sizeof(T) == 2 ? top : rest;
        std::uint32_t result;
        asm("prmt.b32 %0, %1, %2, %3;"
            : "=r"(result)
            : "r"(word), "r"(zero), "r"(at | second << 4 | rest << 8 | rest << 12));
        // So that no conversion to T and back costs anything.
        constexpr int kValueBits = 8 * static_cast<int>(sizeof(T)) - (kSigned ? 1 : 0);
        constexpr int kMost = (1 << kValueBits) - 1;
        if constexpr (kSigned) {
            const int value = static_cast<int>(result);
            __builtin_assume(value >= -kMost - 1 && value <= kMost);
        } else {
            __builtin_assume(result <= std::uint32_t{kMost});
        }
        return result;
#else
        constexpr int kBits = 8 * static_cast<int>(sizeof(T));
        const std::uint32_t item = word >> (kBits * place) & ((1u << kBits) - 1);
        constexpr std::uint32_t kSign = 1u << (kBits - 1);
        return kSigned ? (item ^ kSign) - kSign : item;
#endif
    }
    static __device__ __forceinline__ void pack(std::uint32_t& word, int place,
                                                std::uint32_t value) {
        if (place == 0) {
            word = value;
        } else if constexpr (sizeof(T) == 2) {
            word = __byte_perm(word, value, 0x5410);
        } else {
            word = __byte_perm(word, value, place == 1 ? 0x3240 : place == 2 ? 0x3410 : 0x4210);
        }
    }
};

template <class T>
struct VectorRow<T, false> {
    static constexpr int kItems = 1;
    T item;

    template <class Acc>
    __device__ __forceinline__ Acc get_as(int, std::uint32_t = 0) const {
        return static_cast<Acc>(item);
    }
    template <class Acc>
    __device__ __forceinline__ void set_as(int, const Acc& value) {
        item = static_cast<T>(value);
    }
    __device__ __forceinline__ void keep_packed() {}
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// The bits by which keys of a built-in type are sorted: an unsigned number of the key's size that
// is larger for a larger key.
//   unsigned integers, bool, characters   the key itself
//   signed integers                       the sign bit turned over
//   floating point                        negative: all bits turned over; otherwise the sign bit
// Floating-point keys are sorted by bit pattern, so that a NaN stands beyond the infinity of its
// sign, but -0 has the bits of +0: the two are equal, and stay in the order in which they came.
#pragma once

#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>
#include <type_traits>

// The 16-bit types of CUDA, whose headers are not needed here.
struct __half;
struct __nv_bfloat16;

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;
#define LIBSCAN_DETAIL_HAS_INT128 1
#else
struct Int128;
struct Uint128;
#endif

template <int kSize>
struct UnsignedOfSize;
template <>
struct UnsignedOfSize<1> {
    using Type = std::uint8_t;
};
template <>
struct UnsignedOfSize<2> {
    using Type = std::uint16_t;
};
template <>
struct UnsignedOfSize<4> {
    using Type = std::uint32_t;
};
template <>
struct UnsignedOfSize<8> {
    using Type = std::uint64_t;
};
template <>
struct UnsignedOfSize<16> {
    using Type = Uint128;
};

enum class KeyKind { kNone, kUnsigned, kSigned, kFloat };

// std::is_integral does not know the 128-bit integers in strict C++.
template <class T>
constexpr KeyKind key_kind() {
    if constexpr (std::is_same_v<T, Uint128>) {
        return KeyKind::kUnsigned;
    } else if constexpr (std::is_same_v<T, Int128>) {
        return KeyKind::kSigned;
    } else if constexpr (std::is_integral_v<T>) {
        return std::is_signed_v<T> ? KeyKind::kSigned : KeyKind::kUnsigned;
    } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> ||
                         std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>) {
        return KeyKind::kFloat;
    } else {
        return KeyKind::kNone;
    }
}

template <class T>
struct KeyBits {
    static constexpr KeyKind kKind = key_kind<T>();
    static_assert(kKind != KeyKind::kNone,
                  "keys, and what a decomposer refers to, are integers or floating point numbers");
    using Bits = typename UnsignedOfSize<sizeof(T)>::Type;
    static constexpr int kBits = static_cast<int>(8 * sizeof(T));
    static constexpr Bits kSign = static_cast<Bits>(static_cast<Bits>(1) << (kBits - 1));

    __host__ __device__ static Bits ordered(const T& key) {
        Bits bits;
        std::memcpy(&bits, static_cast<const void*>(&key), sizeof(T));
        if constexpr (kKind == KeyKind::kSigned) {
            bits = static_cast<Bits>(bits ^ kSign);
        } else if constexpr (kKind == KeyKind::kFloat) {
            if (bits == kSign) bits = 0;  // -0
            bits = static_cast<Bits>(bits ^ (bits & kSign ? static_cast<Bits>(~Bits(0)) : kSign));
        }
        return bits;
    }

    // Gives the key the pattern whose ordered bits are all ones, or all zeros.
    __host__ __device__ static void set_extreme(T& key, bool ones) {
        Bits bits = ones ? static_cast<Bits>(~Bits(0)) : Bits(0);
        if constexpr (kKind == KeyKind::kSigned) {
            bits = static_cast<Bits>(bits ^ kSign);
        } else if constexpr (kKind == KeyKind::kFloat) {
            bits = static_cast<Bits>(ones ? bits ^ kSign : ~Bits(0));
        }
        std::memcpy(static_cast<void*>(&key), &bits, sizeof(T));
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

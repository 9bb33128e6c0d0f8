// SPDX-License-Identifier: Apache-2.0
//
// How a warp loads the rows of a chunk into registers: rows of 32 lanes, a lane's items side by
// side. Arrays are read in vectors as wide as a lane's items, up to 16 bytes, also where those are
// not aligned to 16 bytes; other iterators item after item.
#pragma once

#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>
#include <libscan/type_traits.cuh>
#include <libscan/vector_row.cuh>
#include <libscan/warp_scan.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// An unsigned integer of 1, 2, 4 or 8 bytes.
template <int kBytes>
using UnsignedOf = std::conditional_t<
    kBytes == 8, std::uint64_t,
    std::conditional_t<kBytes == 4, std::uint32_t,
                       std::conditional_t<kBytes == 2, std::uint16_t, std::uint8_t>>>;

// Items of a lane that together are no vector of 16 bytes, but one of fewer.
template <class T, int kItems>
inline constexpr bool kIsNarrowVector = 16 % sizeof(T) == 0 && kItems * sizeof(T) < 16;

template <class T>
__device__ __forceinline__ void set_row(VectorRow<T>& row, const Vector16& v) {
    LIBSCAN_UNROLL_ALL
    for (int i = 0; i < 4; ++i) row.w[i] = v.w[i];
}
template <class T, class Narrow>
__device__ __forceinline__ void set_narrow(VectorRow<T>& row, Narrow bits) {
    row.w[0] = static_cast<std::uint32_t>(bits);
    if constexpr (sizeof(Narrow) == 8) row.w[1] = static_cast<std::uint32_t>(bits >> 32);
}

// From shared memory: the first item is `shift` bytes behind `from`, which is 16-byte aligned, and
// there are all rows to be read, whatever the last of them hold.
template <int kItems, class T, int kRows>
__device__ __forceinline__ void load_shared_rows(VectorRow<T> (&row)[kRows], char* from, int shift,
                                                 int lane) {
    if constexpr (kItems * sizeof(T) == 16) {
        char* const at = from + 16 * lane;
        if (shift == 0) {
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kRows; ++k) set_row(row[k], shared_at16(at + 16 * kWarpSize * k));
        } else {
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kRows; ++k) {
                const Vector16 a = shared_at16(at + 16 * kWarpSize * k);
                const Vector16 b = shared_at16(at + 16 * kWarpSize * k + 16);
                funnel(row[k].w, a.w, b.w, shift);
            }
        }
    } else {
        constexpr int kBytes = kItems * static_cast<int>(sizeof(T));
        if constexpr (kIsNarrowVector<T, kItems>) {
            if (shift % kBytes == 0) {
                LIBSCAN_UNROLL_ALL
                for (int k = 0; k < kRows; ++k) {
                    const UnsignedOf<kBytes> bits = shared_at<UnsignedOf<kBytes>>(
                        from + shift + (k * kWarpSize + lane) * kBytes);
                    set_narrow(row[k], bits);
                }
                return;
            }
        }
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) {
            LIBSCAN_UNROLL_ALL
            for (int j = 0; j < kItems; ++j) {
                const int i = (k * kWarpSize + lane) * kItems + j;
                const T item = shared_at<T>(from + shift + i * static_cast<int>(sizeof(T)));
                row[k].template set_as<T>(j, item);
            }
        }
    }
}

// From global memory: items base .. base + count - 1 of `in`, which has n; all rows where kFull.
template <int kItems, bool kFull, class T, int kRows, class Iterator>
__device__ __forceinline__ void load_rows(VectorRow<T> (&row)[kRows], Iterator in,
                                          std::int64_t base, int count, std::int64_t n, int lane) {
    constexpr bool kIsOfItems = kIsArray<Iterator> && std::is_same_v<IteratorValue<Iterator>, T>;
    if constexpr (kFull && kIsOfItems && kItems * sizeof(T) == 16) {
        const T* const from = in + base;
        const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 16);
        const char* const at = reinterpret_cast<const char*>(from) - shift + 16 * lane;
        if (shift == 0) {
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kRows; ++k) set_row(row[k], load16(at + 16 * kWarpSize * k));
            return;
        }
        // Aligned vectors around unaligned items reach up to 16 bytes too far on both sides: only
        // where there still is array.
        constexpr std::int64_t kMore = 16 / sizeof(T);
        if (base >= kMore && base + kRows * kWarpSize * kItems + kMore <= n) {
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kRows; ++k) {
                const Vector16 a = load16_around(at + 16 * kWarpSize * k);
                const Vector16 b = load16_around(at + 16 * kWarpSize * k + 16);
                funnel(row[k].w, a.w, b.w, shift);
            }
            return;
        }
    } else if constexpr (kFull && kIsOfItems && kIsNarrowVector<T, kItems>) {
        constexpr int kBytes = kItems * static_cast<int>(sizeof(T));
        const char* const from = reinterpret_cast<const char*>(in + base) + kBytes * lane;
        if (reinterpret_cast<std::uintptr_t>(from) % kBytes == 0) {  // the same in all lanes
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kRows; ++k) {
                UnsignedOf<kBytes> bits;
                std::memcpy(&bits, __builtin_assume_aligned(from + kBytes * kWarpSize * k, kBytes),
                            kBytes);
                set_narrow(row[k], bits);
            }
            return;
        }
    }
    LIBSCAN_UNROLL_ALL
    for (int k = 0; k < kRows; ++k) {
        LIBSCAN_UNROLL_ALL
        for (int j = 0; j < kItems; ++j) {
            const int i = (k * kWarpSize + lane) * kItems + j;
            T item = T();
            if (kFull || i < count) item = static_cast<T>(in[base + i]);
            row[k].template set_as<T>(j, item);
        }
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

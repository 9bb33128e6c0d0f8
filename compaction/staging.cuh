// SPDX-License-Identifier: Apache-2.0
//
// Stores to shared memory of those items that have a bit. As plain code each becomes a branch, in
// which the address of the block's shared memory is asked for again; here it is one predicated
// instruction.
#pragma once

#include <compaction/lane_rows.cuh>
#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// An array of items in shared memory, by addresses in bytes.
template <class Item, class Array>
class Staging {
  public:
    static constexpr int kStep = static_cast<int>(sizeof(Item));

    __device__ __forceinline__ explicit Staging(Array& array) : array_(array) {
#if defined(__CUDA_ARCH__)
        begin_ = static_cast<int>(__cvta_generic_to_shared(&array));
        asm volatile("" : "+r"(begin_));
#endif
    }
    __device__ __forceinline__ int address(int at) const { return begin_ + at * kStep; }
    __device__ __forceinline__ int begin() const { return begin_; }

    // The item at the address, which moves on by so many bytes, both where `wanted` is not 0.
    template <int kBy = kStep>
    __device__ __forceinline__ void put_if(unsigned wanted, int& address, const Item& item) {
#if defined(__CUDA_ARCH__)
        if constexpr (kFillsWords<Item>) {
            unsigned word[ceil_div(kStep, 4)] = {};
            std::memcpy(word, static_cast<const void*>(&item), sizeof(Item));
            put_words_if<kBy>(wanted, address, word);
            return;
        }
#endif
        if (wanted == 0) return;
        array_[(address - begin_) / kStep] = item;
        address += kBy;
    }
    // The same for an item in the low bits of a word, of which there may be more.
    template <int kBy = kStep>
    __device__ __forceinline__ void put_low_if(unsigned wanted, int& address, unsigned word) {
#if defined(__CUDA_ARCH__)
        const unsigned words[1] = {word};
        put_words_if<kBy>(wanted, address, words);
#else
        Item item;
        std::memcpy(static_cast<void*>(&item), &word, sizeof(Item));
        put_if<kBy>(wanted, address, item);
#endif
    }

  private:
#if defined(__CUDA_ARCH__)
    template <int kBy, int kWords>
    static __device__ __forceinline__ void put_words_if(unsigned wanted, int& address,
                                                        const unsigned (&word)[kWords]) {
#define LIBSCAN_DETAIL_PUT(store, ...)                                      \
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p st.shared." store \
                 "; @p add.s32 %0, "                                        \
                 "%0, %2;}"                                                 \
                 : "+r"(address)                                            \
                 : "r"(wanted), "n"(kBy), __VA_ARGS__                       \
                 : "memory")
        if constexpr (kStep == 1) {
            LIBSCAN_DETAIL_PUT("u8 [%0], %3", "r"(word[0]));
        } else if constexpr (kStep == 2) {
            LIBSCAN_DETAIL_PUT("u16 [%0], %3", "h"(static_cast<unsigned short>(word[0])));
        } else if constexpr (kStep == 4) {
            LIBSCAN_DETAIL_PUT("u32 [%0], %3", "r"(word[0]));
        } else if constexpr (kStep == 8) {
            LIBSCAN_DETAIL_PUT("v2.u32 [%0], {%3, %4}", "r"(word[0]), "r"(word[1]));
        } else {
            LIBSCAN_DETAIL_PUT("v4.u32 [%0], {%3, %4, %5, %6}", "r"(word[0]), "r"(word[1]),
                               "r"(word[2]), "r"(word[3]));
        }
#undef LIBSCAN_DETAIL_PUT
    }
#endif
    Array& array_;
    int begin_ = 0;
};

// Where an item goes: where `mine` is not 0, to the next place of its part, which then moves on;
// elsewhere to the other one.
template <int kStep>
__device__ __forceinline__ int take_place(unsigned mine, int& next, int other) {
#if defined(__CUDA_ARCH__)
    int at;
    asm("{.reg .pred p; setp.ne.u32 p, %2, 0; selp.s32 %0, %1, %3, p; @p add.s32 %1, %1, %4;}"
        : "=&r"(at), "+r"(next)
        : "r"(mine), "r"(other), "n"(kStep));
    return at;
#else
    const int at = mine != 0 ? next : other;
    next += mine != 0 ? kStep : 0;
    return at;
#endif
}
}  // namespace detail
LIBSCAN_NAMESPACE_END

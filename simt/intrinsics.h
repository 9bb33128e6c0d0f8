// SPDX-License-Identifier: Apache-2.0
// CUDA's keywords, and the intrinsics that concern one thread alone.
#pragma once

#include "rendezvous.h"

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
// No __noinline__: libstdc++ writes __attribute__((__noinline__)).
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas(n)

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
inline int __clzll(long long x) {
    return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
inline unsigned __brev(unsigned x) {
    unsigned r = 0;
    for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
    return r;
}
inline unsigned long long __brevll(unsigned long long x) {
    return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
           __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    const unsigned s = shift & 31;
    return s ? high << s | low >> (32 - s) : high;
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    const unsigned s = shift & 31;
    return s ? high << (32 - s) | low >> s : low;
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
    unsigned r = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned s = selector >> (4 * i) & 7;  // the fourth bit of a selector is not used
        r |= (static_cast<unsigned>(bytes >> (8 * s)) & 0xFF) << (8 * i);
    }
    return r;
}

// The sum of the four products of bytes, added to c; it wraps.
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 0xFF) * (b >> i & 0xFF);
    return c;
}
inline int __dp4a(int a, int b, int c) {
    unsigned sum = static_cast<unsigned>(c);
    for (int i = 0; i < 32; i += 8) {
        const int product = static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i);
        sum += static_cast<unsigned>(product);
    }
    return static_cast<int>(sum);
}

namespace simt {
template <class To, class From>
To bit_cast(From v) {
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    To r;
    __builtin_memcpy(&r, &v, sizeof r);
    return r;
}
}  // namespace simt
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
    return __dp4a(simt::bit_cast<unsigned>(a), simt::bit_cast<unsigned>(b), c);
}
inline int __dp4a(char4 a, char4 b, int c) {
    return __dp4a(simt::bit_cast<int>(a), simt::bit_cast<int>(b), c);
}
inline unsigned __float_as_uint(float v) { return simt::bit_cast<unsigned>(v); }
inline int __float_as_int(float v) { return simt::bit_cast<int>(v); }
inline float __uint_as_float(unsigned v) { return simt::bit_cast<float>(v); }
inline float __int_as_float(int v) { return simt::bit_cast<float>(v); }
inline long long __double_as_longlong(double v) { return simt::bit_cast<long long>(v); }
inline double __longlong_as_double(long long v) { return simt::bit_cast<double>(v); }

// Cache hints: plain accesses here.
template <class T>
T __ldg(const T* p) {
    return *p;
}
template <class T>
T __ldcs(const T* p) {
    return *p;
}
template <class T>
T __ldcg(const T* p) {
    return *p;
}
template <class T>
T __ldca(const T* p) {
    return *p;
}
template <class T>
void __stcs(T* p, T v) {
    *p = v;
}
template <class T>
void __stcg(T* p, T v) {
    *p = v;
}
template <class T>
void __stwb(T* p, T v) {
    *p = v;
}

[[noreturn]] inline void __trap(SIMT_SITE) { simt::this_worker().fail("__trap()", SIMT_HERE); }

// SPDX-License-Identifier: Apache-2.0
// Built-in types of CUDA C++ under the executor: dim3, uint3 and the vector types.
#pragma once

namespace simt {

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

}  // namespace simt

using simt::dim3;
using simt::uint3;

// clang-format off
#define SIMT_VECTOR_TYPES(T, name, align2, align4)                          \
    struct name##1 { T x; };                                                \
    struct alignas(align2) name##2 { T x, y; };                             \
    struct alignas(align4) name##4 { T x, y, z, w; };                       \
    constexpr name##1 make_##name##1(T x) { return {x}; }                   \
    constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }           \
    constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#define SIMT_VECTOR_TYPE_3(T, name)                                         \
    struct name##3 { T x, y, z; };                                          \
    constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }
// clang-format on

SIMT_VECTOR_TYPES(signed char, char, 2, 4)
SIMT_VECTOR_TYPES(unsigned char, uchar, 2, 4)
SIMT_VECTOR_TYPES(short, short, 4, 8)
SIMT_VECTOR_TYPES(unsigned short, ushort, 4, 8)
SIMT_VECTOR_TYPES(int, int, 8, 16)
SIMT_VECTOR_TYPES(unsigned, uint, 8, 16)
SIMT_VECTOR_TYPES(long, long, 16, 16)
SIMT_VECTOR_TYPES(unsigned long, ulong, 16, 16)
SIMT_VECTOR_TYPES(long long, longlong, 16, 16)
SIMT_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
SIMT_VECTOR_TYPES(float, float, 8, 16)
SIMT_VECTOR_TYPES(double, double, 16, 16)
SIMT_VECTOR_TYPE_3(signed char, char)
SIMT_VECTOR_TYPE_3(unsigned char, uchar)
SIMT_VECTOR_TYPE_3(short, short)
SIMT_VECTOR_TYPE_3(unsigned short, ushort)
SIMT_VECTOR_TYPE_3(int, int)
SIMT_VECTOR_TYPE_3(long, long)
SIMT_VECTOR_TYPE_3(unsigned long, ulong)
SIMT_VECTOR_TYPE_3(long long, longlong)
SIMT_VECTOR_TYPE_3(unsigned long long, ulonglong)
SIMT_VECTOR_TYPE_3(float, float)
SIMT_VECTOR_TYPE_3(double, double)
constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }

#undef SIMT_VECTOR_TYPES
#undef SIMT_VECTOR_TYPE_3

// SPDX-License-Identifier: Apache-2.0
//
// Two arrays of one size, one of which holds the data: a sort may then use both, and needs no
// storage for another copy.
#pragma once

#include <libscan/config.cuh>
#include <type_traits>
#include <utility>

LIBSCAN_NAMESPACE_BEGIN

// The members are those of cub::DoubleBuffer, which the sorts take as well: they accept every class
// template of one type that has d_buffers and selector.
template <class T>
struct DoubleBuffer {
    T* d_buffers[2] = {nullptr, nullptr};
    int selector = 0;  // of the array that holds the data

    DoubleBuffer() = default;
    __host__ __device__ DoubleBuffer(T* d_current, T* d_alternate)
        : d_buffers{d_current, d_alternate} {}

    __host__ __device__ T* Current() { return d_buffers[selector]; }
    __host__ __device__ T* Alternate() { return d_buffers[selector ^ 1]; }
};

namespace detail {

template <class Buffer, class T, class = void>
inline constexpr bool kIsDoubleBuffer = false;
template <class Buffer, class T>
inline constexpr bool kIsDoubleBuffer<Buffer, T,
                                      std::void_t<decltype(std::declval<Buffer&>().d_buffers[0]),
                                                  decltype(std::declval<Buffer&>().selector)>> =
    std::is_same_v<decltype(std::declval<Buffer&>().d_buffers), T* [2]>&&
        std::is_same_v<decltype(std::declval<Buffer&>().selector), int>;

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// What a scan starts from, told by the type of the start.
//
// NoStart{}: nothing stands before element 0; the exclusive result of element 0 is unspecified.
//
// Identity<T>{v}: op(v, x) == x for every x. The exclusive result of element 0 is v, and no
// operation is spent on combining v with the total.
//
// Any other value is the initial value: it is combined, from the left, with every result.
#pragma once

#include <libscan/config.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN

struct NoStart {};

template <class T>
struct Identity {
    T value;
};

namespace detail {

template <class Start>
struct IsIdentity : std::false_type {};
template <class T>
struct IsIdentity<Identity<T>> : std::true_type {};

}  // namespace detail

template <class Start>
inline constexpr bool kIsNoStart = std::is_same_v<Start, NoStart>;
template <class Start>
inline constexpr bool kIsIdentity = detail::IsIdentity<Start>::value;
template <class Start>
inline constexpr bool kIsInitialValue = !kIsNoStart<Start> && !kIsIdentity<Start>;

// The value of a start that has one.
template <class T, class Start>
__host__ __device__ constexpr T start_value(const Start& start) {
    static_assert(!kIsNoStart<Start>, "NoStart has no value");
    if constexpr (kIsIdentity<Start>) {
        return static_cast<T>(start.value);
    } else {
        return static_cast<T>(start);
    }
}

LIBSCAN_NAMESPACE_END

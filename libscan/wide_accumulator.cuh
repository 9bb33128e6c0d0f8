// SPDX-License-Identifier: Apache-2.0
//
// Scans whose accumulator is an integer of one or two bytes hold it in 32 bits: registers have no
// less, and code for parts of them is slow. The values are those of the narrow type all the way.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_start.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Acc>
inline constexpr bool kIsNarrow = std::is_integral_v<Acc> && sizeof(Acc) < 4 &&
                                  !std::is_same_v<Acc, bool>;

template <class Acc>
using WideAccumulator = std::conditional_t<std::is_signed_v<Acc>, std::int32_t, std::uint32_t>;

template <class Acc, class Op>
struct WideOp {
    Op op;
    __device__ WideAccumulator<Acc> operator()(WideAccumulator<Acc> a, WideAccumulator<Acc> b) {
        if constexpr (std::is_same_v<Op, Max> || std::is_same_v<Op, Min>) {
            return op(a, b);  // never leaves the narrow type: no conversions
        } else {
            return static_cast<Acc>(op(static_cast<Acc>(a), static_cast<Acc>(b)));
        }
    }
};

template <class Acc, class Start>
struct WideStart {
    Start start;
    __device__ operator WideAccumulator<Acc>() const { return start_value<Acc>(start); }
};

template <class Acc, class Start>
constexpr auto wide_start(const Start& start) {
    if constexpr (kIsNoStart<Start>) {
        return start;
    } else {
        return WideStart<Acc, Start>{start};
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// In which type a scan accumulates.
#pragma once

#include <iterator>
#include <libscan/config.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN

// Element type behind an iterator or pointer; void for an iterator that can only be written to.
template <class Iterator>
using IteratorValue = std::remove_cv_t<typename std::iterator_traits<Iterator>::value_type>;

// The type of op(left, right).
template <class Op, class Left, class Right>
using ResultOf = std::decay_t<std::invoke_result_t<Op, Left, Right>>;

namespace detail {

// A pointer whose elements may be read and written as bytes. What is volatile is accessed element
// by element, as through any iterator.
template <class Iterator>
inline constexpr bool kIsArray =
    std::is_pointer_v<Iterator> && !std::is_volatile_v<std::remove_pointer_t<Iterator>>;

template <class Promoted, class Output, bool = std::is_arithmetic_v<Output>>
struct WiderOf {
    using Type = Promoted;  // nothing to compare with: the output is written only, or a class
};

template <class Promoted, class Output>
struct WiderOf<Promoted, Output, true> {
    static constexpr bool kSameSize = sizeof(Promoted) == sizeof(Output);
    // An integer never holds a sum of fractions, however wide it is.
    static constexpr bool kKeepFractions =
        std::is_floating_point_v<Promoted> && !std::is_floating_point_v<Output>;
    using Wider =
        std::conditional_t<(sizeof(Promoted) > sizeof(Output)) || kKeepFractions, Promoted, Output>;
    using Type = typename std::conditional_t<kSameSize && !kKeepFractions,
                                             std::common_type<Promoted, Output>,
                                             std::common_type<Wider>>::type;
};

template <class Input, class Output, bool = std::is_arithmetic_v<Input>>
struct SumType {
    using Type = std::decay_t<decltype(std::declval<Input>() + std::declval<Input>())>;
};

template <class Input, class Output>
struct SumType<Input, Output, true> {
    using Type = typename WiderOf<decltype(Input() + Input()), Output>::Type;
};

}  // namespace detail

// Sums accumulate in the wider of the promoted input type and the output type: int8 into int32 in
// int32, int32 into int64 in int64 (where int32 would wrap), int64 into int32 in int64, float into
// int64 in float (an integer would drop every fraction). Between an integer and a floating type of
// one size the floating type is taken; class types accumulate in the type of their +.
template <class Input, class Output>
using SumAccumulator = typename detail::SumType<Input, Output>::Type;

LIBSCAN_NAMESPACE_END

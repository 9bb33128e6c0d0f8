// SPDX-License-Identifier: Apache-2.0
// The element types that can be scanned, and their values as the report shows them.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>

#include "npy_header.h"
#include "text.h"

namespace scan_report {

/// One value of any element type: integers as they are, floats widened.
using Number = std::variant<std::int64_t, double>;

/// Integers are scanned as unsigned ones, whose sums wrap around by definition (the bits are the
/// same), and shown as the signed ones of the file.
template <class T>
Number to_number(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        return static_cast<double>(value);
    } else {
        return static_cast<std::int64_t>(static_cast<std::make_signed_t<T>>(value));
    }
}

inline std::string to_text(const Number& number) {
    if (const auto* integer = std::get_if<std::int64_t>(&number)) {
        return std::to_string(*integer);
    }
    const double value = std::get<double>(number);
    // Nine digits are easy to read, but not always the whole value.
    for (const int digits : {9, std::numeric_limits<double>::max_digits10}) {
        const std::string text = format("%.*g", digits, value);
        if (std::strtod(text.c_str(), nullptr) == value) return text;
    }
    return format("%g", value);  // NaN
}

/// Calls function(T{}) with the type that scans elements of `type`.
template <class Function>
decltype(auto) with_element_type(ElementType type, Function&& function) {
    switch (type) {
        case ElementType::kFloat32:
            return function(float{});
        case ElementType::kFloat64:
            return function(double{});
        case ElementType::kInt32:
            return function(std::uint32_t{});
        case ElementType::kInt64:
            break;
    }
    return function(std::uint64_t{});
}

}  // namespace scan_report

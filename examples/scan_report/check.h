// SPDX-License-Identifier: Apache-2.0
// Checks every output of an exclusive sum against the input.
//
// Integers must equal the serial sum, modulo 2^32 or 2^64. Floats must equal the prefix exactly if
// no order of adds can round: let q be the largest power of two that divides every input; if the
// absolute values sum to less than 2^p * q (p = 24 or 53 bits), then every sum of any of the inputs
// is a multiple of q below 2^p * q, which is a float. Otherwise the error bound of Higham, Accuracy
// and Stability of Numerical Algorithms, section 4.2, holds: a sum whose longest chain has d adds
// is off by at most d*u / (1 - d*u) * (sum of absolute values).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>

#include "element.h"

namespace scan_report {

/// One wrong output, and where it is.
struct Failure {
    std::uint64_t element;
    std::uint64_t tile;  ///< the block that scanned it
    int position;        ///< within the tile
    Number expected;
    Number got;
};

/// An input whose outputs cannot be checked. what() is one line.
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What is known of the input as a whole.
struct InputFacts {
    bool exact;    ///< no order of adds can round (always so for integers, which wrap)
    Number total;  ///< the sum: wrapped, exact, or correctly summed and rounded to double
};

/// The sum of doubles with about twice a double's precision (Knuth's TwoSum, The Art of Computer
/// Programming 4.2.2).
class PreciseSum {
  public:
    void add(double x) {
        const double sum = high_ + x;
        const double part = sum - high_;
        low_ += (high_ - (sum - part)) + (x - part);
        high_ = sum;
    }
    double value() const { return high_ + low_; }
    /// value() - other, without rounding value() first.
    double minus(double other) const { return (high_ - other) + low_; }

  private:
    double high_ = 0, low_ = 0;
};

namespace detail {

/// The exponent of the lowest bit set in a finite value other than 0.
template <class T>
int lowest_bit(T value) {
    constexpr int kDigits = std::numeric_limits<T>::digits;
    int exponent = 0;
    const T fraction = std::frexp(std::fabs(value), &exponent);
    const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, kDigits));
    return exponent - kDigits + __builtin_ctzll(mantissa);
}

}  // namespace detail

/// Goes through the input once. Throws InputError if it holds NaN or infinity, or its absolute
/// values sum to more than half of what T holds: an overflow on the way would then depend on the
/// order of the adds.
template <class T>
InputFacts inspect_input(const T* input, std::uint64_t n) {
    if constexpr (!std::is_floating_point_v<T>) {
        T total = 0;
        for (std::uint64_t i = 0; i < n; ++i) total += input[i];
        return {true, to_number(total)};
    } else {
        double absolute = 0;
        PreciseSum total;
        int lowest = std::numeric_limits<int>::max();
        for (std::uint64_t i = 0; i < n; ++i) {
            const T value = input[i];
            if (!std::isfinite(value)) {
                throw InputError(format("element %llu is %s, and sums with it cannot be checked",
                                        static_cast<unsigned long long>(i),
                                        std::isnan(value) ? "NaN" : "infinite"));
            }
            absolute += std::fabs(static_cast<double>(value));
            total.add(static_cast<double>(value));
            if (value != 0) lowest = std::min(lowest, detail::lowest_bit(value));
        }
        if (absolute > static_cast<double>(std::numeric_limits<T>::max()) / 2) {
            throw InputError(format(
                "the absolute values sum to %g, and sums that may overflow cannot be checked",
                absolute));
        }
        // The comparison is strict: `absolute` is exact below the limit and cannot round from above
        // to below it.
        const bool exact =
            lowest == std::numeric_limits<int>::max() ||
            absolute < std::ldexp(1.0, std::min(lowest + std::numeric_limits<T>::digits, 1024));
        return {exact, total.value()};
    }
}

/// The longest chain of adds behind an output of the three-kernel scan, for any of the tile
/// algorithms: up and down a tree, or along a thread's own elements and the 32 warps of a block,
/// and one more for the offset; once a level.
inline int add_chain(int tile, int threads, int levels) {
    int log2_tile = 0;
    while ((1 << log2_tile) < tile) ++log2_tile;
    return levels * (2 * log2_tile + (tile + threads - 1) / threads + 33);
}

/// How the outputs of one scan are judged.
struct CheckRule {
    bool exact;
    double chain;  ///< longest chain of adds, used if not exact
};

/// Takes the outputs of an exclusive sum from the first to the last, in pieces.
template <class T>
class PrefixChecker {
  public:
    /// `input` must outlive the checker; outputs are located in tiles of `tile` elements.
    PrefixChecker(const T* input, int tile, CheckRule rule)
        : input_(input), tile_(tile), rule_(rule) {}

    /// The next `count` outputs. Returns the first wrong one; the checker is of no further use
    /// after that.
    std::optional<Failure> feed(const T* outputs, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i, ++element_) {
            if (!prefix_.matches(outputs[i], rule_)) {
                const auto tile = static_cast<std::uint64_t>(tile_);
                return Failure{element_, element_ / tile, static_cast<int>(element_ % tile),
                               prefix_.value(), to_number(outputs[i])};
            }
            prefix_.add(input_[element_]);
        }
        return std::nullopt;
    }

  private:
    struct WrappingPrefix {
        T sum = 0;
        void add(T x) { sum += x; }
        Number value() const { return to_number(sum); }
        bool matches(T got, const CheckRule&) const { return got == sum; }
    };

    struct FloatPrefix {
        PreciseSum sum;
        double absolute = 0;
        void add(T x) {
            sum.add(static_cast<double>(x));
            absolute += std::fabs(static_cast<double>(x));
        }
        Number value() const { return sum.value(); }
        bool matches(T got, const CheckRule& rule) const {
            const double error = std::fabs(sum.minus(static_cast<double>(got)));
            if (rule.exact) return error == 0;
            const double relative =
                rule.chain * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
            if (relative >= 1) return std::isfinite(got);  // so long a chain has no bound
            // 1.001 covers the rounding of `absolute` itself. A NaN fails the comparison.
            return error <= 1.001 * relative / (1 - relative) * absolute;
        }
    };

    const T* input_;
    int tile_;
    CheckRule rule_;
    std::uint64_t element_ = 0;
    std::conditional_t<std::is_floating_point_v<T>, FloatPrefix, WrappingPrefix> prefix_;
};

}  // namespace scan_report

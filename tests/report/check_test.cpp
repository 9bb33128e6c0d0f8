// SPDX-License-Identifier: Apache-2.0
// The check is worth what it finds: right outputs pass, and every kind of wrong one is named where
// it is.
#include "examples/scan_report/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace scan_report;

namespace {

constexpr int kTile = 256;

/// The page's input: every fourth element is 2, the rest 1.
template <class T>
std::vector<T> twos_and_ones(std::size_t n) {
    std::vector<T> input(n, T(1));
    for (std::size_t i = 0; i < n; i += 4) input[i] = T(2);
    return input;
}

template <class T>
std::vector<T> serial_scan(const std::vector<T>& input) {
    std::vector<T> output;
    T sum = 0;
    for (const T x : input) {
        output.push_back(sum);
        sum += x;
    }
    return output;
}

template <class T>
std::optional<Failure> check_all(const std::vector<T>& input, const std::vector<T>& output,
                                 CheckRule rule = {true, 0}) {
    return PrefixChecker<T>(input.data(), kTile, rule).feed(output.data(), output.size());
}

template <class T>
class CheckedTypes : public testing::Test {};
using Types = testing::Types<float, double, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(CheckedTypes, Types);

TYPED_TEST(CheckedTypes, RightOutputsPass) {
    for (const std::size_t n : {0, 1, 2, 255, 256, 257, 5000}) {
        const auto input = twos_and_ones<TypeParam>(n);
        EXPECT_FALSE(check_all(input, serial_scan(input))) << n;
    }
}

TYPED_TEST(CheckedTypes, OneWrongElementIsNamed) {
    const auto input = twos_and_ones<TypeParam>(5000);
    for (const std::size_t wrong : {std::size_t{0}, std::size_t{1}, std::size_t{255},
                                    std::size_t{256}, std::size_t{1000}, std::size_t{4999}}) {
        auto output = serial_scan(input);
        const TypeParam right = output[wrong];
        output[wrong] += 1;
        const auto failure = check_all(input, output);
        ASSERT_TRUE(failure) << wrong;
        EXPECT_EQ(failure->element, wrong);
        EXPECT_EQ(failure->tile, wrong / kTile);
        EXPECT_EQ(failure->position, static_cast<int>(wrong % kTile));
        EXPECT_EQ(failure->expected, to_number(right));
        EXPECT_EQ(failure->got, to_number(output[wrong]));
    }
}

/// The pitfall of the method: every tile is right in itself, and starts at 0.
TYPED_TEST(CheckedTypes, DroppedTileOffset) {
    const auto input = twos_and_ones<TypeParam>(5000);
    std::vector<TypeParam> output;
    for (std::size_t begin = 0; begin < input.size(); begin += kTile) {
        const std::size_t end = std::min(begin + kTile, input.size());
        const auto tile =
            serial_scan(std::vector<TypeParam>(input.data() + begin, input.data() + end));
        output.insert(output.end(), tile.begin(), tile.end());
    }
    const auto failure = check_all(input, output);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->element, std::uint64_t{kTile});
    EXPECT_EQ(failure->tile, 1u);
    EXPECT_EQ(failure->position, 0);
    EXPECT_EQ(failure->got, to_number(TypeParam(0)));
}

TYPED_TEST(CheckedTypes, OffsetOfTheWrongTile) {
    const auto input = twos_and_ones<TypeParam>(5000);
    auto output = serial_scan(input);
    for (std::size_t i = 7 * kTile; i < 8 * kTile; ++i) output[i] -= 1;
    const auto failure = check_all(input, output);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->element, std::uint64_t{7 * kTile});
    EXPECT_EQ(failure->tile, 7u);
}

TYPED_TEST(CheckedTypes, InclusiveInsteadOfExclusive) {
    const auto input = twos_and_ones<TypeParam>(100);
    auto output = serial_scan(input);
    for (std::size_t i = 0; i < input.size(); ++i) output[i] += input[i];
    const auto failure = check_all(input, output);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->element, 0u);
}

/// Right number of elements, wrong places: an input of equal elements would not show it.
TYPED_TEST(CheckedTypes, ElementsOfTheWrongPlaces) {
    const auto input = twos_and_ones<TypeParam>(100);
    auto shifted = input;
    std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
    EXPECT_TRUE(check_all(input, serial_scan(shifted)));
}

TYPED_TEST(CheckedTypes, InPieces) {
    const auto input = twos_and_ones<TypeParam>(5000);
    auto output = serial_scan(input);
    output[3333] -= 1;
    PrefixChecker<TypeParam> checker(input.data(), kTile, {true, 0});
    std::optional<Failure> failure;
    for (std::size_t begin = 0; begin < output.size() && !failure; begin += 100)
        failure = checker.feed(output.data() + begin, 100);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->element, 3333u);
}

TEST(Check, IntegersWrapAround) {
    const std::vector<std::uint32_t> input{0x7fffffffu, 1, 0x80000000u, 0xffffffffu, 5};
    EXPECT_FALSE(check_all(input, serial_scan(input)));
    const InputFacts facts = inspect_input(input.data(), input.size());
    EXPECT_TRUE(facts.exact);
    EXPECT_EQ(facts.total, Number(std::int64_t{4}));
    auto output = serial_scan(input);
    output[2] ^= 1;
    const auto failure = check_all(input, output);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->expected, Number(std::int64_t{-2147483648ll}));
}

TEST(Check, NotANumberIsNeverRight) {
    const std::vector<float> input(10, 1.0f);
    auto output = serial_scan(input);
    output[4] = std::nanf("");
    EXPECT_TRUE(check_all(input, output, {true, 0}));
    EXPECT_TRUE(check_all(input, output, {false, 30}));
    output[4] = HUGE_VALF;
    EXPECT_TRUE(check_all(input, output, {false, 30}));
}

template <class T>
bool exact(const std::vector<T>& input) {
    return inspect_input(input.data(), input.size()).exact;
}

TEST(InspectInput, ExactSumsAreRecognised) {
    EXPECT_TRUE(exact<float>({}));
    EXPECT_TRUE(exact<float>({0.0f, -0.0f}));
    EXPECT_TRUE(exact<float>({1.0f, 2.0f, -3.0f}));
    EXPECT_TRUE(exact<float>({0.25f, 4194303.0f}));
    EXPECT_FALSE(exact<float>({0.25f, 4194304.0f}));
    EXPECT_TRUE(exact<float>({16777214.0f, 1.0f}));
    EXPECT_FALSE(exact<float>({16777215.0f, 1.0f}));
    EXPECT_FALSE(exact<float>({16777215.0f, -16777215.0f}));  // a part of it: 2^25 - 2
    EXPECT_TRUE(exact<float>({1e30f}));
    EXPECT_FALSE(exact<float>({1e30f, 1.0f}));
    EXPECT_FALSE(exact<float>({0.1f, 0.3f}));
    EXPECT_TRUE(exact<float>(
        {std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::denorm_min()}));
    EXPECT_TRUE(exact<double>({9007199254740990.0, 1.0}));
    EXPECT_FALSE(exact<double>({9007199254740991.0, 1.0}));
    EXPECT_FALSE(exact<double>({9007199254740992.0, 1.0}));
    EXPECT_TRUE(exact<double>({std::ldexp(1.0, 1000), std::ldexp(1.0, 999)}));
}

TEST(InspectInput, BuiltInInput) {
    const auto at = [](std::size_t n) { return exact(twos_and_ones<float>(n)); };
    EXPECT_TRUE(at(10'000'000));
    EXPECT_TRUE(at(13'421'772));
    EXPECT_FALSE(at(13'421'773));
    const auto input = twos_and_ones<float>(10'000'000);
    EXPECT_EQ(inspect_input(input.data(), input.size()).total, Number(12'500'000.0));
}

TEST(InspectInput, TotalIsSummedPrecisely) {
    const std::vector<double> input{1.0, 1e100, 1.0, -1e100};
    EXPECT_EQ(inspect_input(input.data(), input.size()).total, Number(2.0));
}

TEST(InspectInput, WhatCannotBeCheckedIsRefused) {
    for (const float bad : {std::nanf(""), HUGE_VALF, -HUGE_VALF}) {
        const std::vector<float> input{1.0f, bad};
        EXPECT_THROW(inspect_input(input.data(), input.size()), InputError);
    }
    const std::vector<float> floats{2e38f, -2e38f};
    EXPECT_THROW(inspect_input(floats.data(), floats.size()), InputError);
    const std::vector<double> doubles{1e308, 1e308};
    EXPECT_THROW(inspect_input(doubles.data(), doubles.size()), InputError);
    const std::vector<double> more{1.7e308, 1.7e308, 1.7e308};
    EXPECT_THROW(inspect_input(more.data(), more.size()), InputError);
}

TEST(RoundedSums, WithinTheBoundPassAndBeyondItFail) {
    std::vector<float> input(100'000);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = 0.1f + static_cast<float>(i % 7);
    ASSERT_FALSE(exact(input));
    std::vector<float> output;
    double sum = 0;
    for (const float x : input) {
        output.push_back(static_cast<float>(sum));
        sum += static_cast<double>(x);
    }
    const CheckRule rule{false, 122};
    EXPECT_FALSE(check_all(input, output, rule));

    const double bound =
        122 * std::ldexp(1.0, -24) * static_cast<double>(output[77'777]);  // all terms are positive
    auto off = output;
    off[77'777] += static_cast<float>(0.9 * bound);
    EXPECT_FALSE(check_all(input, off, rule));
    off[77'777] = output[77'777] - static_cast<float>(1.1 * bound);
    const auto failure = check_all(input, off, rule);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->element, 77'777u);
}

TEST(RoundedSums, CancellationDoesNotWidenTheBoundPastTheTerms) {
    const std::vector<double> input{0.1, -0.1, 0.3, 0};
    EXPECT_FALSE(check_all<double>(input, {0, 0.1, 0, 0.3}, {false, 30}));
    EXPECT_TRUE(check_all<double>(input, {0, 0.1, 1e-13, 0.3}, {false, 30}));
    EXPECT_TRUE(check_all<double>(input, {1e-300, 0.1, 0, 0.3},
                                  {false, 30}));  // nothing before it: no slack
}

TEST(AddChain, GrowsWithTheLevels) {
    EXPECT_EQ(add_chain(4096, 1024, 1), 24 + 4 + 33);
    EXPECT_EQ(add_chain(4096, 1024, 2), 2 * (24 + 4 + 33));
    EXPECT_EQ(add_chain(256, 64, 3), 3 * (16 + 4 + 33));
}

TEST(Numbers, AsText) {
    EXPECT_EQ(to_text(Number(std::int64_t{-5})), "-5");
    EXPECT_EQ(to_text(Number(12500000.0)), "12500000");
    EXPECT_EQ(to_text(Number(0.1)), "0.1");
    EXPECT_EQ(to_text(Number(1.0 / 3)), "0.33333333333333331");
    EXPECT_EQ(to_text(to_number(0.1f)), "0.10000000149011612");
    EXPECT_EQ(to_text(Number(5e-324)), "4.94065646e-324");
    EXPECT_EQ(to_text(Number(std::nan(""))), "nan");
    EXPECT_EQ(to_text(Number(HUGE_VAL)), "inf");
    EXPECT_EQ(to_text(to_number(std::uint32_t{0xffffffffu})), "-1");
}

}  // namespace

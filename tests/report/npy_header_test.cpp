// SPDX-License-Identifier: Apache-2.0
#include "examples/scan_report/npy_header.h"

#include <gtest/gtest.h>

#include <string>

#include "mentions.h"

using namespace scan_report;

namespace {

NpyHeader parse_header(const std::string& text) { return parse_npy_header(text); }

std::string header_refusal(const std::string& text) {
    try {
        parse_header(text);
    } catch (const NpyError& error) {
        const std::string message = error.what();
        for (const char c : message) EXPECT_TRUE(c >= 32 && c <= 126) << message;
        return message;
    }
    ADD_FAILURE() << "not refused: " << text;
    return "";
}

TEST(NpyHeader, TheFourTypes) {
    EXPECT_EQ(parse_header("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }").type,
              ElementType::kFloat32);
    EXPECT_EQ(parse_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }").type,
              ElementType::kFloat64);
    EXPECT_EQ(parse_header("{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }").type,
              ElementType::kInt32);
    EXPECT_EQ(parse_header("{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }").type,
              ElementType::kInt64);
    EXPECT_EQ(parse_header("{'descr': '=f4', 'fortran_order': False, 'shape': (3,), }").type,
              ElementType::kFloat32);
}

TEST(NpyHeader, WhateverPythonAccepts) {
    EXPECT_EQ(parse_header("{\"shape\":(12,),\"fortran_order\":True,\"descr\":\"<i8\"}").count,
              12u);
    EXPECT_EQ(
        parse_header("  { 'descr' :\t'<i8' , 'fortran_order' : True , 'shape' : ( 5 , ) }  \n")
            .count,
        5u);
    EXPECT_EQ(parse_header("{'descr': '<i8', 'fortran_order': False, 'shape': (10L,), }\n").count,
              10u);
    EXPECT_EQ(parse_header("{'descr': '<i8', 'fortran_order': False, 'shape': (0,), }").count, 0u);
}

TEST(NpyHeader, OtherTypes) {
    for (const char* descr : {"<f2", "<u4", "<u8", "<i2", "|i1", "|b1", "<c8", "|O", "|S5", "<U3",
                              "", "<", "f4", "|f4", "<f4 "}) {
        const std::string text =
            std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (3,), }";
        EXPECT_TRUE(mentions(header_refusal(text), "is not float32, float64, int32 or int64"))
            << descr;
    }
    EXPECT_TRUE(
        mentions(header_refusal("{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }"),
                 "'>f4' is big endian"));
    EXPECT_TRUE(mentions(
        header_refusal("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }"),
        "structured"));
}

TEST(NpyHeader, OtherDimensions) {
    EXPECT_TRUE(mentions(header_refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (), }"),
                         "0 dimensions"));
    EXPECT_TRUE(
        mentions(header_refusal("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }"),
                 "2 dimensions"));
    EXPECT_TRUE(
        mentions(header_refusal("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3, 4,), }"),
                 "3 dimensions"));
}

TEST(NpyHeader, SizesThatOverflow) {
    const auto with_shape = [](const std::string& shape) {
        return "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
    };
    EXPECT_EQ(parse_header(with_shape("(1152921504606846975,)")).count, 1152921504606846975u);
    EXPECT_TRUE(
        mentions(header_refusal(with_shape("(1152921504606846976,)")), "more than any file holds"));
    EXPECT_TRUE(
        mentions(header_refusal(with_shape("(9223372036854775807,)")), "more than any file holds"));
    EXPECT_TRUE(mentions(header_refusal(with_shape("(9223372036854775808,)")), "too large"));
    EXPECT_TRUE(mentions(header_refusal(with_shape("(18446744073709551617,)")), "too large"));
    EXPECT_TRUE(
        mentions(header_refusal(with_shape("(" + std::string(1000, '9') + ",)")), "too large"));
}

TEST(NpyHeader, Malformed) {
    for (const char* text :
         {"",
          " ",
          "{",
          "}",
          "{}",
          "{'descr'",
          "{'descr'}",
          "{'descr': }",
          "{'descr': '<f4'}",
          "{'descr': '<f4', 'fortran_order': False}",
          "{'descr': '<f4', 'shape': (3,)}",
          "{'fortran_order': False, 'shape': (3,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (3)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (3.0,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (3,,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (0x3,)}",
          "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}",
          "{'descr': '<f4', 'fortran_order': false, 'shape': (3,)}",
          "{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}}",
          "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
          "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'extra': 1}",
          "{descr: '<f4', 'fortran_order': False, 'shape': (3,)}",
          "{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}",
          "{'desc\\r': '<f4', 'fortran_order': False, 'shape': (3,)}",
          "['descr', '<f4']",
          "{,}",
          "((((((((((((((((((((("}) {
        EXPECT_TRUE(mentions(header_refusal(text), "malformed header: ")) << text;
    }
    EXPECT_TRUE(mentions(header_refusal(std::string(
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}\0", 57)),
                         "malformed"));
    EXPECT_TRUE(mentions(header_refusal(std::string(60'000, '(')), "malformed"));
}

TEST(NpyHeader, EveryPrefixOfAHeaderIsRefused) {
    const std::string whole = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
    for (std::size_t length = 0; length < whole.size(); ++length)
        header_refusal(whole.substr(0, length));
    EXPECT_EQ(parse_header(whole).count, 3u);
}

/// Every single byte of a header replaced: whatever comes of it, it is a header or a refusal.
TEST(NpyHeader, EveryByteReplaced) {
    const std::string whole = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
    for (std::size_t position = 0; position < whole.size(); ++position) {
        for (int byte = 0; byte < 256; ++byte) {
            std::string text = whole;
            text[position] = static_cast<char>(byte);
            try {
                const NpyHeader header = parse_header(text);
                EXPECT_LE(header.count, 99u) << text;
            } catch (const NpyError&) {
            }
        }
    }
}

TEST(NpyPrefix, Versions) {
    const auto span = [](const std::string& bytes) { return parse_npy_prefix(bytes); };
    const std::string magic = "\x93NUMPY";
    EXPECT_EQ(span(magic + std::string("\x01\x00\x76\x00{'", 6)).begin, 10u);
    EXPECT_EQ(span(magic + std::string("\x01\x00\x76\x01{'", 6)).length, 0x176u);
    EXPECT_EQ(span(magic + std::string("\x02\x00\x76\x00\x00\x00", 6)).begin, 12u);
    EXPECT_EQ(span(magic + std::string("\x03\x00\x76\x80\x00\x00", 6)).length, 0x8076u);
    for (const std::string& version : {std::string("\x00\x00", 2), std::string("\x04\x00", 2),
                                       std::string("\x01\x01", 2), std::string("\xff\xff", 2)}) {
        EXPECT_THROW(span(magic + version + std::string(4, '\0')), NpyError);
    }
}

TEST(NpyPrefix, Garbage) {
    const std::string good = std::string("\x93NUMPY\x02\x00\x76\x00\x00\x00", 12);
    for (std::size_t length = 0; length < good.size(); ++length) {
        EXPECT_THROW(parse_npy_prefix(good.substr(0, length)), NpyError) << length;
    }
    EXPECT_THROW(parse_npy_prefix("PK\x03\x04 an archive"), NpyError);
    EXPECT_THROW(parse_npy_prefix(std::string(12, '\0')), NpyError);
    // A header of four gigabytes, claimed by a file of twelve bytes.
    EXPECT_THROW(parse_npy_prefix(std::string("\x93NUMPY\x03\x00\xff\xff\xff\xff", 12)), NpyError);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include "examples/scan_report/args.h"

#include <gtest/gtest.h>

#include "mentions.h"

using namespace scan_report;

namespace {

Choices some_choices() { return {{256, 1024, 4096}, {"plain", "padded", "shuffle"}}; }

Options parse(const std::vector<std::string>& arguments) {
    return parse_arguments(arguments, some_choices());
}

/// The message of a refused command line: one printable line.
std::string refusal(const std::vector<std::string>& arguments) {
    try {
        parse(arguments);
    } catch (const ArgumentError& error) {
        const std::string message = error.what();
        EXPECT_FALSE(message.empty());
        for (const char c : message) EXPECT_TRUE(c >= 32 && c <= 126) << message;
        return message;
    }
    ADD_FAILURE() << "not refused";
    return "";
}

TEST(Args, Defaults) {
    const Options options = parse({});
    EXPECT_EQ(options.n, 10'000'000u);
    EXPECT_EQ(options.tile, 4096);
    EXPECT_TRUE(options.algorithm.empty());
    EXPECT_TRUE(options.input.empty());
    EXPECT_TRUE(options.json.empty());
    EXPECT_FALSE(options.progress);
    EXPECT_FALSE(options.help);
}

TEST(Args, EveryOption) {
    const Options options = parse({"--n", "17", "--tile", "256", "--algorithm", "padded", "--json",
                                   "out file", "--progress", "--help"});
    EXPECT_EQ(options.n, 17u);
    EXPECT_EQ(options.tile, 256);
    EXPECT_EQ(options.algorithm, "padded");
    EXPECT_EQ(options.json, "out file");
    EXPECT_TRUE(options.progress);
    EXPECT_TRUE(options.help);
    EXPECT_EQ(parse({"--input", "a.npy"}).input, "a.npy");
    EXPECT_TRUE(parse({"-h"}).help);
}

TEST(Args, ValueAfterEquals) {
    EXPECT_EQ(parse({"--n=5"}).n, 5u);
    EXPECT_EQ(parse({"--input=a=b"}).input, "a=b");
    EXPECT_EQ(parse({"--json", "a=b"}).json, "a=b");
}

TEST(Args, TheLastOneCounts) { EXPECT_EQ(parse({"--n", "5", "--n=6"}).n, 6u); }

TEST(Args, ZeroAndLargestElements) {
    EXPECT_EQ(parse({"--n", "0"}).n, 0u);
    EXPECT_EQ(parse({"--n", "18446744073709551615"}).n, 18446744073709551615u);
}

TEST(Args, ValueMayLookLikeAnOption) { EXPECT_EQ(parse({"--json", "--n"}).json, "--n"); }

TEST(Args, UnknownOption) {
    EXPECT_TRUE(mentions(refusal({"--size", "3"}), "unknown option '--size'"));
    EXPECT_TRUE(mentions(refusal({"-n", "3"}), "unknown option '-n'"));
    EXPECT_TRUE(mentions(refusal({"--"}), "unknown option '--'"));
    EXPECT_TRUE(mentions(refusal({"--N=3"}), "unknown option '--N'"));
    EXPECT_TRUE(mentions(refusal({"--bad\n\x1b[31m"}), "'--bad\\x0a\\x1b[31m'"));
}

TEST(Args, UnexpectedArgument) {
    EXPECT_TRUE(mentions(refusal({"1000"}), "unexpected argument '1000'"));
    EXPECT_TRUE(mentions(refusal({""}), "unexpected argument ''"));
    EXPECT_TRUE(mentions(refusal({std::string(100'000, 'x')}), "xxx...'"));
}

TEST(Args, MissingValue) {
    for (const char* option : {"--n", "--tile", "--algorithm", "--input", "--json"}) {
        EXPECT_TRUE(mentions(refusal({option}), "needs a value")) << option;
        EXPECT_TRUE(mentions(refusal({option, ""}), "needs a value")) << option;
        EXPECT_TRUE(mentions(refusal({std::string(option) + "="}), "needs a value")) << option;
    }
}

TEST(Args, ValueWhereNoneBelongs) {
    EXPECT_TRUE(mentions(refusal({"--help=yes"}), "takes no value"));
    EXPECT_TRUE(mentions(refusal({"--progress="}), "takes no value"));
}

TEST(Args, NotANumber) {
    for (const char* value :
         {"ten", "1e6", "10.0", "0x10", " 5", "5 ", "+5", "5k", "1,000", "\t", "--5", "-"}) {
        EXPECT_TRUE(mentions(refusal({"--n", value}), "--n: ")) << value;
        EXPECT_TRUE(mentions(refusal({"--tile", value}), "--tile: ")) << value;
    }
    EXPECT_TRUE(mentions(refusal({"--n", "ten"}), "'ten' is not a whole number"));
    EXPECT_TRUE(
        mentions(refusal({"--n", std::string("5\0", 2)}), "'5\\x00' is not a whole number"));
}

TEST(Args, NegativeAndTooLarge) {
    EXPECT_TRUE(mentions(refusal({"--n", "-1"}), "is negative"));
    EXPECT_TRUE(mentions(refusal({"--tile", "-256"}), "is negative"));
    EXPECT_TRUE(mentions(refusal({"--n", "18446744073709551616"}), "is too large"));
    EXPECT_TRUE(mentions(refusal({"--n", std::string(300, '9')}), "is too large"));
    EXPECT_TRUE(mentions(refusal({"--tile", "4294967552"}), "is not one of 256, 1024, 4096"));
}

TEST(Args, TileAndAlgorithmOutsideTheChoices) {
    for (const char* tile : {"0", "1", "512", "1000", "8192"}) {
        EXPECT_TRUE(mentions(refusal({"--tile", tile}), "is not one of 256, 1024, 4096")) << tile;
    }
    EXPECT_TRUE(
        mentions(refusal({"--algorithm", "Plain"}), "is not one of plain, padded, shuffle"));
}

TEST(Args, SizeAndFileExcludeEachOther) {
    EXPECT_TRUE(mentions(refusal({"--n", "5", "--input", "a.npy"}), "exclude each other"));
    EXPECT_TRUE(mentions(refusal({"--input", "a.npy", "--n", "10000000"}), "exclude each other"));
}

TEST(Args, HelpNamesEveryOptionAndChoice) {
    const std::string help = help_text(some_choices());
    for (const char* word : {"--n ", "--tile ", "--input ", "--algorithm ", "--json ", "--progress",
                             "--help", "256, 1024, 4096", "plain", "padded", "shuffle"}) {
        EXPECT_TRUE(mentions(help, word)) << word;
    }
    std::size_t column = 0;
    for (const char c : help) {
        column = c == '\n' ? 0 : column + 1;
        ASSERT_LE(column, 110u) << help;
    }
}

}  // namespace

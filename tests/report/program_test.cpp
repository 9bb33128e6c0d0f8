// SPDX-License-Identifier: Apache-2.0
// Runs the built program as a user does. SCAN_REPORT_PROGRAM is its path, WRONG_SCANS_PROGRAM that
// of the same program with a scan that is wrong (wrong_scans.cu).
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "mentions.h"
#include "npy_maker.h"
#include "strict_json.h"

namespace {

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

std::string shell_quoted(const std::string& word) {
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

struct Outcome {
    int status;
    std::string out, err;
};

bool is_one_line(const std::string& text) {
    return !text.empty() && text.find('\n') == text.size() - 1;
}

class Program : public testing::Test {
  protected:
    Outcome run(const std::vector<std::string>& arguments, const std::string& setting = "",
                const std::string& program = SCAN_REPORT_PROGRAM) {
        const std::string out = temporary_path("out"), err = temporary_path("err");
        std::string command = setting + " " + shell_quoted(program);
        for (const std::string& argument : arguments) command += " " + shell_quoted(argument);
        const int status =
            std::system((command + " >" + shell_quoted(out) + " 2>" + shell_quoted(err)).c_str());
        Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out),
                        read_file(err)};
        std::remove(out.c_str());
        std::remove(err.c_str());
        return outcome;
    }

    /// A run that succeeds, silently on stderr; returns its report.
    strict_json::Value report_of(std::vector<std::string> arguments) {
        const TemporaryFile json(
            "report.json", "an older and much longer text than that: " + std::string(100'000, 'x'));
        arguments.push_back("--json");
        arguments.push_back(json.path());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.err, "");
        return strict_json::parse(read_file(json.path()));
    }

    /// A run that is refused with one line on stderr and this status; returns the line.
    std::string refusal(const std::vector<std::string>& arguments, int status) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, status) << outcome.err;
        EXPECT_TRUE(is_one_line(outcome.err)) << outcome.err;
        EXPECT_EQ(outcome.err.rfind("scan_report: ", 0), 0u) << outcome.err;
        return outcome.err;
    }

    template <class T>
    void scan_file(const std::vector<T>& elements, const std::string& dtype,
                   const std::string& total, bool exact) {
        const TemporaryFile file("input.npy", npy_bytes(elements));
        const strict_json::Value report = report_of({"--input", file.path(), "--tile", "256"});
        EXPECT_EQ(report["status"].string(), "ok");
        EXPECT_EQ(report["input"]["source"].string(), file.path());
        EXPECT_EQ(report["input"]["dtype"].string(), dtype);
        EXPECT_EQ(report["input"]["n"].number(), static_cast<double>(elements.size()));
        EXPECT_EQ(report["input"]["total"].text, total);
        EXPECT_EQ(report["check"]["exact"].is_true(), exact);
        ASSERT_EQ(report["rows"].size(), 5u);
        for (std::size_t i = 0; i < 5; ++i)
            EXPECT_TRUE(report["rows"][i]["checked"].is_true()) << i;
    }
};

TEST_F(Program, BuiltInInput) {
    const strict_json::Value report = report_of({"--n", "20000"});
    EXPECT_EQ(report["status"].string(), "ok");
    EXPECT_TRUE(report["error"].null());
    EXPECT_EQ(report["tile_model"]["tile"].number(), 4096);
    EXPECT_EQ(report["tile_model"]["threads"].number(), 1024);
    EXPECT_EQ(report["tile_model"]["levels"].size(), 12u);
    EXPECT_EQ(report["input"]["source"].string(), "built-in");
    EXPECT_EQ(report["input"]["total"].number(), 25000);
    EXPECT_EQ(report["input"]["tiles"].number(), 5);
    EXPECT_EQ(report["input"]["levels"].number(), 2);
    EXPECT_TRUE(report["check"]["exact"].is_true());
    const char* const names[] = {"hillis_steele", "blelloch", "blelloch_padded",
                                 "blelloch_padded_one_term", "warp_shuffle"};
    const double adds[] = {45057, 8190, 8190, 8190, 11362}, requests[] = {1536, 1534, 264, 294};
    ASSERT_EQ(report["rows"].size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
        const strict_json::Value& row = report["rows"][i];
        EXPECT_EQ(row["name"].string(), names[i]);
        EXPECT_TRUE(row["checked"].is_true());
        EXPECT_TRUE(row["failure"].null());
        EXPECT_EQ(report["tile_model"]["algorithms"][i]["adds"].number(), adds[i]);
        if (i < 4) {
            EXPECT_EQ(report["tile_model"]["algorithms"][i]["requests"].number(), requests[i]);
        }
        if (report["backend"].string() == "simt") {
            EXPECT_EQ(row["counted"]["adds"].number(), adds[i]);
            EXPECT_EQ(row["counted"]["requests"].null(), i == 4);
            if (i < 4) {
                EXPECT_EQ(row["counted"]["requests"].number(), requests[i]);
            }
            EXPECT_GT(row["counted"]["all_requests"].number(), 0);
            EXPECT_TRUE(row["pipeline_ms"].null());
        } else {
            EXPECT_TRUE(row["counted"].null());
            EXPECT_GT(row["tile_ms"].number(), 0);
            EXPECT_GT(row["pipeline_ms"].number(), 0);
            EXPECT_GT(row["gb_per_s"].number(), 0);
            EXPECT_GT(report["copy"]["gb_per_s"].number(), 0);
        }
    }
}

TEST_F(Program, TextHasEverySection) {
    const Outcome outcome = run({"--n", "5000"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    for (const char* part :
         {"GPU", "Tile model", "45057", "1534", "294", "one-term", "5000 elements of float32",
          "total 6250", "warp_shuffle", "5 scans, all outputs right"}) {
        EXPECT_TRUE(mentions(outcome.out, part)) << part << "\n" << outcome.out;
    }
}

TEST_F(Program, EveryTileSizeAndTheEdgesOfATile) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const std::vector<int> tiles{256};  // the larger ones take half a minute
#else
    const std::vector<int> tiles{256, 1024, 4096, 8192};
#endif
    for (const int tile : tiles) {
        for (const int n : {tile - 1, tile, tile + 1}) {
            const auto report =
                report_of({"--n", std::to_string(n), "--tile", std::to_string(tile)});
            EXPECT_EQ(report["status"].string(), "ok");
            EXPECT_EQ(report["tile_model"]["tile"].number(), tile);
            EXPECT_EQ(report["input"]["levels"].number(), n <= tile ? 1 : 2);
        }
    }
}

TEST_F(Program, ThreeLevels) {
    EXPECT_EQ(report_of({"--n", "65537", "--tile", "256", "--algorithm",
                         "warp_shuffle"})["input"]["levels"]
                  .number(),
              3);
}

TEST_F(Program, NothingAndOneElement) {
    EXPECT_EQ(report_of({"--n", "0"})["input"]["total"].number(), 0);
    EXPECT_EQ(report_of({"--n", "1"})["input"]["total"].number(), 2);
    scan_file(std::vector<std::int32_t>{}, "int32", "0", true);
    scan_file(std::vector<double>{-0.1}, "float64", "-0.1", true);
}

TEST_F(Program, OneAlgorithm) {
    const auto report = report_of({"--n", "3000", "--algorithm", "blelloch_padded"});
    ASSERT_EQ(report["rows"].size(), 1u);
    EXPECT_EQ(report["rows"][0]["name"].string(), "blelloch_padded");
}

TEST_F(Program, FileOfEachType) {
    std::vector<float> floats;
    std::vector<double> doubles;
    std::vector<std::int32_t> ints;
    std::vector<std::int64_t> longs;
    for (int i = 0; i < 3000; ++i) {
        floats.push_back(static_cast<float>(i % 100) / 8 - 3);
        doubles.push_back(1.0 / (i + 1));
        ints.push_back(2'000'000'000 - i);
        longs.push_back(9'000'000'000'000'000'000 + i);
    }
    scan_file(floats, "float32", "9562.5", true);
    const TemporaryFile file("harmonic.npy", npy_bytes(doubles, 2));
    const auto report = report_of({"--input", file.path(), "--tile", "256"});
    EXPECT_FALSE(report["check"]["exact"].is_true());
    EXPECT_NEAR(report["input"]["total"].number(), 8.58374989, 1e-8);
    std::uint32_t sum32 = 0;
    for (const auto x : ints) sum32 += static_cast<std::uint32_t>(x);
    scan_file(ints, "int32", std::to_string(static_cast<std::int32_t>(sum32)), true);
    std::uint64_t sum64 = 0;
    for (const auto x : longs) sum64 += static_cast<std::uint64_t>(x);
    scan_file(longs, "int64", std::to_string(static_cast<std::int64_t>(sum64)), true);
}

TEST_F(Program, FilesThatCannotBeScanned) {
    const std::string good = npy_bytes(std::vector<float>{1, 2, 3});
    const auto refused = [&](const std::string& bytes) {
        const TemporaryFile file("bad.npy", bytes);
        return refusal({"--input", file.path()}, 1);
    };
    EXPECT_TRUE(mentions(refused("garbage"), "not a .npy file"));
    EXPECT_TRUE(mentions(refused(good.substr(0, good.size() - 1)), "truncated"));
    EXPECT_TRUE(mentions(refused(good + "x"), "oversized"));
    EXPECT_TRUE(mentions(
        refused(npy_start(npy_header_text(">f4", "(3,)")) + npy_data(std::vector<float>{1, 2, 3})),
        "big endian"));
    EXPECT_TRUE(mentions(refused(npy_start(npy_header_text("<f4", "(1, 3)")) +
                                 npy_data(std::vector<float>{1, 2, 3})),
                         "2 dimensions"));
    EXPECT_TRUE(mentions(refused(npy_start("{'descr': '<f4\n")), "malformed header"));
    EXPECT_TRUE(
        mentions(refused(npy_bytes(std::vector<float>{1, HUGE_VALF})), "element 1 is infinite"));
    EXPECT_TRUE(
        mentions(refusal({"--input", temporary_path("no\nsuch.npy")}, 1), "cannot be opened"));
}

/// A header that promises what no machine holds, in front of a pipe that never ends.
TEST_F(Program, HugeClaimInAPipe) {
    const TemporaryFile start("start", npy_start(npy_header_text("<f4", "(1000000000000000,)")));
    const std::string command = "cat " + shell_quoted(start.path()) + " /dev/zero 2>/dev/null |";
    const Outcome outcome = run({"--input", "/dev/stdin"}, command);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(is_one_line(outcome.err)) << outcome.err;
    EXPECT_TRUE(mentions(outcome.err, "are available")) << outcome.err;
}

TEST_F(Program, BadArguments) {
    const std::vector<std::vector<std::string>> lines{{"--size", "5"},
                                                      {"5"},
                                                      {""},
                                                      {"--n"},
                                                      {"--n", ""},
                                                      {"--n", "ten"},
                                                      {"--n", "-1"},
                                                      {"--n", "1e7"},
                                                      {"--n", "18446744073709551616"},
                                                      {"--n", "18446744073709551615"},
                                                      {"--n", "1000000000000"},
                                                      {"--tile", "0"},
                                                      {"--tile", "-256"},
                                                      {"--tile", "1000"},
                                                      {"--tile", "4294967552"},
                                                      {"--tile"},
                                                      {"--algorithm", "quick"},
                                                      {"--algorithm"},
                                                      {"--input"},
                                                      {"--json"},
                                                      {"--json="},
                                                      {"--help=1"},
                                                      {"--n", "5", "--input", "x.npy"},
                                                      {"--n", "5", "--oops\nsecond line"}};
    for (const auto& line : lines) refusal(line, 2);
}

TEST_F(Program, SizeThatDoesNotFitSaysSo) {
    EXPECT_TRUE(mentions(refusal({"--n", "1000000000000"}, 2), "are available"));
}

TEST_F(Program, JsonThatCannotBeWritten) {
    EXPECT_TRUE(
        mentions(refusal({"--n", "10", "--json", temporary_path("no/such/folder") + "/x/y"}, 1),
                 "No such file or directory"));
    EXPECT_TRUE(mentions(refusal({"--n", "10", "--json", testing::TempDir()}, 1), "cannot write"));
    EXPECT_TRUE(mentions(refusal({"--n", "10", "--json", "/dev/full"}, 1), "No space left"));
}

TEST_F(Program, JsonIsNotWrittenOverTheInput) {
    const std::string bytes = npy_bytes(std::vector<float>{1, 2, 3});
    const TemporaryFile file("input.npy", bytes);
    EXPECT_TRUE(mentions(refusal({"--input", file.path(), "--json", file.path()}, 2), "same file"));
    EXPECT_EQ(read_file(file.path()), bytes);
}

TEST_F(Program, JsonTellsOfErrors) {
    const TemporaryFile file("input.npy", npy_bytes(std::vector<float>{1, HUGE_VALF}));
    const TemporaryFile json("report.json", "");
    EXPECT_EQ(run({"--input", file.path(), "--json", json.path()}).status, 1);
    const strict_json::Value report = strict_json::parse(read_file(json.path()));
    EXPECT_EQ(report["status"].string(), "error");
    EXPECT_TRUE(mentions(report["error"].string(), "infinite"));
}

TEST_F(Program, StandardOutputThatCannotBeWritten) {
    const std::string command =
        shell_quoted(SCAN_REPORT_PROGRAM) + " --n 10 >/dev/full 2>/dev/null";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

TEST_F(Program, WrongScanIsNamedAndFails) {
    const TemporaryFile json("report.json", "");
    const Outcome outcome =
        run({"--n", "1000", "--tile", "256", "--json", json.path()}, "", WRONG_SCANS_PROGRAM);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err,
              "scan_report: drops_offsets: element 256 (block 1, position 0 in its tile) is wrong: "
              "expected 320, got 0\n");
    EXPECT_TRUE(mentions(outcome.out, "nothing is measured"));
    EXPECT_FALSE(mentions(outcome.out, "all outputs right"));
    const strict_json::Value report = strict_json::parse(read_file(json.path()));
    EXPECT_EQ(report["status"].string(), "failed");
    EXPECT_TRUE(report["rows"][0]["checked"].is_true());
    EXPECT_FALSE(report["rows"][1]["checked"].is_true());
    EXPECT_EQ(report["rows"][1]["failure"]["element"].number(), 256);
    EXPECT_EQ(report["rows"][1]["failure"]["got"].number(), 0);

    EXPECT_EQ(run({"--n", "1000", "--algorithm", "drops_offsets"}, "", WRONG_SCANS_PROGRAM).status,
              1);
    // Within one tile nothing is missing.
    EXPECT_EQ(run({"--n", "256", "--algorithm", "drops_offsets"}, "", WRONG_SCANS_PROGRAM).err, "");
}

TEST_F(Program, ProgressOnRequest) {
    const Outcome outcome = run({"--n", "5000", "--progress"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(mentions(outcome.err, "blelloch (2 of 5): checking the scan\n"));
}

TEST_F(Program, Help) {
    const Outcome outcome = run({"--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(mentions(outcome.out, "usage: scan_report"));
}

}  // namespace

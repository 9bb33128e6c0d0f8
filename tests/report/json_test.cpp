// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "examples/scan_report/json_writer.h"
#include "examples/scan_report/report_json.h"
#include "strict_json.h"

using namespace scan_report;

namespace {

template <class T>
std::string written(const T& value) {
    JsonWriter json;
    json.value(value);
    return json.text();
}

TEST(StrictJson, RefusesWhatIsNotJson) {
    for (const char* text : {"",           " ",
                             "{",          "}",
                             "[1,]",       "[,]",
                             "{\"a\":1,}", "{\"a\" 1}",
                             "{a:1}",      "{\"a\":1,\"a\":2}",
                             "01",         "1.",
                             ".5",         "+1",
                             "-",          "1e",
                             "nan",        "NaN",
                             "inf",        "Infinity",
                             "tru",        "'a'",
                             "\"a",        "\"\n\"",
                             "\"\\x41\"",  "\"\\u12g4\"",
                             "1 2",        "[1 2]",
                             "\"\\ud800\""}) {
        EXPECT_THROW(strict_json::parse(text), std::runtime_error) << text;
    }
    EXPECT_EQ(
        strict_json::parse(" {\"a\" : [1, -2.5e+3, \"x\\n\\u00e9\", true, null] } ")["a"].size(),
        5u);
}

TEST(JsonWriter, Scalars) {
    EXPECT_EQ(written(true), "true");
    EXPECT_EQ(written(-3), "-3");
    EXPECT_EQ(written(std::uint64_t{18446744073709551615u}), "18446744073709551615");
    EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(written(0.1), "0.1");
    EXPECT_EQ(written(std::nan("")), "null");
    EXPECT_EQ(written(HUGE_VAL), "null");
    EXPECT_EQ(written(std::optional<double>()), "null");
    EXPECT_EQ(written(std::optional<int>(4)), "4");
}

TEST(JsonWriter, DoublesReadBackTheSame) {
    for (const double value : {0.0, 1.0, 1e300, 5e-324, -1.0 / 3, 12500000.0, 123456789012345680.0,
                               2.2250738585072014e-308}) {
        EXPECT_EQ(strict_json::parse(written(value)).number(), value);
    }
}

TEST(JsonWriter, StringsReadBackTheSame) {
    for (const std::string& text :
         {std::string("plain"), std::string("\"quoted\" \\ and / "),
          std::string("\n\t\r\b\f\x01\x1f\x7f"), std::string("nul \0 inside", 12),
          std::string("h\xc3\xa9llo \xe2\x82\xac \xf0\x9f\x98\x80")}) {
        EXPECT_EQ(strict_json::parse(written(text)).string(), text);
    }
}

TEST(JsonWriter, BytesThatAreNoUnicodeAreReplaced) {
    const std::string replacement = "\xef\xbf\xbd";
    for (const char* text : {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                             "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82"}) {
        const std::string read =
            strict_json::parse(written(std::string("a") + text + "b")).string();
        EXPECT_EQ(read.substr(0, 1 + replacement.size()), "a" + replacement);
        EXPECT_EQ(read.back(), 'b');
    }
}

TEST(JsonWriter, Nesting) {
    JsonWriter json;
    json.begin_object();
    json.key("empty");
    json.begin_array();
    json.end();
    json.key("nothing");
    json.begin_object();
    json.end();
    json.key("list");
    json.begin_array();
    json.value(1);
    json.begin_object();
    json.member("a", "b");
    json.member("c", 2.5);
    json.end();
    json.null();
    json.end();
    json.end();
    const strict_json::Value value = strict_json::parse(json.text());
    EXPECT_EQ(value["empty"].size(), 0u);
    EXPECT_TRUE(value["nothing"].members.empty());
    EXPECT_EQ(value["list"][1]["c"].number(), 2.5);
    EXPECT_TRUE(value["list"][2].null());
    EXPECT_EQ(json.text().back(), '\n');
}

Report some_report() {
    Report report;
    report.device.name = "a \"device\"";
    report.model = {4096,
                    1024,
                    {{"tree", {8190, 264}}, {"shuffle", {100, std::nullopt}}},
                    {{1, 2048, 64, 2, 1, 1}}};
    report.input = {"some file.npy", ElementType::kInt64, 10, 1, 1, std::int64_t{-7}, {true, 57}};
    Row row;
    row.name = "tree";
    row.checked = true;
    row.wall_ms = 1.5;
    report.rows.push_back(row);
    return report;
}

TEST(ReportJson, OnTheExecutor) {
    Report report = some_report();
    report.device.executor = ExecutorInfo{2, 0, 7, true, 8};
    report.rows[0].model = TileCost{8190, 264};
    report.rows[0].counts = TileCounts{8190, 264, 999};
    const strict_json::Value json = strict_json::parse(report_json(report));
    EXPECT_EQ(json["status"].string(), "ok");
    EXPECT_EQ(json["backend"].string(), "simt");
    EXPECT_EQ(json["device"]["executor"]["seed"].number(), 7);
    EXPECT_TRUE(json["device"]["executor"]["check"].is_true());
    EXPECT_EQ(json["tile_model"]["algorithms"][0]["requests"].number(), 264);
    EXPECT_TRUE(json["tile_model"]["algorithms"][1]["requests"].null());
    EXPECT_EQ(json["tile_model"]["levels"][0]["plain"].number(), 2);
    EXPECT_EQ(json["input"]["total"].text, "-7");
    EXPECT_EQ(json["input"]["bytes"].number(), 80);
    EXPECT_EQ(json["rows"][0]["counted"]["all_requests"].number(), 999);
    EXPECT_TRUE(json["rows"][0]["pipeline_ms"].null());
    EXPECT_TRUE(json["copy"].null());
    EXPECT_TRUE(json["cub"].null());
    EXPECT_TRUE(json["check"]["bound_chain"].null());
}

TEST(ReportJson, OnAGpu) {
    Report report = some_report();
    report.copy = Timing{std::nullopt, 0.5, 1e6};
    report.rows[0].timing = Timing{0.25, 1.0, 1e6};
    report.cub = report.rows[0];
    report.cub->name = "CUB";
    report.cub->timing = Timing{std::nullopt, 1.0, 1.5e6};
    report.cub_version = "3.0.1";
    report.input.rule.exact = false;
    const strict_json::Value json = strict_json::parse(report_json(report));
    EXPECT_EQ(json["backend"].string(), "cuda");
    EXPECT_TRUE(json["device"]["executor"].null());
    EXPECT_EQ(json["copy"]["gb_per_s"].number(), 2);
    EXPECT_EQ(json["rows"][0]["tile_ms"].number(), 0.25);
    EXPECT_EQ(json["rows"][0]["gb_per_s"].number(), 1);
    EXPECT_EQ(json["rows"][0]["percent_of_copy"].number(), 50);
    EXPECT_EQ(json["cub"]["percent_of_copy"].number(), 75);
    EXPECT_TRUE(json["cub"]["tile_ms"].null());
    EXPECT_EQ(json["cub_version"].string(), "3.0.1");
    EXPECT_EQ(json["check"]["bound_chain"].number(), 57);
}

TEST(ReportJson, Failures) {
    Report report = some_report();
    report.rows[0].checked = false;
    report.rows[0].failure = Failure{9, 3, 1, std::int64_t{5}, std::int64_t{-6}};
    strict_json::Value json = strict_json::parse(report_json(report));
    EXPECT_EQ(json["status"].string(), "failed");
    EXPECT_FALSE(json["rows"][0]["checked"].is_true());
    EXPECT_EQ(json["rows"][0]["failure"]["element"].number(), 9);
    EXPECT_EQ(json["rows"][0]["failure"]["tile"].number(), 3);
    EXPECT_EQ(json["rows"][0]["failure"]["position"].number(), 1);
    EXPECT_EQ(json["rows"][0]["failure"]["expected"].text, "5");
    EXPECT_EQ(json["rows"][0]["failure"]["got"].text, "-6");

    report = some_report();
    report.rows[0].model = TileCost{8190, 264};
    report.rows[0].counts = TileCounts{8190, 265, 999};
    EXPECT_EQ(strict_json::parse(report_json(report))["status"].string(), "failed");

    report = Report();
    report.error = "no device";
    json = strict_json::parse(report_json(report));
    EXPECT_EQ(json["status"].string(), "error");
    EXPECT_EQ(json["error"].string(), "no device");
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include "report_json.h"

#include "json_writer.h"

namespace scan_report {
namespace {

void write(JsonWriter& json, const Number& number) {
    std::visit([&](auto value) { json.value(value); }, number);
}

void write_device(JsonWriter& json, const DeviceInfo& device) {
    json.begin_object();
    json.member("name", device.name);
    json.member("compute_capability", 10 * device.capability_major + device.capability_minor);
    json.member("multiprocessors", device.multiprocessors);
    json.member("warp_size", device.warp_size);
    json.member("max_threads_per_block", device.max_threads_per_block);
    json.member("shared_bytes_per_block", device.shared_bytes);
    json.member("shared_bytes_per_block_optin", device.shared_bytes_optin);
    json.key("executor");
    if (device.executor) {
        json.begin_object();
        json.member("workers", std::uint64_t{device.executor->workers});
        json.member("resident", std::uint64_t{device.executor->resident});
        json.member("seed", device.executor->seed);
        json.member("check", device.executor->check);
        json.member("host_threads", std::uint64_t{device.executor->host_threads});
        json.end();
    } else {
        json.null();
    }
    json.end();
}

void write_cost(JsonWriter& json, const std::optional<TileCost>& cost) {
    if (!cost) return json.null();
    json.begin_object();
    json.member("adds", cost->adds);
    json.member("requests", cost->requests);
    json.end();
}

void write_model(JsonWriter& json, const TileModel& model) {
    json.begin_object();
    json.member("tile", model.tile);
    json.member("threads", model.threads);
    json.key("algorithms");
    json.begin_array();
    for (const ModelRow& row : model.rows) {
        json.begin_object();
        json.member("name", row.name);
        json.member("adds", row.cost.adds);
        json.member("requests", row.cost.requests);
        json.end();
    }
    json.end();
    json.key("levels");
    json.begin_array();
    for (const LevelRow& row : model.levels) {
        json.begin_object();
        json.member("stride", row.stride);
        json.member("lanes", row.lanes);
        json.member("warps", row.warps);
        json.member("plain", row.plain);
        json.member("one_term", row.one_term);
        json.member("two_term", row.two_term);
        json.end();
    }
    json.end();
    json.end();
}

void write_input(JsonWriter& json, const InputInfo& input) {
    json.begin_object();
    json.member("source", input.source.empty() ? std::string("built-in") : input.source);
    json.member("dtype", type_name(input.type));
    json.member("n", input.n);
    json.member("tiles", input.tiles);
    json.member("levels", input.levels);
    json.member("bytes", input.bytes());
    json.key("total");
    write(json, input.total);
    json.end();
}

void write_check(JsonWriter& json, const CheckRule& rule) {
    json.begin_object();
    json.member("exact", rule.exact);
    json.member("bound_chain", rule.exact ? std::optional<double>() : rule.chain);
    json.end();
}

void write_failure(JsonWriter& json, const std::optional<Failure>& failure) {
    if (!failure) return json.null();
    json.begin_object();
    json.member("element", failure->element);
    json.member("tile", failure->tile);
    json.member("position", failure->position);
    json.key("expected");
    write(json, failure->expected);
    json.key("got");
    write(json, failure->got);
    json.end();
}

void write_counts(JsonWriter& json, const std::optional<TileCounts>& counts) {
    if (!counts) return json.null();
    json.begin_object();
    json.member("adds", counts->adds);
    json.member("requests", counts->requests);
    json.member("all_requests", counts->all_requests);
    json.end();
}

void write_timing(JsonWriter& json, const std::optional<Timing>& timing,
                  const std::optional<Timing>& copy) {
    std::optional<double> tile_ms, pipeline_ms, bytes, rate, percent;
    if (timing) {
        tile_ms = timing->tile_ms;
        pipeline_ms = timing->pipeline_ms;
        bytes = timing->bytes;
        rate = timing->gb_per_s();
        if (copy) percent = 100 * *rate / copy->gb_per_s();
    }
    json.member("tile_ms", tile_ms);
    json.member("pipeline_ms", pipeline_ms);
    json.member("bytes", bytes);
    json.member("gb_per_s", rate);
    json.member("percent_of_copy", percent);
}

void write_row(JsonWriter& json, const Row& row, const Report& report) {
    json.begin_object();
    json.member("name", row.name);
    json.member("checked", row.checked);
    json.key("failure");
    write_failure(json, row.failure);
    json.key("counted");
    write_counts(json, row.counts);
    json.key("model");
    write_cost(json, row.model);
    write_timing(json, row.timing, report.copy);
    json.member("wall_ms", row.wall_ms);
    json.end();
}

}  // namespace

std::string report_json(const Report& report) {
    JsonWriter json;
    json.begin_object();
    json.member("status", report.error ? "error" : report.failed() ? "failed" : "ok");
    json.member("error", report.error);
    json.member("backend", report.device.executor ? "simt" : "cuda");
    json.key("device");
    write_device(json, report.device);
    json.key("tile_model");
    write_model(json, report.model);
    json.key("input");
    write_input(json, report.input);
    json.key("check");
    write_check(json, report.input.rule);
    json.key("copy");
    if (report.copy) {
        json.begin_object();
        json.member("ms", report.copy->pipeline_ms);
        json.member("bytes", report.copy->bytes);
        json.member("gb_per_s", report.copy->gb_per_s());
        json.end();
    } else {
        json.null();
    }
    json.key("rows");
    json.begin_array();
    for (const Row& row : report.rows) write_row(json, row, report);
    json.end();
    json.key("cub");
    if (report.cub) {
        write_row(json, *report.cub, report);
    } else {
        json.null();
    }
    json.member("cub_version",
                report.cub ? std::optional<std::string>(report.cub_version) : std::nullopt);
    json.member("warm_up_runs", report.copy ? std::optional<int>(kWarmUpRuns) : std::nullopt);
    json.member("timed_runs", report.copy ? std::optional<int>(kTimedRuns) : std::nullopt);
    json.end();
    return json.text();
}

}  // namespace scan_report

// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "checked_scan.h"
#include "cub_scan.h"
#include "device.h"
#include "gpu_timing.h"
#include "host_memory.h"
#include "npy.h"
#include "pipelines.h"
#include "report_text.h"
#include "run_report.h"
#include "tile_counts.h"

namespace scan_report {
namespace {

/// Text to stdout, with the progress line out of the way.
void print(Progress& progress, const std::string& text) {
    progress.stage("");
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

/// The built-in input. The period of 4 shows up a kernel that reads the right number of elements
/// from the wrong places, which equal elements would hide.
std::vector<float> built_in_input(std::uint64_t n) {
    std::vector<float> input(static_cast<std::size_t>(n), 1.0f);
    for (std::size_t i = 0; i < input.size(); i += 4) input[i] = 2.0f;
    return input;
}

/// Says what is missing if n elements do not fit, else nothing. Scanning takes the input on the
/// host, and input and output on the device.
std::string missing_memory(std::uint64_t n, std::size_t element_bytes) {
    const double array = static_cast<double>(n) * static_cast<double>(element_bytes);
    const auto missing = [&](const char* where, double needed, std::uint64_t available) {
        if (needed <= static_cast<double>(available)) return std::string();
        return format(
            "%llu elements of %zu bytes need %.0f MiB of %s memory, and %.0f are available",
            static_cast<unsigned long long>(n), element_bytes, needed / 1048576, where,
            static_cast<double>(available) / 1048576);
    };
    // One in 64 more on the device for the sums of the tiles.
    const double on_device = 2 * array + array / 64;
    if (device_memory_is_host_memory())
        return missing("host", array + on_device, available_host_memory());
    const std::string on_host = missing("host", array, available_host_memory());
    return on_host.empty() ? missing("device", on_device, available_device_memory()) : on_host;
}

template <class T>
ScanFunction<T> scan_function(const Pipeline<T>& pipeline) {
    return
        [scan = pipeline.scan](void* temp, std::size_t& temp_bytes, T* in, T* out, std::int64_t n) {
            return scan(temp, temp_bytes, in, out, n, nullptr);
        };
}

/// The work on an input of element type T.
template <class T>
class Run {
  public:
    Run(const Options& options, Report& report, Progress& progress)
        : options_(options), report_(report), progress_(progress) {
        for (const Pipeline<T>& pipeline : pipelines<T>(options.tile)) {
            if (options.algorithm.empty() || options.algorithm == pipeline.name)
                pipelines_.push_back(pipeline);
        }
        for (const Pipeline<T>& pipeline : pipelines_) check_shared_memory(pipeline);
    }

    void operator()(std::vector<T> input) {
        progress_.stage("looking at the input");
        describe_input(input);
        print(progress_, input_text(report_.input));
        progress_.stage("copying the input to the device");
        ScanData<T> data(std::move(input));
        check_all(data);
        if (report_.scan_failed()) {
            print(progress_, "A check has failed; nothing is measured.\n");
        } else {
            print(progress_, checked_text(report_));
            measure(data);
        }
        report_failures();
    }

  private:
    void check_shared_memory(const Pipeline<T>& pipeline) const {
        if (pipeline.shared_bytes <= report_.device.shared_bytes_optin) return;
        throw ArgumentError(format(
            "--tile: %s with %d elements of %zu bytes needs %zu bytes of shared memory, and a "
            "block of this device has at most %llu",
            pipeline.name, pipeline.tile, sizeof(T), pipeline.shared_bytes,
            static_cast<unsigned long long>(report_.device.shared_bytes_optin)));
    }

    void describe_input(const std::vector<T>& input) {
        const InputFacts facts = inspect_input(input.data(), input.size());
        InputInfo& info = report_.input;
        info.n = input.size();
        info.tiles = tiles_of(info.n, options_.tile);
        info.levels = levels_of(info.n, options_.tile);
        info.total = facts.total;
        info.rule = {facts.exact, static_cast<double>(add_chain(
                                      options_.tile, threads_for(options_.tile), info.levels))};
    }

    void check_all(ScanData<T>& data) {
        for (const Pipeline<T>& pipeline : pipelines_) {
            begin(pipeline.name, "checking the scan", report_.rows.size());
            report_.rows.push_back(checked_scan(data, pipeline.name, scan_function(pipeline),
                                                options_.tile, report_.input.rule));
        }
        report_.cub_version = cub_version();
        if (report_.cub_version.empty()) return;
        progress_.stage("CUB: checking the scan");
        // CUB hands the sum from tile to tile, of 512 elements at least: a chain may be that long.
        const CheckRule rule{report_.input.rule.exact, static_cast<double>(data.n()) / 512 + 64};
        report_.cub = checked_scan<T>(data, "CUB DeviceScan " + report_.cub_version,
                                      cub_exclusive_sum<T>, options_.tile, rule);
    }

    /// A line on stderr for everything that is wrong.
    void report_failures() {
        progress_.stage("");
        const auto complain = [](const std::string& line) {
            std::fputs(("scan_report: " + line).c_str(), stderr);
        };
        for (const Row& row : report_.rows) {
            if (row.failure) complain(failure_text(row));
            if (row.counts_differ()) complain(count_failure_text(row));
        }
        if (report_.cub && report_.cub->failure) complain(failure_text(*report_.cub));
    }

    void measure(ScanData<T>& data) {
        if (report_.device.executor) {
            count_all();
            print(progress_, counts_text(report_));
        } else if (data.n() != 0) {
            time_all(data);
            print(progress_, timing_text(report_));
        } else {
            print(progress_, "There is nothing to time.\n");
        }
    }

    void count_all() {
#if defined(SIMT_VERSION)
        for (std::size_t i = 0; i < report_.rows.size(); ++i) {
            Row& row = report_.rows[i];
            begin(row.name, "counting on one tile", i);
            row.counts = count_tile(row.name, options_.tile);
            row.model = model_of(row.name);
        }
#endif
    }

    std::optional<TileCost> model_of(const std::string& name) const {
        for (const ModelRow& row : report_.model.rows) {
            if (row.name == name) return row.cost;
        }
        return std::nullopt;
    }

    void time_all(ScanData<T>& data) {
        progress_.stage("timing a copy");
        report_.copy = time_copy(data);
        for (std::size_t i = 0; i < pipelines_.size(); ++i) {
            begin(pipelines_[i].name, "timing", i);
            report_.rows[i].timing = time_pipeline(data, pipelines_[i]);
            report_.rows[i].model = model_of(pipelines_[i].name);
        }
        if (!report_.cub) return;
        progress_.stage("CUB: timing");
        const double ms = time_scan<T>(data, report_.cub->name, cub_exclusive_sum<T>);
        report_.cub->timing =
            Timing{std::nullopt, ms, 2.0 * static_cast<double>(report_.input.bytes())};
    }

    void begin(const std::string& name, const char* doing, std::size_t index) {
        progress_.stage(
            format("%s (%zu of %zu): %s", name.c_str(), index + 1, pipelines_.size(), doing));
    }

    const Options& options_;
    Report& report_;
    Progress& progress_;
    std::vector<Pipeline<T>> pipelines_;
};

void run_built_in(const Options& options, Report& report, Progress& progress) {
    report.input.type = ElementType::kFloat32;
    report.input.n = options.n;
    const std::string missing = missing_memory(options.n, sizeof(float));
    if (!missing.empty()) throw ArgumentError("--n: " + missing);
    Run<float> run(options, report, progress);
    progress.stage("making the input");
    run(built_in_input(options.n));
}

void run_file(const Options& options, Report& report, Progress& progress) {
    report.input.source = options.input;
    try {
        NpyFile file(options.input);
        report.input.type = file.type();
        report.input.n = file.count();
        const std::string missing = missing_memory(file.count(), type_size(file.type()));
        if (!missing.empty()) throw InputError(missing);
        with_element_type(file.type(), [&](auto zero) {
            using T = decltype(zero);
            Run<T> run(options, report, progress);
            progress.stage("reading the input");
            run(file.read<T>());
        });
    } catch (const NpyError& error) {
        throw InputError(quoted(options.input) + ": " + error.what());
    } catch (const InputError& error) {
        throw InputError(quoted(options.input) + ": " + error.what());
    }
}

}  // namespace

void run_report(const Options& options, Report& report, Progress& progress) {
    report.model = tile_model(options.tile);
    report.device = describe_device();
    print(progress, device_text(report.device) + model_text(report.model));
    if (options.input.empty()) {
        run_built_in(options, report, progress);
    } else {
        run_file(options, report, progress);
    }
}

}  // namespace scan_report

// SPDX-License-Identifier: Apache-2.0
// scan_report: what each tile algorithm of libscan costs, and that it is right. See --help.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <optional>

#include "args.h"
#include "output_file.h"
#include "pipelines.h"
#include "report_json.h"
#include "run_report.h"

namespace scan_report {
namespace {

enum Status { kOk = 0, kFailed = 1, kBadArguments = 2 };

Choices choices() {
    return {std::vector<int>(std::begin(kTileSizes), std::end(kTileSizes)), algorithm_names()};
}

/// Runs the report and writes it as JSON as far as it came, then lets an error go on.
void run_and_write(const Options& options, Report& report) {
    std::optional<OutputFile> json;
    if (!options.json.empty()) {
        json.emplace(options.json);
        if (!options.input.empty() && json->is(options.input)) {
            throw ArgumentError("--json and --input are the same file");
        }
    }
    try {
        Progress progress(Progress::choose(options.progress));
        run_report(options, report, progress);
    } catch (const std::exception& error) {
        report.error = error.what();
        if (json) json->write(report_json(report));
        throw;
    }
    if (json) json->write(report_json(report));
}

Status run(const std::vector<std::string>& arguments) {
    const Options options = parse_arguments(arguments, choices());
    if (options.help) {
        std::fputs(help_text(choices()).c_str(), stdout);
    } else {
        Report report;
        run_and_write(options, report);
        if (report.failed()) return kFailed;
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
        throw FileError(std::string("cannot write to standard output: ") + std::strerror(errno));
    }
    return kOk;
}

Status complain(const char* message, Status status) {
    std::fprintf(stderr, "scan_report: %s\n", message);
    return status;
}

}  // namespace
}  // namespace scan_report

int main(int argc, char** argv) {
    using namespace scan_report;
    try {
        return run(std::vector<std::string>(argv + (argc > 0), argv + argc));
    } catch (const ArgumentError& error) {
        return complain(error.what(), kBadArguments);
    } catch (const std::bad_alloc&) {
        return complain("out of memory", kFailed);
    } catch (const std::exception& error) {
        return complain(error.what(), kFailed);
    }
}

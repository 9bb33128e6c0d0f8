// SPDX-License-Identifier: Apache-2.0
#include "report_text.h"

#include <algorithm>

#include "text.h"

namespace scan_report {
namespace {

constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr int kNameWidth = 26;

std::string size(double bytes) {
    if (bytes < 10 * 1024) return format("%.0f bytes", bytes);
    return bytes < 10 * kMebibyte ? format("%.0f KiB", bytes / 1024)
                                  : format("%.0f MiB", bytes / kMebibyte);
}

unsigned long long printable(std::uint64_t number) { return number; }

std::string name_cell(const std::string& name) { return format("%-*s", kNameWidth, name.c_str()); }

std::string rule(std::initializer_list<int> widths) {
    std::string line;
    for (const int width : widths)
        line += (line.empty() ? "" : " ") + std::string(static_cast<std::size_t>(width), '-');
    return line + "\n";
}

/// A count, or a dash, right-aligned.
std::string cell(const std::optional<std::uint64_t>& count, int width = 10) {
    return count ? format(" %*llu", width, printable(*count)) : format(" %*s", width, "-");
}

const Row* find_row(const Report& report, const std::string& name) {
    for (const Row& row : report.rows) {
        if (row.name == name) return &row;
    }
    return nullptr;
}

}  // namespace

std::string device_text(const DeviceInfo& device) {
    if (!device.executor) {
        return format("GPU: %s (compute capability %d.%d), %d SMs, warp size %d\n",
                      device.name.c_str(), device.capability_major, device.capability_minor,
                      device.multiprocessors, device.warp_size) +
               format("Threads per block: at most %d\n", device.max_threads_per_block) +
               format("Shared memory per block: %llu bytes, %llu on request\n\n",
                      printable(device.shared_bytes), printable(device.shared_bytes_optin));
    }
    const ExecutorInfo& executor = *device.executor;
    const std::string resident = executor.resident == 0
                                     ? std::string("as many resident blocks as the executor likes")
                                     : format("%u resident blocks each", executor.resident);
    return "No GPU: the kernels run on the CPU, by the " + device.name + "\n" +
           format("  %u worker threads on %u hardware threads, ", executor.workers,
                  executor.host_threads) +
           resident + "\n" +
           (executor.seed == 0 ? std::string("  threads in order")
                               : format("  random schedule, seed %llu", printable(executor.seed))) +
           (executor.check ? ", accesses to shared memory checked\n\n" : "\n\n");
}

std::string model_text(const TileModel& model) {
    std::string text = "Tile model, computed at compile time\n" +
                       format("  %d elements per tile, %d threads per block, %zu levels\n",
                              model.tile, model.threads, model.levels.size()) +
                       "  kernel                      adds/tile  requests/tile\n" + "  " +
                       rule({kNameWidth, 10, 14});
    for (const ModelRow& row : model.rows) {
        text += "  " + name_cell(row.name) + cell(row.cost.adds, 10) + cell(row.cost.requests, 14) +
                "\n";
    }
    text +=
        "\nLevels of the up-sweep, and how many requests one access of a warp becomes. The "
        "down-sweep takes\n"
        "the same levels from the last to the first.\n"
        "    stride    lanes    warps    plain one-term   padded\n"
        "  " +
        rule({8, 8, 8, 8, 8, 8});
    for (const LevelRow& row : model.levels) {
        text += format("  %8d %8d %8d %8d %8d %8d\n", row.stride, row.lanes, row.warps, row.plain,
                       row.one_term, row.two_term);
    }
    return text + "\n";
}

std::string input_text(const InputInfo& input) {
    const bool built_in = input.source.empty();
    std::string text =
        format("%llu elements of %s, %llu tiles in %d level%s, %s in\n", printable(input.n),
               type_name(input.type), printable(input.tiles), input.levels,
               input.levels == 1 ? "" : "s", size(static_cast<double>(input.bytes())).c_str());
    text += built_in ? "every fourth element is 2, the rest 1" : "from " + quoted(input.source);
    text += ", total " + to_text(input.total) + "\n";
    const bool integer = std::holds_alternative<std::int64_t>(input.total);
    if (integer) {
        text += "sums wrap around; every output is compared with the serial scan, bit for bit\n";
    } else if (input.rule.exact) {
        text += "no order of adds can round here; every output is compared exactly\n";
    } else {
        text += format(
            "adds can round here; every output may be off by the bound for chains of %.0f adds\n",
            input.rule.chain);
    }
    return text + "\n";
}

std::string checked_text(const Report& report) {
    return format("%zu scan%s, all outputs right", report.rows.size(),
                  report.rows.size() == 1 ? "" : "s") +
           (report.cub ? " (and those of CUB)\n\n" : "\n\n");
}

std::string failure_text(const Row& row) {
    const Failure& failure = *row.failure;
    return format(
        "%s: element %llu (block %llu, position %d in its tile) is wrong: expected %s, got %s\n",
        row.name.c_str(), printable(failure.element), printable(failure.tile), failure.position,
        to_text(failure.expected).c_str(), to_text(failure.got).c_str());
}

std::string count_failure_text(const Row& row) {
    const auto number = [](const std::optional<std::uint64_t>& count) {
        return count ? std::to_string(*count) : std::string("no");
    };
    return format("%s: counted %s adds and %s requests a tile, where the model says %s and %s\n",
                  row.name.c_str(), number(row.counts->adds).c_str(),
                  number(row.counts->requests).c_str(), number(row.model->adds).c_str(),
                  number(row.model->requests).c_str());
}

std::string timing_text(const Report& report) {
    const Timing& copy = *report.copy;
    std::string text = format("copy, no scan: %.3f ms, %.1f GB/s over %s\n\n", copy.pipeline_ms,
                              copy.gb_per_s(), size(copy.bytes).c_str()) +
                       "kernel                      tile (ms) pipeline (ms)   moves (MiB)       "
                       "GB/s   % of copy\n" +
                       rule({kNameWidth, 10, 13, 13, 10, 11});
    const auto line = [&](const Row& row) {
        const Timing& timing = *row.timing;
        return name_cell(row.name) +
               (timing.tile_ms ? format(" %10.3f", *timing.tile_ms) : format(" %10s", "-")) +
               format(" %13.3f %13.0f %10.1f %11.1f\n", timing.pipeline_ms,
                      timing.bytes / kMebibyte, timing.gb_per_s(),
                      100 * timing.gb_per_s() / copy.gb_per_s());
    };
    for (const Row& row : report.rows) text += line(row);
    if (report.cub) text += line(*report.cub);
    text += format(
        "\nMedians of %d runs after %d to warm up, by the device's clock. tile is the first kernel "
        "alone,\n"
        "pipeline the whole scan. A copy reads and writes each element once and so does CUB's "
        "scan; the\n"
        "three kernels do so twice. So the last column compares rates, not times.\n",
        kTimedRuns, kWarmUpRuns);
    const Row* const plain = find_row(report, "blelloch");
    const Row* const padded = find_row(report, "blelloch_padded");
    if (plain && padded) {
        const double ratio = padded->timing->pipeline_ms / plain->timing->pipeline_ms;
        text +=
            format("The padded tree's pipeline takes %.2f times the plain tree's time.\n", ratio);
    }
    return text;
}

std::string counts_text(const Report& report) {
    std::string text =
        "                             adds per tile        requests per tile\n"
        "kernel                        counted      model    counted      model        all\n" +
        rule({kNameWidth, 10, 10, 10, 10, 10});
    for (const Row& row : report.rows) {
        const TileCounts& counts = *row.counts;
        const TileCost& model = *row.model;
        text += name_cell(row.name) + cell(counts.adds) + cell(model.adds) + cell(counts.requests) +
                cell(model.requests) + cell(counts.all_requests) + "\n";
    }
    text += format(
        "\nCounted while the kernel scanned one full tile of %d float32. The model counts the "
        "requests of one\n"
        "access at each step of the sweeps; all: every read and write of shared memory in the "
        "kernel.\n",
        report.model.tile);
    if (!report.counts_differ()) text += "Everything counted is what the model says.\n";
    text += "Wall time of the checked scans on this CPU, in ms (it says nothing about a GPU):\n";
    for (const Row& row : report.rows)
        text += format("  %s %.0f\n", name_cell(row.name).c_str(), row.wall_ms);
    return text;
}

}  // namespace scan_report

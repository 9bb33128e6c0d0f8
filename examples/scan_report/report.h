// SPDX-License-Identifier: Apache-2.0
// Everything that the program finds out, as plain data. report_text.h prints it, report_json.h
// writes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "check.h"
#include "element.h"

namespace scan_report {

/// How the CPU executor is set.
struct ExecutorInfo {
    unsigned workers;       ///< worker threads
    unsigned resident;      ///< blocks resident on each; 0: the executor chooses
    std::uint64_t seed;     ///< 0: in order
    bool check;             ///< races and uninitialised or outside accesses are looked for
    unsigned host_threads;  ///< hardware threads of this machine
};

struct DeviceInfo {
    std::string name;
    int capability_major = 0, capability_minor = 0;
    int multiprocessors = 0;
    int warp_size = 0;
    int max_threads_per_block = 0;
    std::uint64_t shared_bytes = 0;        ///< per block, without asking for more
    std::uint64_t shared_bytes_optin = 0;  ///< per block, at most
    std::optional<ExecutorInfo> executor;  ///< set if this is the CPU executor and no GPU
};

/// What one tile costs: adds of elements, and requests of a warp to shared memory after bank
/// conflicts split them.
struct TileCost {
    std::uint64_t adds;
    std::optional<std::uint64_t> requests;  ///< none for the warp-shuffle scan: it has no sweeps
};

struct ModelRow {
    std::string name;
    TileCost cost;
};

/// One level of the up-sweep, with the conflict degree of each layout.
struct LevelRow {
    int stride, lanes, warps;
    int plain, one_term, two_term;
};

struct TileModel {
    int tile, threads;
    std::vector<ModelRow> rows;
    std::vector<LevelRow> levels;
};

struct InputInfo {
    std::string source;  ///< empty: the built-in input; else the file's name
    ElementType type = ElementType::kFloat32;
    std::uint64_t n = 0;
    std::uint64_t tiles = 0;
    int levels = 0;  ///< levels of the scan: 1 if one tile holds everything
    Number total;    ///< sum of the input
    CheckRule rule{true, 0};

    std::uint64_t bytes() const { return n * type_size(type); }
};

/// Counted while the kernel scanned one full tile of float32.
struct TileCounts {
    std::uint64_t adds;
    std::optional<std::uint64_t>
        requests;  ///< of the access that the model counts; none in a warp-shuffle scan
    std::uint64_t all_requests;  ///< of every shared-memory read and write of the kernel
};

/// One measured row, medians of kTimedRuns runs by the device's own clock.
struct Timing {
    std::optional<double> tile_ms;  ///< the tile scan alone, the first of the three kernels
    double pipeline_ms;             ///< the whole scan
    double bytes;                   ///< read and written by it in global memory
    double gb_per_s() const { return bytes / pipeline_ms / 1e6; }
};

constexpr int kWarmUpRuns = 3;
constexpr int kTimedRuns = 25;

/// One algorithm.
struct Row {
    std::string name;
    bool checked = false;  ///< every output was right
    std::optional<Failure> failure;
    double wall_ms = 0;  ///< of the checked run, by the host's clock
    std::optional<TileCost> model;
    std::optional<TileCounts> counts;
    std::optional<Timing> timing;

    bool counts_differ() const {
        return counts && model &&
               (counts->adds != model->adds || counts->requests != model->requests);
    }
};

struct Report {
    DeviceInfo device;
    TileModel model;
    InputInfo input;
    std::vector<Row> rows;
    std::optional<Row> cub;  ///< the same scan by CUB, where it was compiled in
    std::string cub_version;
    std::optional<Timing> copy;        ///< a device-to-device copy of the input
    std::optional<std::string> error;  ///< why the program stopped early

    /// An output was wrong.
    bool scan_failed() const {
        return std::any_of(rows.begin(), rows.end(),
                           [](const Row& row) { return row.failure.has_value(); }) ||
               (cub && cub->failure);
    }
    /// A count was not the model's.
    bool counts_differ() const {
        return std::any_of(rows.begin(), rows.end(),
                           [](const Row& row) { return row.counts_differ(); });
    }
    bool failed() const { return scan_failed() || counts_differ(); }
};

}  // namespace scan_report

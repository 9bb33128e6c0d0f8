// SPDX-License-Identifier: Apache-2.0
// Times by the device's own clock.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "checked_scan.h"
#include "device.h"
#include "pipelines.h"

namespace scan_report {

class Event {
  public:
    Event() { check(cudaEventCreate(&event_), "creating an event"); }
    ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record() { check(cudaEventRecord(event_), "recording an event"); }
    /// Milliseconds since the other event; waits for this one.
    double since(const Event& other) const {
        check(cudaEventSynchronize(event_), "waiting for a timed run");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, other.event_, event_), "reading the time of a run");
        return ms;
    }

  private:
    cudaEvent_t event_ = nullptr;
};

/// Median of kTimedRuns runs of work(), which puts its work on the default stream, after
/// kWarmUpRuns more.
template <class Work>
double median_ms(Work&& work) {
    for (int run = 0; run < kWarmUpRuns; ++run) work();
    Event begin, end;
    std::vector<double> times;
    for (int run = 0; run < kTimedRuns; ++run) {
        begin.record();
        work();
        end.record();
        times.push_back(end.since(begin));
    }
    const auto middle = times.begin() + kTimedRuns / 2;
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
}

/// Bytes that the three-kernel scan reads and writes: the tile scan and the uniform add each go
/// through the array once; between them the sums of the tiles are written, scanned and read, level
/// by level.
inline double scan_bytes(std::uint64_t n, int tile, std::size_t element_bytes) {
    const std::uint64_t tiles = tiles_of(n, tile);
    const double array = static_cast<double>(n) * static_cast<double>(element_bytes);
    const double sums = static_cast<double>(tiles) * static_cast<double>(element_bytes);
    if (tiles <= 1) return 2 * array;
    return 4 * array + 2 * sums + scan_bytes(tiles, tile, element_bytes);
}

template <class T>
Timing time_copy(ScanData<T>& data) {
    const std::size_t bytes = data.n() * sizeof(T);
    const double ms = median_ms([&] {
        check(cudaMemcpyAsync(data.out(), data.in(), bytes, cudaMemcpyDeviceToDevice, nullptr),
              "copying on the device");
    });
    return {std::nullopt, ms, 2.0 * static_cast<double>(bytes)};
}

template <class T>
double time_scan(ScanData<T>& data, const std::string& name, const ScanFunction<T>& scan) {
    PreparedScan<T> prepared(scan, name, data.in(), data.out(), data.n());
    return median_ms([&] { prepared.launch(); });
}

template <class T>
Timing time_pipeline(ScanData<T>& data, const Pipeline<T>& pipeline) {
    DeviceBuffer<T> tile_sums(tiles_of(data.n(), pipeline.tile));
    const auto n = static_cast<std::int64_t>(data.n());
    const double tile_ms = median_ms([&] {
        check(pipeline.scan_tiles(data.in(), data.out(), tile_sums.data(), n, nullptr),
              pipeline.name);
    });
    const auto scan = [&](void* temp, std::size_t& bytes, T* in, T* out, std::int64_t count) {
        return pipeline.scan(temp, bytes, in, out, count, nullptr);
    };
    const double pipeline_ms = time_scan<T>(data, pipeline.name, scan);
    return {tile_ms, pipeline_ms, scan_bytes(data.n(), pipeline.tile, sizeof(T))};
}

}  // namespace scan_report

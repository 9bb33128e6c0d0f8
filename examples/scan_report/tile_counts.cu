// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include "tile_counts.h"

#if defined(SIMT_VERSION)

#include <libscan/three_kernel_scan.cuh>
#include <libscan/tile_algorithm.cuh>
#include <string_view>
#include <vector>

#include "device.h"
#include "pipelines.h"

namespace scan_report {
namespace {

/// Plus, and counts how often it is called.
struct CountingPlus {
    unsigned long long* adds;
    __device__ float operator()(float left, float right) const {
        atomicAdd(adds, 1ull);
        return left + right;
    }
};

template <template <class, int, int> class TileScan, int kTile>
cudaError_t scan_one_tile(float* in, float* out, float* sum, CountingPlus plus) {
    using Scan = libscan::ThreeKernelScan<TileScan, threads_for(kTile), kTile>;
    return Scan::TileOnly(in, out, sum, plus, libscan::Identity<float>{0.0f}, kTile);
}

using Probe = cudaError_t (*)(float*, float*, float*, CountingPlus);

template <template <class, int, int> class TileScan>
Probe probe_of_tile(int tile) {
    switch (tile) {
        case 256:
            return scan_one_tile<TileScan, 256>;
        case 1024:
            return scan_one_tile<TileScan, 1024>;
        case 4096:
            return scan_one_tile<TileScan, 4096>;
        case 8192:
            return scan_one_tile<TileScan, 8192>;
    }
    throw DeviceError(format("tiles of %d elements are not compiled in", tile));
}

Probe find_probe(const std::string& algorithm, int tile) {
    using libscan::TileAlgorithm;
    for (const TileAlgorithm candidate : libscan::kTileAlgorithms) {
        if (algorithm != libscan::tile_algorithm_name(candidate)) continue;
        switch (candidate) {
            case TileAlgorithm::kHillisSteele:
                return probe_of_tile<libscan::BlockHillisSteele>(tile);
            case TileAlgorithm::kBlelloch:
                return probe_of_tile<libscan::BlockBlelloch>(tile);
            case TileAlgorithm::kBlellochPadded:
                return probe_of_tile<libscan::BlockBlellochPadded>(tile);
            case TileAlgorithm::kBlellochPaddedOneTerm:
                return probe_of_tile<libscan::BlockBlellochPaddedOneTerm>(tile);
            case TileAlgorithm::kWarpShuffle:
                return probe_of_tile<libscan::BlockWarpShuffle>(tile);
        }
    }
    throw DeviceError("algorithm " + quoted(algorithm) + " is unknown");
}

/// Bank requests are counted while one of these lives.
class CountRequests {
  public:
    CountRequests() : before_(simt::config().count) {
        simt::reset_bank_counts();
        simt::config().count = true;
    }
    ~CountRequests() { simt::config().count = before_; }
    CountRequests(const CountRequests&) = delete;
    CountRequests& operator=(const CountRequests&) = delete;

  private:
    bool before_;
};

/// The model counts one access a step of the sweeps: their first read.
void add_requests(TileCounts& counts) {
    const std::vector<simt::SiteCount> sites = simt::bank_counts();
    for (const std::string_view sweep : {"sweep", "up_sweep", "down_sweep"}) {
        for (const simt::SiteCount& site : sites) {  // sorted by line
            if (site.write || site.function != sweep) continue;
            counts.requests = counts.requests.value_or(0) + site.requests;
            break;
        }
    }
    for (const simt::SiteCount& site : sites) counts.all_requests += site.requests;
}

}  // namespace

TileCounts count_tile(const std::string& algorithm, int tile) {
    const Probe probe = find_probe(algorithm, tile);
    const std::vector<float> ones(static_cast<std::size_t>(tile), 1.0f);
    const std::size_t bytes = ones.size() * sizeof(float);
    DeviceBuffer<float> in(ones.size()), out(ones.size()), sum(1);
    DeviceBuffer<unsigned long long> adds(1);
    check(cudaMemcpy(in.data(), ones.data(), bytes, cudaMemcpyHostToDevice), algorithm);
    check(cudaMemset(adds.data(), 0, sizeof(unsigned long long)), algorithm);

    const CountRequests counting;
    check(probe(in.data(), out.data(), sum.data(), CountingPlus{adds.data()}), algorithm);
    check(cudaDeviceSynchronize(), algorithm);
    unsigned long long calls = 0;
    check(cudaMemcpy(&calls, adds.data(), sizeof calls, cudaMemcpyDeviceToHost), algorithm);
    TileCounts counts{calls, std::nullopt, 0};
    add_requests(counts);
    return counts;
}

}  // namespace scan_report

#endif

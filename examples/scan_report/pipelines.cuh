// SPDX-License-Identifier: Apache-2.0
// Instantiates the scans of one tile size. Included by the pipelines_<tile>.cu only.
#pragma once

#include <libscan/three_kernel_scan.cuh>
#include <libscan/tile_algorithm.cuh>

#include "pipelines.h"

namespace scan_report {

namespace detail {

template <class T, template <class, int, int> class TileScan, int kTile>
Pipeline<T> make_pipeline(libscan::TileAlgorithm algorithm) {
    constexpr int kThreads = threads_for(kTile);
    using Scan = libscan::ThreeKernelScan<TileScan, kThreads, kTile>;
    Pipeline<T> pipeline;
    pipeline.name = libscan::tile_algorithm_name(algorithm);
    pipeline.tile = kTile;
    pipeline.threads = kThreads;
    pipeline.shared_bytes = sizeof(typename TileScan<T, kThreads, kTile>::TempStorage);
    pipeline.scan = [](void* temp, std::size_t& temp_bytes, T* in, T* out, std::int64_t n,
                       cudaStream_t stream) {
        return Scan::ExclusiveSum(temp, temp_bytes, in, out, n, stream);
    };
    pipeline.scan_tiles = [](T* in, T* out, T* tile_sums, std::int64_t n, cudaStream_t stream) {
        return Scan::TileOnly(in, out, tile_sums, libscan::Plus{}, libscan::Identity<T>{T(0)}, n,
                              stream);
    };
    return pipeline;
}

}  // namespace detail

template <class T, int kTile>
std::vector<Pipeline<T>> make_pipelines() {
    using libscan::TileAlgorithm;
    return {
        detail::make_pipeline<T, libscan::BlockHillisSteele, kTile>(TileAlgorithm::kHillisSteele),
        detail::make_pipeline<T, libscan::BlockBlelloch, kTile>(TileAlgorithm::kBlelloch),
        detail::make_pipeline<T, libscan::BlockBlellochPadded, kTile>(
            TileAlgorithm::kBlellochPadded),
        detail::make_pipeline<T, libscan::BlockBlellochPaddedOneTerm, kTile>(
            TileAlgorithm::kBlellochPaddedOneTerm),
        detail::make_pipeline<T, libscan::BlockWarpShuffle, kTile>(TileAlgorithm::kWarpShuffle),
    };
}

}  // namespace scan_report

#define SCAN_REPORT_INSTANTIATE(tile)                                                              \
    template std::vector<scan_report::Pipeline<float>> scan_report::make_pipelines<float, tile>(); \
    template std::vector<scan_report::Pipeline<double>>                                            \
    scan_report::make_pipelines<double, tile>();                                                   \
    template std::vector<scan_report::Pipeline<std::uint32_t>>                                     \
    scan_report::make_pipelines<std::uint32_t, tile>();                                            \
    template std::vector<scan_report::Pipeline<std::uint64_t>>                                     \
    scan_report::make_pipelines<std::uint64_t, tile>();

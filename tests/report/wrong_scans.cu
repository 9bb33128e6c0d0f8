// SPDX-License-Identifier: Apache-2.0
// In place of scan_report's pipelines: one scan that is right, and one that leaves out the last two
// of the three kernels, so that every tile starts at 0.
#include <libscan/three_kernel_scan.cuh>

#include "examples/scan_report/cub_scan.h"
#include "examples/scan_report/pipelines.h"
#include "examples/scan_report/tile_counts.h"

namespace scan_report {
namespace {

constexpr int kTile = 256;
using Scan = libscan::ThreeKernelScan<libscan::BlockWarpShuffle, threads_for(kTile), kTile>;

template <class T>
cudaError_t scan_tiles(T* in, T* out, T* tile_sums, std::int64_t n, cudaStream_t stream) {
    return Scan::TileOnly(in, out, tile_sums, libscan::Plus{}, libscan::Identity<T>{T(0)}, n,
                          stream);
}

template <class T>
cudaError_t scan(void* temp, std::size_t& bytes, T* in, T* out, std::int64_t n,
                 cudaStream_t stream) {
    return Scan::ExclusiveSum(temp, bytes, in, out, n, stream);
}

template <class T>
cudaError_t scan_without_offsets(void* temp, std::size_t& bytes, T* in, T* out, std::int64_t n,
                                 cudaStream_t stream) {
    bytes = 1;
    return temp == nullptr ? cudaSuccess : scan_tiles<T>(in, out, nullptr, n, stream);
}

}  // namespace

template <class T>
std::vector<Pipeline<T>> pipelines(int) {
    return {
        {"right", kTile, threads_for(kTile), 0, scan<T>, scan_tiles<T>},
        {"drops_offsets", kTile, threads_for(kTile), 0, scan_without_offsets<T>, scan_tiles<T>}};
}

template std::vector<Pipeline<float>> pipelines<float>(int tile);
template std::vector<Pipeline<double>> pipelines<double>(int tile);
template std::vector<Pipeline<std::uint32_t>> pipelines<std::uint32_t>(int tile);
template std::vector<Pipeline<std::uint64_t>> pipelines<std::uint64_t>(int tile);

std::vector<std::string> algorithm_names() { return {"right", "drops_offsets"}; }

TileModel tile_model(int) {
    return {kTile, threads_for(kTile), {{"right", {1, 1}}, {"drops_offsets", {1, 1}}}, {}};
}

TileCounts count_tile(const std::string&, int) { return {1, 1, 1}; }

std::string cub_version() { return ""; }

template <class T>
cudaError_t cub_exclusive_sum(void*, std::size_t&, T*, T*, std::int64_t) {
    return cudaErrorNotSupported;
}

template cudaError_t cub_exclusive_sum(void*, std::size_t&, float*, float*, std::int64_t);
template cudaError_t cub_exclusive_sum(void*, std::size_t&, double*, double*, std::int64_t);
template cudaError_t cub_exclusive_sum(void*, std::size_t&, std::uint32_t*, std::uint32_t*,
                                       std::int64_t);
template cudaError_t cub_exclusive_sum(void*, std::size_t&, std::uint64_t*, std::uint64_t*,
                                       std::int64_t);

}  // namespace scan_report

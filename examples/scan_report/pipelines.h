// SPDX-License-Identifier: Apache-2.0
// The compiled scans: every tile algorithm, for every element type and tile size, behind plain
// functions. Each tile size is instantiated in a source file of its own (pipelines_<tile>.cu), so
// that they compile in parallel.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report.h"

namespace scan_report {

/// Tile sizes of this build, ascending.
constexpr int kTileSizes[] = {256, 1024, 4096, 8192};

/// Threads of a block: four elements each, as far as a block can have so many.
constexpr int threads_for(int tile) { return tile / 4 < 1024 ? tile / 4 : 1024; }

/// The three-kernel exclusive sum of T with one tile algorithm. The input is not written; it is no
/// pointer to const so that the kernels are the same ones that scan the sums of the tiles, and are
/// compiled once.
template <class T>
struct Pipeline {
    const char* name;
    int tile;
    int threads;
    std::size_t shared_bytes;  ///< of shared memory that a block needs

    /// The whole scan in two phases, as in libscan::ThreeKernelScan.
    cudaError_t (*scan)(void* temp, std::size_t& temp_bytes, T* in, T* out, std::int64_t n,
                        cudaStream_t stream);

    /// The first kernel alone: every tile is scanned from 0, and its sum goes to tile_sums[tile].
    cudaError_t (*scan_tiles)(T* in, T* out, T* tile_sums, std::int64_t n, cudaStream_t stream);
};

/// The pipelines with tiles of kTile elements, one of kTileSizes, in the order of
/// libscan::kTileAlgorithms.
template <class T, int kTile>
std::vector<Pipeline<T>> make_pipelines();

/// The same for a size known at run time. Empty for other sizes than kTileSizes.
template <class T>
std::vector<Pipeline<T>> pipelines(int tile);

/// Names of the algorithms, in the same order.
std::vector<std::string> algorithm_names();

/// What the compile-time model says of a tile of one of kTileSizes.
TileModel tile_model(int tile);

}  // namespace scan_report

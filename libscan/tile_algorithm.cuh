// SPDX-License-Identifier: Apache-2.0
//
// All tile scans, and their names. They share one interface (see any of them), so that they can be
// exchanged: ThreeKernelScan<BlockBlellochPadded, 1024, 4096>.
#pragma once

#include <libscan/block_blelloch.cuh>
#include <libscan/block_blelloch_padded.cuh>
#include <libscan/block_blelloch_padded_one_term.cuh>
#include <libscan/block_hillis_steele.cuh>
#include <libscan/block_warp_shuffle.cuh>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN

enum class TileAlgorithm {
    kHillisSteele,
    kBlelloch,
    kBlellochPadded,
    kBlellochPaddedOneTerm,
    kWarpShuffle,
};

inline constexpr TileAlgorithm kTileAlgorithms[] = {
    TileAlgorithm::kHillisSteele,   TileAlgorithm::kBlelloch,
    TileAlgorithm::kBlellochPadded, TileAlgorithm::kBlellochPaddedOneTerm,
    TileAlgorithm::kWarpShuffle,
};

// The algorithm's name in lower case, as in the name of its file: "hillis_steele" and so on.
constexpr const char* tile_algorithm_name(TileAlgorithm algorithm) {
    switch (algorithm) {
        case TileAlgorithm::kHillisSteele:
            return "hillis_steele";
        case TileAlgorithm::kBlelloch:
            return "blelloch";
        case TileAlgorithm::kBlellochPadded:
            return "blelloch_padded";
        case TileAlgorithm::kBlellochPaddedOneTerm:
            return "blelloch_padded_one_term";
        case TileAlgorithm::kWarpShuffle:
            return "warp_shuffle";
    }
    return "unknown";
}

LIBSCAN_NAMESPACE_END

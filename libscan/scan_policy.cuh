// SPDX-License-Identifier: Apache-2.0
//
// Tuning of the single-pass scan.
#pragma once

#include <cstddef>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN

struct ScanPolicy {
    int threads;  // of a block
    int tile;     // elements; a power of two
};

// Depends on the size of the accumulator alone: a tile's shape decides in which order its elements
// are combined, so one shape for all GPUs gives the same bits on all of them. The tile holds 16 KB
// where it can; below 32 elements it does not go.
constexpr ScanPolicy scan_policy(std::size_t value_size) {
    int tile = 4096;
    while (tile > 32 && static_cast<std::size_t>(tile) * value_size > 16384) tile /= 2;
    return ScanPolicy{tile >= 256 ? 256 : tile < 64 ? 32 : 64, tile};
}

static_assert(scan_policy(1).tile == 4096 && scan_policy(4).tile == 4096,
              "16 KB of bytes would be large");
static_assert(scan_policy(8).tile == 2048 && scan_policy(16).tile == 1024, "16 KB");
static_assert(scan_policy(4096).tile == 32 && scan_policy(4096).threads == 32,
              "as small as it gets");

LIBSCAN_NAMESPACE_END

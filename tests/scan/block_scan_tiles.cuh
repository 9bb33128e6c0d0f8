// SPDX-License-Identifier: Apache-2.0
//
// Tile scans over tile sizes and thread counts: counts that divide the tile and counts that do not,
// fewer threads than a warp, more threads than elements, a last warp that is not full.
#pragma once

#include "block_scan_test.cuh"

namespace scan_test {

// Around the ends, around powers of two, and in between.
template <int kTile>
std::vector<int> ragged_counts() {
    if (kIsSlow) return {kTile / 2 + 1, kTile};
    return {1, 31, kTile / 2 - 1, kTile / 2 + 1, kTile / 2 + kTile / 4, kTile - 1, kTile};
}

template <class Algorithm, class T, int kThreads, int kTile>
void expect_tile() {
    // Checks on, where the block is small enough for it to be quick.
    if (kThreads <= 256) {
        for_each_schedule(0, [] {
            expect_block_scans<Algorithm::template Tile, T, kThreads, kTile>(
                ragged_counts<kTile>());
        });
    } else {
        expect_block_scans<Algorithm::template Tile, T, kThreads, kTile>(ragged_counts<kTile>());
    }
}

}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
//
// Tuning of select, partition and run-length encode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN

struct CompactionPolicy {
    int threads;  // of a block that have items, whole warps
    int rows;     // of a thread, each up to 16 bytes
    int items;    // of a thread in a row
    int blocks;   // of a multiprocessor that registers are left for
    bool ahead;   // compaction_kernel.cuh; takes two buffers
};

// item: bytes of an item that the criterion sees; tile: bytes that a tile keeps for each item;
// vectors: items can be read as vectors.
constexpr CompactionPolicy compaction_policy(std::size_t item, std::size_t tile, bool vectors) {
    const int in_vector = static_cast<int>(16 / item);
    const int items = vectors && item <= 16 && 16 % item == 0 ? in_vector : 1;
    // About 64 bytes a thread, 16 KB a tile; a large item is alone in its thread.
    const int most = tile > item ? 96 : 64;
    const int fitting = static_cast<int>(most / tile) < 16 ? static_cast<int>(most / tile) : 16;
    const int rows = item < 4 && items > 1 ? 2 : fitting / items < 1 ? 1 : fitting / items;
    int threads = 256;
    while (threads > 32 && static_cast<std::size_t>(threads * rows * items) * tile > 24576)
        threads /= 2;
    return CompactionPolicy{threads, rows, items,
                            tile <= 16 && threads == 256 ? item < 4 ? 2 : 3 : 1, tile <= 64};
}

static_assert(compaction_policy(4, 4, true).rows == 4, "16 KB");
static_assert(compaction_policy(8, 8, true).rows == 4, "16 KB");
static_assert(compaction_policy(16, 16, true).rows == 4, "16 KB");
static_assert(compaction_policy(40, 40, true).rows == 1, "10 KB");
static_assert(compaction_policy(1024, 1024, true).threads == 32, "as small as it gets");

namespace detail {

// One launch goes over so many tiles with one block, or with each block of a cluster.
inline constexpr int kTilesOfFewItems = 4;
// A cluster is for few items: there, clearing the tiles' words would be what takes the time.
inline constexpr std::int64_t kMostInCluster = 1 << 17;

}  // namespace detail

LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// Tuning of select, partition and run-length encode.
#pragma once

#include <cstddef>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN

struct CompactionPolicy {
    int threads;  // of a block that have items, whole warps
    int rows;     // of a thread, each up to 16 bytes
    int items;    // of a thread in a row
    int blocks;   // of a multiprocessor that registers are left for
};

// item: bytes of an item that the criterion sees; tile: bytes that a tile keeps for each item;
// vectors: items can be read as vectors.
constexpr CompactionPolicy compaction_policy(std::size_t item, std::size_t tile, bool vectors) {
    const int in_vector = static_cast<int>(16 / item);
    const int items = vectors && item <= 16 && 16 % item == 0 ? in_vector : 1;
    // 16 items of up to 4 bytes a thread, else 64 bytes; a large item is alone in its thread.
    int rows = static_cast<int>(64 / tile) < 16 ? static_cast<int>(64 / tile) : 16;
    rows = rows / items < 1 ? 1 : rows / items;
    if (item < 4 && items > 1) rows = 2;
    int threads = 256;
    while (threads > 32 && static_cast<std::size_t>(threads * rows * items) * tile > 32768)
        threads /= 2;
    return CompactionPolicy{threads, rows, items, tile <= 16 && threads == 256 ? 3 : 1};
}

static_assert(compaction_policy(4, 4, true).rows == 4, "16 KB");
static_assert(compaction_policy(8, 8, true).rows == 4, "16 KB");
static_assert(compaction_policy(16, 16, true).rows == 4, "16 KB");
static_assert(compaction_policy(40, 40, true).rows == 1, "10 KB");
static_assert(compaction_policy(1024, 1024, true).threads == 32, "as small as it gets");

namespace detail {

// One launch goes over so many tiles with one block, or with each block of a cluster.
inline constexpr int kTilesOfFewItems = 4;

}  // namespace detail

LIBSCAN_NAMESPACE_END

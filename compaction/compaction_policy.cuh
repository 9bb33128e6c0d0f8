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

// What a policy is chosen by: bytes of an item that the criterion sees; bytes that a tile keeps for
// each item; items can be read as vectors; the kernel has more in registers than items and one
// number.
struct CompactionItems {
    std::size_t item;
    std::size_t tile;
    bool vectors;
    bool pairs;
};

constexpr int items_of_row(const CompactionItems& of) {
    return of.vectors && of.item <= 16 && 16 % of.item == 0 ? static_cast<int>(16 / of.item) : 1;
}

// For few items, and for multiprocessors with little shared memory: tiles of about 16 KB, so that a
// cluster has many. A large item is alone in its thread.
constexpr CompactionPolicy few_items_policy(const CompactionItems& of) {
    const int items = items_of_row(of);
    const int most = of.tile > of.item ? 96 : 64;
    const int fitting = most / static_cast<int>(of.tile < 96 ? of.tile : 96);
    const int rows = of.item < 4 && items > 1 ? 2
                     : fitting / items < 1    ? 1
                     : fitting > 16           ? 16 / items
                                              : fitting / items;
    int threads = 256;
    while (threads > 32 && static_cast<std::size_t>(threads * rows * items) * of.tile > 24576)
        threads /= 2;
    const bool small = of.tile <= 16 && threads == 256;
    return CompactionPolicy{threads, rows, items, small ? of.item < 4 || of.pairs ? 2 : 3 : 1,
                            of.tile <= 64};
}

// For many: one block a multiprocessor, with tiles of 72 KB. The fewer tiles are on their way, the
// fewer wait for each other.
constexpr CompactionPolicy compaction_policy(const CompactionItems& of) {
    const CompactionPolicy few = few_items_policy(of);
    if (few.threads < 256 || of.tile > 24) return few;
    constexpr int kThreads = 512, kMostItems = 64, kMostBytes = 100 * 1024;
    const int items = items_of_row(of);
    const int fitting = kMostBytes / (kThreads * items * static_cast<int>(of.tile));
    int rows = items > 1 || of.item == 16 ? 9 : 16;
    rows = rows < fitting ? rows : fitting;
    rows = rows * items <= kMostItems ? rows : kMostItems / items;
    return CompactionPolicy{kThreads, rows, items, 1, true};
}

namespace detail {

// So many items of so many bytes, or fewer, are few.
constexpr std::int64_t few_items(std::size_t item) {
    return (std::int64_t{4} << 20) / static_cast<std::int64_t>(item);
}
// So many, in not too many tiles, are for a cluster: there, clearing the tiles' words would be what
// takes the time.
inline constexpr std::int64_t kItemsOfCluster = 1 << 17;
// One launch goes over so many tiles with one block, or with each block of a cluster.
inline constexpr int kTilesOfFewItems = 4;

}  // namespace detail

LIBSCAN_NAMESPACE_END

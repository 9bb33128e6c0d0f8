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
// number; it writes all items, not only some.
struct CompactionItems {
    std::size_t item;
    std::size_t tile;
    bool vectors;
    bool pairs;
    bool all;
};

constexpr int items_of_row(const CompactionItems& of) {
    return of.vectors && of.item <= 16 && 16 % of.item == 0 ? static_cast<int>(16 / of.item) : 1;
}

// For few items, and for multiprocessors with little shared memory: tiles of about 16 KB, so that
// there are many. A large item is alone in its thread.
constexpr CompactionPolicy few_items_policy(const CompactionItems& of) {
    const int items = items_of_row(of);
    const int most = of.tile == of.item ? 64 : of.tile == 6 ? 72 : 96;
    const int fitting = most / static_cast<int>(of.tile < 96 ? of.tile : 96);
    const int rows = of.item < 4 && items > 1 ? 2
                     : fitting / items < 1    ? 1
                     : fitting > 16           ? 16 / items
                                              : fitting / items;
    int threads = 256;
    while (threads > 32 && static_cast<std::size_t>(threads * rows * items) * of.tile > 24576)
        threads /= 2;
    const bool small = of.tile <= 24 && threads == 256;
    const bool two = of.item < 4 || (of.pairs && of.item < 16);
    return CompactionPolicy{threads, rows, items, small ? two ? 2 : 3 : 1, of.tile <= 64};
}

// For many: tiles of 64 to 96 KB, of one block a multiprocessor: the fewer are on their way, the
// fewer wait for each other. Bytes take more instructions than time for memory, and there several
// blocks get on better.
constexpr CompactionPolicy compaction_policy(const CompactionItems& of) {
    const CompactionPolicy few = few_items_policy(of);
    if (few.threads < 256 || of.tile > 24) return few;
    const int items = items_of_row(of);
    if (of.item == 1 && items > 1 && of.tile <= 3) {
        if (!of.pairs) return CompactionPolicy{512, 4, items, 2, true};
        return CompactionPolicy{256, 4, items, of.tile == 1 ? 3 : 2, true};
    }
    // Two words of a lane side by side, not four: fewer conflicts of banks where most are kept.
    if (of.item == 4 && items > 1 && of.tile == 4 && !of.pairs && !of.all)
        return CompactionPolicy{512, 18, 2, 1, true};
    constexpr int kThreads = 512, kMostItems = 64, kMostBytes = 100 * 1024;
    const int fitting = kMostBytes / (kThreads * items * static_cast<int>(of.tile));
    int rows = 16;
    if (items > 1 || of.item == 16) {
        const bool nine = of.pairs || (of.all && of.item <= 4);
        rows = nine ? 9 : of.item == 8 ? 11 : 12;
    }
    rows = rows < fitting ? rows : fitting;
    rows = rows * items <= kMostItems ? rows : kMostItems / items;
    return CompactionPolicy{kThreads, rows, items, 1, true};
}

namespace detail {

// So many items, or fewer, are few: about as many bytes as the blocks for few items have in their
// tiles at once, or half of that where tiles tell each other two sums.
constexpr std::int64_t few_items(const CompactionItems& of) {
    const std::int64_t bytes = of.all && of.pairs ? 6 << 19 : 11 << 19;
    return bytes / static_cast<std::int64_t>(of.tile);
}
// So many tiles are the blocks of a cluster: there, clearing the tiles' words would be what takes
// the time. A cluster of more takes longer to start than that.
inline constexpr int kTilesOfCluster = 8;
// Where there are no clusters, one block goes over so many.
inline constexpr int kTilesOfFewItems = 4;

}  // namespace detail

LIBSCAN_NAMESPACE_END

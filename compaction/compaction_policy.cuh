// SPDX-License-Identifier: Apache-2.0
//
// Tuning of select, partition and run-length encode.
#pragma once

#include <cstddef>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN

struct CompactionPolicy {
    int threads;  // of a block, whole warps
    int rows;     // items of a thread, 1 to 32; a row is one item of each lane of a warp
};

// By the bytes that a tile keeps for each item. A tile holds 16 KB where it can: 16 items of a
// thread are enough loads in flight, and more would cost registers. A large item is alone in its
// thread, and below one warp a block does not go.
constexpr CompactionPolicy compaction_policy(std::size_t item_bytes) {
    const std::size_t fitting = 64 / item_bytes;
    const int rows = fitting < 1 ? 1 : fitting > 16 ? 16 : static_cast<int>(fitting);
    int threads = 256;
    while (threads > 32 && static_cast<std::size_t>(threads * rows) * item_bytes > 32768)
        threads /= 2;
    return CompactionPolicy{threads, rows};
}

static_assert(compaction_policy(1).rows == 16 && compaction_policy(4).rows == 16, "registers");
static_assert(compaction_policy(8).rows == 8 && compaction_policy(16).rows == 4, "16 KB");
static_assert(compaction_policy(40).rows == 1 && compaction_policy(40).threads == 256, "10 KB");
static_assert(compaction_policy(1024).threads == 32, "as small as it gets");

LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// Tuning of the single-pass scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN

// The shape of a tile, `warps` chunks of `rows` rows, decides in which order its elements are
// combined. It depends on the sizes of the types alone, so that the bits of a result are the same
// on all GPUs. Measured on an H200 (bench/NOTES.md): tiles of 42 KB, and no power of two.
struct ScanPolicy {
    int warps;         // that scan, one chunk of the tile each
    int rows;          // of a chunk: 32 lanes of 16 bytes, or of one item where 16 is no multiple
    int reduce_warps;  // look-ahead scan: more warps, that fold chunks
    int stages;        // look-ahead scan: tiles in the ring
};

// item: bytes of an element as it is read; value: bytes of an accumulator. Both at most 32.
constexpr ScanPolicy scan_policy(std::size_t item, std::size_t value) {
    const std::size_t larger = item > value ? item : value;
    if (larger > 16) return ScanPolicy{8, 4, 4, 5};
    if (larger > 8) return ScanPolicy{9, 8, 4, 6};
    if (16 % item != 0) return ScanPolicy{14, 12, 7, 5};
    return ScanPolicy{14, 6, 7, 5};
}

// The same for a scan by key, whose tiles hold keys and values. A lane's items of a row are those
// whose keys, or values, fill 16 bytes. (Measured as well: larger tiles for 8-byte values, for
// which what has to be done for a tile takes longer; smaller ones for bytes, which registers are
// full of.)
constexpr int keyed_lane_items(std::size_t key, std::size_t item) {
    const std::size_t larger = key > item ? key : item;
    return 16 % key == 0 && 16 % item == 0 ? static_cast<int>(16 / larger) : 1;
}
constexpr ScanPolicy keyed_scan_policy(std::size_t key, std::size_t item, std::size_t value) {
    const std::size_t larger = item > value ? item : value;
    const int items = keyed_lane_items(key, item);
    const int warps = larger > 16 ? 8 : larger > 8 ? 10 : 14;
    const int row = warps * 32 * items * static_cast<int>(key + item);  // bytes, of all warps
    const int most = larger == 8 ? 5 : items == 16 ? 2 : 8;
    const int fit = larger == 8 ? most : 42 * 1024 / row;
    const int rows = fit < 1 ? 1 : fit > most ? most : fit;
    const int stages = 210 * 1024 / (rows * row);
    return ScanPolicy{warps, rows, warps / 2, stages < 5 ? stages : 5};
}

// Few small items make tiles of their own, with this many rows: else a few blocks would have all
// the work. For items of one or two bytes, and up to so many of them.
inline constexpr int kFewRows = 2;
inline constexpr std::int64_t kFewSmallItems = 1 << 18;

// Larger values do not fit registers: their tiles are in shared memory, as all tiles of the
// three-kernel scan are. 16 KB where that is 32 elements or more.
inline constexpr std::size_t kMaxRegisterBytes = 32;

struct SharedScanPolicy {
    int threads;  // of a block
    int tile;     // elements; a power of two
};

constexpr SharedScanPolicy shared_scan_policy(std::size_t value) {
    int tile = 4096;
    while (tile > 32 && static_cast<std::size_t>(tile) * value > 16384) tile /= 2;
    return SharedScanPolicy{tile >= 256 ? 256 : tile < 64 ? 32 : 64, tile};
}

static_assert(shared_scan_policy(8).tile == 2048 && shared_scan_policy(4096).tile == 32, "16 KB");

namespace detail {

// Which kernels run a single-pass scan.
enum class ScanStructure {
    automatic,  // by the GPU, the iterators and the size
    registers,  // register_scan.cuh, by look-back where there are several tiles
    lookahead,  // lookahead_scan.cuh where there are several tiles and the GPU can
};

// What the kernels are made by. Tests take smaller tiles, and structures of their choice.
struct ScanTuning {
    static constexpr ScanStructure kStructure = ScanStructure::automatic;
    static constexpr ScanPolicy policy(std::size_t item, std::size_t value) {
        return scan_policy(item, value);
    }
    static constexpr ScanPolicy keyed_policy(std::size_t key, std::size_t item, std::size_t value) {
        return keyed_scan_policy(key, item, value);
    }
};

template <class Tuning>
struct FewRowsTuning : Tuning {
    static constexpr ScanPolicy policy(std::size_t item, std::size_t value) {
        ScanPolicy policy = Tuning::policy(item, value);
        if (policy.rows > kFewRows) policy.rows = kFewRows;
        return policy;
    }
};

}  // namespace detail

LIBSCAN_NAMESPACE_END

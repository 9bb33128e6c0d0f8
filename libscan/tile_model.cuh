// SPDX-License-Identifier: Apache-2.0
//
// What a full tile costs, computed at compile time: operations, and shared-memory requests.
//
// Shared memory has 32 banks, and word w belongs to bank w % 32. An access of a warp costs as many
// requests as its fullest bank holds lanes: the access's conflict degree. A tree at stride s has
// tile / (2 * s) nodes, one lane each; lane L touches elements (2L + 1) * s - 1 and (2L + 2) * s -
// 1, which conflict alike, so one access a node is counted: the first that the sweep makes. A
// degree means little by itself: what a level costs is its degree summed over the warps that are
// still active.
//
// Elements are taken to be one word (4 bytes) each and threads a multiple of 32.
#pragma once

#include <libscan/operators.cuh>
#include <libscan/shared_layout.cuh>
#include <libscan/tile_algorithm.cuh>

LIBSCAN_NAMESPACE_BEGIN

inline constexpr int kBanks = 32;

// Levels of the tree over a tile, and steps of Hillis and Steele's network: log2(tile).
constexpr int tile_levels(int tile) {
    int levels = 0;
    while (tile > 1) {
        tile /= 2;
        ++levels;
    }
    return levels;
}

// Lanes that work on the level with this stride, one a node, and warps that they fill.
constexpr int level_lanes(int tile, int stride) { return tile / (2 * stride); }
constexpr int level_warps(int tile, int stride) {
    return detail::ceil_div(level_lanes(tile, stride), kWarpSize);
}

// Conflict degree of the access to the left children of nodes first .. first + lanes - 1 (at most
// 32), by filling the 32 banks.
template <class Layout>
constexpr int access_degree(int stride, int first, int lanes) {
    int bank[kBanks] = {};
    int degree = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        const int node = first + lane;
        const int b = Layout::word((2 * node + 1) * stride - 1) % kBanks;
        ++bank[b];
        if (bank[b] > degree) degree = bank[b];
    }
    return degree;
}

// Requests of one level in one sweep: the degrees of its warps, added up.
template <class Layout>
constexpr int level_requests(int tile, int stride) {
    const int lanes = level_lanes(tile, stride);
    int requests = 0;
    for (int first = 0; first < lanes; first += kWarpSize) {
        const int rest = lanes - first;
        requests += access_degree<Layout>(stride, first, rest < kWarpSize ? rest : kWarpSize);
    }
    return requests;
}

// The conflict degree of a level: that of its first warp (all of them have the same).
template <class Layout>
constexpr int level_degree(int tile, int stride) {
    const int lanes = level_lanes(tile, stride);
    return access_degree<Layout>(stride, 0, lanes < kWarpSize ? lanes : kWarpSize);
}

// Requests of a tree scan of a tile: both sweeps.
template <class Layout>
constexpr int tree_requests(int tile) {
    int requests = 0;
    for (int stride = 1; stride < tile; stride *= 2)
        requests += level_requests<Layout>(tile, stride);
    return 2 * requests;
}

// One level of the tree, as the table prints it: the degrees without padding, with a spare word
// every 32, and with another every 1024.
struct TileLevel {
    int stride;
    int lanes;
    int warps;
    int plain;
    int one_term;
    int two_term;
};

constexpr TileLevel tile_level(int tile, int stride) {
    return {stride,
            level_lanes(tile, stride),
            level_warps(tile, stride),
            level_degree<PlainLayout>(tile, stride),
            level_degree<OneTermPad>(tile, stride),
            level_degree<TwoTermPad>(tile, stride)};
}

// Operations of Hillis and Steele's network: step d leaves the first d elements alone.
constexpr int hillis_steele_operations(int tile) {
    int operations = 0;
    for (int distance = 1; distance < tile; distance *= 2) operations += tile - distance;
    return operations;
}

// Operations of the exclusive warp-shuffle scan with `threads` threads.
constexpr int warp_shuffle_operations(int tile, int threads) {
    const int items = detail::ceil_div(tile, threads);
    const int busy = detail::ceil_div(tile, items);  // threads that have elements
    int operations = 2 * (tile - busy);              // each folds its run, and walks it again
    const int warps = detail::ceil_div(busy, kWarpSize);
    for (int warp = 0; warp < warps; ++warp) {
        const int rest = busy - warp * kWarpSize;
        const int lanes = rest < kWarpSize ? rest : kWarpSize;
        operations += lanes > 1 ? hillis_steele_operations(lanes) : 0;
        if (warp > 0) operations += lanes - 1;  // the warps before, in front of the lanes before
    }
    return operations + (warps > 1 ? hillis_steele_operations(warps) : 0);
}

// Operations ("adds") of an exclusive scan of a full tile from Identity.
constexpr int tile_adds(TileAlgorithm algorithm, int tile, int threads) {
    switch (algorithm) {
        case TileAlgorithm::kHillisSteele:
            return hillis_steele_operations(tile);
        case TileAlgorithm::kBlelloch:
        case TileAlgorithm::kBlellochPadded:
        case TileAlgorithm::kBlellochPaddedOneTerm:
            return 2 * (tile - 1);  // every inner node, in both sweeps
        case TileAlgorithm::kWarpShuffle:
            return warp_shuffle_operations(tile, threads);
    }
    return 0;
}

// Shared-memory requests of a scan of a full tile: of reading the own element in every step of
// Hillis and Steele's network, of reading the left child at every node of the tree. 0 for
// kWarpShuffle, which has neither.
constexpr int tile_requests(TileAlgorithm algorithm, int tile) {
    switch (algorithm) {
        case TileAlgorithm::kHillisSteele:  // neighbouring words: one request a warp
            return tile_levels(tile) * detail::ceil_div(tile, kWarpSize);
        case TileAlgorithm::kBlelloch:
            return tree_requests<PlainLayout>(tile);
        case TileAlgorithm::kBlellochPadded:
            return tree_requests<TwoTermPad>(tile);
        case TileAlgorithm::kBlellochPaddedOneTerm:
            return tree_requests<OneTermPad>(tile);
        case TileAlgorithm::kWarpShuffle:
            return 0;
    }
    return 0;
}

namespace detail {

// ---- The model, checked by the compiler ----

constexpr int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

// Lanes that stand 2 * stride words apart, as in the tree without padding, meet in 32 / gcd(2 *
// stride, 32) banks: a full warp splits into gcd(2 * stride, 32) requests, a part of one into its
// share of them.
constexpr bool plain_degrees_follow_gcd(int tile) {
    for (int stride = 1; stride < tile; stride *= 2) {
        const int lanes = level_lanes(tile, stride);
        const int banks = kBanks / gcd(2 * stride, kBanks);
        const int active = lanes < kWarpSize ? lanes : kWarpSize;
        if (level_degree<PlainLayout>(tile, stride) != ceil_div(active, banks)) return false;
    }
    return true;
}

template <class Layout>
constexpr bool warps_of_a_level_agree(int tile) {
    for (int stride = 1; stride < tile; stride *= 2) {
        if (level_requests<Layout>(tile, stride) !=
            level_degree<Layout>(tile, stride) * level_warps(tile, stride)) {
            return false;
        }
    }
    return true;
}

constexpr bool model_is_consistent() {
    for (int tile = 32; tile <= 8192; tile *= 2) {
        if (!plain_degrees_follow_gcd(tile) || !warps_of_a_level_agree<PlainLayout>(tile) ||
            !warps_of_a_level_agree<OneTermPad>(tile) ||
            !warps_of_a_level_agree<TwoTermPad>(tile)) {
            return false;
        }
    }
    return true;
}
static_assert(model_is_consistent(), "degree by formula and by simulation, for all tiles");

constexpr bool is_level(int stride, int lanes, int warps, int plain, int one_term, int two_term) {
    const TileLevel level = tile_level(4096, stride);
    return level.lanes == lanes && level.warps == warps && level.plain == plain &&
           level.one_term == one_term && level.two_term == two_term;
}
// A tile of 4096:      stride lanes warps plain i/32 two-term
static_assert(is_level(1, 2048, 64, 2, 1, 1), "");
static_assert(is_level(2, 1024, 32, 4, 1, 1), "");
static_assert(is_level(4, 512, 16, 8, 1, 1), "");
static_assert(is_level(8, 256, 8, 16, 1, 1), "");
static_assert(is_level(16, 128, 4, 32, 1, 1), "");
static_assert(is_level(32, 64, 2, 32, 2, 1), "");
static_assert(is_level(64, 32, 1, 32, 4, 1), "");
static_assert(is_level(128, 16, 1, 16, 4, 1), "");
static_assert(is_level(256, 8, 1, 8, 4, 1), "");
static_assert(is_level(512, 4, 1, 4, 4, 1), "");
static_assert(is_level(1024, 2, 1, 2, 2, 1), "");
static_assert(is_level(2048, 1, 1, 1, 1, 1), "");

static_assert(tile_levels(4096) == 12, "");
static_assert(tile_adds(TileAlgorithm::kHillisSteele, 4096, 1024) == 45057, "");
static_assert(tile_adds(TileAlgorithm::kBlelloch, 4096, 1024) == 8190, "");
static_assert(tile_adds(TileAlgorithm::kBlellochPadded, 4096, 1024) == 8190, "");
static_assert(tile_requests(TileAlgorithm::kHillisSteele, 4096) == 1536, "");
static_assert(tile_requests(TileAlgorithm::kBlelloch, 4096) == 1534, "");
static_assert(tile_requests(TileAlgorithm::kBlellochPadded, 4096) == 264, "");
static_assert(tile_requests(TileAlgorithm::kBlellochPaddedOneTerm, 4096) == 294, "");

}  // namespace detail

LIBSCAN_NAMESPACE_END

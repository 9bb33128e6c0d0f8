// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <iterator>
#include <libscan/tile_model.cuh>
#include <type_traits>
#include <utility>

#include "pipelines.h"

namespace scan_report {
namespace {

/// Calls function(std::integral_constant<int, t>) with the one of kTileSizes that equals `tile`, if
/// there is one.
template <class Function, std::size_t... kIndices>
void with_tile_size(int tile, const Function& function, std::index_sequence<kIndices...>) {
    static_cast<void>(((tile == kTileSizes[kIndices] &&
                        (function(std::integral_constant<int, kTileSizes[kIndices]>{}), true)) ||
                       ...));
}

template <class Function>
void with_tile_size(int tile, const Function& function) {
    with_tile_size(tile, function, std::make_index_sequence<std::size(kTileSizes)>{});
}

/// One tile size of the model. The tables are constexpr: the compiler computes them.
template <int kTile>
TileModel make_model() {
    struct Cost {
        int adds, requests;
    };
    constexpr std::size_t kAlgorithms = std::size(libscan::kTileAlgorithms);
    constexpr std::size_t kLevels = libscan::tile_levels(kTile);
    constexpr auto kCosts = [] {
        std::array<Cost, kAlgorithms> costs{};
        for (std::size_t i = 0; i < kAlgorithms; ++i) {
            const libscan::TileAlgorithm algorithm = libscan::kTileAlgorithms[i];
            costs[i] = Cost{libscan::tile_adds(algorithm, kTile, threads_for(kTile)),
                            libscan::tile_requests(algorithm, kTile)};
        }
        return costs;
    }();
    constexpr auto kTable = [] {
        std::array<libscan::TileLevel, kLevels> levels{};
        for (std::size_t i = 0; i < kLevels; ++i) levels[i] = libscan::tile_level(kTile, 1 << i);
        return levels;
    }();

    TileModel model{kTile, threads_for(kTile), {}, {}};
    for (std::size_t i = 0; i < kAlgorithms; ++i) {
        TileCost cost{static_cast<std::uint64_t>(kCosts[i].adds), std::nullopt};
        if (kCosts[i].requests > 0) cost.requests = static_cast<std::uint64_t>(kCosts[i].requests);
        model.rows.push_back({libscan::tile_algorithm_name(libscan::kTileAlgorithms[i]), cost});
    }
    for (const libscan::TileLevel& level : kTable) {
        model.levels.push_back(
            {level.stride, level.lanes, level.warps, level.plain, level.one_term, level.two_term});
    }
    return model;
}

}  // namespace

template <class T>
std::vector<Pipeline<T>> pipelines(int tile) {
    std::vector<Pipeline<T>> found;
    with_tile_size(tile, [&](auto size) { found = make_pipelines<T, decltype(size)::value>(); });
    return found;
}

template std::vector<Pipeline<float>> pipelines<float>(int tile);
template std::vector<Pipeline<double>> pipelines<double>(int tile);
template std::vector<Pipeline<std::uint32_t>> pipelines<std::uint32_t>(int tile);
template std::vector<Pipeline<std::uint64_t>> pipelines<std::uint64_t>(int tile);

std::vector<std::string> algorithm_names() {
    std::vector<std::string> names;
    for (const libscan::TileAlgorithm algorithm : libscan::kTileAlgorithms) {
        names.push_back(libscan::tile_algorithm_name(algorithm));
    }
    return names;
}

TileModel tile_model(int tile) {
    TileModel model{tile, threads_for(tile), {}, {}};
    with_tile_size(tile, [&](auto size) { model = make_model<decltype(size)::value>(); });
    return model;
}

}  // namespace scan_report

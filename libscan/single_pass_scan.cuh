// SPDX-License-Identifier: Apache-2.0
//
// Host side of the single-pass scan: storage, checks, launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/argument_checks.cuh>
#include <libscan/config.cuh>
#include <libscan/device_scan_kernels.cuh>
#include <libscan/scan_policy.cuh>
#include <libscan/temp_storage.cuh>
#include <libscan/three_kernel_scan.cuh>
#include <limits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Acc, int kThreadsOfBlock = scan_policy(sizeof(Acc)).threads,
          int kTileSize = scan_policy(sizeof(Acc)).tile>
struct SinglePassScan {
    static constexpr int kThreads = kThreadsOfBlock, kTile = kTileSize;
    using States = LookBackStates<Acc>;
    using Values = PublishedValues<Acc>;

    // Scans n elements from `start`. One tile is one launch; more are a memset of the tiles' states
    // (8 bytes for about every 4,096 elements) and one launch. The states are cleared before each
    // launch, so one that was aborted leaves nothing behind that matters.
    template <bool kInclusive, class In, class Out, class Op, class Start>
    [[nodiscard]] static cudaError_t run(void* temp, std::size_t& temp_bytes, In in, Out out,
                                         std::int64_t n, Op op, Start start, cudaStream_t stream) {
        const std::int64_t tiles = ceil_div(n, static_cast<std::int64_t>(kTile));
        const std::uint64_t values =
            tiles > 1 ? static_cast<std::uint64_t>(tiles) +
                            static_cast<std::uint64_t>(States::windows(tiles)) + 1
                      : 0;
        constexpr std::size_t kEach = Values::kClearedBytes + Values::kValueBytes;
        if (values > (std::numeric_limits<std::size_t>::max() - 1024) / kEach)
            return cudaErrorInvalidValue;
        const std::size_t count = static_cast<std::size_t>(values);
        const std::size_t cleared = count > 0 ? sizeof(Word) + count * Values::kClearedBytes : 0;
        const std::size_t sizes[2] = {cleared, count * Values::kValueBytes};
        void* parts[2] = {};
        cudaError_t error = alias_temp_storage(temp, temp_bytes, sizes, parts);
        if (error != cudaSuccess || temp == nullptr) return error;
        error = check_buffers(in, out, n, temp, temp_bytes);
        if (error != cudaSuccess || n == 0) return error;
        if (tiles == 1)
            return launch_kernel<kInclusive, true>(in, out, n, op, start, States{}, dim3(1),
                                                   stream);

        const TileGrid grid = tile_grid(tiles);
        if (!grid.fits) return cudaErrorInvalidValue;
        error = cudaMemsetAsync(parts[0], 0, cleared, stream);
        if (error != cudaSuccess) return error;
        Word* const ticket = static_cast<Word*>(parts[0]);
        char* const flags = reinterpret_cast<char*>(ticket + 1);
        char* const data = static_cast<char*>(parts[1]);
        const std::size_t first = static_cast<std::size_t>(tiles);
        const States states{ticket, Values(flags, data),
                            Values(flags + first * Values::kClearedBytes,
                                   data != nullptr ? data + first * Values::kValueBytes : nullptr)};
        return launch_kernel<kInclusive, false>(
            in, out, n, op, start, states,
            dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y)), stream);
    }

  private:
    template <bool kInclusive, bool kOneTile, class In, class Out, class Op, class Start>
    [[nodiscard]] static cudaError_t launch_kernel(In in, Out out, std::int64_t n, Op op,
                                                   Start start, const States& states, dim3 grid,
                                                   cudaStream_t stream) {
        return launch(
            single_pass_scan_kernel<kThreads, kTile, kInclusive, kOneTile, In, Out, Acc, Op, Start>,
            grid, kThreads, sizeof(SinglePassStorage<Acc, kThreads, kTile>), stream, in, out, n, op,
            start, states);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

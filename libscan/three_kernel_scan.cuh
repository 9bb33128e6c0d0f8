// SPDX-License-Identifier: Apache-2.0
//
// Scan of an array of any length in three kernels:
//   1. scan every tile by itself, and write down its total;
//   2. scan the totals: now totals[t] is what stands before tile t, the offset of tile t;
//   3. put each tile's offset in front of its elements.
// Step 2 is the same problem with an array kTile times shorter, and is solved in the same way until
// one tile holds all totals: that is the base case, one launch. So an array of any length can be
// scanned, with 2 * levels - 1 launches. The order in which elements are combined depends on their
// index alone: the same input gives the same bits on every run.
// Source: GPU Gems 3, chapter 39, section 39.2.4, there with one level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/argument_checks.cuh>
#include <libscan/config.cuh>
#include <libscan/future_value.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_start.cuh>
#include <libscan/temp_storage.cuh>
#include <libscan/three_kernel_scan_kernels.cuh>
#include <libscan/tile_algorithm.cuh>
#include <libscan/type_traits.cuh>
#include <limits>

LIBSCAN_NAMESPACE_BEGIN

class DeviceScan;  // device_scan.cuh

namespace detail {

// A grid with at least `tiles` blocks; `fits` is false where no grid has so many. One dimension
// holds 2^31 - 1, and the second another factor of 65535.
struct TileGrid {
    std::int64_t x = 0;
    std::int64_t y = 0;
    bool fits = false;
};

constexpr TileGrid tile_grid(std::int64_t tiles) {
    constexpr std::int64_t kMaxX = 2147483647, kMaxY = 65535;
    const std::int64_t y = ceil_div(tiles, kMaxX);
    return TileGrid{y > 0 ? ceil_div(tiles, y) : 0, y, y <= kMaxY};
}

}  // namespace detail

// TileScan: how a tile is scanned, one of the algorithms of tile_algorithm.cuh. kThreads: threads
// of a block, 1 to 1024. kTile: elements of a tile, a power of two from 32 to 8192.
//
// The four scans share these rules:
//
// Temporary storage. With d_temp_storage == nullptr the call only sets temp_storage_bytes; nothing
// else is looked at but num_items. Otherwise d_temp_storage points to that many bytes of device
// memory, at any alignment. The size is at least 1 and never falls as num_items grows. Nothing is
// allocated inside, and nothing waits: the call enqueues its kernels on `stream` and returns.
//
// Input and output are pointers to device memory or random access iterators that device code can
// dereference; an output may be write-only. d_in == d_out is allowed where both have elements of
// one size; any other overlap is not.
//
// Operators are associative, need not be commutative, and are called with accumulators only:
// elements of the input, the initial value, and results of the operator.
//
// Returns cudaErrorInvalidValue, before anything is launched or written, for a negative num_items
// or one beyond 2^63 - 1, a null or misaligned pointer (unless num_items is 0), an overlap that is
// not allowed, and too small temporary storage; also where the device cannot give a block the
// shared memory that the tile needs. Otherwise returns the error of the first launch that fails.
// num_items == 0 succeeds and launches nothing.
template <template <class, int, int> class TileScan = BlockWarpShuffle, int kThreads = 256,
          int kTile = 4096>
struct ThreeKernelScan {
    // d_out[i] = d_in[0] + ... + d_in[i - 1], d_out[0] = 0 (a value-initialised accumulator for
    // class types). Accumulates in SumAccumulator (type_traits.cuh), so that int32 into int64 does
    // not wrap.
    template <class In, class Out, class NumItems>
    [[nodiscard]] static cudaError_t ExclusiveSum(void* d_temp_storage,
                                                  std::size_t& temp_storage_bytes, In d_in,
                                                  Out d_out, NumItems num_items,
                                                  cudaStream_t stream = 0) {
        using Acc = SumAccumulator<IteratorValue<In>, IteratorValue<Out>>;
        return scan<false, Acc>(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, Plus{},
                                sum_start<Acc>(), stream);
    }

    // d_out[i] = d_in[0] + ... + d_in[i]. Accumulates as ExclusiveSum does.
    template <class In, class Out, class NumItems>
    [[nodiscard]] static cudaError_t InclusiveSum(void* d_temp_storage,
                                                  std::size_t& temp_storage_bytes, In d_in,
                                                  Out d_out, NumItems num_items,
                                                  cudaStream_t stream = 0) {
        using Acc = SumAccumulator<IteratorValue<In>, IteratorValue<Out>>;
        return scan<true, Acc>(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, Plus{},
                               tile_start<Plus, Acc>(), stream);
    }

    // d_out[i] = init op d_in[0] op ... op d_in[i - 1], d_out[0] = init. Accumulates in the type of
    // op(init, element).
    template <class In, class Out, class Op, class Init, class NumItems>
    [[nodiscard]] static cudaError_t ExclusiveScan(void* d_temp_storage,
                                                   std::size_t& temp_storage_bytes, In d_in,
                                                   Out d_out, Op op, Init init, NumItems num_items,
                                                   cudaStream_t stream = 0) {
        using Acc = ResultOf<Op, typename detail::InitialValue<Init>::Type, IteratorValue<In>>;
        return scan<false, Acc>(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, op,
                                detail::scan_start<Acc>(init), stream);
    }

    // d_out[i] = d_in[0] op ... op d_in[i]. Accumulates in the type of op(element, element).
    template <class In, class Out, class Op, class NumItems>
    [[nodiscard]] static cudaError_t InclusiveScan(void* d_temp_storage,
                                                   std::size_t& temp_storage_bytes, In d_in,
                                                   Out d_out, Op op, NumItems num_items,
                                                   cudaStream_t stream = 0) {
        using Acc = ResultOf<Op, IteratorValue<In>, IteratorValue<In>>;
        return scan<true, Acc>(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, op,
                               tile_start<Op, Acc>(), stream);
    }

    // d_out[i] = init op d_in[0] op ... op d_in[i]. Accumulates in the type of op(init, element).
    template <class In, class Out, class Op, class Init, class NumItems>
    [[nodiscard]] static cudaError_t InclusiveScanInit(void* d_temp_storage,
                                                       std::size_t& temp_storage_bytes, In d_in,
                                                       Out d_out, Op op, Init init,
                                                       NumItems num_items,
                                                       cudaStream_t stream = 0) {
        using Acc = ResultOf<Op, typename detail::InitialValue<Init>::Type, IteratorValue<In>>;
        return scan<true, Acc>(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, op,
                               detail::scan_start<Acc>(init), stream);
    }

    // Step 1 alone, to be looked at: every tile is scanned exclusively from `start`
    // (scan_start.cuh), and d_tile_totals[t] gets the total of tile t unless it is null. Acc is the
    // accumulator type. Errors and aliasing as above.
    template <class In, class Out, class Acc, class Op, class Start, class NumItems>
    [[nodiscard]] static cudaError_t TileOnly(In d_in, Out d_out, Acc* d_tile_totals, Op op,
                                              Start start, NumItems num_items,
                                              cudaStream_t stream = 0) {
        std::int64_t n = 0;
        if (!detail::to_item_count(num_items, n)) return cudaErrorInvalidValue;
        if (n == 0) return cudaSuccess;
        const std::size_t totals_bytes =
            d_tile_totals ? static_cast<std::size_t>(num_tiles(n)) * sizeof(Acc) : 0;
        const cudaError_t error =
            detail::check_buffers(d_in, d_out, n, d_tile_totals, totals_bytes);
        if (error != cudaSuccess) return error;
        return scan_tiles<false>(d_in, d_out, d_tile_totals, n, op, start, stream);
    }

    // Number of tiles of an array of n elements.
    static constexpr std::int64_t num_tiles(std::int64_t n) {
        return detail::ceil_div(n, static_cast<std::int64_t>(kTile));
    }

  private:
    friend class DeviceScan;  // calls scan()

    // What ExclusiveSum starts from.
    template <class Acc>
    static constexpr auto sum_start() {
        if constexpr (kHasZeroIdentity<Plus, Acc>) {
            return Identity<Acc>{Acc(0)};
        } else {
            return Acc{};
        }
    }

    // What a single tile starts from before its offset is known.
    template <class Op, class Acc>
    static constexpr auto tile_start() {
        if constexpr (kHasZeroIdentity<Op, Acc>) {
            return Identity<Acc>{Acc(0)};
        } else {
            return NoStart{};
        }
    }

    template <bool kInclusive, class Acc, class In, class Out, class NumItems, class Op,
              class Start>
    [[nodiscard]] static cudaError_t scan(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                          In in, Out out, NumItems num_items, Op op, Start start,
                                          cudaStream_t stream) {
        std::int64_t n = 0;
        if (!detail::to_item_count(num_items, n)) return cudaErrorInvalidValue;
        std::int64_t totals = 0;  // of all levels; one tile needs none
        for (std::int64_t tiles = num_tiles(n); tiles > 1; tiles = num_tiles(tiles))
            totals += tiles;
        if (static_cast<std::uint64_t>(totals) >
            std::numeric_limits<std::size_t>::max() / sizeof(Acc)) {
            return cudaErrorInvalidValue;
        }
        const std::size_t sizes[1] = {static_cast<std::size_t>(totals) * sizeof(Acc)};
        void* parts[1] = {};
        cudaError_t error = alias_temp_storage(d_temp_storage, temp_storage_bytes, sizes, parts);
        if (error != cudaSuccess || d_temp_storage == nullptr) return error;
        error = detail::check_buffers(in, out, n, d_temp_storage, temp_storage_bytes);
        if (error != cudaSuccess || n == 0) return error;
        return scan_level<kInclusive>(in, out, static_cast<Acc*>(parts[0]), n, op, start, stream);
    }

    // Scans n > 0 elements, from `start` if exclusive. `totals` has room for the totals of this
    // level's tiles and, behind them, for those of the levels above.
    template <bool kInclusive, class In, class Out, class Acc, class Op, class Start>
    [[nodiscard]] static cudaError_t scan_level(In in, Out out, Acc* totals, std::int64_t n, Op op,
                                                Start start, cudaStream_t stream) {
        const std::int64_t tiles = num_tiles(n);
        if (tiles == 1) {  // the base case
            return scan_tiles<kInclusive>(in, out, static_cast<Acc*>(nullptr), n, op, start,
                                          stream);
        }
        // Only a pointer is known to give back what was written to it, unrounded.
        constexpr bool kAddOntoOutput =
            detail::kIsArray<Out> && std::is_same_v<IteratorValue<Out>, Acc>;
        const auto from = tile_start<Op, Acc>();
        cudaError_t error;
        if constexpr (kAddOntoOutput) {
            error = scan_tiles<kInclusive>(in, out, totals, n, op, from, stream);
        } else {
            error = scan_tiles<kInclusive>(in, NoOutput{}, totals, n, op, from, stream);
        }
        if (error != cudaSuccess) return error;
        error = scan_level<false>(totals, totals, totals + tiles, tiles, op, start, stream);
        if (error != cudaSuccess) return error;
        return add_offsets<kInclusive, kAddOntoOutput, Start>(in, out, totals, n, op, stream);
    }

    // Step 1. Where totals is null, the totals are not wanted.
    template <bool kInclusive, class In, class Out, class Acc, class Op, class Start>
    [[nodiscard]] static cudaError_t scan_tiles(In in, Out out, Acc* totals, std::int64_t n, Op op,
                                                Start start, cudaStream_t stream) {
        using Tile = TileScan<Acc, kThreads, kTile>;
        return launch_tiles(
            tile_scan_kernel<Tile, kThreads, kTile, kInclusive, In, Out, Acc, Op, Start>,
            sizeof(typename Tile::TempStorage), n, stream, in, out, totals, n, op, start);
    }

    // Step 3. Tile 0 has an offset only where the scan as a whole has an initial value.
    template <bool kInclusive, bool kAddOntoOutput, class Start, class In, class Out, class Acc,
              class Op>
    [[nodiscard]] static cudaError_t add_offsets(In in, Out out, const Acc* offsets, std::int64_t n,
                                                 Op op, cudaStream_t stream) {
        constexpr bool kFirstHasOffset = kIsInitialValue<Start>;
        if constexpr (kAddOntoOutput) {
            constexpr bool kFirstIsUnset = !kInclusive && !kHasZeroIdentity<Op, Acc>;
            return launch_tiles(uniform_add_kernel<kThreads, kTile, kFirstIsUnset, Out, Acc, Op>, 0,
                                n, stream, out, offsets, n, op, kFirstHasOffset);
        } else {
            using Tile = TileScan<Acc, kThreads, kTile>;
            return launch_tiles(rescan_kernel<Tile, kThreads, kTile, kInclusive, In, Out, Acc, Op>,
                                sizeof(typename Tile::TempStorage), n, stream, in, out, offsets, n,
                                op, kFirstHasOffset);
        }
    }

    // One block for each tile of an array of n elements.
    template <class Kernel, class... Args>
    [[nodiscard]] static cudaError_t launch_tiles(Kernel* kernel, std::size_t dynamic_shared_bytes,
                                                  std::int64_t n, cudaStream_t stream,
                                                  const Args&... args) {
        const detail::TileGrid grid = detail::tile_grid(num_tiles(n));
        if (!grid.fits) return cudaErrorInvalidValue;
        return launch(kernel, dim3(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y)),
                      kThreads, dynamic_shared_bytes, stream, args...);
    }
};

LIBSCAN_NAMESPACE_END

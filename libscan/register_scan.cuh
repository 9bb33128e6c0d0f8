// SPDX-License-Identifier: Apache-2.0
//
// The kernel of the single-pass scan for every GPU: a block takes a tile into registers, one chunk
// a warp; scans it; learns what stands before it; and writes. Each element is read once and written
// once.
#pragma once

#include <cstdint>
#include <libscan/cluster_exchange.cuh>
#include <libscan/config.cuh>
#include <libscan/hopper.cuh>
#include <libscan/look_back.cuh>
#include <libscan/scan_input.cuh>
#include <libscan/scan_start.cuh>
#include <libscan/segmented.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// The chunks of a tile: their totals, and what stands before each within the tile (no prefix for
// chunk 0).
template <class Acc>
struct ChunkSums {
    shared_array<Acc, kWarpSize> total;
    shared_array<Acc, kWarpSize> prefix;
};

// One warp: scans the totals of a tile's chunks, stores the prefixes, returns the aggregate of the
// tile.
template <class Acc, class Op>
__device__ __forceinline__ Acc scan_chunk_sums(ChunkSums<Acc>& sums, int chunks, Op& op) {
    const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
    const Acc total = sums.total[lane < chunks ? lane : 0];
    const Acc sum = warp_inclusive_scan(~0u, total, op, chunks);
    if (lane < chunks - 1) sums.prefix[lane + 1] = sum;
    return broadcast(~0u, sum, chunks - 1);
}

// Loads a chunk and scans it as far as it goes without knowing its start; returns its total.
template <bool kFull, class Chunk, class In>
__device__ __forceinline__ auto scan_chunk(Chunk& chunk, const In& in, std::int64_t base, int count,
                                           std::int64_t n) {
    chunk.template load<kFull>(in, base, count, n);
    chunk.template scan_lanes<kFull>(count);
    const auto total = chunk.template total<kFull>(count);
    chunk.template prepare<kFull>(count);
    return total;
}

// How the blocks of a grid tell each other their aggregates.
enum class Exchange {
    none,       // there is one tile
    cluster,    // the grid is one cluster, a tile a block
    look_back,  // through global memory, tiles by ticket
};

template <class Acc>
struct RegisterScanStorage {
    ChunkSums<Acc> chunks;
    shared_array<Acc, 1> prefix;  // of the tile
    shared_array<Word, 1> ticket;
    ClusterExchange<Acc> cluster;
};

// Blocks of a multiprocessor that registers should be left for. With wide values ptxas, left to
// itself, spills on sm_75 what would have room.
template <class Acc>
inline constexpr int kBlocksForRegisters = sizeof(Acc) <= 4 ? 2 : 1;
template <class T>
inline constexpr int kBlocksForRegisters<Segmented<T>> = kBlocksForRegisters<T>;

// kWarps warps, kRows rows in a chunk. `states` is looked at for Exchange::look_back only. in and
// out may be the same array: a tile is read before it is written, and no other block uses what it
// reads there.
template <int kWarps, int kRows, bool kInclusive, class In, class Out, class Acc, class Op,
          class Start>
__global__ void __launch_bounds__(kWarps* kWarpSize, kBlocksForRegisters<Acc>)
    register_scan_kernel(In in, Out out, std::int64_t n, Op op, Start start,
                         LookBackStates<Acc> states, Exchange exchange) {
    using Chunk = typename ScanInput<In, Acc>::template Chunk<Op, kRows, kInclusive>;
    constexpr int kTile = kWarps * Chunk::kItems;
    constexpr bool kHasStart = !kIsNoStart<Start>;
    LIBSCAN_SHARED(storage, RegisterScanStorage<Acc>);

    std::int64_t tile = blockIdx.x;
    if (exchange == Exchange::look_back) {
        if (threadIdx.x == 0) storage.ticket[0] = atomicAdd(states.ticket, Word(1));
        __syncthreads();
        const Word ticket = storage.ticket[0];
        tile = static_cast<std::int64_t>(ticket);
    }
#if LIBSCAN_HOPPER_CODE
    if (exchange == Exchange::cluster) storage.cluster.begin();
#endif

    const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
    const std::int64_t rest = n - tile * kTile;  // 0 or less: more blocks than tiles
    const int in_tile = rest <= 0 ? 0 : rest < kTile ? static_cast<int>(rest) : kTile;
    const int chunks = ceil_div(in_tile, Chunk::kItems);
    const std::int64_t base = tile * kTile + warp * Chunk::kItems;
    // No clamping at 0 and kItems with a comparison behind it: ptxas 13.0 makes one VIMNMX.RELU of
    // these three, whose predicate means something else.
    const int count = in_tile - warp * Chunk::kItems;
    const bool full = count >= Chunk::kItems;

    Chunk chunk(op, static_cast<std::uint32_t>(n >> 62), in);
    Acc total;
    if (full) {
        total = scan_chunk<true>(chunk, in, base, count, n);
    } else if (count > 0) {
        total = scan_chunk<false>(chunk, in, base, count, n);
    }
    if (count > 0 && threadIdx.x % kWarpSize == 0) storage.chunks.total[warp] = total;
    __syncthreads();

    // What stands before the chunk: start, tiles, chunks.
    Prefix<Acc> before{Acc(), kHasStart};
    if constexpr (kHasStart) before.value = start_value<Acc>(start);
    Acc aggregate = Acc();
    if (warp == 0 && chunks > 0) aggregate = scan_chunk_sums(storage.chunks, chunks, op);
    if (exchange == Exchange::look_back) {
        if (warp == 0 && chunks > 0) {
            before = LookBack<Acc, Op, Start>(states, op, start)(tile, aggregate);
            if (threadIdx.x == 0 && before.exists) storage.prefix[0] = before.value;
        }
        __syncthreads();
        before.exists = kHasStart || tile > 0;
        if (before.exists && chunks > 0) before.value = storage.prefix[0];
    } else if (exchange == Exchange::none) {
        __syncthreads();
    }
#if LIBSCAN_HOPPER_CODE
    if (exchange == Exchange::cluster) {
        storage.cluster.exchange(static_cast<int>(tile), aggregate);
        if (tile > 0 && chunks > 0)
            before.add(op, storage.cluster.fold(static_cast<int>(tile), op));
    }
#endif
    if (count <= 0) return;
    if (warp > 0) {
        const Acc in_front = storage.chunks.prefix[warp];
        before.add(op, in_front);
    }

    if (full) {
        chunk.template emit<true, kHasStart>(out, base, before.exists, before.value, count);
    } else {
        chunk.template emit<false, kHasStart>(out, base, before.exists, before.value, count);
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

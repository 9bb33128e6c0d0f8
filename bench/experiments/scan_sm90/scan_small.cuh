// SPDX-License-Identifier: Apache-2.0
//
// Scan of up to 32 tiles in one launch and without any state in global memory: one thread-block
// cluster of 1 to 16 blocks. Every block keeps its tiles in registers, the blocks exchange the tile
// totals through distributed shared memory behind one cluster barrier, and every warp folds them
// for itself. Nothing needs clearing, so an aborted launch leaves nothing behind.
//
// The order of combination is that of the look-ahead scan for the same tile shape: 32 tiles are its
// first window.
#pragma once

#include "scan_lookahead.cuh"

namespace lab {

template <int kScanWarpsP, int kRowsP, int kTilesPerBlockP>
struct SmallPolicy {
    static constexpr int kScanWarps = kScanWarpsP;          // chunks of a tile
    static constexpr int kRows = kRowsP;                    // of a chunk
    static constexpr int kTilesPerBlock = kTilesPerBlockP;  // at most, held in registers
    static constexpr int kThreads = kScanWarps * kWarp;
};

template <class In, class Out, class Op, class Start>
struct SmallArguments {
    const In* in;
    Out* out;
    int items;
    int tiles_per_block;
    int blocks;
    Op op;
    Start start;
};

template <class Policy, class In, class Out, class Acc, class Op, class Start, bool kInclusive>
__global__ void __launch_bounds__(Policy::kThreads, 1)
    small_kernel(const __grid_constant__ SmallArguments<In, Out, Op, Start> args) {
    using ChunkType = Chunk<In, Out, Acc, Op, Policy::kRows, kInclusive>;
    constexpr int kTiles = Policy::kTilesPerBlock;
    constexpr int kChunks = Policy::kScanWarps;
    constexpr int kChunkItems = ChunkType::kItems;
    constexpr int kTileItems = kChunks * kChunkItems;
    static_assert(kTiles <= kChunks, "one warp folds one tile's chunks");

    __shared__ SharedArray<Acc, kTiles * kWarp> chunk_total;
    __shared__ SharedArray<Acc, kTiles * kWarp> chunk_prefix;
    struct alignas(16) Padded {  // whole words, for the writes into other blocks
        uint32_t w[(sizeof(Acc) + 3) / 4];
    };
    __shared__ SharedArray<Padded, kWarp> tile_total;

    const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
    const int first_tile = static_cast<int>(blockIdx.x) * args.tiles_per_block;
    const bool alone = args.blocks == 1;
    if (!alone) cluster_arrive();  // blocks may write into each other once all have started

    ChunkType chunk[kTiles];
    int count[kTiles];
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
        const int at = (first_tile + j) * kTileItems + warp * kChunkItems;
        count[j] = j < args.tiles_per_block ? max(min(args.items - at, kChunkItems), 0) : 0;
        const In* from = args.in + at;
        chunk[j].zero = static_cast<uint32_t>(args.items) >> 31;
        if (ChunkType::kPacked && count[j] == kChunkItems &&
            reinterpret_cast<uintptr_t>(from) % 16 == 0) {
            chunk[j].load_global(from, lane);
        } else {
            chunk[j].load_items(from, count[j], lane);
        }
    }
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
        Acc total;
        if (count[j] == kChunkItems) {
            chunk[j].template scan_lanes<true>(args.op, kChunkItems, lane);
            total = chunk[j].template total<true>(args.op, kChunkItems);
            chunk[j].template prepare<true>(kChunkItems);
        } else if (count[j] > 0) {
            chunk[j].template scan_lanes<false>(args.op, count[j], lane);
            total = chunk[j].template total<false>(args.op, count[j]);
            chunk[j].template prepare<false>(count[j]);
        }
        if (count[j] > 0 && lane == 0) chunk_total.set(j * kWarp + warp, total);
    }
    __syncthreads();
    if (!alone) cluster_wait();
    if (warp < args.tiles_per_block) {
        const int rest = args.items - (first_tile + warp) * kTileItems;
        const int chunks = min((rest + kChunkItems - 1) / kChunkItems, kChunks);
        if (rest > 0) {
            Acc sum;
            if (lane < chunks) sum = chunk_total.get(warp * kWarp + lane);
            sum = warp_inclusive_scan(sum, args.op, lane, chunks);
            if (lane < chunks - 1) chunk_prefix.set(warp * kWarp + lane + 1, sum);
            sum = shuffle(sum, chunks - 1);
            Padded words{};
            std::memcpy(&words, &sum, sizeof(Acc));
            if (alone) {
                if (lane == 0) tile_total.set(warp, words);
            } else if (lane < args.blocks) {
                const char* own = static_cast<const char*>(tile_total.address(first_tile + warp));
#pragma unroll
                for (int i = 0; i < static_cast<int>(sizeof(words.w) / 4); ++i) {
                    cluster_store(own + 4 * i, lane, words.w[i]);
                }
            }
        }
    }
    if (alone) {
        __syncthreads();
    } else {
        cluster_arrive();
        cluster_wait();
    }
    if (first_tile * kTileItems >= args.items) return;

    constexpr int kPerLane = LookaheadTemp<Acc>::kPerLane;
    Acc totals[kPerLane];  // of all tiles before this block's last one
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
        const int tile = lane * kPerLane + i;
        if (tile < first_tile + args.tiles_per_block - 1 && tile < kWarp) {
            const Padded words = tile_total.get(tile);
            std::memcpy(&totals[i], &words, sizeof(Acc));
        }
    }
    const int out_shift = static_cast<int>(reinterpret_cast<uintptr_t>(args.out) % 16);
#pragma unroll
    for (int j = 0; j < kTiles; ++j) {
        if (count[j] == 0) continue;
        const int tile = first_tile + j;
        bool has = Start::kExists;
        Acc start;
        if constexpr (Start::kExists) start = static_cast<Acc>(args.start.get());
        const Acc sum = fold_window<Acc>([&](int i) { return totals[i]; }, tile, args.op, lane);
        if (tile > 0) {
            if (has) {
                start = static_cast<Acc>(args.op(start, sum));
            } else {
                start = sum;
            }
            has = true;
        }
        if (warp > 0) {
            const Acc in_tile = chunk_prefix.get(j * kWarp + warp);
            if (has) {
                start = static_cast<Acc>(args.op(start, in_tile));
            } else {
                start = in_tile;
            }
            has = true;
        }
        Out* out = args.out + tile * kTileItems + warp * kChunkItems;
        if (count[j] == kChunkItems) {
            chunk[j].template emit<true, Start::kExists>(out, out_shift, has, start, args.op,
                                                         kChunkItems, lane);
        } else {
            chunk[j].template emit<false, Start::kExists>(out, out_shift, has, start, args.op,
                                                          count[j], lane);
        }
    }
}

template <class Policy, bool kInclusive, class Acc, class In, class Out, class Op, class Start>
struct SmallScan {
    static constexpr int kTileItems =
        Policy::kScanWarps * Chunk<In, Out, Acc, Op, Policy::kRows, kInclusive>::kItems;
    static constexpr int max_items(int max_blocks) {
        const int tiles = max_blocks * Policy::kTilesPerBlock;
        return (tiles < kWarp ? tiles : kWarp) * kTileItems;
    }

    // max_blocks: 1, 2, 4, 8, or 16 where the device can place such a cluster.
    static cudaError_t launch(const In* in, Out* out, int n, Op op, Start start, int max_blocks,
                              cudaStream_t stream) {
        const auto kernel = small_kernel<Policy, In, Out, Acc, Op, Start, kInclusive>;
        static const cudaError_t allowed =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (allowed != cudaSuccess) return allowed;
        const int tiles = (n + kTileItems - 1) / kTileItems;
        int blocks = 1;
        while (blocks < tiles && blocks < max_blocks) blocks *= 2;
        const int per_block = (tiles + blocks - 1) / blocks;
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = static_cast<unsigned>(blocks);
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        cudaLaunchConfig_t c{};
        c.gridDim = dim3(static_cast<unsigned>(blocks));
        c.blockDim = dim3(Policy::kThreads);
        c.stream = stream;
        c.attrs = &attribute;
        c.numAttrs = blocks > 1 ? 1 : 0;
        return cudaLaunchKernelEx(
            &c, kernel,
            SmallArguments<In, Out, Op, Start>{in, out, n, per_block, blocks, op, start});
    }
};

}  // namespace lab

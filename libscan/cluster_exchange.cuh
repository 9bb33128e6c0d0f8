// SPDX-License-Identifier: Apache-2.0
//
// How the tiles of one thread-block cluster (compute capability 9.0) learn what stands before them:
// every block writes its aggregate into the shared memory of all, behind one barrier of the
// cluster, and folds those before its own. No state in global memory, so nothing needs clearing.
#pragma once

#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>
#include <libscan/tile_windows.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// One tile a block. More than 8 blocks are not portable: not every GPU can place them.
inline constexpr int kClusterTiles = 16;

template <class Acc>
struct ClusterExchange {
    shared_array<Acc, kClusterTiles> aggregates;  // of every tile of the cluster

    // All threads of the block. The other blocks may write here only once this one has started.
    __device__ __forceinline__ void begin() { __cluster_barrier_arrive(); }

    // All threads of the block; the first warp has the aggregate of the tile (of a block without a
    // tile any value).
    __device__ __forceinline__ void exchange(int tile, const Acc& aggregate) {
        __cluster_barrier_wait();
        if (threadIdx.x < __clusterSizeInBlocks()) {
            void* const there = __cluster_map_shared_rank(aggregates.data() + tile, threadIdx.x);
            shared_at<Acc>(there) = aggregate;
        }
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }

    // What the first `tiles` > 0 tiles come to; for a full warp, in all its lanes.
    template <class Op>
    __device__ __forceinline__ Acc fold(int tiles, Op& op) {
        static_assert(kClusterTiles <= kWindowTiles<Acc>, "all in the first window");
        const int first = static_cast<int>(threadIdx.x) % kWarpSize * kTilesPerLane<Acc>;
        return fold_window<Acc>(
            [&](int i) {
                const Acc other = aggregates[first + i < tiles ? first + i : 0];
                return other;
            },
            tiles, op);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

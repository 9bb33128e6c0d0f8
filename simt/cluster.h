// SPDX-License-Identifier: Apache-2.0
// Thread-block clusters under the names of CUDA's intrinsics: who is where, the shared memory of
// the other blocks, and the cluster's barrier (rendezvous.h). A launch without clusters has
// clusters of one block.
#pragma once

#include "shared.h"

namespace simt {

// The address in block `rank` of the cluster that corresponds to `p`, an address in the caller's
// shared memory. Variables lie where their first use has put them, so they are found by their key.
SIMT_NOTSAN inline void* map_shared_rank(const void* p, unsigned rank, Site site) {
    Block& b = *self->warp->block;
    const Cluster& c = *b.cluster;
    const char* at = static_cast<const char*>(p);
    if (rank >= c.size) b.worker->fail("the rank of a block that the cluster does not have", site);
    Block& to = c.blocks[rank];
    if (at >= b.dynamic && at <= b.dynamic + b.dynamic_bytes) return to.dynamic + (at - b.dynamic);
    for (uint32_t i = 0; i < b.variable_count; ++i) {
        const Block::Variable& v = b.variables[i];
        if (at >= v.address && at < v.address + v.size)
            return shared_variable(to, v.key, v.size, v.align) + (at - v.address);
    }
    b.worker->fail("an address that is not in the block's own shared memory is mapped", site);
}

SIMT_NOTSAN inline unsigned shared_rank(const void* p, Site site) {
    Block& b = *self->warp->block;
    const Block* owner = owner_of(b, static_cast<const char*>(p));
    if (!owner) b.worker->fail("an address that is not in the cluster's shared memory", site);
    return owner->rank;
}

SIMT_NOTSAN inline uint3 index_in_cluster() {
    const uint3 block = self->warp->block->index;
    const dim3 box = current_launch->cluster;
    return {block.x % box.x, block.y % box.y, block.z % box.z};
}
SIMT_NOTSAN inline uint3 grid_in_clusters() {
    const dim3 grid = current_launch->grid, box = current_launch->cluster;
    return {grid.x / box.x, grid.y / box.y, grid.z / box.z};
}

}  // namespace simt

SIMT_FAST void __cluster_barrier_arrive(SIMT_SITE) { simt::cluster_arrive(false, SIMT_HERE); }
SIMT_FAST void __cluster_barrier_arrive_relaxed(SIMT_SITE) {
    simt::cluster_arrive(true, SIMT_HERE);
}
SIMT_FAST void __cluster_barrier_wait(SIMT_SITE) { simt::cluster_wait(SIMT_HERE); }

SIMT_FAST void* __cluster_map_shared_rank(const void* p, unsigned rank, SIMT_SITE) {
    return simt::map_shared_rank(p, rank, SIMT_HERE);
}
SIMT_FAST unsigned __cluster_query_shared_rank(const void* p, SIMT_SITE) {
    return simt::shared_rank(p, SIMT_HERE);
}

SIMT_FAST unsigned __clusterDimIsSpecified() { return simt::current_launch->cluster_specified; }
SIMT_FAST dim3 __clusterDim() { return simt::current_launch->cluster; }
SIMT_FAST unsigned __clusterSizeInBlocks() { return simt::self->warp->block->cluster->size; }
SIMT_FAST dim3 __clusterIdx() { return simt::self->warp->block->cluster->index; }
SIMT_FAST dim3 __clusterGridDimInClusters() { return simt::grid_in_clusters(); }
SIMT_FAST dim3 __clusterRelativeBlockIdx() { return simt::index_in_cluster(); }
SIMT_FAST unsigned __clusterRelativeBlockRank() { return simt::self->warp->block->rank; }

// SPDX-License-Identifier: Apache-2.0
//
// Blelloch's tree with element i in word i + i / 32 + i / 1024: no bank conflict at any level.
#pragma once

#include <libscan/block_blelloch.cuh>

LIBSCAN_NAMESPACE_BEGIN

// See BlockBlellochTree. Takes kTile / 32 + kTile / 1024 spare words, for which it makes 264
// instead of 1534 shared-memory requests on a tile of 4096 (tile_model.cuh).
template <class T, int kThreads, int kTile>
using BlockBlellochPadded = BlockBlellochTree<T, kThreads, kTile, TwoTermPad>;

LIBSCAN_NAMESPACE_END

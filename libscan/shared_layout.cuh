// SPDX-License-Identifier: Apache-2.0
//
// Where element i of a tile stands in shared memory. Every access of a tile scan goes through one
// of these functions, and the compile-time model (tile_model.cuh) simulates the banks with the same
// ones.
//
// Shared memory has 32 banks; successive words belong to successive banks. A tree that doubles its
// stride level by level soon puts all lanes of a warp into one bank. Spare words between the
// elements shift the lanes apart: Mark Harris, Shubhabrata Sengupta and John D. Owens, "Parallel
// Prefix Sum (Scan) with CUDA", GPU Gems 3, chapter 39, there for 16 banks, here for 32.
#pragma once

#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN

struct PlainLayout {
    __host__ __device__ static constexpr int word(int i) { return i; }
};

// One spare word every 32. Enough up to a stride of 16 elements.
struct OneTermPad {
    __host__ __device__ static constexpr int word(int i) { return i + i / 32; }
};

// A second spare word every 1024: no conflict at any stride.
struct TwoTermPad {
    __host__ __device__ static constexpr int word(int i) { return i + i / 32 + i / 1024; }
};

// Words that a tile occupies.
template <class Layout>
__host__ __device__ constexpr int layout_words(int tile) {
    return Layout::word(tile - 1) + 1;
}

LIBSCAN_NAMESPACE_END

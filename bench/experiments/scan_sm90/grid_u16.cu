// SPDX-License-Identifier: Apache-2.0
#include "grid.cuh"
#include "policies.h"
GRID(u16) {
    using T = u16;
    constexpr int kSize = sizeof(T);
    CK(cudaMemset(B.in, 0, 64));
    fill_kernel<T><<<4096, 256>>>((T*)B.in, kSizes[10]);
    float copy[11], cub[11];
    copies<T>(B, copy);
    cells<T, Plus, PolicyA<kSize>, SmallA<kSize>>(kPlus, B, csv, copy, cub, true);
    if constexpr (kSize != 4)
        cells<T, Plus, PolicyB<kSize>, SmallA<kSize>>(kPlus, B, csv, copy, cub, false);
    if constexpr (kSize < 16)
        cells<T, Max, PolicyA<kSize>, SmallA<kSize>>(kMax, B, csv, copy, cub, true);
    if constexpr (kSize == 4)
        cells<T, Custom, PolicyA<kSize>, SmallA<kSize>>(kCustom, B, csv, copy, cub, true);
}

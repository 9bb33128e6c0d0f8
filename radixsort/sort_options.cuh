// SPDX-License-Identifier: Apache-2.0
//
// Options of the one-call sorts, which allocate their temporary storage on the stream.
#pragma once

#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN

struct SortOptions {
    static constexpr int kAllBits = -1;

    cudaStream_t stream = nullptr;
    int begin_bit = 0;       // the bits [begin_bit, end_bit) of the keys are looked at
    int end_bit = kAllBits;  // kAllBits: up to the highest
};

LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// Temporary storage from the caller. Device-wide functions are called twice: once with a null
// pointer, to learn how many bytes they need, and once with so many bytes of device memory. Several
// parts share that one block; this is where each begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <limits>

LIBSCAN_NAMESPACE_BEGIN

// Each part begins at a multiple of this many bytes, wherever the block itself begins.
inline constexpr std::size_t kTempStorageAlignment = 256;

// Lays kParts parts of sizes[] bytes out in the block of `bytes` bytes at `block`.
//
// With block == nullptr it sets `bytes` to what the parts need, whatever the alignment of the block
// that will be handed in: at least 1, and never less for larger parts. Otherwise it points parts[i]
// at part i; a part of no bytes gets a null pointer.
//
// Returns cudaErrorInvalidValue where the block is too small, or where the sum of the sizes does
// not fit a size_t; neither the block nor its parts are touched.
template <int kParts>
[[nodiscard]] cudaError_t alias_temp_storage(void* block, std::size_t& bytes,
                                             const std::size_t (&sizes)[kParts],
                                             void* (&parts)[kParts]) {
    constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();
    constexpr std::size_t kGap = kTempStorageAlignment - 1;
    std::size_t needed = 0;
    std::size_t offsets[kParts];
    for (int i = 0; i < kParts; ++i) {
        offsets[i] = needed;
        if (sizes[i] > kMax - 2 * kGap - needed) return cudaErrorInvalidValue;
        needed += (sizes[i] + kGap) & ~kGap;
    }
    // Room to move up to the first aligned address. A block of no bytes at all could not be
    // allocated.
    needed = needed > 0 ? needed + kGap : 1;
    if (block == nullptr) {
        bytes = needed;
        return cudaSuccess;
    }
    if (bytes < needed) return cudaErrorInvalidValue;
    char* const begin = static_cast<char*>(block);
    const std::size_t skip = (0 - reinterpret_cast<std::uintptr_t>(begin)) & kGap;
    for (int i = 0; i < kParts; ++i) parts[i] = sizes[i] > 0 ? begin + skip + offsets[i] : nullptr;
    return cudaSuccess;
}

LIBSCAN_NAMESPACE_END

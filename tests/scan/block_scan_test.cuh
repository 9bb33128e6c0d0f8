// SPDX-License-Identifier: Apache-2.0
//
// Runs a tile scan in one block and compares it with the serial scan.
#pragma once

#include <libscan/tile_algorithm.cuh>

#include "test_support.cuh"
#include "test_types.cuh"

namespace scan_test {

enum class Mode { kInclusive, kFromNothing, kFromIdentity, kFromValue };
inline constexpr Mode kModes[] = {Mode::kInclusive, Mode::kFromNothing, Mode::kFromIdentity,
                                  Mode::kFromValue};

inline const char* mode_name(Mode mode) {
    switch (mode) {
        case Mode::kInclusive:
            return "inclusive";
        case Mode::kFromNothing:
            return "exclusive from nothing";
        case Mode::kFromIdentity:
            return "exclusive from the identity";
        case Mode::kFromValue:
            return "exclusive from a value";
    }
    return "";
}

// Elements are put by one thread and got by another; every thread writes down the total that it was
// given.
template <class Tile, int kThreads, class T, class Op>
__global__ void __launch_bounds__(kThreads)
    block_scan_kernel(const T* in, T* out, T* totals, int count, Mode mode, Op op, T start) {
    Tile scan(*libscan::dynamic_shared<typename Tile::TempStorage>(), count);
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) scan.put(i, in[i]);
    T total = start;
    switch (mode) {
        case Mode::kInclusive:
            total = scan.inclusive(op);
            break;
        case Mode::kFromNothing:
            total = scan.exclusive(op, libscan::NoStart{});
            break;
        case Mode::kFromIdentity:
            total = scan.exclusive(op, libscan::Identity<T>{start});
            break;
        case Mode::kFromValue:
            total = scan.exclusive(op, start);
            break;
    }
    for (int i = count - 1 - static_cast<int>(threadIdx.x); i >= 0; i -= kThreads)
        out[i] = scan.get(i);
    totals[threadIdx.x] = total;
}

// Largest dynamic shared memory of a block.
inline std::size_t shared_limit() {
    int device = 0, bytes = 0;
    EXPECT_CUDA_OK(cudaGetDevice(&device));
    EXPECT_CUDA_OK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return static_cast<std::size_t>(bytes);
}

template <template <class, int, int> class TileScan, class T, int kThreads, int kTile>
void expect_block_scan(int count, Mode mode, std::uint64_t seed) {
    SCOPED_TRACE(std::string(mode_name(mode)) + ", " + std::to_string(count) + " of " +
                 std::to_string(kTile) + " elements, " + std::to_string(kThreads) + " threads");
    using Tile = TileScan<T, kThreads, kTile>;
    using Op = typename Element<T>::Op;
    const std::vector<T> in = random_elements<T>(static_cast<std::size_t>(count), seed);
    const T start = mode == Mode::kFromValue ? Element<T>::initial() : Element<T>::identity();
    DeviceArray<T> device_in(in), out(in.size()), totals(kThreads);
    const std::size_t bytes = sizeof(typename Tile::TempStorage);
    const cudaError_t error =
        libscan::launch(block_scan_kernel<Tile, kThreads, T, Op>, dim3(1), kThreads, bytes, nullptr,
                        device_in.data(), out.data(), totals.data(), count, mode, Op{}, start);
    if (bytes >
        shared_limit()) {  // the tile does not fit this device: refused, and nothing happened
        EXPECT_NE(error, cudaSuccess);
        (void)cudaGetLastError();
        EXPECT_TRUE(out.is_untouched());
        return;
    }
    ASSERT_CUDA_OK(error);
    ASSERT_CUDA_OK(cudaDeviceSynchronize());
    const std::vector<T> inclusive = inclusive_scan<T>(in, Op{});
    T total = inclusive.back();
    if (mode == Mode::kFromValue) total = static_cast<T>(Op{}(start, total));
    if (mode == Mode::kInclusive) {
        ASSERT_TRUE(same(out.download(), inclusive));
    } else {
        // Without a start, element 0 has no result.
        ASSERT_TRUE(same(out.download(), exclusive_scan(in, Op{}, start),
                         mode == Mode::kFromNothing ? 1 : 0));
    }
    ASSERT_TRUE(same(totals.download(), std::vector<T>(kThreads, total)))
        << "the totals of the threads";
}

template <template <class, int, int> class TileScan, class T, int kThreads, int kTile>
void expect_block_scans(const std::vector<int>& counts) {
    for (const int count : counts) {
        for (const Mode mode : kModes) {
            expect_block_scan<TileScan, T, kThreads, kTile>(count, mode,
                                                            static_cast<std::uint64_t>(count));
            if (testing::Test::HasFailure()) return;
        }
    }
}

// Tile scans as types, for typed tests.
struct HillisSteele {
    template <class T, int kThreads, int kTile>
    using Tile = libscan::BlockHillisSteele<T, kThreads, kTile>;
};
struct Blelloch {
    template <class T, int kThreads, int kTile>
    using Tile = libscan::BlockBlelloch<T, kThreads, kTile>;
};
struct BlellochPadded {
    template <class T, int kThreads, int kTile>
    using Tile = libscan::BlockBlellochPadded<T, kThreads, kTile>;
};
struct BlellochPaddedOneTerm {
    template <class T, int kThreads, int kTile>
    using Tile = libscan::BlockBlellochPaddedOneTerm<T, kThreads, kTile>;
};
struct WarpShuffle {
    template <class T, int kThreads, int kTile>
    using Tile = libscan::BlockWarpShuffle<T, kThreads, kTile>;
};

using Algorithms =
    testing::Types<HillisSteele, Blelloch, BlellochPadded, BlellochPaddedOneTerm, WarpShuffle>;

struct AlgorithmNames {
    template <class Algorithm>
    static std::string GetName(int) {
        if (std::is_same<Algorithm, HillisSteele>::value) return "hillis_steele";
        if (std::is_same<Algorithm, Blelloch>::value) return "blelloch";
        if (std::is_same<Algorithm, BlellochPadded>::value) return "blelloch_padded";
        if (std::is_same<Algorithm, BlellochPaddedOneTerm>::value)
            return "blelloch_padded_one_term";
        return "warp_shuffle";
    }
};

}  // namespace scan_test

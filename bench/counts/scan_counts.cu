// SPDX-License-Identifier: Apache-2.0
//
// The exclusive sum of 0 ... n - 1, mod 2^32: by DeviceScan, and by the three-kernel scan with each
// tile algorithm.
#include "count_call.h"
// count_call.h comes first, see there.
#include <libscan/device_scan.cuh>
#include <libscan/three_kernel_scan.cuh>
#include <libscan/tile_algorithm.cuh>

namespace counts {
namespace {

constexpr int kThreads = 256;
constexpr int kTile = 4096;

struct Sums {
    std::vector<Item> in, out;
};

template <template <class, int, int> class TileScan>
Row count_three_kernel(libscan::TileAlgorithm algorithm, const Sums& sums) {
    using Scan = libscan::ThreeKernelScan<TileScan, kThreads, kTile>;
    return count_call(
        std::string("three_kernel/") + libscan::tile_algorithm_name(algorithm), sums.in, sums.out,
        [&](void* temp, std::size_t& bytes, auto in, auto out, cudaStream_t stream) {
            return Scan::ExclusiveSum(temp, bytes, in, out,
                                      static_cast<std::int64_t>(sums.in.size()), stream);
        });
}

}  // namespace

std::vector<Row> count_scans(std::int64_t n) {
    using libscan::TileAlgorithm;
    Sums sums;
    Item sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        sums.in.push_back(static_cast<Item>(i));
        sums.out.push_back(sum);
        sum += sums.in.back();
    }
    return {
        count_call("single_pass/warp_shuffle", sums.in, sums.out,
                   [&](void* temp, std::size_t& bytes, auto in, auto out, cudaStream_t stream) {
                       return libscan::DeviceScan::ExclusiveSum(temp, bytes, in, out, n, stream);
                   }),
        count_three_kernel<libscan::BlockWarpShuffle>(TileAlgorithm::kWarpShuffle, sums),
        count_three_kernel<libscan::BlockBlellochPadded>(TileAlgorithm::kBlellochPadded, sums),
        count_three_kernel<libscan::BlockBlellochPaddedOneTerm>(
            TileAlgorithm::kBlellochPaddedOneTerm, sums),
        count_three_kernel<libscan::BlockBlelloch>(TileAlgorithm::kBlelloch, sums),
        count_three_kernel<libscan::BlockHillisSteele>(TileAlgorithm::kHillisSteele, sums),
    };
}

}  // namespace counts

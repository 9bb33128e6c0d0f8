// SPDX-License-Identifier: Apache-2.0
//
// The compile-time model against the executed kernels: shared-memory requests as the executor
// counts them, and operations as a counting operator sees them.
#include <libscan/three_kernel_scan.cuh>
#include <libscan/tile_model.cuh>

#include "block_scan_test.cuh"

namespace scan_test {
namespace {

using libscan::TileAlgorithm;

struct CountingPlus {
    unsigned* calls;
    __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
        atomicAdd(calls, 1u);
        return a + b;
    }
};

template <template <class, int, int> class TileScan, int kThreads, int kTile>
void execute_tile(unsigned& operations) {
    using Scan = libscan::ThreeKernelScan<TileScan, kThreads, kTile>;
    const std::vector<std::uint32_t> in = random_elements<std::uint32_t>(kTile, 1);
    DeviceArray<std::uint32_t> device_in(in), out(kTile), total(1);
    DeviceArray<unsigned> calls(std::vector<unsigned>{0});
    ASSERT_CUDA_OK(Scan::TileOnly(device_in.data(), out.data(), total.data(),
                                  CountingPlus{calls.data()}, libscan::Identity<std::uint32_t>{0},
                                  kTile));
    ASSERT_CUDA_OK(cudaDeviceSynchronize());
    ASSERT_TRUE(same(out.download(), exclusive_scan(in, libscan::Plus{}, std::uint32_t{0})));
    operations = calls.download()[0];
}

template <template <class, int, int> class TileScan, int kThreads, int kTile>
void expect_operations(TileAlgorithm algorithm) {
    SCOPED_TRACE(std::string(libscan::tile_algorithm_name(algorithm)) + ", tile of " +
                 std::to_string(kTile) + ", " + std::to_string(kThreads) + " threads");
    unsigned operations = 0;
    execute_tile<TileScan, kThreads, kTile>(operations);
    EXPECT_EQ(operations, static_cast<unsigned>(libscan::tile_adds(algorithm, kTile, kThreads)));
}

template <int kThreads, int kTile>
void expect_operations() {
    expect_operations<libscan::BlockHillisSteele, kThreads, kTile>(TileAlgorithm::kHillisSteele);
    expect_operations<libscan::BlockBlelloch, kThreads, kTile>(TileAlgorithm::kBlelloch);
    expect_operations<libscan::BlockBlellochPadded, kThreads, kTile>(
        TileAlgorithm::kBlellochPadded);
    expect_operations<libscan::BlockBlellochPaddedOneTerm, kThreads, kTile>(
        TileAlgorithm::kBlellochPaddedOneTerm);
    expect_operations<libscan::BlockWarpShuffle, kThreads, kTile>(TileAlgorithm::kWarpShuffle);
}

TEST(TileModel, OperationsAreThoseExecuted) {
    expect_operations<96, 256>();
    expect_operations<992, 1024>();
    expect_operations<256, 2048>();
    expect_operations<1024, 4096>();
    expect_operations<256, 8192>();
}

#if defined(SIMT_VERSION)

// Requests of the first read of each of the functions, in the order of their lines.
std::uint64_t first_reads(const std::vector<std::string>& functions) {
    std::uint64_t requests = 0;
    for (const std::string& function : functions) {
        bool found = false;
        for (const simt::SiteCount& site : simt::bank_counts()) {
            if (found || site.write || function != site.function) continue;
            requests += site.requests;
            found = true;
        }
        EXPECT_TRUE(found) << "no read was counted in " << function;
    }
    return requests;
}

template <template <class, int, int> class TileScan, int kThreads, int kTile>
void expect_requests(TileAlgorithm algorithm, const std::vector<std::string>& functions) {
    SCOPED_TRACE(std::string(libscan::tile_algorithm_name(algorithm)) + ", tile of " +
                 std::to_string(kTile) + ", " + std::to_string(kThreads) + " threads");
    const simt::Config before = simt::config();
    simt::config().count = true;
    simt::reset_bank_counts();
    unsigned operations = 0;
    execute_tile<TileScan, kThreads, kTile>(operations);
    EXPECT_EQ(first_reads(functions),
              static_cast<std::uint64_t>(libscan::tile_requests(algorithm, kTile)));
    simt::config() = before;
}

template <int kThreads, int kTile>
void expect_requests() {
    const std::vector<std::string> network{"sweep"}, tree{"up_sweep", "down_sweep"};
    expect_requests<libscan::BlockHillisSteele, kThreads, kTile>(TileAlgorithm::kHillisSteele,
                                                                 network);
    expect_requests<libscan::BlockBlelloch, kThreads, kTile>(TileAlgorithm::kBlelloch, tree);
    expect_requests<libscan::BlockBlellochPadded, kThreads, kTile>(TileAlgorithm::kBlellochPadded,
                                                                   tree);
    expect_requests<libscan::BlockBlellochPaddedOneTerm, kThreads, kTile>(
        TileAlgorithm::kBlellochPaddedOneTerm, tree);
}

TEST(TileModel, RequestsAreThoseExecuted) {
    expect_requests<96, 256>();
    expect_requests<992, 1024>();
    expect_requests<256, 2048>();
    expect_requests<1024, 4096>();
    expect_requests<256, 8192>();
}

#endif

}  // namespace
}  // namespace scan_test

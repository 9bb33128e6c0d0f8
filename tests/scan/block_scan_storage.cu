// SPDX-License-Identifier: Apache-2.0
//
// A tile scan in static shared memory, one storage used for several scans, and tiles that do not
// fit.
#include "block_scan_test.cuh"

namespace scan_test {
namespace {

constexpr int kCarryThreads = 48;
constexpr int kCarryTile = 64;

// Scans the tiles of an array of `count` elements one after the other with one storage and carries
// the total along: a whole scan by one block.
template <class Tile>
__global__ void __launch_bounds__(kCarryThreads)
    carry_kernel(const std::uint32_t* in, std::uint32_t* out, int n) {
    LIBSCAN_SHARED(storage, typename Tile::TempStorage);
    std::uint32_t carry = 0;
    for (int base = 0; base < n; base += kCarryTile) {
        const int count = n - base < kCarryTile ? n - base : kCarryTile;
        Tile scan(storage, count);
        for (int i = static_cast<int>(threadIdx.x); i < count; i += kCarryThreads)
            scan.put(i, in[base + i]);
        carry = scan.exclusive(libscan::Plus{}, carry);
        for (int i = static_cast<int>(threadIdx.x); i < count; i += kCarryThreads)
            out[base + i] = scan.get(i);
        __syncthreads();  // the storage is about to be used again
    }
}

template <class Algorithm>
class BlockScanStorage : public testing::Test {};
TYPED_TEST_SUITE(BlockScanStorage, Algorithms, AlgorithmNames);

TYPED_TEST(BlockScanStorage, StaticAndReused) {
    using Tile = typename TypeParam::template Tile<std::uint32_t, kCarryThreads, kCarryTile>;
    const std::vector<std::uint32_t> in = random_elements<std::uint32_t>(5 * kCarryTile + 17, 1);
    for_each_schedule(kSeeds, [&] {
        DeviceArray<std::uint32_t> device_in(in), out(in.size());
        ASSERT_CUDA_OK(libscan::launch(carry_kernel<Tile>, dim3(1), kCarryThreads, 0, nullptr,
                                       device_in.data(), out.data(), static_cast<int>(in.size())));
        ASSERT_CUDA_OK(cudaDeviceSynchronize());
        ASSERT_TRUE(same(out.download(), exclusive_scan(in, libscan::Plus{}, std::uint32_t{0})));
    });
}

// Twice 8192 matrices of 16 bytes are 256 KiB: more than any device gives to a block.
TEST(BlockScanLimits, TooLargeATileIsRefused) {
    using Storage = libscan::BlockHillisSteele<Matrix, 1024, 8192>::TempStorage;
    ASSERT_GT(sizeof(Storage), shared_limit());
    expect_block_scan<libscan::BlockHillisSteele, Matrix, 1024, 8192>(8192, Mode::kInclusive, 1);
}

}  // namespace
}  // namespace scan_test

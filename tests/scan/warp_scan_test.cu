// SPDX-License-Identifier: Apache-2.0
//
// Warp scans and shuffles: element types of all sizes, partial warps, lanes without a value.
#include <libscan/warp_scan.cuh>

#include "test_support.cuh"
#include "test_types.cuh"

namespace scan_test {
namespace {

constexpr int kThreads = 75;  // two full warps and one of eleven lanes

template <class T, class Op>
__global__ void __launch_bounds__(kThreads)
    warp_scan_kernel(const T* in, T* scanned, T* shifted, int valid, int distance, Op op) {
    const T value = in[threadIdx.x];
    const unsigned mask = libscan::warp_mask<kThreads>();
    scanned[threadIdx.x] = libscan::warp_inclusive_scan(mask, value, op, valid);
    shifted[threadIdx.x] = libscan::shuffle_up(mask, value, distance);
}

struct Odd {  // five bytes
    unsigned char bytes[5];
    friend bool operator==(const Odd& a, const Odd& b) {
        return std::memcmp(a.bytes, b.bytes, 5) == 0;
    }
};
struct Xor {
    __host__ __device__ Odd operator()(const Odd& a, const Odd& b) const {
        Odd r{};
        for (int i = 0; i < 5; ++i)
            r.bytes[i] = static_cast<unsigned char>(a.bytes[i] ^ b.bytes[i]);
        return r;
    }
};

template <class T>
class WarpScan : public testing::Test {};
using Types = testing::Types<std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, float, double,
                             Matrix, Triple>;
TYPED_TEST_SUITE(WarpScan, Types);

template <class T, class Op>
void expect_warp_scan(const std::vector<T>& in, Op op, int valid, int distance) {
    SCOPED_TRACE(std::to_string(valid) + " lanes, distance " + std::to_string(distance));
    DeviceArray<T> device_in(in), scanned(in.size()), shifted(in.size());
    ASSERT_CUDA_OK(libscan::launch(warp_scan_kernel<T, Op>, dim3(1), kThreads, 0, nullptr,
                                   device_in.data(), scanned.data(), shifted.data(), valid,
                                   distance, op));
    ASSERT_CUDA_OK(cudaDeviceSynchronize());
    const std::vector<T> results = scanned.download(), moved = shifted.download();
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t first = i / 32 * 32;
        const int lane = static_cast<int>(i % 32);
        const std::size_t source = lane < distance ? i : i - static_cast<std::size_t>(distance);
        ASSERT_EQ(moved[i], in[source]) << "lane " << lane << " of warp " << i / 32;
        if (lane >= valid) continue;
        T expected = in[first];
        for (std::size_t j = first + 1; j <= i; ++j) expected = static_cast<T>(op(expected, in[j]));
        ASSERT_EQ(results[i], expected) << "lane " << lane << " of warp " << i / 32;
    }
}

TYPED_TEST(WarpScan, AllLanesAndSome) {
    using Op = typename Element<TypeParam>::Op;
    const std::vector<TypeParam> in = random_elements<TypeParam>(kThreads, 3);
    for_each_schedule(kSeeds, [&] {
        for (const int valid : {32, 100, 1, 0, -5, 17}) {
            expect_warp_scan(in, Op{}, valid, valid & 31);
            if (testing::Test::HasFailure()) return;
        }
    });
}

TEST(WarpScanOfBytes, FiveAtATime) {
    Random random(9);
    std::vector<Odd> in(kThreads);
    for (Odd& odd : in) {
        for (unsigned char& byte : odd.bytes) byte = static_cast<unsigned char>(random.below(256));
    }
    for_each_schedule(kSeeds, [&] { expect_warp_scan(in, Xor{}, 32, 3); });
}

}  // namespace
}  // namespace scan_test

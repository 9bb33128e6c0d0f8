// SPDX-License-Identifier: Apache-2.0
//
// The three-kernel scan over array sizes: around a tile, around tile^2, with three levels, with
// none.
#include <libscan/three_kernel_scan.cuh>

#include "block_scan_test.cuh"

namespace scan_test {
namespace {

constexpr int kThreads = 40;
constexpr int kTile = 32;

// Up to three levels, and around tile^3, where a fourth begins.
std::vector<int> sizes() {
    std::vector<int> list{0, 1, 2, 31, 32, 33, 64, 1023, 1024, 1025};
    if (!kIsSlow) list.insert(list.end(), {4000, 32768, 32769});
    return list;
}

template <class Algorithm>
struct ScanOf {
    using Small = libscan::ThreeKernelScan<Algorithm::template Tile, kThreads, kTile>;
};

// Exclusive and inclusive scan with the element type's operator, into another array or in place.
template <class Scan, class T>
void expect_scans(std::size_t n, bool in_place) {
    using Op = typename Element<T>::Op;
    SCOPED_TRACE(std::to_string(n) + (in_place ? " elements in place" : " elements"));
    const std::vector<T> in = random_elements<T>(n, n);
    for (const bool inclusive : {false, true}) {
        DeviceArray<T> device_in(in), other(n);
        T* const source = device_in.data();
        T* const target = in_place ? source : other.data();
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return inclusive ? Scan::InclusiveScan(temp, bytes, source, target, Op{}, n)
                             : Scan::ExclusiveScan(temp, bytes, source, target, Op{},
                                                   Element<T>::initial(), n);
        }));
        ASSERT_CUDA_OK(cudaDeviceSynchronize());
        ASSERT_TRUE(same((in_place ? device_in : other).download(),
                         inclusive ? inclusive_scan<T>(in, Op{})
                                   : exclusive_scan(in, Op{}, Element<T>::initial())))
            << (inclusive ? "inclusive" : "exclusive");
        if (!in_place) {
            ASSERT_TRUE(same(device_in.download(), in)) << "the input has changed";
        }
    }
}

template <class Scan>
void expect_sums(std::size_t n) {
    SCOPED_TRACE(std::to_string(n) + " elements");
    const std::vector<float> in = random_elements<float>(n, n);
    DeviceArray<float> device_in(in), exclusive(n), inclusive(n);
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return Scan::ExclusiveSum(temp, bytes, device_in.data(), exclusive.data(), n);
    }));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return Scan::InclusiveSum(temp, bytes, device_in.data(), inclusive.data(), n);
    }));
    ASSERT_CUDA_OK(cudaDeviceSynchronize());
    ASSERT_TRUE(same(exclusive.download(), exclusive_scan(in, libscan::Plus{}, 0.0f)));
    ASSERT_TRUE(same(inclusive.download(), inclusive_scan<float>(in, libscan::Plus{})));
}

template <class Algorithm>
class ThreeKernelSizes : public testing::Test {};
TYPED_TEST_SUITE(ThreeKernelSizes, Algorithms, AlgorithmNames);

TYPED_TEST(ThreeKernelSizes, Sums) {
    for (const int n : sizes())
        expect_sums<typename ScanOf<TypeParam>::Small>(static_cast<std::size_t>(n));
}

TYPED_TEST(ThreeKernelSizes, Matrices) {
    for (const int n : sizes()) {
        expect_scans<typename ScanOf<TypeParam>::Small, Matrix>(static_cast<std::size_t>(n), false);
        expect_scans<typename ScanOf<TypeParam>::Small, Matrix>(static_cast<std::size_t>(n), true);
    }
}

// 1025 elements are 33 tiles, so the totals need two tiles and their totals a third level.
TYPED_TEST(ThreeKernelSizes, ManySchedules) {
    for_each_schedule(kSeeds, [] {
        expect_scans<typename ScanOf<TypeParam>::Small, Matrix>(1025, false);
        expect_sums<typename ScanOf<TypeParam>::Small>(1025);
    });
}

// The first kernel alone: every tile from the same start.
TYPED_TEST(ThreeKernelSizes, TilesByThemselves) {
    using Small = typename ScanOf<TypeParam>::Small;
    for (const std::size_t n : {1, 32, 1000}) {
        const std::vector<Matrix> in = random_elements<Matrix>(n, n);
        const std::size_t tiles =
            static_cast<std::size_t>(Small::num_tiles(static_cast<std::int64_t>(n)));
        const Matrix start = Element<Matrix>::initial();
        std::vector<Matrix> expected, expected_totals;
        for (std::size_t t = 0; t < tiles; ++t) {
            const auto begin = in.begin() + static_cast<std::ptrdiff_t>(t * kTile);
            const auto end = t + 1 < tiles ? begin + kTile : in.end();
            const std::vector<Matrix> tile(begin, end);
            const std::vector<Matrix> scanned = exclusive_scan(tile, Multiply{}, start);
            expected.insert(expected.end(), scanned.begin(), scanned.end());
            expected_totals.push_back(Multiply{}(scanned.back(), tile.back()));
        }
        DeviceArray<Matrix> device_in(in), out(n), out_only(n), totals(tiles);
        ASSERT_CUDA_OK(
            Small::TileOnly(device_in.data(), out.data(), totals.data(), Multiply{}, start, n));
        ASSERT_CUDA_OK(Small::TileOnly(device_in.data(), out_only.data(),
                                       static_cast<Matrix*>(nullptr), Multiply{}, start, n));
        ASSERT_TRUE(same(out.download(), expected));
        ASSERT_TRUE(same(out_only.download(), expected));
        ASSERT_TRUE(same(totals.download(), expected_totals));
    }
}

// What the library runs when nothing is chosen.
TEST(ThreeKernelDefault, SumsAroundTheTile) {
    for (const std::size_t n : {1, 4095, 4096, 4097, 100000})
        expect_sums<libscan::ThreeKernelScan<>>(n);
}

TEST(ThreeKernelDefault, TriplesInPlace) {
    for (const std::size_t n : {4096, 9000})
        expect_scans<libscan::ThreeKernelScan<>, Triple>(n, true);
}

}  // namespace
}  // namespace scan_test

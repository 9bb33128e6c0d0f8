// SPDX-License-Identifier: Apache-2.0
//
// What a scan may assume of an operator: that it is associative, and nothing else.
#include <libscan/three_kernel_scan.cuh>

#include "block_scan_test.cuh"

namespace scan_test {
namespace {

constexpr int kThreads = 48;
constexpr int kTile = 64;

template <class Algorithm>
class ThreeKernelOperators : public testing::Test {
  protected:
    using Scan = libscan::ThreeKernelScan<Algorithm::template Tile, kThreads, kTile>;

    // Both scans of `in` against the serial ones.
    template <class Op, class T>
    static void expect_scans(const std::vector<T>& in, Op op, T init) {
        DeviceArray<T> device_in(in), exclusive(in.size()), inclusive(in.size());
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return Scan::ExclusiveScan(temp, bytes, device_in.data(), exclusive.data(), op, init,
                                       in.size());
        }));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return Scan::InclusiveScan(temp, bytes, device_in.data(), inclusive.data(), op,
                                       in.size());
        }));
        ASSERT_TRUE(same(exclusive.download(), exclusive_scan(in, op, init)));
        ASSERT_TRUE(same(inclusive.download(), inclusive_scan<T>(in, op)));
    }
};
TYPED_TEST_SUITE(ThreeKernelOperators, Algorithms, AlgorithmNames);

TYPED_TEST(ThreeKernelOperators, FirstLastAndLargest) {
    for (const std::size_t n : {1, 63, 64, 65, 4096, 4097, 10000}) {
        SCOPED_TRACE(std::to_string(n) + " elements");
        Random random(n);
        std::vector<int> in;
        for (std::size_t i = 0; i < n; ++i) in.push_back(random.below(3) ? -1 : random.below(1000));
        this->expect_scans(in, Pick{Pick::kLast}, 77);
        this->expect_scans(in, Pick{Pick::kFirst}, 77);
        this->expect_scans(in, Pick{Pick::kLastWritten}, 77);
        this->expect_scans(in, Pick{Pick::kLargest}, 300);
    }
}

// Joins intervals that touch. Were it given anything but elements, the initial value and its own
// results in their order, it would meet intervals that do not touch.
struct Interval {
    int begin, end;
    friend bool operator==(const Interval& a, const Interval& b) {
        return a.begin == b.begin && a.end == b.end;
    }
    friend std::ostream& operator<<(std::ostream& out, const Interval& i) {
        return out << "[" << i.begin << ", " << i.end << ")";
    }
};
struct Join {
    unsigned* bad_calls;
    __device__ Interval operator()(const Interval& a, const Interval& b) const {
        if (a.end != b.begin) atomicAdd(bad_calls, 1u);
        return {a.begin, b.end};
    }
};

TYPED_TEST(ThreeKernelOperators, SeeOnlyWhatTheyWereGivenOrMade) {
    for_each_schedule(kSeeds, [] {
        for (const int n : {1, 64, 100, 4097}) {
            SCOPED_TRACE(std::to_string(n) + " elements");
            const std::size_t size = static_cast<std::size_t>(n);
            std::vector<Interval> in, before, upto;
            for (int i = 0; i < n; ++i) {
                in.push_back({2 * i, 2 * i + 2});
                before.push_back({-9, 2 * i});
                upto.push_back({0, 2 * i + 2});
            }
            DeviceArray<Interval> device_in(in), exclusive(size), inclusive(size);
            DeviceArray<unsigned> bad_calls(std::vector<unsigned>{0});
            const Join join{bad_calls.data()};
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return TestFixture::Scan::ExclusiveScan(temp, bytes, device_in.data(),
                                                        exclusive.data(), join, Interval{-9, 0}, n);
            }));
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return TestFixture::Scan::InclusiveScan(temp, bytes, device_in.data(),
                                                        inclusive.data(), join, n);
            }));
            ASSERT_TRUE(same(exclusive.download(), before));
            ASSERT_TRUE(same(inclusive.download(), upto));
            ASSERT_EQ(bad_calls.download()[0], 0u) << "calls with intervals that do not touch";
        }
    });
}

TEST(ThreeKernelAccumulator, IsTheTypeOfTheOperatorsResult) {
    using Scan = libscan::ThreeKernelScan<libscan::BlockWarpShuffle, 64, 64>;
    const std::vector<std::int32_t> in = random_elements<std::int32_t>(1000, 5);
    // int64 init, int32 elements: sums beyond 2^32, into int64.
    const std::int64_t init = std::int64_t{1} << 40;
    DeviceArray<std::int32_t> device_in(in);
    DeviceArray<std::int64_t> wide(in.size());
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return Scan::ExclusiveScan(temp, bytes, device_in.data(), wide.data(), libscan::Plus{},
                                   init, in.size());
    }));
    ASSERT_TRUE(same(wide.download(), exclusive_scan(in, libscan::Plus{}, init)));
    // A double init keeps its fraction although the output is an int.
    DeviceArray<std::int32_t> narrow(in.size());
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return Scan::ExclusiveScan(temp, bytes, device_in.data(), narrow.data(), libscan::Plus{},
                                   0.75, in.size());
    }));
    std::vector<std::int32_t> expected;
    for (const double value : exclusive_scan(in, libscan::Plus{}, 0.75)) {
        expected.push_back(static_cast<std::int32_t>(value));
    }
    ASSERT_TRUE(same(narrow.download(), expected));
}

// The sum of a class type starts from its value-initialised object.
struct Pair {
    int x, y;
    friend __host__ __device__ Pair operator+(const Pair& a, const Pair& b) {
        return {a.x + b.x, a.y + b.y};
    }
    friend bool operator==(const Pair& a, const Pair& b) { return a.x == b.x && a.y == b.y; }
};

TEST(ThreeKernelAccumulator, ClassesWithAPlus) {
    using Scan = libscan::ThreeKernelScan<libscan::BlockBlelloch, 64, 64>;
    std::vector<Pair> in;
    for (int i = 0; i < 5000; ++i) in.push_back({i % 5, -i % 3});
    DeviceArray<Pair> device_in(in), exclusive(in.size()), inclusive(in.size());
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return Scan::ExclusiveSum(temp, bytes, device_in.data(), exclusive.data(), in.size());
    }));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return Scan::InclusiveSum(temp, bytes, device_in.data(), inclusive.data(), in.size());
    }));
    ASSERT_TRUE(same(exclusive.download(), exclusive_scan(in, libscan::Plus{}, Pair{0, 0})));
    ASSERT_TRUE(same(inclusive.download(), inclusive_scan<Pair>(in, libscan::Plus{})));
}

}  // namespace
}  // namespace scan_test

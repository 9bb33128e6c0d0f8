// SPDX-License-Identifier: Apache-2.0
//
// The three-kernel scan over types: of elements, of accumulators, of num_items, of iterators.
#include <iterator>
#include <libscan/three_kernel_scan.cuh>
#include <limits>

#include "test_support.cuh"
#include "test_types.cuh"

namespace scan_test {
namespace {

using Scan = libscan::ThreeKernelScan<libscan::BlockWarpShuffle, 64, 128>;
using TreeScan = libscan::ThreeKernelScan<libscan::BlockBlellochPadded, 64, 64>;

// Sums In into Out, exclusive and inclusive, and compares with serial sums in Acc.
template <class S, class Acc, class In, class Out>
void expect_sum(const std::vector<In>& in) {
    const std::size_t n = in.size();
    DeviceArray<In> device_in(in);
    DeviceArray<Out> exclusive(n), inclusive(n);
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return S::ExclusiveSum(temp, bytes, device_in.data(), exclusive.data(), n);
    }));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return S::InclusiveSum(temp, bytes, device_in.data(), inclusive.data(), n);
    }));
    ASSERT_CUDA_OK(cudaDeviceSynchronize());
    std::vector<Out> before, upto;
    Acc sum = 0;
    for (const In value : in) {
        before.push_back(static_cast<Out>(sum));
        sum = static_cast<Acc>(sum + value);
        upto.push_back(static_cast<Out>(sum));
    }
    ASSERT_TRUE(same(exclusive.download(), before));
    ASSERT_TRUE(same(inclusive.download(), upto));
}

template <class S, class In, class Out, class Acc>
void expect_sums_of(std::initializer_list<In> pattern) {
    for (const std::size_t n : {3, 64, 129, 5000}) {
        SCOPED_TRACE(std::to_string(n) + " elements");
        std::vector<In> in;
        for (std::size_t i = 0; i < n; ++i) in.push_back(pattern.begin()[i % pattern.size()]);
        expect_sum<S, Acc, In, Out>(in);
    }
}

TEST(ThreeKernelSums, NarrowIntoWide) {
    expect_sums_of<Scan, std::int8_t, std::int32_t, std::int32_t>({100, 28, 1});
    expect_sums_of<Scan, std::uint8_t, std::uint64_t, std::uint64_t>({255, 254});
    expect_sums_of<Scan, std::int32_t, std::int64_t, std::int64_t>(
        {std::numeric_limits<std::int32_t>::max(), 7});
    expect_sums_of<Scan, float, double, double>({16777216.0f, 1.0f});
}

// The accumulator keeps what the output cannot hold, over all tiles.
TEST(ThreeKernelSums, WideIntoNarrow) {
    expect_sums_of<Scan, float, std::int32_t, float>({0.5f, 0.25f});
    expect_sums_of<Scan, double, float, double>({16777217.0, 1.0});
    expect_sums_of<Scan, std::int64_t, std::int32_t, std::int64_t>({std::int64_t{1} << 31, 5});
    expect_sums_of<Scan, std::int64_t, double, double>({3, -1});
}

TEST(ThreeKernelSums, OneType) {
    expect_sums_of<TreeScan, std::uint8_t, std::uint8_t, int>({200, 100});
    expect_sums_of<TreeScan, std::int16_t, std::int16_t, int>({-3, 500});
    expect_sums_of<TreeScan, std::uint32_t, std::uint32_t, std::uint32_t>({0xffffffffu, 2});
    expect_sums_of<TreeScan, float, float, float>({1, 1, 1, 2});
}

// A narrow type in place: what the kernel reads anew must not have been overwritten.
TEST(ThreeKernelSums, BytesInPlace) {
    const std::vector<std::uint8_t> in = random_elements<std::uint8_t>(3000, 4);
    for (const bool inclusive : {false, true}) {
        DeviceArray<std::uint8_t> data(in);
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return inclusive ? Scan::InclusiveSum(temp, bytes, data.data(), data.data(), in.size())
                             : Scan::ExclusiveSum(temp, bytes, data.data(), data.data(), in.size());
        }));
        ASSERT_TRUE(same(data.download(),
                         inclusive ? inclusive_scan<std::uint8_t>(in, libscan::Plus{})
                                   : exclusive_scan(in, libscan::Plus{}, std::uint8_t{0})));
    }
}

template <class NumItems>
void expect_num_items(NumItems n) {
    const std::vector<std::uint32_t> in =
        random_elements<std::uint32_t>(static_cast<std::size_t>(n), 2);
    DeviceArray<std::uint32_t> device_in(in), out(in.size());
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return TreeScan::ExclusiveSum(temp, bytes, device_in.data(), out.data(), n);
    }));
    ASSERT_TRUE(same(out.download(), exclusive_scan(in, libscan::Plus{}, std::uint32_t{0})));
}

TEST(ThreeKernelNumItems, EveryIntegralType) {
    expect_num_items<signed char>(127);
    expect_num_items<unsigned char>(255);
    expect_num_items<char>(100);
    expect_num_items<short>(300);
    expect_num_items<unsigned short>(300);
    expect_num_items<int>(300);
    expect_num_items<unsigned>(300);
    expect_num_items<long>(300);
    expect_num_items<unsigned long>(300);
    expect_num_items<long long>(300);
    expect_num_items<unsigned long long>(300);
}

// first, first + step, first + 2 * step, ...
struct Counting {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::int64_t;
    using difference_type = std::int64_t;
    using pointer = const std::int64_t*;
    using reference = std::int64_t;
    std::int64_t first, step;
    __host__ __device__ std::int64_t operator[](std::int64_t i) const { return first + i * step; }
};

// Writes twice the value; can only be written to.
struct Doubling {
    struct Reference {
        std::int64_t* target;
        __host__ __device__ const Reference& operator=(std::int64_t value) const {
            *target = 2 * value;
            return *this;
        }
    };
    using iterator_category = std::random_access_iterator_tag;
    using value_type = void;
    using difference_type = std::int64_t;
    using pointer = void;
    using reference = Reference;
    std::int64_t* data;
    __host__ __device__ Reference operator[](std::int64_t i) const { return {data + i}; }
};

TEST(ThreeKernelIterators, InputAndOutput) {
    for (const std::int64_t n : {1, 128, 129, 20000}) {
        SCOPED_TRACE(std::to_string(n) + " elements");
        std::vector<std::int64_t> in, expected;
        for (std::int64_t i = 0; i < n; ++i) in.push_back(5 + 3 * i);
        DeviceArray<std::int64_t> out(in.size());
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return Scan::InclusiveSum(temp, bytes, Counting{5, 3}, out.data(), n);
        }));
        expected = inclusive_scan<std::int64_t>(in, libscan::Plus{});
        ASSERT_TRUE(same(out.download(), expected));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return Scan::ExclusiveSum(temp, bytes, Counting{5, 3}, Doubling{out.data()}, n);
        }));
        expected = exclusive_scan(in, libscan::Plus{}, std::int64_t{0});
        for (std::int64_t& value : expected) value *= 2;
        ASSERT_TRUE(same(out.download(), expected));
    }
}

// A const input, and an output that lies between elements of the same array.
TEST(ThreeKernelIterators, NeighboursStayUntouched) {
    const std::vector<std::int32_t> in(1000, 1);
    DeviceArray<std::int32_t> device_in(in);
    for (std::size_t at = 0; at <= 64; at += 7) {
        for (const int n : {1, 2, 3, 1000}) {
            DeviceArray<std::int64_t> out(1200);
            const std::int32_t* const source = device_in.data();
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return Scan::InclusiveSum(temp, bytes, source, out.data() + at, n);
            }));
            const std::vector<std::int64_t> poison = DeviceArray<std::int64_t>(1).download();
            std::vector<std::int64_t> expected(1200, poison[0]);
            for (int i = 0; i < n; ++i) expected[at + static_cast<std::size_t>(i)] = i + 1;
            ASSERT_TRUE(same(out.download(), expected));
        }
    }
}

}  // namespace
}  // namespace scan_test

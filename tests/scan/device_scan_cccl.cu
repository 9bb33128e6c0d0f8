// SPDX-License-Identifier: Apache-2.0
//
// DeviceScan from and to the iterators of Thrust and CCCL.
#include <thrust/device_ptr.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cub/util_type.cuh>
#include <libscan/device_scan.cuh>

#include "test_iterators.cuh"
#include "test_types.cuh"

#if __has_include(<cuda/iterator>)
#include <cuda/iterator>
#endif

namespace scan_test {
namespace {

using libscan::DeviceScan;
using libscan::Equal;
using libscan::Plus;

constexpr int kSizesOfIterators[] = {1, 1000, 30000, 200000};

struct Negate {
    __host__ __device__ int operator()(int v) const { return -v; }
};
struct Halve {
    __host__ __device__ std::int64_t operator()(std::int64_t v) const { return v / 2; }
};
struct MakeBoth {
    template <class Tuple>
    __host__ __device__ Both operator()(const Tuple& t) const {
        return {thrust::get<0>(t), thrust::get<1>(t)};
    }
};

class Cccl : public testing::TestWithParam<int> {
  protected:
    const int n_ = GetParam();
    const std::size_t size_ = static_cast<std::size_t>(n_);
    const std::vector<int> in_ = random_elements<int>(size_, 1);
    DeviceArray<int> data_{in_}, out_{size_};
};
INSTANTIATE_TEST_SUITE_P(Sizes, Cccl, testing::ValuesIn(kSizesOfIterators));

TEST_P(Cccl, CountingIntoPointer) {
    DeviceArray<std::int64_t> out(size_);
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSum(
            temp, bytes, thrust::make_counting_iterator(std::int64_t{3}), out.data(), n_);
    }));
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 0; i < n_; ++i) expected.push_back((i + 1) * 3 + i * (i + 1) / 2);
    ASSERT_TRUE(same(out.download(), expected));
}

TEST_P(Cccl, TransformIntoTransformOutput) {
    constexpr Pick kOp{Pick::kLastWritten};
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveScan(
            temp, bytes, thrust::make_transform_iterator(data_.data(), Negate{}),
            thrust::make_transform_output_iterator(out_.data(), Negate{}), kOp, 17, n_);
    }));
    std::vector<int> negated, expected;
    for (const int v : in_) negated.push_back(-v);
    for (const int v : exclusive_scan(negated, kOp, 17)) expected.push_back(-v);
    ASSERT_TRUE(same(out_.download(), expected));
}

TEST_P(Cccl, ZipThroughTransform) {
    const std::vector<int> right = random_elements<int>(size_, 2);
    DeviceArray<int> device_right(right);
    DeviceArray<Both> out(size_);
    const auto zipped =
        thrust::make_zip_iterator(thrust::make_tuple(data_.data(), device_right.data()));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveScanInit(temp, bytes,
                                             thrust::make_transform_iterator(zipped, MakeBoth{}),
                                             out.data(), SumAndLast{}, Both{5, 6}, n_);
    }));
    std::vector<Both> both, expected;
    for (std::size_t i = 0; i < size_; ++i) both.push_back({in_[i], right[i]});
    for (const Both& b : inclusive_scan<Both>(both, SumAndLast{}))
        expected.push_back(SumAndLast{}({5, 6}, b));
    ASSERT_TRUE(same(out.download(), expected));
}

struct AddTuples {
    template <class Tuple>
    __host__ __device__ Tuple operator()(const Tuple& a, const Tuple& b) const {
        return {thrust::get<0>(a) + thrust::get<0>(b), thrust::get<1>(a) + thrust::get<1>(b)};
    }
};
// Tuples as elements, and zipped arrays to write them to.
TEST_P(Cccl, ZipFromAndTo) {
    const std::vector<int> right = random_elements<int>(size_, 3);
    DeviceArray<int> device_right(right), right_out(size_);
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveScan(
            temp, bytes, thrust::make_zip_iterator(data_.data(), device_right.data()),
            thrust::make_zip_iterator(out_.data(), right_out.data()), AddTuples{}, n_);
    }));
    ASSERT_TRUE(same(out_.download(), inclusive_scan<int>(in_, Plus{})));
    ASSERT_TRUE(same(right_out.download(), inclusive_scan<int>(right, Plus{})));
}

TEST_P(Cccl, FutureValueOfCub) {
    DeviceArray<int> start(std::vector<int>{-41});
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveScan(temp, bytes, data_.data(), out_.data(), Plus{},
                                         cub::FutureValue<int>(start.data()), n_);
    }));
    ASSERT_TRUE(same(out_.download(), exclusive_scan(in_, Plus{}, -41)));
}

TEST_P(Cccl, IntoDiscard) {
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveSum(temp, bytes, thrust::device_pointer_cast(data_.data()),
                                        thrust::make_discard_iterator(), n_);
    }));
    ASSERT_CUDA_OK(cudaDeviceSynchronize());
    ASSERT_TRUE(same(data_.download(), in_));
}

// Gathers by an array of indices, and scatters by the same.
TEST_P(Cccl, PermutationFromAndTo) {
    std::vector<int> reversed, expected(size_);
    for (int i = n_; i-- > 0;) reversed.push_back(i);
    DeviceArray<int> indices(reversed);
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveScan(
            temp, bytes, thrust::make_permutation_iterator(data_.data(), indices.data()),
            thrust::make_permutation_iterator(out_.data(), indices.data()), Plus{}, n_);
    }));
    int sum = 0;
    for (std::size_t i = size_; i-- > 0;) expected[i] = sum += in_[i];
    ASSERT_TRUE(same(out_.download(), expected));
}

TEST_P(Cccl, ReverseInPlace) {
    const auto last = thrust::make_reverse_iterator(thrust::device_pointer_cast(data_.data()) + n_);
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveSum(temp, bytes, last, n_);
    }));
    std::vector<int> expected(size_);
    int sum = 0;
    for (std::size_t i = size_; i-- > 0; sum += in_[i]) expected[i] = sum;
    ASSERT_TRUE(same(data_.download(), expected));
}

TEST_P(Cccl, ByKey) {
    const auto keys =
        thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), Halve{});
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSumByKey(temp, bytes, keys, thrust::make_constant_iterator(5),
                                             out_.data(), n_);
    }));
    std::vector<int> expected;
    for (int i = 0; i < n_; ++i) expected.push_back(i % 2 == 0 ? 5 : 10);
    ASSERT_TRUE(same(out_.download(), expected));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveScanByKey(
            temp, bytes, keys, thrust::make_transform_iterator(data_.data(), Negate{}),
            thrust::make_transform_output_iterator(out_.data(), Negate{}), Plus{}, 9, n_);
    }));
    for (std::size_t i = 0; i < size_; ++i) expected[i] = i % 2 == 0 ? -9 : in_[i - 1] - 9;
    ASSERT_TRUE(same(out_.download(), expected));
}

// In one call, by the three-kernel scan, which reads its input twice.
TEST_P(Cccl, ThreeKernels) {
    libscan::ScanOptions options;
    options.strategy = libscan::ScanStrategy::three_kernel;
    ASSERT_CUDA_OK(DeviceScan::ExclusiveSum(
        thrust::make_transform_iterator(data_.data(), Negate{}),
        thrust::make_transform_output_iterator(out_.data(), Negate{}), n_, options));
    ASSERT_TRUE(same(out_.download(), exclusive_scan(in_, Plus{}, 0)));
}

#if __has_include(<cuda/iterator>)
TEST_P(Cccl, IteratorsOfLibcudacxx) {
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSum(
            temp, bytes, cuda::transform_iterator(cuda::counting_iterator<int>(0), Negate{}),
            out_.data(), n_);
    }));
    std::vector<int> expected;
    for (int i = 0, sum = 0; i < n_; ++i) expected.push_back(sum -= i);
    ASSERT_TRUE(same(out_.download(), expected));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveSum(temp, bytes, cuda::constant_iterator<int>(2),
                                        cuda::discard_iterator(), n_);
    }));
    ASSERT_CUDA_OK(cudaDeviceSynchronize());
}
#endif

}  // namespace
}  // namespace scan_test

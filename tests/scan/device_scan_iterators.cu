// SPDX-License-Identifier: Apache-2.0
//
// DeviceScan from and to iterators: values that are made, chosen, zipped or strided, outputs that
// cannot be read or that throw away.
#include <libscan/device_scan.cuh>

#include "test_iterators.cuh"
#include "test_types.cuh"

namespace scan_test {
namespace {

using libscan::DeviceScan;
using libscan::Equal;
using libscan::Plus;

constexpr int kIteratorSizes[] = {1, 1000, 30000, kIsSlow ? 40000 : 120000};
constexpr Pick kLastOp{Pick::kLastWritten};

std::vector<int> doubled(std::vector<int> values) {
    for (int& v : values) v *= 2;
    return values;
}

// A permutation of 0 ... n - 1.
std::vector<int> permutation(std::size_t n, std::uint64_t seed) {
    std::vector<int> indices;
    for (std::size_t i = 0; i < n; ++i) indices.push_back(static_cast<int>(i));
    Random random(seed);
    for (std::size_t i = n; i > 1; --i)
        std::swap(indices[i - 1],
                  indices[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
    return indices;
}

class MadeInputs : public testing::TestWithParam<MadeInput::Kind> {
  protected:
    // What the iterator yields, on the host, where data and indices are.
    static std::vector<int> values_of(const std::vector<int>& data,
                                      const std::vector<int>& indices) {
        const MadeInput input(GetParam(), data.data(), indices.data());
        std::vector<int> values;
        for (std::size_t i = 0; i < data.size(); ++i)
            values.push_back(input[static_cast<std::int64_t>(i)]);
        return values;
    }
};

TEST_P(MadeInputs, IntoPointersAndWriteOnlyOutputs) {
    for (const int n : kIteratorSizes) {
        SCOPED_TRACE(n);
        const std::size_t size = static_cast<std::size_t>(n);
        const std::vector<int> data = random_elements<int>(size, 1), indices = permutation(size, 2),
                               in = values_of(data, indices);
        DeviceArray<int> device_data(data), device_indices(indices), out(size);
        const MadeInput from(GetParam(), device_data.data(), device_indices.data());
        const DoublingOutput to(out.data());

        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveSum(temp, bytes, from, out.data(), n);
        }));
        ASSERT_TRUE(same(out.download(), inclusive_scan<int>(in, Plus{})));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::ExclusiveScan(temp, bytes, from, to, kLastOp, 17, n);
        }));
        ASSERT_TRUE(same(out.download(), doubled(exclusive_scan(in, kLastOp, 17))));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveScanInit(temp, bytes, from, to, Plus{}, 4, n);
        }));
        std::vector<int> expected = inclusive_scan<int>(in, Plus{});
        for (int& v : expected) v += 4;
        ASSERT_TRUE(same(out.download(), doubled(expected)));

        // The three-kernel scan reads such inputs twice, and cannot add onto such outputs.
        libscan::ScanOptions three;
        three.strategy = libscan::ScanStrategy::three_kernel;
        ASSERT_CUDA_OK(DeviceScan::ExclusiveSum(from, to, n, three));
        ASSERT_TRUE(same(out.download(), doubled(exclusive_scan(in, Plus{}, 0))));
    }
}

TEST_P(MadeInputs, ByKey) {
    for (const int n : kIteratorSizes) {
        SCOPED_TRACE(n);
        const std::size_t size = static_cast<std::size_t>(n);
        const std::vector<int> data = random_elements<int>(size, 3), indices = permutation(size, 4),
                               in = values_of(data, indices);
        std::vector<int> keys;
        for (int i = 0; i < n; ++i) keys.push_back(i / 100);
        DeviceArray<int> device_data(data), device_indices(indices), out(size);
        const MadeInput from(GetParam(), device_data.data(), device_indices.data());
        const KeysInRuns device_keys(100);
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveSumByKey(temp, bytes, device_keys, from, out.data(), n);
        }));
        ASSERT_TRUE(same(out.download(), serial_by_key(keys, in, Plus{}, Equal{}, true, 0)));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::ExclusiveScanByKey(temp, bytes, device_keys, from,
                                                  DoublingOutput(out.data()), kLastOp, 17, n);
        }));
        ASSERT_TRUE(
            same(out.download(), doubled(serial_by_key(keys, in, kLastOp, Equal{}, false, 17))));
    }
}
INSTANTIATE_TEST_SUITE_P(Each, MadeInputs,
                         testing::Values(MadeInput::kCounting, MadeInput::kConstant,
                                         MadeInput::kTransform, MadeInput::kPermutation));

TEST(Iterators, TwoArraysZipped) {
    for (const int n : kIteratorSizes) {
        SCOPED_TRACE(n);
        const std::size_t size = static_cast<std::size_t>(n);
        const std::vector<int> left = random_elements<int>(size, 5),
                               right = random_elements<int>(size, 6);
        std::vector<Both> in;
        for (std::size_t i = 0; i < size; ++i) in.push_back({left[i], right[i]});
        DeviceArray<int> device_left(left), device_right(right), left_out(size), right_out(size);
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveScan(
                temp, bytes, ZippedElements(device_left.data(), device_right.data()),
                ZippedElements(left_out.data(), right_out.data()), SumAndLast{}, n);
        }));
        std::vector<int> left_expected, right_expected;
        for (const Both& both : inclusive_scan<Both>(in, SumAndLast{})) {
            left_expected.push_back(both.left);
            right_expected.push_back(both.right);
        }
        ASSERT_TRUE(same(left_out.download(), left_expected));
        ASSERT_TRUE(same(right_out.download(), right_expected));
    }
}

TEST(Iterators, EveryElementIsWrittenOnce) {
    for (const int n : kIteratorSizes) {
        SCOPED_TRACE(n);
        const std::size_t size = static_cast<std::size_t>(n);
        DeviceArray<int> data(random_elements<int>(size, 7));
        DeviceArray<unsigned> writes(std::vector<unsigned>(size, 0));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::ExclusiveSum(temp, bytes, data.data(),
                                            DiscardingOutput(writes.data()), n);
        }));
        ASSERT_TRUE(same(writes.download(), std::vector<unsigned>(size, 1)));
    }
}

TEST(Iterators, StridedInPlace) {
    for (const int n : kIteratorSizes) {
        SCOPED_TRACE(n);
        const std::size_t size = static_cast<std::size_t>(n);
        const std::vector<int> all = random_elements<int>(3 * size, 8);
        std::vector<int> in, expected = all;
        for (std::size_t i = 0; i < size; ++i) in.push_back(all[3 * i]);
        const std::vector<int> scanned = exclusive_scan(in, Plus{}, 0);
        for (std::size_t i = 0; i < size; ++i) expected[3 * i] = scanned[i];
        DeviceArray<int> data(all);
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::ExclusiveSum(temp, bytes, StridedElements(data.data(), 3), n);
        }));
        ASSERT_TRUE(same(data.download(), expected));
    }
}

}  // namespace
}  // namespace scan_test

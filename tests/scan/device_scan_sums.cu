// SPDX-License-Identifier: Apache-2.0
//
// Sums of every arithmetic type.
#include <libscan/device_scan.cuh>

#include "test_types.cuh"

namespace scan_test {
namespace {

using libscan::DeviceScan;
using libscan::Plus;
using libscan::ScanOptions;
using libscan::ScanStrategy;

constexpr int kSizes[] = {0, 1, 2, 31, 4095, 4096, 4097, 20000, kIsSlow ? 40000 : 200001};

template <class T>
class EveryType : public testing::Test {};
using Types = testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                             std::int32_t, std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(EveryType, Types);

TYPED_TEST(EveryType, Sums) {
    using T = TypeParam;
    using Acc = libscan::SumAccumulator<T, T>;
    for (const int n : kSizes) {
        SCOPED_TRACE(n);
        const std::vector<T> in = random_elements<T>(static_cast<std::size_t>(n), 1);
        const auto narrowed = [](const std::vector<Acc>& wide) {
            return std::vector<T>(wide.begin(), wide.end());
        };
        const std::vector<T> exclusive = narrowed(exclusive_scan(in, Plus{}, Acc(0)));
        const std::vector<T> inclusive = narrowed(inclusive_scan<Acc>(in, Plus{}));
        DeviceArray<T> data(in), out(in.size());
        // Of the integers one of a size is scanned one way, and the other the other way.
        constexpr bool kBoth = sizeof(T) == 1 || std::is_floating_point_v<T>;
        if constexpr (kBoth || std::is_signed_v<T>) {
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return DeviceScan::ExclusiveSum(temp, bytes, data.data(), out.data(), n);
            }));
            ASSERT_TRUE(same(out.download(), exclusive));
        }
        if constexpr (kBoth || std::is_unsigned_v<T>) {
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return DeviceScan::InclusiveSum(temp, bytes, data.data(), out.data(), n);
            }));
            ASSERT_TRUE(same(out.download(), inclusive));
        }
        ASSERT_TRUE(same(data.download(), in));  // the input is only read
        // The strategies differ in what they are compiled to: a narrow and a wide type will do.
        if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, double>) {
            for (const auto strategy : {ScanStrategy::single_pass, ScanStrategy::three_kernel}) {
                ScanOptions options;
                options.strategy = strategy;
                DeviceArray<T> other(in.size());
                ASSERT_CUDA_OK(DeviceScan::ExclusiveSum(data.data(), other.data(), n, options));
                ASSERT_TRUE(same(other.download(), exclusive));
                ASSERT_CUDA_OK(DeviceScan::InclusiveSum(data.data(), other.data(), n, options));
                ASSERT_TRUE(same(other.download(), inclusive));
            }
        }
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            if constexpr (kBoth || std::is_signed_v<T>) {
                return DeviceScan::ExclusiveSum(temp, bytes, data.data(), n);
            } else {
                return DeviceScan::InclusiveSum(temp, bytes, data.data(), n);
            }
        }));
        ASSERT_TRUE(same(data.download(), kBoth || std::is_signed_v<T> ? exclusive : inclusive));
    }
}

}  // namespace
}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
//
// The contract of DeviceScan: temporary storage, arguments that are refused, and the error state of
// the caller.
#include <limits>
#include <optional>

#include "device_scan_calls.cuh"

namespace scan_test {
namespace {

using libscan::DeviceScan;
using libscan::Plus;

TEST(Contract, StorageIsMonotonicAndTakesAnyAlignment) {
    std::size_t before = 1;
    for (int n = 0; n <= 1000000; n += n < 9000 ? 1 : 991) {
        std::size_t bytes = 0;
        ASSERT_CUDA_OK(DeviceScan::ExclusiveSum(nullptr, bytes, static_cast<double*>(nullptr),
                                                static_cast<double*>(nullptr), n));
        ASSERT_GE(bytes, before) << n;
        before = bytes;
    }
    const std::vector<double> in = random_elements<double>(9000, 7);
    std::size_t needed = 0;
    DeviceArray<double> data(in);
    ASSERT_CUDA_OK(DeviceScan::ExclusiveSum(nullptr, needed, data.data(), data.data(), in.size()));
    for (std::size_t offset = 0; offset < 16; ++offset) {
        DeviceArray<double> out(in.size());
        DeviceArray<unsigned char> temp(needed, offset);
        std::size_t bytes = needed - 1;
        EXPECT_EQ(DeviceScan::ExclusiveSum(temp.data(), bytes, data.data(), out.data(), in.size()),
                  cudaErrorInvalidValue);
        EXPECT_TRUE(temp.is_untouched() && out.is_untouched());
        bytes = needed;
        ASSERT_CUDA_OK(
            DeviceScan::ExclusiveSum(temp.data(), bytes, data.data(), out.data(), in.size()));
        ASSERT_TRUE(same(out.download(), exclusive_scan(in, Plus{}, 0.0)));
    }
}

class Refusal : public testing::Test {
  protected:
    static constexpr int kCount = 9000;

    // By every entry point, but for those of one form; and nothing is written.
    void expect_refusal(int* in, int* out, long long n, std::optional<Form> except = {}) {
        for (const ScanCall& call : make_scan_calls()) {
            if (call.form == except) continue;
            expect_refusal_of(call, keys_.data(), in, out, n, temp_.data(), temp_.size());
        }
    }
    void expect_refusal_of(const ScanCall& call, const int* keys, int* in, int* out, long long n,
                           void* temp, std::size_t bytes) {
        SCOPED_TRACE(describe(call, n));
        EXPECT_EQ(call.run({temp, bytes, keys, in, out, n}), cudaErrorInvalidValue);
        EXPECT_CUDA_OK(cudaPeekAtLastError());
        EXPECT_CUDA_OK(cudaDeviceSynchronize());
        EXPECT_TRUE(temp_.is_untouched() && keys_.is_untouched() && in_.is_untouched() &&
                    out_.is_untouched());
    }

    DeviceArray<int> keys_{kCount}, in_{kCount}, out_{kCount};
    DeviceArray<unsigned char> temp_{1 << 20};
};

TEST_F(Refusal, NullPointers) {
    expect_refusal(in_.data(), nullptr, kCount);
    expect_refusal(in_.data(), nullptr, 1);
    expect_refusal(nullptr, out_.data(), kCount, Form::kInPlace);
    for (const ScanCall& call : make_scan_calls()) {
        if (!call.by_key) continue;
        expect_refusal_of(call, nullptr, in_.data(), out_.data(), kCount, temp_.data(),
                          temp_.size());
    }
}

TEST_F(Refusal, CountsThatAreNone) {
    expect_refusal(in_.data(), out_.data(), -1);
    expect_refusal(in_.data(), out_.data(), std::numeric_limits<long long>::min());
    // (In one call, there is no memory for the storage of so many.)
    expect_refusal(in_.data(), out_.data(), std::numeric_limits<long long>::max(), Form::kOneCall);
    std::size_t bytes = 17;
    EXPECT_EQ(DeviceScan::ExclusiveSum(nullptr, bytes, in_.data(), out_.data(), -1),
              cudaErrorInvalidValue);
    EXPECT_EQ(DeviceScan::ExclusiveSum(nullptr, bytes, in_.data(), out_.data(),
                                       std::numeric_limits<std::uint64_t>::max()),
              cudaErrorInvalidValue);
    EXPECT_EQ(bytes, 17u);
}

TEST_F(Refusal, OverlapInPart) {
    expect_refusal(in_.data(), in_.data() + 1, kCount - 1, Form::kInPlace);
    expect_refusal(in_.data() + 1, in_.data(), kCount - 1, Form::kInPlace);
    expect_refusal(in_.data(), in_.data() + kCount - 1, kCount, Form::kInPlace);
    for (const ScanCall& call : make_scan_calls()) {
        if (!call.by_key) continue;
        for (const int* const keys : {out_.data(), out_.data() + 1, out_.data() + kCount - 1})
            expect_refusal_of(call, keys, in_.data(), out_.data(), kCount, temp_.data(),
                              temp_.size());
    }
}

// Storage that overlaps the data, whatever size it claims to have, or that is too small.
TEST_F(Refusal, Storage) {
    for (const ScanCall& call : make_scan_calls()) {
        if (call.form == Form::kOneCall) continue;
        for (const std::size_t claimed :
             {std::size_t(1) << 15, ~std::size_t(0), ~std::size_t(0) - 512}) {
            expect_refusal_of(call, keys_.data(), in_.data(), out_.data() + 1, 8000, out_.data(),
                              claimed);
            expect_refusal_of(call, keys_.data(), in_.data(), out_.data(), 8001, out_.data() + 8000,
                              claimed);
        }
        std::size_t bytes = 0;
        ASSERT_CUDA_OK(call.run({nullptr, bytes, keys_.data(), in_.data(), out_.data(), kCount}));
        expect_refusal_of(call, keys_.data(), in_.data(), out_.data(), kCount, temp_.data(),
                          bytes - 1);
        expect_refusal_of(call, keys_.data(), in_.data(), out_.data(), kCount, temp_.data(), 0);
    }
}

TEST_F(Refusal, NoElementsAreNoMistake) {  // cccl 894
    for (const ScanCall& call : make_scan_calls()) {
        SCOPED_TRACE(describe(call, 0));
        std::size_t bytes = 0;
        EXPECT_CUDA_OK(call.run({nullptr, bytes, nullptr, nullptr, nullptr, 0}));
        EXPECT_EQ(bytes > 0, call.form != Form::kOneCall);
        bytes = temp_.size();
        EXPECT_CUDA_OK(call.run({temp_.data(), bytes, nullptr, nullptr, nullptr, 0}));
        EXPECT_CUDA_OK(call.run({temp_.data(), bytes, keys_.data(), in_.data(), out_.data(), 0}));
    }
    EXPECT_CUDA_OK(cudaDeviceSynchronize());
    EXPECT_TRUE(temp_.is_untouched() && out_.is_untouched());
}

TEST(Contract, AnErrorOfTheCallerStays) {
    DeviceArray<int> data(random_elements<int>(9000, 8)), out(9000);
    EXPECT_EQ(cudaFree(&data), cudaErrorInvalidValue);
    EXPECT_CUDA_OK(DeviceScan::ExclusiveSum(data.data(), out.data(), 9000, libscan::ScanOptions{}));
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace scan_test

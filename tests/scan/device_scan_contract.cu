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

// cccl 569, 847 and 910, rocm-libraries 8263.
TEST(Contract, StorageNeverShrinksAsCountsGrow) {
    for (const ScanCall& call : make_scan_calls()) {
        if (call.form == Form::kOneCall) continue;
        std::size_t before = 1;
        for (long long n = 0; n <= 1000000; n += n < 9000 ? 1 : 991) {
            std::size_t bytes = 0;
            ASSERT_CUDA_OK(call.run({nullptr, bytes, nullptr, nullptr, nullptr, n}));
            ASSERT_GE(bytes, before) << describe(call, n);
            before = bytes;
        }
    }
}

// Storage of exactly the size that was asked for, at every offset or, where everything is slow, at
// one.
void expect_right_at_offsets(const ScanCall& call, std::size_t count, std::size_t slow_offset) {
    const std::vector<int> keys = keys_in_runs(count, 900, 6), in = random_elements<int>(count, 7);
    const std::vector<int> expected = call.expected(keys, in);
    const long long n = static_cast<long long>(count);
    SCOPED_TRACE(describe(call, n));
    DeviceArray<int> device_keys(keys), data(in);
    std::size_t bytes = 0;
    ASSERT_CUDA_OK(call.run({nullptr, bytes, nullptr, nullptr, nullptr, n}));
    for (std::size_t offset = 0; offset < 16; ++offset) {
        if (kIsSlow && offset != slow_offset) continue;
        DeviceArray<int> out(in);
        DeviceArray<unsigned char> temp(bytes, offset);
        ASSERT_CUDA_OK(
            call.run({temp.data(), bytes, device_keys.data(), data.data(), out.data(), n}));
        ASSERT_TRUE(same(out.download(), expected)) << "storage at offset " << offset;
    }
}

TEST(Contract, StorageAtAnyAddress) {
    std::size_t calls = 0;
#if defined(SIMT_VERSION)
    // All of them by look-back, for which a few tiles are enough; then one by look-ahead.
    const simt::Config before = simt::config();
    simt::config().compute_capability = 80;
#endif
    for (const ScanCall& call : make_scan_calls()) {
        if (call.form == Form::kOneCall) continue;
        expect_right_at_offsets(call, kIsSlow ? 12000 : 25000, ++calls % 16);
        if (testing::Test::HasFailure()) break;
    }
#if defined(SIMT_VERSION)
    simt::config() = before;
#endif
    if (!kIsSlow) expect_right_at_offsets(make_scan_calls().front(), 200000, 0);
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
    DeviceArray<unsigned char> temp_{1 << 14};
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

TEST_F(Refusal, PointersThatAreNotAligned) {
    int* const between = reinterpret_cast<int*>(reinterpret_cast<char*>(in_.data()) + 2);
    expect_refusal(between, out_.data(), 100, Form::kInPlace);
    expect_refusal(out_.data(), between, 100);
}

TEST_F(Refusal, CountsThatAreNone) {
    expect_refusal(in_.data(), out_.data(), -1);
    expect_refusal(in_.data(), out_.data(), std::numeric_limits<long long>::min());
    // Sizes in bytes that 64 bits cannot hold, and storage that claims to be enough for them. (In
    // one call, there is no memory for the storage of so many.)
    constexpr long long kMost = std::numeric_limits<long long>::max();
    expect_refusal(in_.data(), out_.data(), kMost, Form::kOneCall);
    for (const ScanCall& call : make_scan_calls()) {
        if (call.form == Form::kOneCall) continue;
        for (const long long n : {kMost, kMost / 2 + 1})
            expect_refusal_of(call, keys_.data(), in_.data(), out_.data(), n, temp_.data(),
                              ~std::size_t(0));
    }
    // Neither can the size be asked for.
    std::size_t bytes = 17;
    for (const ScanCall& call : make_scan_calls()) {
        EXPECT_EQ(call.run({nullptr, bytes, keys_.data(), in_.data(), out_.data(), -1}),
                  cudaErrorInvalidValue);
    }
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

// Whatever comes of the call, it returns its own error, or none; the caller's is there afterwards.
TEST(Contract, AnErrorOfTheCallerStays) {
#if defined(SIMT_VERSION)
    constexpr long long kMost = 9000;
#else
    constexpr long long kMost = 400000;  // limits of kernels are raised for so many
#endif
    const std::vector<int> in = random_elements<int>(kMost, 8);
    DeviceArray<int> keys(in), data(in), out(in);
    DeviceArray<unsigned char> temp(1 << 16);
    const auto expect_kept = [](auto run, cudaError_t right) {
        EXPECT_EQ(cudaFree(&right), cudaErrorInvalidValue);
        EXPECT_EQ(run(), right);
        EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    };
    for (const ScanCall& call : make_scan_calls()) {
        for (const long long n :
             {0LL, 100LL, kIsSlow ? 200LL : kMost / 3, kIsSlow ? 300LL : kMost}) {
            SCOPED_TRACE(describe(call, n));
            std::size_t bytes = 0;
            if (call.form != Form::kOneCall) {
                expect_kept(
                    [&] {
                        return call.run({nullptr, bytes, nullptr, nullptr, nullptr, n});
                    },
                    cudaSuccess);
            }
            expect_kept(
                [&] {
                    return call.run({temp.data(), bytes, keys.data(), data.data(), out.data(), n});
                },
                cudaSuccess);
            bytes = 0;
            expect_kept(
                [&] {
                    return call.run(
                        {temp.data(), bytes, keys.data(), data.data(), nullptr, -n - 1});
                },
                cudaErrorInvalidValue);
        }
    }
    EXPECT_CUDA_OK(cudaDeviceSynchronize());
}

}  // namespace
}  // namespace scan_test

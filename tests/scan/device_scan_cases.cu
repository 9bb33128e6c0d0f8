// SPDX-License-Identifier: Apache-2.0
//
// Reports about libraries of this kind as small inputs with the right value, the contract, and
// results that repeat to the bit.
#include <iterator>
#include <libscan/device_scan.cuh>
#include <thread>

#include "test_types.cuh"

namespace scan_test {
namespace {

using libscan::DeviceScan;
using libscan::Plus;

void check_operator(Pick op) {
    std::vector<int> in(60001);
    Random random(9);
    for (int& v : in) v = random.below(3) == 0 ? random.below(1000) : -1;
    DeviceArray<int> data(in), out(in.size());
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveScan(temp, bytes, data.data(), out.data(), op, in.size());
    }));
    ASSERT_TRUE(same(out.download(), inclusive_scan<int>(in, op)));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveScan(temp, bytes, data.data(), out.data(), op, 17, in.size());
    }));
    ASSERT_TRUE(same(out.download(), exclusive_scan(in, op, 17)));
}
TEST(Case, OperatorsThatForget) {  // moderngpu 54, cccl 8242
    check_operator(Pick{Pick::kFirst});
    check_operator(Pick{Pick::kLast});
    check_operator(Pick{Pick::kLastWritten});
}

template <class T>
void check_shifted_output() {
    for (const int n : {1, 2, 3, 1000})
        for (std::size_t shift = 0; shift <= 64; ++shift) {
            const std::vector<std::int32_t> in(static_cast<std::size_t>(n), 1);
            DeviceArray<std::int32_t> data(in);
            DeviceArray<T> out(in.size(), shift * sizeof(T));
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return DeviceScan::InclusiveSum(temp, bytes, data.data(), out.data(), n);
            }));
            std::vector<T> expected;
            for (int i = 1; i <= n; ++i) expected.push_back(static_cast<T>(i));
            ASSERT_TRUE(same(out.download(), expected)) << n << " shifted by " << shift;
        }
}
TEST(Case, OutputAtAnyOffset) {  // cccl 8838
    check_shifted_output<std::int8_t>();
    check_shifted_output<std::int16_t>();
    check_shifted_output<std::int32_t>();
    check_shifted_output<std::int64_t>();
}

struct Interval {
    int begin, end;
    friend bool operator==(const Interval& a, const Interval& b) {
        return a.begin == b.begin && a.end == b.end;
    }
    friend std::ostream& operator<<(std::ostream& out, const Interval& v) {
        return out << "[" << v.begin << ", " << v.end << ")";
    }
};
struct Join {
    unsigned* bad;
    __device__ Interval operator()(const Interval& a, const Interval& b) const {
        if (a.end != b.begin) atomicAdd(bad, 1u);
        return {a.begin, b.end};
    }
};
TEST(Case, OperatorSeesOnlyWhatItWasGiven) {  // cccl 458
    for (const int n : {1, 2, 33, 2048, 2049, 70000}) {
        std::vector<Interval> in, expected;
        for (int i = 0; i < n; ++i) in.push_back({i + 1, i + 2}), expected.push_back({0, i + 1});
        DeviceArray<Interval> data(in), out(in.size());
        DeviceArray<unsigned> bad(std::vector<unsigned>{0});
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::ExclusiveScan(temp, bytes, data.data(), out.data(), Join{bad.data()},
                                             Interval{0, 1}, n);
        }));
        ASSERT_TRUE(same(out.download(), expected));
        ASSERT_EQ(bad.download()[0], 0u);
    }
}

TEST(Case, ComplexDoublesDoNotTear) {  // cupy 2919: 16 bytes
    const std::vector<Matrix> in = random_elements<Matrix>(50000, 5);
    DeviceArray<Matrix> data(in), out(in.size());
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveScan(temp, bytes, data.data(), out.data(), Multiply{},
                                         in.size());
    }));
    ASSERT_TRUE(same(out.download(), inclusive_scan<Matrix>(in, Multiply{})));
}

TEST(Case, SmallTypesWiden) {  // cub 302, oneDPL 514
    DeviceArray<std::int8_t> bytes_in(std::vector<std::int8_t>{100, 28, 1});
    DeviceArray<std::int32_t> out(3);
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveSum(temp, bytes, bytes_in.data(), out.data(), 3);
    }));
    EXPECT_EQ(out.download(), (std::vector<std::int32_t>{0, 100, 128}));
    DeviceArray<int> data(std::vector<int>{3, 1, 4, 1, 5, 9, 2, 6});
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveSum(temp, bytes, data.data(), 8);
    }));
    EXPECT_EQ(data.download(), (std::vector<int>{0, 3, 4, 8, 9, 14, 23, 25}));
}

TEST(Case, AllBitsOfAValueCount) {  // sums beyond 2^31 and 2^63 wrap, and no bit is a flag's
    const std::vector<std::uint32_t> words(20000, 0xC0000001u);
    DeviceArray<std::uint32_t> data(words), out(words.size());
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSum(temp, bytes, data.data(), out.data(), words.size());
    }));
    ASSERT_TRUE(same(out.download(), inclusive_scan<std::uint32_t>(words, Plus{})));
    const std::vector<std::uint64_t> longs(20000, 0xC000000000000001u);
    DeviceArray<std::uint64_t> data64(longs), out64(longs.size());
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSum(temp, bytes, data64.data(), out64.data(), longs.size());
    }));
    ASSERT_TRUE(same(out64.download(), inclusive_scan<std::uint64_t>(longs, Plus{})));
}

TEST(Case, ScanByKeyOfOnesLeavesTheInputAlone) {  // arrayfire 2680
    const std::vector<int> ones(41000, 1);
    DeviceArray<int> keys(ones), values(ones), out(ones.size());
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSumByKey(temp, bytes, keys.data(), values.data(), out.data(),
                                             41000);
    }));
    EXPECT_EQ(out.download()[40999], 41000);
    EXPECT_TRUE(same(keys.download(), ones));
    EXPECT_TRUE(same(values.download(), ones));
}

TEST(Case, SixteenThreadsAtOnce) {  // cccl 10570
    std::vector<std::thread> threads;
    std::vector<int> right(16, 0);
    const std::vector<int> in = random_elements<int>(kIsSlow ? 9000 : 50000, 6);
    const std::vector<int> expected = inclusive_scan<int>(in, Plus{});
    for (int t = 0; t < 16; ++t)
        threads.emplace_back([&, t] {
            cudaStream_t stream;
            if (cudaStreamCreate(&stream) != cudaSuccess) return;
            DeviceArray<int> data(in), out(in.size());
            libscan::ScanOptions options;
            options.stream = stream;
            const cudaError_t e =
                DeviceScan::InclusiveSum(data.data(), out.data(), in.size(), options);
            right[static_cast<std::size_t>(t)] = e == cudaSuccess &&
                                                 cudaStreamSynchronize(stream) == cudaSuccess &&
                                                 out.download() == expected;
            (void)cudaStreamDestroy(stream);
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(right, std::vector<int>(16, 1));
}

// ---- Contract ----------------------------------------------------------------------------------

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

TEST(Contract, BadArgumentsAreRefusedAndNothingIsWritten) {
    DeviceArray<int> data(9000), out(9000);
    DeviceArray<unsigned char> temp(1 << 20);
    int* const none = nullptr;
    const auto refused = [&](int* in, int* to, long long n) {
        std::size_t bytes = 1 << 20;
        EXPECT_EQ(DeviceScan::ExclusiveSum(temp.data(), bytes, in, to, n), cudaErrorInvalidValue);
        EXPECT_EQ(DeviceScan::InclusiveScan(temp.data(), bytes, in, to, Plus{}, n),
                  cudaErrorInvalidValue);
        EXPECT_EQ(DeviceScan::ExclusiveSum(in, to, n, libscan::ScanOptions{}),
                  cudaErrorInvalidValue);
        EXPECT_EQ(DeviceScan::InclusiveSumByKey(temp.data(), bytes, data.data(), in, to, n),
                  cudaErrorInvalidValue);
    };
    refused(none, out.data(), 9000);
    refused(data.data(), none, 9000);
    refused(data.data(), out.data(), -1);
    refused(data.data(), data.data() + 1, 8000);
    refused(data.data() + 1, data.data(), 8000);
    std::size_t bytes = 1 << 20;
    EXPECT_EQ(
        DeviceScan::InclusiveSumByKey(temp.data(), bytes, none, data.data(), out.data(), 9000),
        cudaErrorInvalidValue);
    EXPECT_EQ(DeviceScan::InclusiveSumByKey(temp.data(), bytes, out.data(), data.data(), out.data(),
                                            9000),
              cudaErrorInvalidValue);
    // Storage that overlaps the data, whatever size it claims to have.
    for (const std::size_t claimed : {bytes, ~std::size_t(0), ~std::size_t(0) - 512}) {
        std::size_t claim = claimed;
        EXPECT_EQ(DeviceScan::ExclusiveSum(out.data(), claim, data.data(), out.data() + 1, 8000),
                  cudaErrorInvalidValue);
        EXPECT_EQ(DeviceScan::ExclusiveSum(out.data() + 8000, claim, data.data(), out.data(), 8001),
                  cudaErrorInvalidValue);
    }
    EXPECT_TRUE(temp.is_untouched() && out.is_untouched() && data.is_untouched());
    EXPECT_CUDA_OK(DeviceScan::ExclusiveSum(temp.data(), bytes, none, none, 0));
    EXPECT_CUDA_OK(DeviceScan::InclusiveSumByKey(temp.data(), bytes, none, none, none, 0));
    EXPECT_TRUE(temp.is_untouched());
}

TEST(Contract, AnErrorOfTheCallerStays) {
    DeviceArray<int> data(random_elements<int>(9000, 8)), out(9000);
    EXPECT_EQ(cudaFree(&data), cudaErrorInvalidValue);
    EXPECT_CUDA_OK(DeviceScan::ExclusiveSum(data.data(), out.data(), 9000, libscan::ScanOptions{}));
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

// ---- Repeatable to the bit ---------------------------------------------------------------------

std::uint64_t hash_of(const std::vector<float>& values) {
    std::uint64_t h = 0xcbf29ce484222325u;  // FNV-1a over the bytes
    for (const float v : values) {
        unsigned char bytes[4];
        std::memcpy(bytes, &v, 4);
        for (const unsigned char b : bytes) h = (h ^ b) * 0x100000001b3u;
    }
    return h;
}

// Sums of random floats, whose rounding depends on the order of the additions.
std::vector<float> random_floats(std::size_t count) {
    Random random(20);
    std::vector<float> values(count);
    for (float& v : values)
        v = (static_cast<float>(random.next() >> 40) - 8388608.0f) * 1.1920929e-7f;
    return values;
}

constexpr std::uint64_t kHashOfAMillion = 1340294359740407522u;

TEST(Determinism, SameBitsEverywhere) {
    const std::vector<float> in = random_floats(kIsSlow ? 100000 : 1000000);
    DeviceArray<float> data(in), out(in.size());
    std::uint64_t first = 0;
    for (int run = 0; run < (kIsSlow ? 2 : 4); ++run) {
#if defined(SIMT_VERSION)
        simt::config().seed = static_cast<std::uint64_t>(run > 1 ? run : 0);
#endif
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveSum(temp, bytes, data.data(), out.data(), in.size());
        }));
        const std::uint64_t hash = hash_of(out.download());
        if (run == 0) first = hash;
        EXPECT_EQ(hash, first);
    }
#if defined(SIMT_VERSION)
    simt::config().seed = 0;
#endif
    // The bits that the CPU back end, sm_90 code and sm_75 code on a GPU give.
    if (!kIsSlow) {
        EXPECT_EQ(first, kHashOfAMillion);
    }
}

}  // namespace
}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
//
// Reports about libraries of this kind as small inputs with the right value.
#include <iterator>
#include <libscan/device_scan.cuh>

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
        std::vector<Interval> in, before, upto, by_key;
        std::vector<int> keys;
        for (int i = 0; i < n; ++i) {
            in.push_back({i + 1, i + 2});
            before.push_back({0, i + 1});
            upto.push_back({1, i + 2});
            keys.push_back(i / 3000);
            by_key.push_back({1 + i / 3000 * 3000, i + 2});
        }
        DeviceArray<int> device_keys(keys);
        DeviceArray<Interval> data(in), out(in.size());
        DeviceArray<unsigned> bad(std::vector<unsigned>{0});
        const Join join{bad.data()};
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::ExclusiveScan(temp, bytes, data.data(), out.data(), join,
                                             Interval{0, 1}, n);
        }));
        ASSERT_TRUE(same(out.download(), before));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveScan(temp, bytes, data.data(), out.data(), join, n);
        }));
        ASSERT_TRUE(same(out.download(), upto));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveScanByKey(temp, bytes, device_keys.data(), data.data(),
                                                  out.data(), join, n);
        }));
        ASSERT_TRUE(same(out.download(), by_key));
        ASSERT_EQ(bad.download()[0], 0u);
    }
}

struct Complex {
    double re, im;
    friend bool operator==(const Complex& a, const Complex& b) {
        return a.re == b.re && a.im == b.im;
    }
    friend std::ostream& operator<<(std::ostream& out, const Complex& c) {
        return out << c.re << " + " << c.im << "i";
    }
    friend __host__ __device__ Complex operator+(const Complex& a, const Complex& b) {
        return {a.re + b.re, a.im + b.im};
    }
};
TEST(Case, ComplexDoublesDoNotTear) {  // cupy 2919
    for (const int n : {500, 50000}) {
        std::vector<Complex> in;
        Random random(4);
        for (int i = 0; i < n; ++i) in.push_back({0.0 + random.below(99), 0.0 - random.below(99)});
        DeviceArray<Complex> data(in);
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveSum(temp, bytes, data.data(), n);
        }));
        ASSERT_TRUE(same(data.download(), inclusive_scan<Complex>(in, Plus{})));
    }
}
TEST(Case, SixteenBytesDoNotTear) {
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

// Types may have an & and a comma of their own, and those that are only written no default
// constructor.
struct Operators {
    int value;
    void operator&() const = delete;
    template <class T>
    void operator,(T&&) const = delete;
    friend __host__ __device__ Operators operator+(const Operators& a, const Operators& b) {
        return {a.value + b.value};
    }
    friend __host__ __device__ bool operator==(const Operators& a, const Operators& b) {
        return a.value == b.value;
    }
};
struct OnlyFromOne {
    int value;
    __host__ __device__ explicit OnlyFromOne(const Operators& from) : value(from.value) {}
};
// Sums, and sums by key, of ones in other guises: `from` has them, `to` writes to `out`.
template <class From, class To>
void check_sums_of_ones(From from, To to, const std::vector<int>& ones, DeviceArray<int>& out) {
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSum(temp, bytes, from, to, ones.size());
    }));
    ASSERT_TRUE(same(out.download(), inclusive_scan<int>(ones, Plus{})));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveSumByKey(temp, bytes, from, from, to, ones.size());
    }));
    ASSERT_TRUE(same(out.download(), exclusive_scan(ones, Plus{}, 0)));
}
TEST(Case, TypesThatAllowLittle) {
    const std::vector<int> ones(41000, 1);
    DeviceArray<int> in(ones), out(ones.size());
    const auto* const from = reinterpret_cast<const Operators*>(in.data());
    auto* const to = reinterpret_cast<OnlyFromOne*>(out.data());
    check_sums_of_ones(from, to, ones, out);
}

TEST(Case, VolatileArrays) {
    const std::vector<int> ones(41000, 1);
    DeviceArray<int> in(ones), out(ones.size());
    const volatile int* const from = in.data();
    volatile int* const to = out.data();
    check_sums_of_ones(from, to, ones, out);
}

// More aligned than the memory of most kernels is.
struct alignas(64) Line {
    int first, sum;
    friend __host__ __device__ Line operator+(const Line& a, const Line& b) {
        return {a.first, a.sum + b.sum};
    }
};
TEST(Case, TypesOfLargeAlignment) {
    std::vector<int> keys(3000);
    std::vector<Line> in(keys.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        keys[i] = static_cast<int>(i) / 1000;
        in[i] = Line{static_cast<int>(i), 2};
    }
    DeviceArray<int> device_keys(keys);
    DeviceArray<Line> data(in), out(in.size());
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSumByKey(temp, bytes, device_keys.data(), data.data(),
                                             out.data(), in.size());
    }));
    const std::vector<Line> sums = out.download();
    for (std::size_t i = 0; i < sums.size(); ++i) {
        ASSERT_EQ(sums[i].first, static_cast<int>(i / 1000 * 1000)) << i;
        ASSERT_EQ(sums[i].sum, static_cast<int>(2 * (i % 1000 + 1))) << i;
    }
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

}  // namespace
}  // namespace scan_test

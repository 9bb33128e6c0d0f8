// SPDX-License-Identifier: Apache-2.0
//
// Fifty random schedules, and for the long tests five hundred, of 1 to 48 blocks in flight, for
// each kernel that looks back: scans and scans by key, of values of 1, 4, 8, 16 and 40 bytes; and
// sums of floats, whose bits must be the same under all of them. (A GPU has its own schedules.)
#include <libscan/device_scan.cuh>

#include "scan_structures.cuh"

namespace scan_test {
namespace {

class InSchedules : public testing::TestWithParam<int> {
  protected:
    template <class Body>
    static void for_each_of_them(Body body) {
#if defined(SIMT_VERSION)
        const simt::Config before = simt::config();
        simt::config().workers = 1;
        simt::config().check = true;
        simt::config().multiprocessors = 50;  // the look-ahead scan launches no more blocks
#endif
        for (int seed = 1; seed <= GetParam() && !HasFailure(); ++seed) {
            const int resident = 1 + seed % (kHasFewFibers ? 4 : 48);
            SCOPED_TRACE("SIMT_WORKERS=1 SIMT_CHECK=1 SIMT_SMS=50 SIMT_SEED=" +
                         std::to_string(seed) + " SIMT_RESIDENT=" + std::to_string(resident));
#if defined(SIMT_VERSION)
            simt::config().seed = static_cast<std::uint64_t>(seed);
            simt::config().resident = static_cast<unsigned>(resident);
#endif
            body();
        }
#if defined(SIMT_VERSION)
        simt::config() = before;
#endif
    }

    template <class T, class Tuning>
    static void expect_scans(int n) {
        const StructureCase<T, Tuning> scans(n);
        for_each_of_them([&] { scans.check(); });
    }

    // Inclusive by key.
    template <class T, class Tuning>
    static void expect_scan_by_key(int n) {
        using namespace libscan::detail;
        using Op = typename Element<T>::Op;
        using Acc = libscan::ResultOf<Op, T, T>;
        const std::vector<int> keys = keys_in_runs(static_cast<std::size_t>(n), n / 3, 5);
        const std::vector<T> in = random_elements<T>(keys.size(), 6);
        std::vector<Acc> wide;
        for (const T& v : in) wide.push_back(static_cast<Acc>(v));
        std::vector<T> expected;
        for (const Acc& v : serial_by_key(keys, wide, Op{}, libscan::Equal{}, true, Acc{}))
            expected.push_back(static_cast<T>(v));
        for_each_of_them([&] {
            DeviceArray<int> device_keys(keys);
            DeviceArray<T> data(in), out(in.size());
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return KeyedScan<Acc, Tuning>::run(temp, bytes, device_keys.data(), data.data(),
                                                   out.data(), n, Op{}, libscan::NoStart{},
                                                   libscan::Equal{}, nullptr);
            }));
            ASSERT_TRUE(same(out.download(), expected));
        });
    }
};
INSTANTIATE_TEST_SUITE_P(Fifty, InSchedules, testing::Values(kIsSlow ? 2 : 50));
#if defined(SIMT_VERSION)
INSTANTIATE_TEST_SUITE_P(DISABLED_FiveHundred, InSchedules, testing::Values(500));
#endif

// More than a window of tiles in the long tests; where there are but fifty schedules, a seventh.
int many(int tiles, int schedules) { return schedules > 50 ? tiles : tiles / 7; }

TEST_P(InSchedules, LookBackOfOneByte) {
    expect_scans<std::uint8_t, Registers>(512 * many(140, GetParam()) + 5);
}
TEST_P(InSchedules, LookBackOfFourBytes) {
    expect_scans<std::uint32_t, Registers>(128 * many(140, GetParam()) + 5);
}
TEST_P(InSchedules, LookBackOfEightBytes) {
    expect_scans<double, Registers>(64 * many(140, GetParam()) + 5);
}
TEST_P(InSchedules, LookBackOfSixteenBytes) {
    expect_scans<Matrix, Registers>(32 * many(70, GetParam()) + 5);
}
TEST_P(InSchedules, LookBackOfFortyBytes) {
    expect_scans<Sums, Registers>(256 * many(34, GetParam()) + 5);
}
TEST_P(InSchedules, LookaheadOfOneByte) {
    expect_scans<std::uint8_t, Lookahead>(512 * many(140, GetParam()) + 5);
}
TEST_P(InSchedules, LookaheadOfFourBytes) {
    expect_scans<std::uint32_t, Lookahead>(128 * many(140, GetParam()) + 5);
}
TEST_P(InSchedules, LookaheadOfEightBytes) {
    expect_scans<double, Lookahead>(64 * many(140, GetParam()) + 5);
}
TEST_P(InSchedules, LookaheadOfSixteenBytes) {
    expect_scans<Matrix, Lookahead>(32 * many(70, GetParam()) + 5);
}
TEST_P(InSchedules, ByKeyOfOneByte) {
    expect_scan_by_key<std::uint8_t, Registers>(64 * many(140, GetParam()) + 5);
}
TEST_P(InSchedules, ByKeyOfFourBytes) {
    expect_scan_by_key<std::uint32_t, Registers>(64 * many(140, GetParam()) + 5);
}
TEST_P(InSchedules, ByKeyOfEightBytes) {
    expect_scan_by_key<double, Registers>(32 * many(140, GetParam()) + 5);
}
TEST_P(InSchedules, ByKeyOfSixteenBytes) {
    expect_scan_by_key<Matrix, Registers>(32 * many(70, GetParam()) + 5);
}
TEST_P(InSchedules, ByKeyOfFortyBytes) {
    expect_scan_by_key<Sums, Registers>(256 * many(34, GetParam()) + 5);
}

// Of all magnitudes below 1, so that every addition rounds.
TEST_P(InSchedules, FloatsHaveTheSameBits) {
    const int count = 128 * many(140, GetParam()) + 5;
    Random random(7);
    std::vector<float> in(static_cast<std::size_t>(count));
    for (float& v : in) v = static_cast<float>(random.next() >> 40) * 5.9604645e-8f;
    std::vector<std::uint32_t> first;
    const auto expect_bits = [&](auto tuning) {
        using Scan = libscan::detail::SinglePassScan<float, decltype(tuning)>;
        DeviceArray<float> data(in), out(in.size());
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return Scan::template run<true>(temp, bytes, data.data(), out.data(),
                                            std::int64_t{count}, libscan::Plus{},
                                            libscan::NoStart{}, nullptr);
        }));
        const std::vector<float> sums = out.download();
        std::vector<std::uint32_t> bits(sums.size());
        std::memcpy(bits.data(), sums.data(), sums.size() * sizeof(float));
        if (first.empty()) first = bits;
        ASSERT_TRUE(same(bits, first));
    };
    for_each_of_them([&] {
        expect_bits(Registers{});
        expect_bits(Lookahead{});
    });
}

}  // namespace
}  // namespace scan_test

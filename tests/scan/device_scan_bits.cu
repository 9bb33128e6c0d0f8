// SPDX-License-Identifier: Apache-2.0
//
// Sums of random floats, whose rounding depends on the order of the additions, have the same bits
// everywhere: on the CPU back end under every schedule, and on every GPU.
#include <libscan/device_scan.cuh>

#include "test_types.cuh"

namespace scan_test {
namespace {

struct Bits {
    const char* type;
    std::size_t count;
    std::uint64_t hash;  // of an inclusive sum
};
// Whoever changes the order of combination (a tile's shape, say) changes these; the test prints
// what it found.
constexpr Bits kBits[] = {
    {"float", 1000000, 1340294359740407522u},
    {"float", 10000000, 7188435359171903641u},
    {"double", 1000000, 5451769970307715339u},
    {"double", 10000000, 1779124970035977417u},
};

template <class T>
std::uint64_t hash_of(const std::vector<T>& values) {
    std::uint64_t h = 0xcbf29ce484222325u;  // FNV-1a over the bytes
    for (const T& v : values) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &v, sizeof(T));
        for (const unsigned char b : bytes) h = (h ^ b) * 0x100000001b3u;
    }
    return h;
}

// Of all magnitudes below 1.
std::vector<float> random_values(std::size_t count, float) {
    Random random(20);
    std::vector<float> values(count);
    for (float& v : values)
        v = (static_cast<float>(random.next() >> 40) - 8388608.0f) * 1.1920929e-7f;
    return values;
}
std::vector<double> random_values(std::size_t count, double) {
    Random random(21);
    std::vector<double> values(count);
    for (double& v : values)
        v = (static_cast<double>(random.next() >> 11) - 4503599627370496.0) *
            2.220446049250313080847e-16;
    return values;
}

template <class T>
void expect_bits(const char* type, std::size_t count) {
    std::uint64_t right = 0;
    for (const Bits& bits : kBits) {
        if (std::string(bits.type) == type && bits.count == count) right = bits.hash;
    }
    // Where everything is slow, the runs are at least compared with each other.
    const std::vector<T> in = random_values(kIsSlow ? count / 20 : count, T());
    DeviceArray<T> data(in), out(in.size());
    std::uint64_t first = 0;
    for (int run = 0; run < (kIsSlow ? 2 : 3); ++run) {
#if defined(SIMT_VERSION)
        simt::config().seed = static_cast<std::uint64_t>(run);
#endif
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return libscan::DeviceScan::InclusiveSum(temp, bytes, data.data(), out.data(),
                                                     in.size());
        }));
        const std::uint64_t hash = hash_of(out.download());
        if (run == 0) first = hash;
        EXPECT_EQ(hash, first) << "run " << run;
    }
#if defined(SIMT_VERSION)
    simt::config().seed = 0;
#endif
    if (!kIsSlow) {
        EXPECT_EQ(first, right) << "{\"" << type << "\", " << count << ", " << first << "u},";
    }
}

TEST(SameBits, MillionFloats) { expect_bits<float>("float", 1000000); }
TEST(SameBits, MillionDoubles) { expect_bits<double>("double", 1000000); }

// On the CPU for the long tests only.
#if defined(SIMT_VERSION)
#define LONG_ON_CPU(name) DISABLED_##name
#else
#define LONG_ON_CPU(name) name
#endif
TEST(SameBits, LONG_ON_CPU(TenMillionFloats)) { expect_bits<float>("float", 10000000); }
TEST(SameBits, LONG_ON_CPU(TenMillionDoubles)) { expect_bits<double>("double", 10000000); }

}  // namespace
}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
//
// Every type of key against a stable sort by arithmetic: sizes around tiles, shapes of input, for
// small keys every window of bits, and reports about keys.
#include "sort_support.cuh"

namespace sort_test {
template <class KeyT, bool kPairs>
struct Sizes {
    static constexpr libscan::RadixSortPolicy kPolicy =
        libscan::radix_sort_policy(sizeof(KeyT), kPairs ? sizeof(int) : 0, 900);
    static constexpr int kRank = kPolicy.rank_items;
    static constexpr int kSmall = kPolicy.small_threads * kPolicy.small_items;
    static constexpr int kTile = kPolicy.threads * kPolicy.items;
};

// The passes over all items, whatever their number.
template <class KeyT, bool kPairs>
struct PassesOnly {
    static constexpr libscan::RadixSortPolicy make() {
        libscan::RadixSortPolicy policy = Sizes<KeyT, kPairs>::kPolicy;
        policy.rank_items = policy.cluster_items = policy.byte_items = 0;
        return policy;
    }
    static constexpr libscan::RadixSortPolicy kPolicy = make();
    static constexpr int kArchitecture = 0;
};

namespace {

using libscan::DeviceRadixSort;

// The shapes for older GPUs.
template <class KeyT, bool kPairs>
struct OldPasses {
    static constexpr libscan::RadixSortPolicy kPolicy =
        libscan::radix_sort_policy(sizeof(KeyT), kPairs ? sizeof(int) : 0, 750);
    static constexpr int kArchitecture = 0;
};
TEST(KeyTypes, ShapesForOlderGpus) {
    constexpr int kTile = OldPasses<std::uint32_t, true>::kPolicy.threads *
                          OldPasses<std::uint32_t, true>::kPolicy.items;
    check_sort<OldPasses<std::uint32_t, true>, std::uint32_t, true>(
        make_keys<std::uint32_t>(2 * kTile + 5, Shape::kFew, 5), all_bits<std::uint32_t>());
}

// By counting, by a cluster, and by passes.
template <class KeyT, bool kPairs>
void check_type() {
    using Size = Sizes<KeyT, kPairs>;
    using Passes = PassesOnly<KeyT, kPairs>;
    const auto check = [](int n, Shape shape) {
        check_public_sort<KeyT, kPairs>(make_keys<KeyT>(n, shape, 5), all_bits<KeyT>());
    };
    check(1, Shape::kRandom);
    check(700, Shape::kRandom);
    check_sort<Passes, KeyT, kPairs>(make_keys<KeyT>(300, Shape::kRandom, 5), all_bits<KeyT>());
    if (kIsReduced) {
        check_one_sort<Passes, KeyT, kPairs>(make_keys<KeyT>(Size::kSmall + 1, Shape::kFew, 5),
                                             all_bits<KeyT>(), true, false);
        return;
    }
    check(Size::kRank + 1, Shape::kRandom);
    check_sort<Passes, KeyT, kPairs>(make_keys<KeyT>(Size::kTile + 1, Shape::kFew, 5),
                                     all_bits<KeyT>());
}

template <class Tuning, class KeyT>
void check_thoroughly() {
    using Size = Sizes<KeyT, true>;
    constexpr int kSmall = Size::kSmall, kTile = Size::kTile;
    int form = 0;
    const auto check = [&](int n, Shape shape) {
        SCOPED_TRACE(testing::Message() << "shape " << static_cast<int>(shape));
        const auto keys = make_keys<KeyT>(n, shape, 6);
        const bool two_buffers = ++form % 2 != 0;
        for (const bool descending : {false, true})
            check_one_sort<Tuning, KeyT, true>(keys, all_bits<KeyT>(), descending, two_buffers);
    };
    for (const int n : {0, 1, 2, 31, 32, 33, kSmall - 1, kSmall, kSmall + 1, kTile - 1, kTile,
                        kTile + 1, 3 * kTile}) {
        if (!kIsReduced || n <= 33 || n == kTile + 1) check(n, Shape::kRandom);
    }
    for (const Shape shape : kShapes) {
        if (!kIsReduced || shape == Shape::kOneBit) check(kTile + 900, shape);
    }
}

// Signed and unsigned integers of one size, and bool, share their kernels.
TEST(KeyTypes, Bytes) {
    check_type<std::uint8_t, true>();
    check_type<std::int8_t, true>();
    check_type<char, true>();
}
TEST(KeyTypes, Shorts) {
    check_type<std::uint16_t, true>();
    check_type<std::int16_t, true>();
}
TEST(KeyTypes, Words) {
    check_thoroughly<PassesOnly<std::uint32_t, true>, std::uint32_t>();
    check_type<std::int32_t, true>();
}
TEST(KeyTypes, Longs) {
    check_type<std::uint64_t, true>();
    check_type<std::int64_t, true>();
}
TEST(KeyTypes, Wide) {
    check_type<Uint128, true>();
    check_type<Int128, true>();
}
TEST(KeyTypes, Float) { check_thoroughly<PassesOnly<float, true>, float>(); }
TEST(KeyTypes, Double) { check_type<double, true>(); }
TEST(KeyTypes, Half) { check_type<__half, true>(); }
TEST(KeyTypes, Bfloat16) { check_type<__nv_bfloat16, true>(); }

TEST(KeyTypes, Bool) {
    for (const int n : {5, 5000, 9000}) {
        std::vector<unsigned char> keys;
        Random random(3);
        for (int i = 0; i < n; ++i) keys.push_back(static_cast<unsigned char>(random.below(2)));
        DeviceArray<unsigned char> in(keys), out(keys.size());
        DeviceArray<int> values(count_up(n)), sorted(keys.size());
        ASSERT_CUDA_OK(libscan::DeviceRadixSort::SortPairsDescending(
            reinterpret_cast<bool*>(in.data()), reinterpret_cast<bool*>(out.data()), values.data(),
            sorted.data(), n, libscan::SortOptions{}));
        ASSERT_TRUE(same_bytes(sorted.download(), stable_order(keys, Bits{0, 8}, true)));
    }
}

// As little as possible by one block, but of bytes alone up to kByteItems.
constexpr libscan::RadixSortPolicy bytes_policy(libscan::RadixSortPolicy policy, int byte_items) {
    policy.byte_items = byte_items;
    policy.small_threads = 32;
    policy.small_items = 2;
    return policy;
}
template <int kByteItems>
struct BytesTuning {
    static constexpr libscan::RadixSortPolicy kPolicy =
        bytes_policy(PassesOnly<std::int8_t, false>::kPolicy, kByteItems);
    static constexpr int kArchitecture = 0;
};

// Bytes without values are counted and written down: into every part of a vector.
template <class Passes>
void check_bytes_alone() {
    for (const Shape shape : kShapes)
        check_sort<Passes, std::int8_t, false>(make_keys<std::int8_t>(3000, shape, 7), {0, 8});
    for (const int n : {1, 2, 63, 64, 65, 79, 80, 81, 100, 300}) {
        const auto keys = make_keys<std::uint8_t>(n, n % 2 ? Shape::kFew : Shape::kRandom, 8);
        check_sort<Passes, std::uint8_t, false>(keys, {0, 8});
        check_sort<Passes, std::uint8_t, false>(keys, {1, 8});  // the lowest bits stay in order
    }
    const auto keys = make_keys<std::uint8_t>(500, Shape::kRandom, 9);
    auto sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    for (int shift = 0; shift < 17; ++shift) {
        DeviceArray<std::uint8_t> in(keys), out(keys.size() + 17);
        namespace lib = libscan::detail;
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            const std::uint8_t* const from = in.data();
            return lib::sort_items<Passes>(temp, bytes, lib::keys_of(from, out.data() + shift), 500,
                                           lib::all_bits(false), lib::NoDecomposer{}, nullptr);
        }));
        const auto all = out.download();
        EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), all.begin() + shift)) << shift;
        DeviceArray<std::uint8_t> untouched(1);
        const std::uint8_t poison = untouched.download()[0];
        for (int i = 0; i < 517; ++i) {
            if (i < shift || i >= shift + 500) {
                EXPECT_EQ(all[static_cast<std::size_t>(i)], poison) << shift << ": " << i;
            }
        }
    }
}

TEST(KeyTypes, BytesAlone) { check_bytes_alone<BytesTuning<0>>(); }
TEST(KeyTypes, FewBytesAlone) {
    using OneBlock = BytesTuning<10000>;
    check_bytes_alone<OneBlock>();
    for (const int n : {4095, 4097, 10000, 10001}) {  // around what a block takes at once, and all
        const auto keys = make_keys<std::uint8_t>(n, Shape::kRandom, 8);
        check_sort<OneBlock, std::uint8_t, false>(keys, {0, 8});
    }
}

template <class KeyT>
void check_windows(int n, int step) {
    constexpr int kBits = 8 * sizeof(KeyT);
    const auto keys = make_keys<KeyT>(n, Shape::kRandom, 11);
    for (int begin = 0; begin <= kBits; begin += step) {
        for (int end = begin; end <= kBits; end += step) {
            check_public_sort<KeyT, true>(keys, Bits{begin, end});
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}
TEST(BitWindows, Bytes) {
    check_windows<std::uint8_t>(300, 1);
    check_windows<std::int8_t>(4200, kIsReduced ? 8 : 2);
}
TEST(BitWindows, Shorts) {
    check_windows<std::int16_t>(300, kIsReduced ? 5 : 1);
    check_windows<__half>(300, kIsReduced ? 5 : 1);
}
TEST(BitWindows, Wide) { check_windows<Int128>(300, kIsReduced ? 64 : 13); }

// ---- Reports about libraries of this kind, as small inputs with the right value ----------------

// Sorts pairs of a key and its number.
template <class KeyT>
std::vector<int> sorted_numbers(const std::vector<KeyT>& keys, const Bits& bits, bool descending,
                                std::vector<KeyT>* sorted_keys = nullptr) {
    const int n = static_cast<int>(keys.size());
    DeviceArray<KeyT> in(keys), out(keys.size());
    DeviceArray<int> values(count_up(n)), order(keys.size());
    EXPECT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return descending
                   ? DeviceRadixSort::SortPairsDescending(temp, bytes, in.data(), out.data(),
                                                          values.data(), order.data(), n,
                                                          bits.begin, bits.end)
                   : DeviceRadixSort::SortPairs(temp, bytes, in.data(), out.data(), values.data(),
                                                order.data(), n, bits.begin, bits.end);
    }));
    if (sorted_keys != nullptr) *sorted_keys = out.download();
    return order.download();
}

TEST(Case, TwoBitsOfSignedKeys) {  // cub 293
    std::vector<std::int64_t> sorted;
    EXPECT_EQ(sorted_numbers<std::int64_t>({1, 0, -1}, {0, 2}, false, &sorted),
              (std::vector<int>{1, 0, 2}));
    EXPECT_EQ(sorted, (std::vector<std::int64_t>{0, 1, -1}));
}

template <class T>
T float_key(bool negative, double magnitude);
template <>
float float_key<float>(bool negative, double magnitude) {
    return from_bits<float>(raw_bits(static_cast<float>(magnitude)) | Uint128(negative) << 31);
}
template <>
double float_key<double>(bool negative, double magnitude) {
    return from_bits<double>(raw_bits(magnitude) | Uint128(negative) << 63);
}
// Enough of a conversion for zero, small integers, infinity and NaN.
template <class T>
T short_float_key(bool negative, double magnitude, int dropped) {
    Uint128 bits = raw_bits(static_cast<float>(magnitude)) >> 16;
    if (dropped == 13) {  // __half: 5 bits of exponent
        const float f = static_cast<float>(magnitude);
        const unsigned word = static_cast<unsigned>(raw_bits(f));
        const unsigned exponent = word >> 23, fraction = (word & 0x7fffff) >> 13;
        bits = f == 0.0f         ? 0
               : exponent == 255 ? 31u << 10 | fraction
                                 : (exponent - 112) << 10 | fraction;
    }
    return from_bits<T>(bits | Uint128(negative) << 15);
}
template <>
__half float_key<__half>(bool negative, double magnitude) {
    return short_float_key<__half>(negative, magnitude, 13);
}
template <>
__nv_bfloat16 float_key<__nv_bfloat16>(bool negative, double magnitude) {
    return short_float_key<__nv_bfloat16>(negative, magnitude, 16);
}

template <class T>
void check_float_cases() {
    constexpr Bits kAll = all_bits<T>();
    const auto key = [](bool negative, double magnitude) {
        return float_key<T>(negative, magnitude);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    // cub 218: equal zeros stay in order, with their signs.
    const std::vector<T> zeros{key(false, 0), key(true, 0), key(true, 0), key(false, 0)};
    for (const bool descending : {false, true}) {
        std::vector<T> sorted;
        EXPECT_EQ(sorted_numbers(zeros, kAll, descending, &sorted), (std::vector<int>{0, 1, 2, 3}));
        EXPECT_TRUE(same_bytes(sorted, zeros));
    }
    // thrust 1637: by bit pattern.
    const std::vector<T> ends{key(false, nan), key(false, 1), key(true, nan), key(true, inf),
                              key(false, inf)};
    EXPECT_EQ(sorted_numbers(ends, kAll, false), (std::vector<int>{2, 3, 1, 4, 0}));
    EXPECT_EQ(sorted_numbers(ends, kAll, true), (std::vector<int>{0, 4, 1, 3, 2}));
    // PyTorch 190781: a negative NaN among 0, 1, ..., 128 comes first.
    for (int at : {0, 1, 64, 129}) {
        std::vector<T> keys;
        for (int i = 0; i < 129; ++i) keys.push_back(key(false, i));
        keys.insert(keys.begin() + at, key(true, nan));
        std::vector<int> expected = count_up(130);
        expected.erase(expected.begin() + at);
        expected.insert(expected.begin(), at);
        EXPECT_EQ(sorted_numbers(keys, kAll, false), expected);
        std::reverse(expected.begin(), expected.end());
        EXPECT_EQ(sorted_numbers(keys, kAll, true), expected);
    }
}
TEST(Case, ZerosInfinitiesAndNaNs) {
    check_float_cases<float>();
    check_float_cases<double>();
    check_float_cases<__half>();
    check_float_cases<__nv_bfloat16>();
}

TEST(Case, ArgsortOfAscendingKeysIsTheIdentity) {  // cupy 5846
    for (const int n : {2304, 2305, 4608, 9216}) {
        std::vector<float> keys;
        for (int i = 0; i < n; ++i) keys.push_back(static_cast<float>(i) - 1000.0f);
        EXPECT_EQ(sorted_numbers(keys, {0, 32}, false), count_up(n)) << n;
    }
}

TEST(Case, EveryWindowUpToTheHighestBit) {  // rocPRIM 775
    const auto keys = make_keys<std::uint64_t>(kIsReduced ? 300 : 900, Shape::kRandom, 2);
    for (int begin = 0; begin < 64; begin += kIsReduced ? 9 : 1) {
        EXPECT_EQ(sorted_numbers(keys, {begin, 64}, false), stable_order(keys, {begin, 64}, false))
            << begin;
    }
}

TEST(Case, FewDistinctKeysAroundATile) {  // GPUSorting ShaderOneSweep 4
    constexpr libscan::RadixSortPolicy kPolicy = libscan::radix_sort_policy(4, 4, 900);
    constexpr int kTile = kPolicy.threads * kPolicy.items;
    constexpr int kSmall = kPolicy.small_threads * kPolicy.small_items;
    for (const int size : {kTile, 2 * kTile, kSmall}) {
        for (int n = size - 1; n <= size + 1; ++n) {
            if (kIsReduced && size > kTile) continue;
            const auto keys = make_keys<float>(n, Shape::kFew, static_cast<std::uint64_t>(n));
            check_one_sort<PassesOnly<float, true>, float, true>(keys, {0, 32}, n % 2 == 0, false);
            EXPECT_EQ(sorted_numbers(keys, {0, 32}, n % 2 == 0),
                      stable_order(keys, {0, 32}, n % 2 == 0))
                << n;
        }
    }
}

}  // namespace
}  // namespace sort_test

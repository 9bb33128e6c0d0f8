// SPDX-License-Identifier: Apache-2.0
//
// Every type of key against a stable sort by arithmetic: sizes around tiles, shapes of input, and
// for small keys every window of bits.
#include "sort_support.cuh"

namespace sort_test {
namespace {

template <class KeyT, bool kPairs>
struct Sizes {
    static constexpr libscan::RadixSortPolicy kPolicy =
        libscan::radix_sort_policy(sizeof(KeyT), kPairs ? sizeof(int) : 0);
    static constexpr int kSmall = kPolicy.small_threads * kPolicy.small_items;
    static constexpr int kTile = kPolicy.threads * kPolicy.items;
};

template <class KeyT, bool kPairs>
void check_type() {
    using Size = Sizes<KeyT, kPairs>;
    const auto check = [](int n, Shape shape) {
        check_public_sort<KeyT, kPairs>(make_keys<KeyT>(n, shape, 5), all_bits<KeyT>());
    };
    check(1, Shape::kRandom);
    check(700, Shape::kRandom);
    if (!kIsSlow) check(Size::kSmall + 1, Shape::kRandom);
    check(Size::kTile + 1, Shape::kFew);
}

template <class KeyT, bool kPairs>
void check_thoroughly() {
    using Size = Sizes<KeyT, kPairs>;
    constexpr int kSmall = Size::kSmall, kTile = Size::kTile;
    for (const int n : {0, 1, 2, 31, 32, 33, kSmall - 1, kSmall, kSmall + 1, kTile - 1, kTile,
                        kTile + 1, 3 * kTile}) {
        if (kIsSlow && n > 33 && n != kTile + 1) continue;
        check_public_sort<KeyT, kPairs>(make_keys<KeyT>(n, Shape::kRandom, 6), all_bits<KeyT>());
        if (testing::Test::HasFatalFailure()) return;
    }
    for (const Shape shape : kShapes) {
        SCOPED_TRACE(testing::Message() << "shape " << static_cast<int>(shape));
        check_public_sort<KeyT, kPairs>(make_keys<KeyT>(9000, shape, 7), all_bits<KeyT>());
        if (kIsSlow || testing::Test::HasFatalFailure()) return;
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
    check_thoroughly<std::uint32_t, true>();
    check_type<std::int32_t, true>();
    check_type<std::uint32_t, false>();
    check_type<std::int32_t, false>();
}
TEST(KeyTypes, Longs) {
    check_type<std::uint64_t, true>();
    check_type<std::int64_t, true>();
}
TEST(KeyTypes, Wide) {
    check_type<Uint128, true>();
    check_type<Int128, true>();
}
TEST(KeyTypes, Float) { check_thoroughly<float, true>(); }
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
    check_windows<std::int8_t>(4200, kIsSlow ? 8 : 2);
}
TEST(BitWindows, Shorts) {
    check_windows<std::int16_t>(300, kIsSlow ? 5 : 1);
    check_windows<__half>(300, kIsSlow ? 5 : 1);
}
TEST(BitWindows, Wide) { check_windows<Int128>(300, kIsSlow ? 64 : 13); }

}  // namespace
}  // namespace sort_test

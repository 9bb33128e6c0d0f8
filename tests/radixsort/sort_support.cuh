// SPDX-License-Identifier: Apache-2.0
//
// What the radix sort tests share: the right order, computed without the library's code, keys of
// several shapes, and one call that checks a sort in all its directions and forms.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <radixsort/device_radix_sort.cuh>
#include <type_traits>

#include "../scan/test_support.cuh"

#if defined(SIMT_VERSION)
// The CPU has no headers for these.
struct __half {
    unsigned short bits;
};
struct __nv_bfloat16 {
    unsigned short bits;
};
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace sort_test {

using scan_test::DeviceArray;
using scan_test::for_each_schedule;

using scan_test::Random;
using scan_test::two_phase;

// Fewer and smaller sorts under a sanitizer: sorts are long, and AddressSanitizer's code is not
// optimised.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kIsReduced = true;
#else
inline constexpr bool kIsReduced = scan_test::kIsSlow;
#endif

using Int128 = libscan::detail::Int128;
using Uint128 = libscan::detail::Uint128;

template <class T>
inline constexpr bool kIsFloat = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                 std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

template <class T>
Uint128 raw_bits(const T& value) {
    Uint128 bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}

// The place of a key among all patterns of its type, by arithmetic: an integer's distance from the
// smallest; a floating-point number's magnitude upwards from the middle, or downwards.
template <class T>
Uint128 place(const T& key) {
    const Uint128 middle = Uint128(1) << (8 * sizeof(T) - 1);
    const Uint128 bits = raw_bits(key);
    if (kIsFloat<T>) {
        const Uint128 magnitude = bits & (middle - 1);
        return bits < middle || magnitude == 0 ? middle + magnitude : middle - 1 - magnitude;
    }
    if (std::is_signed_v<T> || std::is_same_v<T, Int128>)
        return bits < middle ? bits + middle : bits - middle;
    return bits;
}

struct Bits {
    int begin;
    int end;
};

// order[i] = which item is at i after a stable sort by places[..], bits [begin, end).
inline std::vector<int> stable_order(const std::vector<Uint128>& places, const Bits& bits,
                                     bool descending) {
    const auto window = [&](int i) {
        Uint128 w = places[static_cast<std::size_t>(i)];
        if (bits.end < 128) w &= (Uint128(1) << bits.end) - 1;
        return w >> bits.begin;
    };
    std::vector<int> order(places.size());
    std::iota(order.begin(), order.end(), 0);
    if (bits.begin == bits.end) return order;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return descending ? window(b) < window(a) : window(a) < window(b);
    });
    return order;
}
template <class T>
std::vector<int> stable_order(const std::vector<T>& keys, const Bits& bits, bool descending) {
    std::vector<Uint128> places;
    for (const T& key : keys) places.push_back(place(key));
    return stable_order(places, bits, descending);
}

template <class T>
std::vector<T> permuted(const std::vector<T>& values, const std::vector<int>& order) {
    std::vector<T> result;
    result.reserve(order.size());
    for (const int i : order) result.push_back(values[static_cast<std::size_t>(i)]);
    return result;
}

// By bytes: -0 is not +0 here, and a NaN equals itself.
template <class T>
testing::AssertionResult same_bytes(const std::vector<T>& actual, const std::vector<T>& expected) {
    if (actual.size() != expected.size()) {
        return testing::AssertionFailure() << actual.size() << " items, not " << expected.size();
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        if (std::memcmp(&actual[i], &expected[i], sizeof(T)) == 0) continue;
        return testing::AssertionFailure() << "item " << i << " of " << expected.size() << " is "
                                           << testing::PrintToString(actual[i]) << ", not "
                                           << testing::PrintToString(expected[i]);
    }
    return testing::AssertionSuccess();
}

// ---- Keys --------------------------------------------------------------------------------------

enum class Shape { kRandom, kFew, kEqual, kOneBit, kSorted, kReversed };
inline constexpr Shape kShapes[] = {Shape::kRandom, Shape::kFew,    Shape::kEqual,
                                    Shape::kOneBit, Shape::kSorted, Shape::kReversed};

template <class T>
T from_bits(Uint128 bits) {
    T key;
    std::memcpy(static_cast<void*>(&key), &bits, sizeof(T));
    return key;
}

template <class T>
std::vector<T> make_keys(int n, Shape shape, std::uint64_t seed) {
    Random random(seed);
    const auto any = [&] { return Uint128(random.next()) << 64 | random.next(); };
    const Uint128 base = any(), bit = Uint128(1) << random.below(8 * static_cast<int>(sizeof(T)));
    Uint128 few[5];
    for (Uint128& f : few) f = any();
    std::vector<T> keys;
    for (int i = 0; i < n; ++i) {
        Uint128 bits = base;
        if (shape == Shape::kOneBit && random.below(2) == 0) bits ^= bit;
        if (shape == Shape::kFew) bits = few[random.below(5)];
        if (shape == Shape::kRandom || shape == Shape::kSorted || shape == Shape::kReversed)
            bits = any();
        keys.push_back(from_bits<T>(bits));
    }
    if (kIsFloat<T> && n > 40) {  // both zeros among the keys, and their neighbours
        const Uint128 minus = Uint128(1) << (8 * sizeof(T) - 1);
        const Uint128 special[] = {0, minus, 1, minus | 1, minus, 0};
        for (int i = 0; shape == Shape::kRandom && i < 36; ++i)
            keys[static_cast<std::size_t>(random.below(n))] = from_bits<T>(special[i % 6]);
    }
    const Bits all{0, 8 * static_cast<int>(sizeof(T))};
    if (shape == Shape::kSorted) keys = permuted(keys, stable_order(keys, all, false));
    if (shape == Shape::kReversed) keys = permuted(keys, stable_order(keys, all, true));
    return keys;
}

inline std::vector<int> count_up(int n) {
    std::vector<int> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 0);
    return values;
}

// ---- Sorts -------------------------------------------------------------------------------------

// One sort, any tuning and types. The values are the items' numbers, or there are none.
template <class Tuning, class KeyT, bool kPairs>
void check_one_sort(const std::vector<KeyT>& keys, const Bits& bits, bool descending,
                    bool two_buffers) {
    namespace lib = libscan::detail;
    const int n = static_cast<int>(keys.size());
    SCOPED_TRACE(testing::Message()
                 << n << " items, bits " << bits.begin << " to " << bits.end
                 << (descending ? ", descending" : "") << (two_buffers ? ", two buffers" : ""));
    const std::vector<int> numbers = count_up(n);
    const std::vector<int> order = stable_order(keys, bits, descending);
    const auto sort = [&](auto items) {
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            const auto some = lib::some_bits(descending, bits.begin, bits.end);
            if constexpr (std::is_void_v<Tuning>) {
                return lib::sort_items(temp, bytes, items, n, some, lib::NoDecomposer{}, nullptr);
            } else {
                return lib::sort_items<Tuning>(temp, bytes, items, n, some, lib::NoDecomposer{},
                                               nullptr);
            }
        }));
    };
    DeviceArray<KeyT> a(keys), b(keys.size());
    DeviceArray<int> c(numbers), d(keys.size());
    libscan::DoubleBuffer<KeyT> key_buffers(a.data(), b.data());
    libscan::DoubleBuffer<int> value_buffers(c.data(), d.data());
    if (two_buffers) {
        if constexpr (kPairs) {
            sort(lib::pairs_of(key_buffers, value_buffers));
            ASSERT_EQ(key_buffers.selector, value_buffers.selector);
        } else {
            sort(lib::keys_of(key_buffers));
        }
    } else {
        if constexpr (kPairs) {
            sort(lib::pairs_of(a.data(), b.data(), c.data(), d.data()));
            ASSERT_TRUE(same_bytes(c.download(), numbers));
        } else {
            sort(lib::keys_of(a.data(), b.data()));
        }
        ASSERT_TRUE(same_bytes(a.download(), keys));
        key_buffers.selector = value_buffers.selector = 1;
    }
    const bool in_first = key_buffers.selector == 0;
    ASSERT_TRUE(same_bytes((in_first ? a : b).download(), permuted(keys, order)));
    if (kPairs) {
        ASSERT_TRUE(same_bytes((in_first ? c : d).download(), order));
    }
}

// From input to output, and with two buffers; ascending and descending.
template <class Tuning, class KeyT, bool kPairs>
void check_sort(const std::vector<KeyT>& keys, const Bits& bits) {
    for (int form = 0; form < 4; ++form)
        check_one_sort<Tuning, KeyT, kPairs>(keys, bits, form % 2 != 0, form / 2 != 0);
}

// The tuning that the public sorts choose.
template <class KeyT, bool kPairs>
void check_public_sort(const std::vector<KeyT>& keys, const Bits& bits) {
    check_sort<void, KeyT, kPairs>(keys, bits);
}

template <class KeyT>
constexpr Bits all_bits() {
    return Bits{0, 8 * static_cast<int>(sizeof(KeyT))};
}

// ---- Tunings for tests -------------------------------------------------------------------------

// Tiles of kThreads * kItems items with digits of 5 bits, so that a few hundred items are many
// tiles. kPortionTiles: tiles of a launch, 0 for as many as there may be.
template <int kThreads, int kItems, bool kInShared = true, int kPortionTiles = 0,
          libscan::DigitMatch kMatch = libscan::DigitMatch::instruction>
struct TinyTuning {
    static constexpr libscan::RadixSortPolicy make() {
        libscan::RadixSortPolicy policy{};
        policy.digit_bits = 5;
        policy.match = kMatch;
        policy.threads = kThreads;
        policy.items = kItems;
        policy.blocks = 1;
        policy.keys_in_shared = kInShared;
        policy.values_in_shared = kInShared;
        constexpr std::int64_t kTile = kThreads * kItems;
        policy.portion = kPortionTiles > 0
                             ? kPortionTiles * kTile
                             : libscan::detail::kMaxDigitLookBackItems / kTile * kTile;
        policy.small_threads = kThreads;
        policy.small_items = kItems;
        policy.histogram_threads = 32;
        policy.histogram_items = 3;
        policy.histogram_blocks = 4;
        return policy;
    }
    static constexpr libscan::RadixSortPolicy kPolicy = make();
    static constexpr int kArchitecture = 0;
};

// Up to 16 blocks of a cluster, with up to 2 items a thread.
template <int kThreads>
struct ClusterTuning {
    static constexpr libscan::RadixSortPolicy make() {
        libscan::RadixSortPolicy policy = TinyTuning<kThreads, 1>::kPolicy;
        policy.cluster_threads = kThreads;
        policy.cluster_items = 2;
        policy.cluster_least_items = 1;
        return policy;
    }
    static constexpr libscan::RadixSortPolicy kPolicy = make();
    static constexpr int kArchitecture = 0;
};

// The pipelined passes: kWorkers threads sort tiles of up to 8 items each. kPortionTiles as above.
template <int kWorkers, int kDigitBits = 5, int kPortionTiles = 0,
          libscan::DigitMatch kMatch = libscan::DigitMatch::votes, bool kManyTiles = true>
struct PipelinedTuning {
    static constexpr libscan::RadixSortPolicy make() {
        libscan::RadixSortPolicy policy =
            TinyTuning<kWorkers, 8, true, kPortionTiles, kMatch>::kPolicy;
        policy.digit_bits = kDigitBits;
        policy.pass_threads = kWorkers;
        policy.pass_items = 8;
        policy.pass_blocks = 1;
        policy.pass_many_tiles = kManyTiles;
        policy.wide_histogram_threads = 64;
        policy.wide_histogram_copies = 8;
        policy.wide_histogram_least = 1000;
        return policy;
    }
    static constexpr libscan::RadixSortPolicy kPolicy = make();
    static constexpr int kArchitecture = 0;
};

// n keys; in each pass of five bits whose bit is set in `left_out`, all their digits are the same.
inline std::vector<std::uint32_t> keys_with_passes_left_out(std::size_t n, unsigned left_out,
                                                            int passes) {
    std::uint32_t varies = 0;
    for (int pass = 0; pass < passes; ++pass)
        if (!(left_out >> pass & 1)) varies |= 31u << (5 * pass);
    auto keys = make_keys<std::uint32_t>(n, Shape::kRandom, 8);
    for (std::uint32_t& key : keys) key = (key & varies) | (0x5a5a5a5au & ~varies);
    return keys;
}

// Up to 700 items by counting.
template <int kThreads>
struct RankTuning {
    static constexpr libscan::RadixSortPolicy make() {
        libscan::RadixSortPolicy policy = TinyTuning<kThreads, 1>::kPolicy;
        policy.rank_threads = kThreads;
        policy.rank_items = 700;
        return policy;
    }
    static constexpr libscan::RadixSortPolicy kPolicy = make();
    static constexpr int kArchitecture = 0;
};

}  // namespace sort_test

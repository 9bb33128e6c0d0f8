// SPDX-License-Identifier: Apache-2.0
//
// Scans by key by look-back, from iterators, and by all structures to the same bits.
#include "keyed_structures.cuh"

namespace scan_test {
namespace {

constexpr int kFew = kIsSlow ? 0 : 5;
constexpr int kTiles = kIsSlow ? 20 : 130;
using RegistersOfThree = SmallTiles<ScanStructure::registers, 3, 2>;

TEST(LookBackByKey, FourBytes) {
    constexpr int kTile = KeyedTile<std::uint32_t, std::uint32_t, Registers>::kTile;
    for (const Runs runs : kAllRuns)
        check_by_key<std::uint32_t, std::uint32_t, Registers>(kTile * kTiles + 5, runs, kFew);
}
TEST(LookBackByKey, AnyAlignment) {
    constexpr int kTile = KeyedTile<std::uint16_t, float, RegistersOfThree>::kTile;
    for (std::size_t key = 0; key < 8; ++key)
        for (const int n : {kTile * 3 + 1, kTile + 40})
            check_by_key<std::uint16_t, float, RegistersOfThree>(n, Runs::short_ones, 0,
                                                                 {key, key * 3 % 4, key % 3});
}
TEST(LookBackByKey, EverySizeAroundATile) {
    constexpr int kTile = KeyedTile<std::uint16_t, float, RegistersOfThree>::kTile;
    for (int n = 1; n < kTile + 9; n += kIsSlow ? 91 : n < 12 || n > kTile - 9 ? 1 : 13)
        check_by_key<std::uint16_t, float, RegistersOfThree>(n, Runs::at_borders, 0, {1, 1, 0});
}
#if defined(SIMT_VERSION)
TEST(LookBackByKey, AnyNumberOfResidentBlocks) {
    const simt::Config before = simt::config();
    constexpr int kTile = KeyedTile<std::uint32_t, std::uint32_t, Registers>::kTile;
    for (const unsigned resident : {1u, 2u, 3u, 7u, 16u, 33u, 48u}) {
        simt::config().resident = kIsSlow && resident > 4 ? 4 : resident;
        check_by_key<std::uint32_t, std::uint32_t, Registers>(kTile * kTiles, Runs::long_ones,
                                                              kIsSlow ? 0 : 2);
    }
    simt::config() = before;
}
#endif

// ---- The same bits ------------------------------------------------------------------------------

// Sums of floats, whose rounding depends on the order of the additions.
struct Floats {
    std::vector<std::uint32_t> keys;
    std::vector<float> values;
    explicit Floats(int n) {
        Random random(21);
        for (int i = 0, key = 0; i < n; ++i) {
            if (random.below(300) == 0) ++key;
            keys.push_back(static_cast<std::uint32_t>(key));
            values.push_back((static_cast<float>(random.next() >> 40) - 8388608.0f) *
                             1.1920929e-7f);
        }
    }
};
template <class Tuning, class Keys, class Values, class Out>
void sums_by_key(Keys keys, Values values, Out out, std::size_t n) {
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return KeyedScan<float, Tuning>::run(temp, bytes, keys, values, out,
                                             static_cast<std::int64_t>(n), libscan::Plus{},
                                             libscan::NoStart{}, libscan::Equal{}, nullptr);
    }));
}
std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
    std::vector<std::uint32_t> bits(values.size());
    std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
    return bits;
}
std::uint64_t hash_of_bits(const std::vector<std::uint32_t>& bits) {
    std::uint64_t h = 0xcbf29ce484222325u;  // FNV-1a over the words
    for (const std::uint32_t b : bits) h = (h ^ b) * 0x100000001b3u;
    return h;
}

TEST(SameBitsByKey, WhateverReadsTheInput) {
    for (const int tiles : {1, 10, 150}) {  // of 2 * 2 rows
        if (kIsSlow && tiles > 10) continue;
        const Floats in(tiles * 512 - 200);
        const std::size_t n = in.values.size();
        DeviceArray<std::uint32_t> keys(in.keys), shifted_keys(in.keys, 4);
        DeviceArray<float> values(in.values), shifted_values(in.values, 12), out(n);
        using Look = SmallTiles<ScanStructure::registers, 2, 2>;
        sums_by_key<Look>(keys.data(), values.data(), out.data(), n);
        const std::vector<std::uint32_t> expected = bits_of(out.download());
        const auto check = [&] { ASSERT_TRUE(same(bits_of(out.download()), expected)); };
        sums_by_key<Automatic>(keys.data(), values.data(), out.data(), n);
        check();
        sums_by_key<Automatic>(shifted_keys.data(), shifted_values.data(), out.data(), n);
        check();
        const IndexedArray<std::uint32_t> some_keys{keys.data()};
        const IndexedArray<float> some_values{values.data()}, some_out{out.data()};
        sums_by_key<Automatic>(some_keys, some_values, some_out, n);
        check();
        sums_by_key<Automatic>(some_keys, values.data(), out.data(), n);
        check();
        sums_by_key<Automatic>(shifted_keys.data(), some_values, out.data(), n);
        check();
    }
}

// Of tiles as users have them.
struct AlwaysLookahead : libscan::detail::ScanTuning {
    static constexpr ScanStructure kStructure = ScanStructure::lookahead;
};
constexpr std::uint64_t kHashByKey = 116962255684942834u;

TEST(SameBitsByKey, Everywhere) {
    const Floats in(kIsSlow ? 50000 : 400000);
    DeviceArray<std::uint32_t> keys(in.keys);
    DeviceArray<float> values(in.values), out(in.values.size());
    sums_by_key<libscan::detail::ScanTuning>(keys.data(), values.data(), out.data(),
                                             in.values.size());
    const std::vector<std::uint32_t> bits = bits_of(out.download());
    sums_by_key<AlwaysLookahead>(keys.data(), values.data(), out.data(), in.values.size());
    EXPECT_TRUE(same(bits_of(out.download()), bits));
    // The bits that the CPU back end and GPUs give.
    if (!kIsSlow) {
        EXPECT_EQ(hash_of_bits(bits), kHashByKey);
    }
}

// ---- What the functors see ----------------------------------------------------------------------

struct NumberedKey {
    std::uint32_t index, run;
};
// Counts calls with anything but a key and the one before it.
struct SameRun {
    unsigned* bad;
    __device__ bool operator()(const NumberedKey& a, const NumberedKey& b) const {
        if (a.index + 1 != b.index) atomicAdd(bad, 1u);
        return a.run == b.run;
    }
};
// Elements are [i, i + 1); between runs one is left out. Only neighbours of one run can be joined.
struct Interval {
    int begin, end;
    friend bool operator==(const Interval& a, const Interval& b) {
        return a.begin == b.begin && a.end == b.end;
    }
    friend std::ostream& operator<<(std::ostream& out, const Interval& v) {
        return out << "[" << v.begin << ", " << v.end << ")";
    }
};
constexpr int kInit = -2;  // the begin of the initial value, which goes in front of any run
struct Join {
    unsigned* bad;
    __device__ Interval operator()(const Interval& a, const Interval& b) const {
        if (a.begin >= b.begin || (a.begin != kInit && a.end != b.begin)) atomicAdd(bad, 1u);
        return {a.begin, b.end};
    }
};

template <class Tuning>
void check_functors(int n, int longest, std::size_t shift) {
    SCOPED_TRACE(testing::Message() << n << " elements in runs of up to " << longest);
    Random random(static_cast<std::uint64_t>(n + longest));
    std::vector<NumberedKey> keys;
    std::vector<Interval> in, inclusive, exclusive;
    int at = 0, begin = 0;
    for (int i = 0, left = 0; i < n; ++i, ++at, --left) {
        const bool head = left == 0;
        if (head) {
            left = 1 + random.below(longest);
            begin = ++at;
        }
        keys.push_back({static_cast<std::uint32_t>(i) + 7, static_cast<std::uint32_t>(begin)});
        in.push_back({at, at + 1});
        inclusive.push_back({begin, at + 1});
        exclusive.push_back({kInit, head ? -1 : at});
    }
    DeviceArray<NumberedKey> device_keys(keys, shift * 4);
    DeviceArray<Interval> data(in, shift * 4), out(in.size());
    DeviceArray<unsigned> bad(std::vector<unsigned>{0, 0});
    const Join join{bad.data()};
    const SameRun same_run{bad.data() + 1};
    const auto run = [&](auto init) {
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return KeyedScan<Interval, Tuning>::run(temp, bytes, device_keys.data(), data.data(),
                                                    out.data(), n, join, init, same_run, nullptr);
        }));
    };
    run(libscan::NoStart{});
    ASSERT_TRUE(same(out.download(), inclusive));
    run(Interval{kInit, -1});
    ASSERT_TRUE(same(out.download(), exclusive));
    ASSERT_EQ(bad.download(), (std::vector<unsigned>{0, 0}));
}
TEST(FunctorsByKey, SeeOnlyWhatTheyWereGiven) {
    constexpr int kTile = KeyedTile<NumberedKey, Interval, RegistersOfThree>::kTile;
    for (const int n : {1, 2, 33, 100, kTile - 1, kTile, kTile + 1, 9 * kTile + 133})
        for (const int longest : {1, 3, 70, 2 * kTile, 100000}) {
            check_functors<RegistersOfThree>(n, longest, 0);
            check_functors<LookaheadOfThree>(n, longest, static_cast<std::size_t>(n) % 4);
        }
}

// ---- Values of other kinds ----------------------------------------------------------------------

struct WidePair {  // 40 bytes: its tiles are in shared memory
    Matrix first, second;
    std::uint64_t count;
    friend bool operator==(const WidePair& a, const WidePair& b) {
        return a.first == b.first && a.second == b.second && a.count == b.count;
    }
    friend std::ostream& operator<<(std::ostream& out, const WidePair& w) { return out << w.first; }
};
struct JoinWidePairs {
    __host__ __device__ WidePair operator()(const WidePair& a, const WidePair& b) const {
        return {Multiply{}(a.first, b.first), Multiply{}(a.second, b.second), a.count + b.count};
    }
};

}  // namespace

template <>
struct Element<WidePair> {
    using Op = JoinWidePairs;
    static WidePair initial() { return {{1, 2, 3, 4}, {4, 3, 2, 1}, 1}; }
    static WidePair random(Random& random) {
        return {Element<Matrix>::random(random), Element<Matrix>::random(random), 1};
    }
};

namespace {

TEST(LookBackByKey, ValuesInSharedMemory) {
    for (const Runs runs : {Runs::one, Runs::short_ones, Runs::long_ones})
        check_by_key<std::uint32_t, WidePair, Registers>(256 * 7 + 3, runs, kIsSlow ? 0 : 1);
}

struct Shorter {  // stays in the narrow type
    __host__ __device__ std::int16_t operator()(std::int16_t a, std::int16_t b) const {
        return a < b ? a : b;
    }
};
TEST(LookBackByKey, NarrowAccumulators) {
    const std::vector<bool> heads =
        KeyedTile<std::uint8_t, std::int16_t, RegistersOfThree>::heads(5000, Runs::long_ones);
    const std::vector<std::uint8_t> keys =
        KeyedTile<std::uint8_t, std::int16_t, RegistersOfThree>::keys(heads);
    std::vector<std::int16_t> in;
    Random random(22);
    for (int i = 0; i < 5000; ++i) in.push_back(static_cast<std::int16_t>(random.next()));
    DeviceArray<std::uint8_t> device_keys(keys, 1);
    DeviceArray<std::int16_t> data(in), out(in.size());
    const std::int16_t init = 100, *const none = nullptr;
    const auto run = [&](auto start) {
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return KeyedScan<std::int16_t, RegistersOfThree>::run(
                temp, bytes, device_keys.data(), data.data(), out.data(), 5000, Shorter{}, start,
                EqualTens{}, nullptr);
        }));
    };
    run(libscan::NoStart{});
    ASSERT_TRUE(same(out.download(), serial_runs(heads, in, Shorter{}, none)));
    run(init);
    ASSERT_TRUE(same(out.download(), serial_runs(heads, in, Shorter{}, &init)));
}

}  // namespace
}  // namespace scan_test

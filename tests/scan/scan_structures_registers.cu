// SPDX-License-Identifier: Apache-2.0
//
// Look-back: tiles in registers, and for large values in shared memory.
#include <algorithm>

#include "scan_structures.cuh"

namespace scan_test {

// 40 bytes: ten sums.
struct Sums {
    std::uint32_t at[10];
    friend bool operator==(const Sums& a, const Sums& b) {
        return std::equal(a.at, a.at + 10, b.at);
    }
    friend std::ostream& operator<<(std::ostream& out, const Sums& s) {
        return out << "{" << s.at[0] << ", ..., " << s.at[9] << "}";
    }
};
struct AddAll {
    __host__ __device__ Sums operator()(const Sums& a, const Sums& b) const {
        Sums sum = a;
        for (unsigned i = 0; i < 10; ++i) sum.at[i] += b.at[i];
        return sum;
    }
};
template <>
struct Element<Sums> {
    using Op = AddAll;
    static Sums initial() { return {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}; }
    static Sums random(Random& random) {
        Sums s;
        for (std::uint32_t& v : s.at) v = static_cast<std::uint32_t>(random.next());
        return s;
    }
};

namespace {

constexpr int kFew = kIsSlow ? 0 : 10;
// More than a window of tiles, where not everything is slow.
constexpr int kTiles = kIsSlow ? 20 : 130;

TEST(LookBack, FourBytes) {
    check_structure<std::uint32_t, Registers>(Registers::kTile<std::uint32_t> * 2 * kTiles + 5,
                                              kIsSlow ? 2 : 20);
}
TEST(LookBack, EightBytes) {
    check_structure<double, Registers>(Registers::kTile<double> * kTiles - 1, kFew);
}
TEST(LookBack, TwelveBytes) {
    check_structure<Triple, Registers>(Registers::kTile<Triple> * kTiles + 31, kFew);
}
TEST(LookBack, SixteenBytes) {
    check_structure<Matrix, Registers>(Registers::kTile<Matrix> * 64, kFew);
}
TEST(LookBack, SmallItems) {
    using Tiles = SmallTiles<ScanStructure::registers, 3, 2>;
    check_structure<std::uint8_t, Tiles>(Tiles::kTile<std::uint8_t> * 5 + 77, 2);
    for (std::size_t shift = 0; shift < 9; ++shift)
        check_structure<std::int16_t, Tiles>(Tiles::kTile<std::int16_t> * 3 - 5, 0, shift,
                                             8 - shift);
}
TEST(LookBack, ValuesThatStandApart) {
    check_structure<Sums, Registers>(256 * (kIsSlow ? 5 : 34) + 3, kIsSlow ? 0 : 3);
}

#if defined(SIMT_VERSION)
// One resident block is enough, and 48 are not too many.
TEST(LookBack, AnyNumberOfResidentBlocks) {
    const simt::Config before = simt::config();
    for (const unsigned resident : {1u, 2u, 3u, 7u, 16u, 33u, 48u}) {
        simt::config().resident = kIsSlow && resident > 4 ? 4 : resident;
        check_structure<std::uint32_t, Registers>(Registers::kTile<std::uint32_t> * kTiles,
                                                  kIsSlow ? 0 : 3);
    }
    simt::config() = before;
}
#endif

}  // namespace
}  // namespace scan_test

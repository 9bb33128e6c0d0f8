// SPDX-License-Identifier: Apache-2.0
//
// The host side's small parts: temporary storage, types, item counts, grids.
#include <iterator>
#include <libscan/three_kernel_scan.cuh>
#include <limits>

#include "test_support.cuh"
#include "test_types.cuh"

namespace scan_test {
namespace {

template <class Input, class Output, class Expected>
constexpr bool accumulates_in() {
    return std::is_same<libscan::SumAccumulator<Input, Output>, Expected>::value;
}
static_assert(accumulates_in<std::int8_t, std::int8_t, int>(), "promoted");
static_assert(accumulates_in<std::int8_t, std::int32_t, std::int32_t>(), "");
static_assert(accumulates_in<std::int32_t, std::int64_t, std::int64_t>(), "");
static_assert(accumulates_in<std::int64_t, std::int32_t, std::int64_t>(), "");
static_assert(accumulates_in<std::uint8_t, std::uint64_t, std::uint64_t>(), "");
static_assert(accumulates_in<float, float, float>(), "");
static_assert(accumulates_in<float, double, double>(), "");
static_assert(accumulates_in<double, float, double>(), "");
static_assert(accumulates_in<float, std::int64_t, float>(), "fractions are kept");
static_assert(accumulates_in<std::int32_t, float, float>(), "one size: the floating type");
static_assert(accumulates_in<std::int64_t, float, std::int64_t>(), "the wider one");
static_assert(accumulates_in<std::int16_t, void, int>(), "an output that is only written");

TEST(TempStorage, PartsAreAlignedAndApartAtAnyOffset) {
    const std::size_t sizes[3] = {100, 0, 1000};
    void* parts[3] = {};
    std::size_t bytes = 0;
    ASSERT_CUDA_OK(libscan::alias_temp_storage(nullptr, bytes, sizes, parts));
    ASSERT_GE(bytes, 1100u);
    std::vector<char> block(bytes + 512);
    for (std::size_t offset = 0; offset < 300; ++offset) {
        char* const begin = block.data() + offset;
        ASSERT_CUDA_OK(libscan::alias_temp_storage(begin, bytes, sizes, parts));
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(parts[0]) % libscan::kTempStorageAlignment, 0u);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(parts[2]) % libscan::kTempStorageAlignment, 0u);
        ASSERT_EQ(parts[1], nullptr);
        ASSERT_GE(static_cast<char*>(parts[0]), begin);
        ASSERT_GE(static_cast<char*>(parts[2]), static_cast<char*>(parts[0]) + sizes[0]);
        ASSERT_LE(static_cast<char*>(parts[2]) + sizes[2], begin + bytes);
        std::size_t too_few = bytes - 1;
        ASSERT_EQ(libscan::alias_temp_storage(begin, too_few, sizes, parts), cudaErrorInvalidValue);
    }
}

TEST(TempStorage, NeverNothingAndNeverMoreThanThereIs) {
    void* parts[2] = {};
    std::size_t bytes = 0;
    ASSERT_CUDA_OK(libscan::alias_temp_storage(nullptr, bytes, {0, 0}, parts));
    EXPECT_EQ(bytes, 1u);
    constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();
    for (const std::size_t large : {kMax, kMax - 255, kMax - 600}) {
        bytes = 7;
        const std::size_t sizes[2] = {300, large};
        EXPECT_EQ(libscan::alias_temp_storage(nullptr, bytes, sizes, parts), cudaErrorInvalidValue);
        EXPECT_EQ(bytes, 7u);
    }
}

TEST(ItemCount, AnyIntegralType) {
    std::int64_t n = 0;
    EXPECT_TRUE(libscan::detail::to_item_count(static_cast<unsigned char>(200), n));
    EXPECT_EQ(n, 200);
    EXPECT_FALSE(libscan::detail::to_item_count(static_cast<signed char>(-1), n));
    EXPECT_TRUE(libscan::detail::to_item_count(std::numeric_limits<std::int64_t>::max(), n));
    EXPECT_EQ(n, std::numeric_limits<std::int64_t>::max());
    EXPECT_FALSE(libscan::detail::to_item_count(std::numeric_limits<std::uint64_t>::max(), n));
    EXPECT_FALSE(libscan::detail::to_item_count(std::numeric_limits<std::int64_t>::min(), n));
}

#if !defined(__STRICT_ANSI__)  // elsewhere these are no integral types, and do not compile
template <class Wide>
void expect_wide_counts() {
    std::int64_t n = 0;
    EXPECT_TRUE(libscan::detail::to_item_count(Wide{5}, n));
    EXPECT_EQ(n, 5);
    EXPECT_FALSE(libscan::detail::to_item_count(static_cast<Wide>(Wide{1} << 63), n));
    EXPECT_FALSE(libscan::detail::to_item_count(static_cast<Wide>((Wide{1} << 64) + 5), n));
    EXPECT_FALSE(libscan::detail::to_item_count(static_cast<Wide>(-1), n));
}
TEST(ItemCount, Of128Bits) {  // what 64 bits do not hold is not cut down to them
    __extension__ using Signed = __int128;
    __extension__ using Unsigned = unsigned __int128;
    expect_wide_counts<Signed>();
    expect_wide_counts<Unsigned>();
}
#endif

TEST(Operators, MaxAndMinOfTwoTypes) {
    static_assert(std::is_same_v<decltype(libscan::Max{}(1.5f, 2.0)), double>);
    static_assert(std::is_same_v<decltype(libscan::Min{}(short{1}, short{2})), short>);
    EXPECT_EQ(libscan::Max{}(3, 2.5), 3.0);
    EXPECT_EQ(libscan::Min{}(std::int64_t{1} << 40, 7), 7);
}

// A GPU would fault, and whatever else the program has there would be lost with it.
TEST(ByteRange, PointersAreAligned) {
    alignas(8) unsigned char bytes[32];
    libscan::detail::ByteRange range;
    for (int at = 0; at < 16; ++at) {
        EXPECT_TRUE(libscan::detail::to_byte_range(bytes + at, 1, range));
        EXPECT_EQ(libscan::detail::to_byte_range(reinterpret_cast<short*>(bytes + at), 1, range),
                  at % 2 == 0);
        EXPECT_EQ(libscan::detail::to_byte_range(reinterpret_cast<double*>(bytes + at), 1, range),
                  at % 8 == 0);
    }
}

TEST(TileGrid, CoversEveryTileWithinTheDevicesLimits) {
    for (const std::int64_t tiles :
         {std::int64_t{1}, std::int64_t{2147483647}, std::int64_t{2147483648},
          std::int64_t{4294967297}, std::int64_t{65535} * 2147483647}) {
        const libscan::detail::TileGrid grid = libscan::detail::tile_grid(tiles);
        EXPECT_TRUE(grid.fits);
        EXPECT_LE(grid.x, 2147483647);
        EXPECT_LE(grid.y, 65535);
        EXPECT_GE(grid.x * grid.y, tiles);
        EXPECT_LT(grid.x * grid.y - tiles, grid.y);
    }
    EXPECT_EQ(libscan::detail::tile_grid(2147483647).y, 1);
    EXPECT_FALSE(libscan::detail::tile_grid(std::int64_t{65535} * 2147483647 + 1).fits);
}

TEST(TileAlgorithms, HaveNames) {
    std::vector<std::string> names;
    for (const libscan::TileAlgorithm algorithm : libscan::kTileAlgorithms) {
        names.push_back(libscan::tile_algorithm_name(algorithm));
    }
    EXPECT_EQ(names, (std::vector<std::string>{"hillis_steele", "blelloch", "blelloch_padded",
                                               "blelloch_padded_one_term", "warp_shuffle"}));
}

}  // namespace
}  // namespace scan_test

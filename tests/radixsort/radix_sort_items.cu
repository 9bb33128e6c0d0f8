// SPDX-License-Identifier: Apache-2.0
//
// What values may be, and keys that are structs.
#include "record.cuh"

namespace sort_test {
namespace {

using libscan::DeviceRadixSort;
using libscan::SortOptions;

// ---- Values ------------------------------------------------------------------------------------

// Items of any size move with their keys: by their bytes.
template <class Value>
void check_values() {
    for (const int n : {1, 900, 9000}) {
        if (kIsReduced && n > 900) continue;
        const auto keys = make_keys<std::uint32_t>(n, Shape::kFew, 5);
        Random random(6);
        std::vector<Value> values(keys.size());
        for (Value& value : values) {
            unsigned char bytes[sizeof(Value)];
            for (unsigned char& b : bytes) b = static_cast<unsigned char>(random.next());
            std::memcpy(static_cast<void*>(&value), bytes, sizeof(Value));
        }
        DeviceArray<std::uint32_t> in(keys), out(keys.size());
        DeviceArray<Value> values_in(values), values_out(values.size());
        ASSERT_CUDA_OK(DeviceRadixSort::SortPairs(in.data(), out.data(), values_in.data(),
                                                  values_out.data(), n, SortOptions{}));
        const std::vector<int> order = stable_order(keys, {0, 32}, false);
        ASSERT_TRUE(same_bytes(values_out.download(), permuted(values, order)));
        ASSERT_TRUE(same_bytes(out.download(), permuted(keys, order)));
    }
}
struct ThreeBytes {
    unsigned char bytes[3];
};
struct alignas(32) Wide {
    std::uint64_t words[8];
};
TEST(Values, OfThreeBytes) { check_values<ThreeBytes>(); }
TEST(Values, OfSixtyFourBytes) { check_values<Wide>(); }

// No pointers: item i is made when it is asked for.
struct Doubled {
    using value_type = int;
    using reference = int;
    using pointer = const int*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    const int* from;  // null: counts
    __host__ __device__ int operator[](difference_type i) const {
        return 2 * (from != nullptr ? from[i] : static_cast<int>(i));
    }
};
TEST(Values, FromAnIterator) {  // cccl 868
    for (const int n : {1, 100, 9000}) {
        const auto keys = make_keys<std::uint32_t>(n, Shape::kRandom, 7);
        for (const bool descending : {false, true}) {
            for (const Bits bits : {Bits{0, 32}, Bits{5, 5}, Bits{0, 16}}) {
                if (kIsReduced && n > 100 && bits.end == 32) continue;
                std::vector<int> expected = stable_order(keys, bits, descending);
                for (int& v : expected) v *= 2;
                DeviceArray<std::uint32_t> in(keys), out(keys.size());
                DeviceArray<int> numbers(count_up(n)), order(keys.size());
                for (const Doubled values : {Doubled{nullptr}, Doubled{numbers.data()}}) {
                    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                        return descending ? DeviceRadixSort::SortPairsDescending(
                                                temp, bytes, in.data(), out.data(), values,
                                                order.data(), n, bits.begin, bits.end)
                                          : DeviceRadixSort::SortPairs(
                                                temp, bytes, in.data(), out.data(), values,
                                                order.data(), n, bits.begin, bits.end);
                    }));
                    ASSERT_TRUE(same_bytes(order.download(), expected));
                }
            }
        }
    }
}

// ---- Decomposers -------------------------------------------------------------------------------

TEST(Decomposer, WindowsOverSeveralFields) {
    const std::vector<Record> records = make_records(500);
    const std::vector<Uint128> places = places_of(records);
    DeviceArray<Record> in(records), out(records.size());
    for (int begin = 0; begin <= kRecordBits; begin += kIsReduced ? 28 : 5) {
        for (int end = begin; end <= kRecordBits; end += 3) {
            const bool descending = (begin + end) % 2 != 0;
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return descending
                           ? DeviceRadixSort::SortKeysDescending(temp, bytes, in.data(), out.data(),
                                                                 500, RecordFields{}, begin, end)
                           : DeviceRadixSort::SortKeys(temp, bytes, in.data(), out.data(), 500,
                                                       RecordFields{}, begin, end);
            }));
            const std::vector<int> order = stable_order(places, {begin, end}, descending);
            ASSERT_TRUE(same_bytes(out.download(), permuted(records, order)))
                << begin << " to " << end;
        }
    }
}

TEST(Decomposer, LargeKeys) {
    for (const int n : {1, 1000, kIsReduced ? 2500 : 9000}) {
        const std::vector<Large> items = make_large(n);
        const std::vector<int> order = stable_order(places_of(items), {0, 96}, true);
        DeviceArray<Large> in(items), out(items.size());
        libscan::DoubleBuffer<Large> buffers(in.data(), out.data());
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceRadixSort::SortKeysDescending(temp, bytes, in.data(), out.data(), n,
                                                       LargeFields{});
        }));
        ASSERT_TRUE(same_bytes(out.download(), permuted(items, order)));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceRadixSort::SortKeysDescending(temp, bytes, buffers, n, LargeFields{});
        }));
        ASSERT_TRUE(
            same_bytes((buffers.selector == 0 ? in : out).download(), permuted(items, order)));
    }
}

// A character type that is signed in some systems and unsigned in others.
TEST(Items, WideCharacters) {
    const std::vector<wchar_t> keys = {1, static_cast<wchar_t>(-1), 0, 7, static_cast<wchar_t>(-9)};
    std::vector<wchar_t> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    DeviceArray<wchar_t> in(keys), out(keys.size());
    ASSERT_CUDA_OK(DeviceRadixSort::SortKeys(in.data(), out.data(), 5, libscan::SortOptions{}));
    EXPECT_EQ(out.download(), sorted);
    std::reverse(sorted.begin(), sorted.end());
    ASSERT_CUDA_OK(
        DeviceRadixSort::SortKeysDescending(in.data(), out.data(), 5, libscan::SortOptions{}));
    EXPECT_EQ(out.download(), sorted);
}

// A pointer to a derived class converts to one to its base, but is no array of these.
struct Base {
    int number;
};
struct Derived : Base {
    int more;
};
TEST(Items, ValuesOfADerivedClass) {
    const std::vector<std::uint32_t> keys = {5, 3, 9, 1};
    std::vector<Derived> values(4);
    for (int i = 0; i < 4; ++i) values[static_cast<std::size_t>(i)].number = 10 * i;
    DeviceArray<std::uint32_t> in(keys), out(4);
    DeviceArray<Derived> values_in(values);
    DeviceArray<Base> values_out(4);
    ASSERT_CUDA_OK(DeviceRadixSort::SortPairs(in.data(), out.data(), values_in.data(),
                                              values_out.data(), 4, libscan::SortOptions{}));
    const std::vector<Base> result = values_out.download();
    const int expected[] = {30, 10, 0, 20};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(result[i].number, expected[i]) << i;
}

}  // namespace
}  // namespace sort_test

// SPDX-License-Identifier: Apache-2.0
//
// Structs as keys, with their decomposers.
#pragma once

#include "sort_support.cuh"

#if defined(SIMT_VERSION)
#include <tuple>
namespace sort_test {
template <class... T>
using Tuple = std::tuple<T...>;
}
#else
#include <cuda/std/tuple>
namespace sort_test {
template <class... T>
using Tuple = cuda::std::tuple<T...>;
}
#endif

namespace sort_test {

// Sorted by `group`, then `score`, then `flag`: 16 + 32 + 8 bits. Not in the order of its members.
struct Record {
    float score;
    std::int16_t group;
    bool flag;
    std::uint8_t not_looked_at;
};
struct RecordFields {
    __host__ __device__ Tuple<std::int16_t&, float&, bool&> operator()(Record& record) const {
        return {record.group, record.score, record.flag};
    }
};
inline constexpr int kRecordBits = 56;
inline Uint128 place(const Record& record) {
    return place(record.group) << 40 | place(record.score) << 8 | place(record.flag);
}
inline std::vector<Record> make_records(int n) {
    Random random(12);
    const float scores[] = {-1.5f, -0.0f, 0.0f, 3e9f, 1e-40f, -1e30f};
    std::vector<Record> records;
    for (int i = 0; i < n; ++i) {
        Record record{};
        record.score = scores[random.below(6)];
        record.group = static_cast<std::int16_t>(random.below(7) * 9000 - 27000);
        record.flag = random.below(2) == 0;
        record.not_looked_at = static_cast<std::uint8_t>(random.below(256));
        records.push_back(record);
    }
    return records;
}

// 40 bytes, more than is kept in registers.
struct Large {
    std::uint64_t low;
    std::uint32_t payload[7];
    std::int32_t high;
    friend bool operator==(const Large& a, const Large& b) {
        return std::memcmp(&a, &b, sizeof(Large)) == 0;
    }
};
struct LargeFields {
    __host__ __device__ Tuple<std::int32_t&, std::uint64_t&> operator()(Large& large) const {
        return {large.high, large.low};
    }
};
inline Uint128 place(const Large& large) { return place(large.high) << 64 | place(large.low); }
inline std::vector<Large> make_large(int n) {
    Random random(13);
    std::vector<Large> items;
    for (int i = 0; i < n; ++i) {
        Large large{};
        large.low = random.next();
        large.high = random.below(5) - 2;
        for (std::uint32_t& word : large.payload) word = static_cast<std::uint32_t>(random.next());
        items.push_back(large);
    }
    return items;
}

template <class T>
std::vector<Uint128> places_of(const std::vector<T>& keys) {
    std::vector<Uint128> places;
    for (const T& key : keys) places.push_back(place(key));
    return places;
}

}  // namespace sort_test

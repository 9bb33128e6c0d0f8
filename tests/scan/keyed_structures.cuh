// SPDX-License-Identifier: Apache-2.0
//
// Scans by key by each structure of the single-pass scan, with small tiles.
#pragma once

#include <iterator>
#include <libscan/by_key.cuh>

#include "scan_structures.cuh"

namespace scan_test {

using libscan::detail::KeyedScan;

// Keys are equal that have the same tens, so that equal keys differ.
struct EqualTens {
    template <class Key>
    __host__ __device__ bool operator()(const Key& a, const Key& b) const {
        return a / 10 == b / 10;
    }
};

// Where runs begin: every element, only the first, at random, or at the borders of what a lane, a
// row, a chunk or a tile holds and one element before or behind.
enum class Runs { each, one, short_ones, long_ones, at_borders };
inline constexpr Runs kAllRuns[] = {Runs::each, Runs::one, Runs::short_ones, Runs::long_ones,
                                    Runs::at_borders};

template <class Key, class T, class Tuning>
struct KeyedTile {
    static constexpr libscan::ScanPolicy kPolicy = Tuning::keyed_policy(sizeof(Key), sizeof(T), 4);
    static constexpr int kLane = libscan::keyed_lane_items(sizeof(Key), sizeof(T));
    static constexpr int kRow = 32 * kLane, kChunk = kRow * kPolicy.rows,
                         kTile = kChunk * kPolicy.warps;

    static std::vector<bool> heads(std::int64_t n, Runs runs) {
        Random random(static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(runs));
        std::vector<bool> heads(static_cast<std::size_t>(n), runs == Runs::each);
        const auto set = [&](std::int64_t i) {
            if (i >= 0 && i < n) heads[static_cast<std::size_t>(i)] = true;
        };
        set(0);
        const int most = runs == Runs::short_ones ? 3 * kLane + 2 : 2 * kTile + 1;
        if (runs == Runs::short_ones || runs == Runs::long_ones)
            for (std::int64_t i = 0; i < n; i += 1 + random.below(most)) set(i);
        if (runs == Runs::at_borders) {
            for (const int size : {kLane, kRow, kChunk, kTile})
                for (std::int64_t i = size; i < n; i += std::int64_t{size} * (1 + random.below(40)))
                    set(i + random.below(3) - 1);
            for (std::int64_t i = kTile; i < n; i += kTile) set(i + random.below(3) - 1);
        }
        return heads;
    }
    static std::vector<Key> keys(const std::vector<bool>& heads) {
        std::vector<Key> keys;
        unsigned run = 0;
        for (std::size_t i = 0; i < heads.size(); ++i) {
            if (heads[i]) ++run;
            keys.push_back(static_cast<Key>(run % 25 * 10 + i % 10));
        }
        return keys;
    }
};

// Serial scans in which no run knows of another.
template <class T, class Acc, class Op>
std::vector<T> serial_runs(const std::vector<bool>& heads, const std::vector<T>& in, Op op,
                           const Acc* init) {
    std::vector<T> out;
    Acc run = Acc();
    for (std::size_t i = 0; i < in.size(); ++i) {
        const Acc item = static_cast<Acc>(in[i]);
        if (init)
            out.push_back(static_cast<T>(heads[i] ? *init : static_cast<Acc>(op(*init, run))));
        run = heads[i] ? item : static_cast<Acc>(op(run, item));
        if (!init) out.push_back(static_cast<T>(run));
    }
    return out;
}

// Elements behind an aligned address.
struct Shifts {
    std::size_t key = 0, value = 0, out = 0;
};

// Inclusive, and exclusive with the values in place.
template <class Key, class T, class Tuning>
void check_by_key(std::int64_t n, Runs runs, int seeds, Shifts shifts = {}) {
    using Op = typename Element<T>::Op;
    using Acc = libscan::ResultOf<Op, T, T>;
    using Scan = KeyedScan<Acc, Tuning>;
    SCOPED_TRACE(testing::Message()
                 << n << " elements of " << sizeof(T) << " bytes with keys of " << sizeof(Key)
                 << ", runs " << static_cast<int>(runs) << ", keys, values and output "
                 << shifts.key << ", " << shifts.value << " and " << shifts.out
                 << " elements behind an aligned address");
    const std::vector<bool> heads = KeyedTile<Key, T, Tuning>::heads(n, runs);
    const std::vector<Key> keys = KeyedTile<Key, T, Tuning>::keys(heads);
    const std::vector<T> in = random_elements<T>(keys.size(), 10);
    const Acc initial = static_cast<Acc>(Element<T>::initial());
    const Acc* const none = nullptr;
    const std::vector<T> inclusive = serial_runs(heads, in, Op{}, none);
    const std::vector<T> exclusive = serial_runs(heads, in, Op{}, &initial);
    for_each_schedule(seeds, [&] {
        DeviceArray<Key> device_keys(keys, shifts.key * sizeof(Key));
        DeviceArray<T> data(in, shifts.value * sizeof(T)), out(in.size(), shifts.out * sizeof(T));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return Scan::run(temp, bytes, device_keys.data(), data.data(), out.data(), n, Op{},
                             libscan::NoStart{}, EqualTens{}, nullptr);
        }));
        ASSERT_TRUE(same(out.download(), inclusive));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return Scan::run(temp, bytes, device_keys.data(), data.data(), data.data(), n, Op{},
                             initial, EqualTens{}, nullptr);
        }));
        ASSERT_TRUE(same(data.download(), exclusive));
        ASSERT_TRUE(same(device_keys.download(), keys));
    });
}

// An array that does not look like one.
template <class T>
struct IndexedArray {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = T*;
    using reference = T&;
    T* at;
    __host__ __device__ T& operator[](std::int64_t i) const { return at[i]; }
};

}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
//
// The sort workloads: inputs, and the check of the outputs.
//
// Keys alone are right if and only if they do not descend and are those of the input, each as often
// as there. The latter is told by the sum of a 64-bit hash of each, which for other keys is the
// same by chance in one of 2^64. Pairs have the index of the item in their value, so they are right
// if and only if each value's item has the key beside it, and keys ascend, and values do where keys
// are equal: n different values in n places are all of them, and the order is the stable one.
#pragma once

#include <type_traits>

#include "../harness/kernels.cuh"
#include "elements.h"

namespace bench {

// Keys are made and checked as unsigned numbers of their size.
template <int kSize>
struct KeyWordOfSize;
template <>
struct KeyWordOfSize<1> {
    using Type = std::uint8_t;
};
template <>
struct KeyWordOfSize<2> {
    using Type = std::uint16_t;
};
template <>
struct KeyWordOfSize<4> {
    using Type = std::uint32_t;
};
template <>
struct KeyWordOfSize<8> {
    using Type = std::uint64_t;
};
template <>
struct KeyWordOfSize<16> {
    using Type = U128;
};
template <class Key>
using KeyWord = typename KeyWordOfSize<sizeof(Key)>::Type;

// The place of a key: as unsigned numbers, these are in the order of the keys. Of floating-point
// numbers that is the order of their bits, in which -0 is +0.
template <class Key>
__device__ KeyWord<Key> key_place(KeyWord<Key> word) {
    if constexpr (std::is_floating_point_v<Key>) {
        constexpr KeyWord<Key> kSign = KeyWord<Key>(1) << (8 * sizeof(Key) - 1);
        if (word == kSign) word = 0;
        return word & kSign ? ~word : word ^ kSign;
    } else {
        return word;
    }
}

template <class Key>
__device__ KeyWord<Key> key_at_place(KeyWord<Key> place) {
    if constexpr (std::is_floating_point_v<Key>) {
        constexpr KeyWord<Key> kSign = KeyWord<Key>(1) << (8 * sizeof(Key) - 1);
        return place & kSign ? place ^ kSign : ~place;
    } else {
        return place;
    }
}

template <class Key>
struct SortKeyInput {
    using Word = KeyWord<Key>;
    KeyOrder order;

    __device__ Word operator()(std::uint64_t i, std::uint64_t n) const {
        switch (order) {
            case KeyOrder::kWords1:
                return random(i, 1);
            case KeyOrder::kWords3:
                return random(i, 3);
            case KeyOrder::kWords5:
                return random(i, 5);
            case KeyOrder::kEqual:
                return random(0, 1);
            default:
                return key_at_place<Key>(ramp(i, n));
        }
    }

  private:
    __device__ static Word random(std::uint64_t i, int words) {
        Word word = static_cast<Word>(~Word(0));
        for (int w = 0; w < words; ++w) {
            const std::uint64_t at = 16 * i + 2 * static_cast<std::uint64_t>(w);
            if constexpr (sizeof(Word) == 16) {
                word &= Word(random_bits(at)) << 64 | random_bits(at + 1);
            } else {
                word = static_cast<Word>(word & static_cast<Word>(random_bits(at)));
            }
        }
        return word;
    }

    // From one end of the range to the other; below its 32 highest bits noise.
    __device__ static Word ramp(std::uint64_t i, std::uint64_t n) {
        constexpr int kBits = static_cast<int>(8 * sizeof(Word));
        if constexpr (kBits <= 32) {
            return static_cast<Word>((i << kBits) / n);
        } else {
            const Word noise = random(i, 1) >> 32;
            return Word((i << 32) / n) << (kBits - 32) | noise;
        }
    }
};

// The value of item i.
template <class Value>
struct SortValueInput {
    __device__ Value operator()(std::uint64_t i, std::uint64_t) const {
        if constexpr (std::is_same_v<Value, V16>) {
            const std::uint32_t index = static_cast<std::uint32_t>(i);
            return {index, ~index, index * 3u, index ^ 0x5555u};
        } else {
            return static_cast<Value>(i);
        }
    }
};

template <class Value>
__device__ std::uint64_t item_of_value(const Value& value) {
    if constexpr (std::is_same_v<Value, V16>) {
        return value.a;
    } else {
        return value;
    }
}

template <class Word>
__device__ std::uint64_t key_hash(Word word) {
    if constexpr (sizeof(Word) == 16) {
        return random_bits(random_bits(static_cast<std::uint64_t>(word >> 64)) ^
                           static_cast<std::uint64_t>(word));
    } else {
        return random_bits(word);
    }
}

// Few blocks: every thread has one addition for all its items.
inline constexpr std::int64_t kSortCheckItems = 1 << 18;

inline dim3 sort_check_blocks(std::int64_t n) {
    return blocks_for(n < kSortCheckItems ? n : kSortCheckItems);
}

// The difference of the hashes goes to errors[1].
template <class Key>
__global__ void check_sorted_keys_kernel(const KeyWord<Key>* in, const KeyWord<Key>* out,
                                         std::int64_t n, unsigned long long* errors) {
    unsigned long long difference = 0;
    for (std::int64_t i = first_item(); i < n; i += item_step()) {
        difference += key_hash(out[i]) - key_hash(in[i]);
        if (i > 0 && key_place<Key>(out[i]) < key_place<Key>(out[i - 1])) atomicAdd(errors, 1ull);
    }
    if (difference != 0) atomicAdd(errors + 1, difference);
}

template <class Key>
__global__ void check_same_keys_kernel(unsigned long long* errors) {
    if (errors[1] != 0) errors[0] += 1;
}

template <class Key, class Value>
__global__ void check_sorted_pairs_kernel(const KeyWord<Key>* keys_in, const KeyWord<Key>* keys,
                                          const Value* values, std::int64_t n,
                                          unsigned long long* errors) {
    for (std::int64_t i = first_item(); i < n; i += item_step()) {
        const std::uint64_t item = item_of_value(values[i]);
        const std::uint64_t all = static_cast<std::uint64_t>(n);
        bool right = item < all && values[i] == SortValueInput<Value>{}(item, all) &&
                     keys_in[item] == keys[i];
        if (right && i > 0) {
            const KeyWord<Key> before = key_place<Key>(keys[i - 1]), here = key_place<Key>(keys[i]);
            right = before < here || (before == here && item_of_value(values[i - 1]) < item);
        }
        if (!right) atomicAdd(errors, 1ull);
    }
}

/// Keys before and after.
template <class Key>
Workload sort_keys_workload(std::string name, KeyOrder order, std::vector<std::int64_t> sizes) {
    using Word = KeyWord<Key>;
    Workload sort;
    sort.name = std::move(name);
    sort.sizes = std::move(sizes);
    sort.arrays = {{true, sizeof(Key)}, {false, sizeof(Key)}};
    sort.moved_bytes = 2 * sizeof(Key);
    sort.fill = [order](const Slots& slots, std::int64_t n, cudaStream_t stream) {
        return fill_array<Word>(slots, 0, n, SortKeyInput<Key>{order}, stream);
    };
    sort.check = [](const Arrays& arrays, std::int64_t n, unsigned long long* errors,
                    cudaStream_t stream) {
        const cudaError_t error =
            libscan::launch(check_sorted_keys_kernel<Key>, sort_check_blocks(n), kThreads, 0,
                            stream, static_cast<const Word*>(arrays.at[0]),
                            static_cast<const Word*>(arrays.at[1]), n, errors);
        if (error != cudaSuccess) return error;
        return libscan::launch(check_same_keys_kernel<Key>, 1, 1, 0, stream, errors);
    };
    return sort;
}

/// Keys and values before, keys and values after.
template <class Key, class Value>
Workload sort_pairs_workload(std::string name, KeyOrder order, std::vector<std::int64_t> sizes) {
    using Word = KeyWord<Key>;
    Workload sort;
    sort.name = std::move(name);
    sort.sizes = std::move(sizes);
    sort.arrays = {
        {true, sizeof(Key)}, {true, sizeof(Value)}, {false, sizeof(Key)}, {false, sizeof(Value)}};
    sort.moved_bytes = 2 * (sizeof(Key) + sizeof(Value));
    sort.fill = [order](const Slots& slots, std::int64_t n, cudaStream_t stream) {
        const cudaError_t error = fill_array<Word>(slots, 0, n, SortKeyInput<Key>{order}, stream);
        if (error != cudaSuccess) return error;
        return fill_array<Value>(slots, 1, n, SortValueInput<Value>{}, stream);
    };
    sort.check = [](const Arrays& arrays, std::int64_t n, unsigned long long* errors,
                    cudaStream_t stream) {
        return libscan::launch(check_sorted_pairs_kernel<Key, Value>, blocks_for(n), kThreads, 0,
                               stream, static_cast<const Word*>(arrays.at[0]),
                               static_cast<const Word*>(arrays.at[2]),
                               static_cast<const Value*>(arrays.at[3]), n, errors);
    };
    return sort;
}

}  // namespace bench

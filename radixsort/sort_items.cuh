// SPDX-License-Identifier: Apache-2.0
//
// Keys, and values with them, as the kernels of the radix sort see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// In place of values: keys are sorted alone.
struct NoValues {};

// What is sorted. Values may come from an iterator; then values_from holds them, and `values` is
// null.
template <class Key, class Value, class ValuesIn>
struct SortSource {
    const Key* keys;
    const Value* values;
    ValuesIn values_from;

    __device__ Key key(std::int64_t i) const { return keys[i]; }
    __device__ Value value(std::int64_t i) const {
        if constexpr (std::is_same_v<ValuesIn, const Value*>) {
            return values[i];
        } else if constexpr (std::is_same_v<Value, NoValues>) {
            return Value{};
        } else {
            return values != nullptr ? values[i] : static_cast<Value>(values_from[i]);
        }
    }
};

template <class Key, class Value>
struct SortTarget {
    Key* keys;
    Value* values;
};

// The arrays of a sort. Number 0 is the input; 1 is the output (of two buffers the other one); 2 is
// between them (of two buffers the input's own).
template <class Key, class Value, class ValuesIn>
struct SortArrays {
    const Key* keys_in;
    ValuesIn values_in;
    Key* keys[2];  // of numbers 1 and 2
    Value* values[2];

    // No index that is computed: the arrays of a kernel's parameter would move to local memory.
    __device__ SortSource<Key, Value, ValuesIn> source(int number) const {
        SortSource<Key, Value, ValuesIn> source{keys_in, nullptr, values_in};
        if (number > 0) {
            source.keys = number == 1 ? keys[0] : keys[1];
            source.values = number == 1 ? values[0] : values[1];
        } else if constexpr (std::is_same_v<ValuesIn, const Value*>) {
            source.values = values_in;
        }
        return source;
    }
    __device__ SortTarget<Key, Value> target(int number) const {
        return SortTarget<Key, Value>{number == 1 ? keys[0] : keys[1],
                                      number == 1 ? values[0] : values[1]};
    }
};

// Copies the items base + i, i < count.
template <int kThreads, class Key, class Value, class ValuesIn>
__device__ void copy_items(const SortSource<Key, Value, ValuesIn>& source,
                           const SortTarget<Key, Value>& target, std::int64_t base,
                           std::int64_t count) {
    for (std::int64_t i = threadIdx.x; i < count; i += kThreads) {
        target.keys[base + i] = source.key(base + i);
        if constexpr (!std::is_same_v<Value, NoValues>)
            target.values[base + i] = source.value(base + i);
    }
}

// Copies n items from array 0 to array 1.
template <int kThreads, class Key, class Value, class ValuesIn>
__global__ void __launch_bounds__(kThreads)
    copy_items_kernel(SortArrays<Key, Value, ValuesIn> arrays, std::int64_t n) {
    constexpr std::int64_t kChunk = kThreads * 16;
    for (std::int64_t base = blockIdx.x * kChunk; base < n; base += gridDim.x * kChunk) {
        const std::int64_t rest = n - base;
        copy_items<kThreads>(arrays.source(0), arrays.target(1), base,
                             rest < kChunk ? rest : kChunk);
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

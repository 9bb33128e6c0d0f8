// SPDX-License-Identifier: Apache-2.0
//
// Iterators of the kinds that users hand to device-wide functions, with no more than these ask of
// one: the traits, and operator[] on the device.
#pragma once

#include <cstdint>
#include <iterator>
#include <libscan/config.cuh>

namespace scan_test {

template <class Value, class Reference = Value>
struct IteratorTraits {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Value;
    using difference_type = std::int64_t;
    using pointer = void;
    using reference = Reference;
};

// Inputs that make their values. Which one it is is told when it runs, so that the kernels are
// compiled once for all of them.
struct MadeInput : IteratorTraits<int> {
    enum Kind { kCounting, kConstant, kTransform, kPermutation } kind;
    const int* data;
    const int* indices;

    MadeInput(Kind k, const int* d, const int* i) : kind(k), data(d), indices(i) {}
    __host__ __device__ int operator[](std::int64_t i) const {
        switch (kind) {
            case kCounting:
                return static_cast<int>(i) - 5;
            case kConstant:
                return 3;
            case kTransform:
                return 7 - 2 * data[i];
            default:
                return data[indices[i]];
        }
    }
};

// Keys that come in runs of `longest`.
struct KeysInRuns : IteratorTraits<std::int64_t> {
    std::int64_t longest;
    explicit KeysInRuns(std::int64_t l) : longest(l) {}
    __host__ __device__ std::int64_t operator[](std::int64_t i) const { return i / longest; }
};

// An output that cannot be read: it writes twice the value.
struct DoublingOutput : IteratorTraits<void> {
    int* data;
    struct Slot {
        int* to;
        __host__ __device__ void operator=(int value) const { *to = 2 * value; }
    };
    explicit DoublingOutput(int* d) : data(d) {}
    __host__ __device__ Slot operator[](std::int64_t i) const { return {data + i}; }
};

// An output that throws its values away, but counts them: writes[i] times was element i written.
struct DiscardingOutput : IteratorTraits<void> {
    unsigned* writes;
    struct Slot {
        unsigned* to;
        template <class T>
        __device__ void operator=(const T&) const {
            atomicAdd(to, 1u);
        }
    };
    explicit DiscardingOutput(unsigned* w) : writes(w) {}
    __device__ Slot operator[](std::int64_t i) const { return {writes + i}; }
};

// Every `step`-th element of an array, to read and to write.
struct StridedElements : IteratorTraits<int, int&> {
    int* data;
    std::int64_t step;
    StridedElements(int* d, std::int64_t s) : data(d), step(s) {}
    __host__ __device__ int& operator[](std::int64_t i) const { return data[i * step]; }
};

// Two arrays side by side: elements are pairs, and a reference is neither a pair nor one of the
// language.
struct Both {
    int left, right;
    friend bool operator==(const Both& a, const Both& b) {
        return a.left == b.left && a.right == b.right;
    }
};
struct BothReference {
    int *left, *right;
    __host__ __device__ operator Both() const { return {*left, *right}; }
    __host__ __device__ const BothReference& operator=(const Both& both) const {
        *left = both.left;
        *right = both.right;
        return *this;
    }
};
struct ZippedElements : IteratorTraits<Both, BothReference> {
    int *left, *right;
    ZippedElements(int* l, int* r) : left(l), right(r) {}
    __host__ __device__ BothReference operator[](std::int64_t i) const {
        return {left + i, right + i};
    }
};

// Sums on the left, and on the right the last value that is not -1.
struct SumAndLast {
    __host__ __device__ Both operator()(const Both& a, const Both& b) const {
        return {a.left + b.left, b.right == -1 ? a.right : b.right};
    }
};

}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
//
// Element types and operators of the scan tests. All values are exact, in whatever order they are
// combined.
#pragma once

#include <cstdint>
#include <libscan/operators.cuh>
#include <ostream>

#include "test_support.cuh"

namespace scan_test {

// 2x2 matrices mod 2^32: associative, and far from commutative.
struct Matrix {
    std::uint32_t a, b, c, d;
    friend bool operator==(const Matrix& x, const Matrix& y) {
        return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
    }
    friend std::ostream& operator<<(std::ostream& out, const Matrix& m) {
        return out << "[" << m.a << " " << m.b << "; " << m.c << " " << m.d << "]";
    }
};
struct Multiply {
    __host__ __device__ Matrix operator()(const Matrix& x, const Matrix& y) const {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                x.c * y.b + x.d * y.d};
    }
};

// 12 bytes: a triangular 3x3 matrix with ones on its diagonal, kept as its other three entries. Not
// commutative either.
struct Triple {
    std::int32_t x, y;
    std::uint32_t z;
    friend bool operator==(const Triple& p, const Triple& q) {
        return p.x == q.x && p.y == q.y && p.z == q.z;
    }
    friend std::ostream& operator<<(std::ostream& out, const Triple& t) {
        return out << "(" << t.x << ", " << t.y << ", " << t.z << ")";
    }
};
static_assert(sizeof(Triple) == 12, "");
struct Chain {
    __host__ __device__ Triple operator()(const Triple& p, const Triple& q) const {
        return {p.x + q.x, p.y + q.y,
                p.z + q.z + static_cast<std::uint32_t>(p.x) * static_cast<std::uint32_t>(q.y)};
    }
};

// Operators that are associative and no more. Told apart when they run, so that the kernels are
// compiled once for all of them.
struct Pick {
    enum { kLast, kFirst, kLastWritten, kLargest } which;
    __host__ __device__ int operator()(int a, int b) const {
        switch (which) {
            case kLast:
                return b;
            case kFirst:
                return a;
            case kLastWritten:
                return b == -1 ? a : b;
            default:
                return a < b ? b : a;
        }
    }
};

// How the tests scan elements of T: operator, its identity, an initial value, random elements.
template <class T>
struct Element {
    using Op = libscan::Plus;
    static T identity() { return T(0); }
    static T initial() { return T(5); }
    static T random(Random& random) {
        return static_cast<T>(random.below(7) - (std::is_signed<T>::value ? 3 : 0));
    }
};
template <>
struct Element<Matrix> {
    using Op = Multiply;
    static Matrix identity() { return {1, 0, 0, 1}; }
    static Matrix initial() { return {2, 3, 5, 7}; }
    static Matrix random(Random& random) {
        return {
            static_cast<std::uint32_t>(random.next()), static_cast<std::uint32_t>(random.next()),
            static_cast<std::uint32_t>(random.next()), static_cast<std::uint32_t>(random.next())};
    }
};
template <>
struct Element<Triple> {
    using Op = Chain;
    static Triple identity() { return {0, 0, 0}; }
    static Triple initial() { return {1, 2, 3}; }
    static Triple random(Random& random) {
        return {random.below(100) - 50, random.below(100) - 50,
                static_cast<std::uint32_t>(random.next())};
    }
};

template <class T>
std::vector<T> random_elements(std::size_t count, std::uint64_t seed) {
    Random random(seed);
    std::vector<T> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) values.push_back(Element<T>::random(random));
    return values;
}

// ---- By key ----

// Keys are equal where their tens are.
struct SameTens {
    __host__ __device__ bool operator()(int a, int b) const { return a / 10 == b / 10; }
};

// Serial scan by key, in the order of operands that is documented.
template <class T, class Op, class Equality>
std::vector<T> serial_by_key(const std::vector<int>& keys, const std::vector<T>& in, Op op,
                             Equality equal, bool inclusive, T init) {
    std::vector<T> out;
    T run{};
    for (std::size_t i = 0; i < in.size(); ++i) {
        const bool head = i == 0 || !equal(keys[i - 1], keys[i]);
        const T upto = head ? in[i] : op(run, in[i]);
        out.push_back(inclusive ? upto : head ? init : op(init, run));
        run = upto;
    }
    return out;
}

// Ascending keys in runs of 1 to `longest`.
inline std::vector<int> keys_in_runs(std::size_t n, int longest, std::uint64_t seed) {
    Random random(seed);
    std::vector<int> keys;
    for (int key = 0; keys.size() < n; key += 1 + random.below(3))
        keys.insert(keys.end(), static_cast<std::size_t>(1 + random.below(longest)), key);
    keys.resize(n);
    return keys;
}

}  // namespace scan_test

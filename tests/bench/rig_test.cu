// SPDX-License-Identifier: Apache-2.0
//
// The harness: a right contestant passes and a wrong one does not, in every workload; a call gets
// the arrays and the storage that it asked for; slots are apart.
#include <gtest/gtest.h>

#include <cstring>
#include <libscan/config.cuh>
#include <list>
#include <set>
#include <vector>

#include "bench/harness/copy.h"
#include "bench/harness/rig.h"
#include "bench/scan/elements.h"

namespace {

using bench::Arrays;
using bench::Contestant;
using bench::Rig;
using bench::V16;
using bench::Workload;

const Workload& workload(const std::string& name) {
    for (const Workload& candidate : bench::workloads()) {
        if (candidate.name == name) return candidate;
    }
    throw std::runtime_error("no workload " + name);
}

template <class T>
std::vector<T> download(const void* from, std::int64_t n) {
    std::vector<T> values(static_cast<std::size_t>(n));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(values.data(), from, values.size() * sizeof(T), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
}

// Serial scans on the host. `spoil` may change the result before it is handed over.
template <class T>
using Spoil = std::function<void(std::vector<T>&)>;

template <class T>
void upload(void* to, const std::vector<T>& values) {
    EXPECT_EQ(cudaMemcpy(to, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
              cudaSuccess);
}

template <class T, class Op>
bench::Call serial_scan(Op op, T start, Spoil<T> spoil) {
    return [=](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n, cudaStream_t) {
        bytes = 1;
        if (temp == nullptr) return cudaSuccess;
        std::vector<T> values = download<T>(arrays.at[0], n);
        T before = start;
        for (T& value : values) {
            const T here = value;
            value = before;
            before = static_cast<T>(op(before, here));
        }
        spoil(values);
        upload(arrays.at[1], values);
        return cudaSuccess;
    };
}

template <class T>
bench::Call serial_sum_by_key(Spoil<T> spoil) {
    return [=](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n, cudaStream_t) {
        bytes = 1;
        if (temp == nullptr) return cudaSuccess;
        const std::vector<std::uint32_t> keys = download<std::uint32_t>(arrays.at[0], n);
        std::vector<T> values = download<T>(arrays.at[1], n);
        T before{};
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0 && keys[i] != keys[i - 1]) before = T{};
            const T here = values[i];
            values[i] = before;
            before = static_cast<T>(before + here);
        }
        spoil(values);
        upload(arrays.at[2], values);
        return cudaSuccess;
    };
}

template <class T>
void change(T& value) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    bytes[sizeof(T) - 1] ^= 1;
    std::memcpy(&value, bytes, sizeof(T));
}

constexpr std::int64_t kItems = 1000;

// The right result passes; one wrong item, at either end or in the middle, does not.
template <class T, class Make>
void check_checks(const std::string& name, Make make) {
    SCOPED_TRACE(name);
    Rig rig(false);
    ASSERT_EQ(rig.prepare(workload(name), kItems), "");
    const Contestant right{name, "right", make([](std::vector<T>&) {})};
    EXPECT_EQ(rig.verify(right), "");
    std::list<Contestant> wrong;  // a rig remembers them by their addresses
    for (const std::size_t at : {std::size_t(0), std::size_t(500), std::size_t(kItems - 1)}) {
        wrong.push_back(
            {name, "wrong", make([at](std::vector<T>& values) { change(values[at]); })});
        EXPECT_NE(rig.verify(wrong.back()).find("wrong result"), std::string::npos) << at;
    }
    const Contestant idle{name, "idle",
                          [](void*, std::size_t& bytes, const Arrays&, std::int64_t, cudaStream_t) {
                              bytes = 1;
                              return cudaSuccess;
                          }};
    EXPECT_NE(rig.verify(idle), "");
}

struct Plus {
    template <class T>
    T operator()(const T& x, const T& y) const {
        return static_cast<T>(x + y);
    }
};

template <class T>
void check_type(const std::string& type) {
    check_checks<T>("exclusive_sum/" + type,
                    [](Spoil<T> spoil) { return serial_scan<T>(Plus{}, T{}, spoil); });
    check_checks<T>("exclusive_max/" + type,
                    [](Spoil<T> spoil) { return serial_scan<T>(bench::Max{}, T{}, spoil); });
    check_checks<T>("exclusive_custom/" + type, [](Spoil<T> spoil) {
        return serial_scan<T>(bench::Custom<T>{}, bench::custom_start<T>(), spoil);
    });
}

TEST(Checks, Bytes) {
    check_type<std::uint8_t>("u8");
    check_type<std::uint16_t>("u16");
}
TEST(Checks, Words) {
    check_type<std::uint32_t>("u32");
    check_type<std::uint64_t>("u64");
}
TEST(Checks, Floats) {
    check_type<float>("f32");
    check_type<double>("f64");
}
TEST(Checks, Structs) { check_type<V16>("v16"); }

TEST(Checks, ByKey) {
    check_checks<std::uint32_t>("exclusive_sum_by_key/u32", [](Spoil<std::uint32_t> spoil) {
        return serial_sum_by_key<std::uint32_t>(spoil);
    });
    check_checks<double>("exclusive_sum_by_key/f64",
                         [](Spoil<double> spoil) { return serial_sum_by_key<double>(spoil); });
}

// Sums of floats must not depend on the order: no partial sum may need more bits than there are.
TEST(Inputs, FloatSumsAreExact) {
    Rig rig(false);
    ASSERT_EQ(rig.prepare(workload("exclusive_sum/f32"), 100000), "");
    double sum = 0;
    for (const float value : download<float>(rig.slots().first.at[0], 100000)) {
        ASSERT_EQ(value, static_cast<int>(value));
        sum += static_cast<double>(value);
        ASSERT_LE(std::abs(sum), 255);
    }
}

TEST(Copy, EveryByteCounts) {
    for (const double moved : {2.0, 3.0, 8.0}) {
        bench::add_copy(moved);
        const std::string name = bench::copy_name(moved);
        const Contestant real = bench::contestants().back();
        Rig rig(false);
        ASSERT_EQ(rig.prepare(workload(name), 1005), "");
        EXPECT_EQ(rig.verify(real), "");
        const Contestant short_by_one{name, "short",
                                      [moved](void* temp, std::size_t& bytes, const Arrays& arrays,
                                              std::int64_t n, cudaStream_t stream) {
                                          bytes = 1;
                                          if (temp == nullptr) return cudaSuccess;
                                          const double all = moved / 2 * static_cast<double>(n);
                                          return cudaMemcpyAsync(
                                              arrays.at[1], arrays.at[0],
                                              static_cast<std::size_t>(all + 0.5) - 1,
                                              cudaMemcpyDeviceToDevice, stream);
                                      }};
        EXPECT_NE(rig.verify(short_by_one), "") << moved;
    }
}

// Successive calls take turns on slots that do not overlap, three times the L2 in all.
TEST(Slots, AreApart) {
    Rig rig(true);
    constexpr std::int64_t kLarge = 16 << 20;
    Workload sum = workload("exclusive_sum/u32");
    for (bench::ArrayShape& shape : sum.arrays) shape.fixed_bytes = kLarge;  // large, filled fast
    ASSERT_EQ(rig.prepare(sum, kItems), "");
    cudaDeviceProp properties{};
    ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    const double slot_bytes = 2.0 * (kLarge + kItems * 4);
    EXPECT_GE(static_cast<double>(rig.slots().count) * slot_bytes, 3.0 * properties.l2CacheSize);
    EXPECT_GT(rig.slots().count, 1);

    std::vector<Arrays> seen;
    const Contestant watch{
        sum.name, "watch",
        [&seen](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t, cudaStream_t) {
            bytes = 1;
            if (temp != nullptr) seen.push_back(arrays);
            return cudaSuccess;
        }};
    static_cast<void>(rig.verify(watch));
    seen.clear();
    std::set<const void*> inputs, outputs;
    for (std::int64_t i = 0; i < rig.slots().count; ++i) {
        double seconds = -1;
        ASSERT_EQ(rig.timed_call(watch, seconds), cudaSuccess);
        EXPECT_GE(seconds, 0);
        inputs.insert(seen.back().at[0]);
        outputs.insert(seen.back().at[1]);
    }
    EXPECT_EQ(inputs.size(), static_cast<std::size_t>(rig.slots().count));
    EXPECT_EQ(outputs.size(), static_cast<std::size_t>(rig.slots().count));
    const char* last = nullptr;
    for (const void* input : inputs) {
        const char* const begin = static_cast<const char*>(input);
        if (last != nullptr) {
            EXPECT_GE(begin - last, kLarge + kItems * 4);
        }
        last = begin;
    }
    // All slots have the same input.
    EXPECT_EQ(download<std::uint32_t>(rig.slots().slot(1).at[0], 1000),
              download<std::uint32_t>(rig.slots().slot(0).at[0], 1000));
}

TEST(Rig, WhatDoesNotFitIsSaid) {
    Rig rig(false);
    Workload huge = workload("exclusive_sum/u32");
    huge.arrays[0].fixed_bytes = std::size_t(1) << 60;
    EXPECT_EQ(rig.prepare(huge, 10).rfind("does not fit", 0), 0u);
    EXPECT_EQ(rig.prepare(workload("exclusive_sum/u32"), 10), "");  // and does no harm
}

TEST(Rig, ErrorsOfACallAreSaid) {
    Rig rig(false);
    ASSERT_EQ(rig.prepare(workload("exclusive_sum/u32"), 10), "");
    const Contestant failing{
        "exclusive_sum/u32", "failing",
        [](void* temp, std::size_t& bytes, const Arrays&, std::int64_t, cudaStream_t) {
            bytes = 1;
            return temp == nullptr ? cudaSuccess : cudaErrorInvalidValue;
        }};
    EXPECT_EQ(rig.verify(failing).rfind("the call", 0), 0u);
}

}  // namespace

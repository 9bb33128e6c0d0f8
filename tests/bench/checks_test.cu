// SPDX-License-Identifier: Apache-2.0
//
// The checks of the sort and compaction workloads: what a serial algorithm on the host makes of the
// same inputs passes, and with one bit changed, or with two items in the wrong order, does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <libscan/config.cuh>
#include <list>
#include <radixsort/key_bits.cuh>
#include <stdexcept>
#include <vector>

#include "bench/compaction/elements.h"
#include "bench/harness/rig.h"
#include "bench/radixsort/elements.h"

namespace {

using bench::Arrays;
using bench::Contestant;
using bench::Rig;
using bench::V16;
using bench::Workload;
using Where = bench::CompactionArrays;

const Workload& workload(const std::string& name) {
    for (const Workload& candidate : bench::workloads()) {
        if (candidate.name == name) return candidate;
    }
    throw std::runtime_error("no workload " + name);
}

template <class T>
std::vector<T> download(const Arrays& arrays, int array, std::int64_t n) {
    std::vector<T> values(static_cast<std::size_t>(n));
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(values.data(), arrays.at[array], values.size() * sizeof(T),
                         cudaMemcpyDeviceToHost),
              cudaSuccess);
    return values;
}

// What is to be in an array.
struct Output {
    int array;
    std::vector<unsigned char> bytes;
};
template <class T>
Output output(int array, const std::vector<T>& values) {
    Output made{array, std::vector<unsigned char>(values.size() * sizeof(T))};
    std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
    return made;
}
using Outputs = std::vector<Output>;

bench::Call writes(const Outputs& outputs) {
    return [outputs](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t,
                     cudaStream_t) {
        bytes = 1;
        if (temp == nullptr) return cudaSuccess;
        for (const Output& one : outputs) {
            const cudaError_t error = cudaMemcpy(arrays.at[one.array], one.bytes.data(),
                                                 one.bytes.size(), cudaMemcpyHostToDevice);
            if (error != cudaSuccess) return error;
        }
        return cudaSuccess;
    };
}

void expect_wrong(Rig& rig, std::list<Contestant>& wrong, const std::string& name,
                  const Outputs& outputs) {
    wrong.push_back({name, "wrong", writes(outputs)});  // a rig remembers them by their addresses
    EXPECT_NE(rig.verify(wrong.back()).find("wrong result"), std::string::npos);
}

// `make` gets the arrays of a prepared rig.
template <class Make>
void check_bits(const std::string& name, std::int64_t n, Make make) {
    SCOPED_TRACE(name);
    Rig rig(false);
    ASSERT_EQ(rig.prepare(workload(name), n), "");
    const Outputs right = make(rig.slots().first);
    const Contestant good{name, "right", writes(right)};
    ASSERT_EQ(rig.verify(good), "");
    const Contestant idle{name, "idle", writes({})};
    EXPECT_NE(rig.verify(idle), "");
    std::list<Contestant> wrong;
    for (std::size_t o = 0; o < right.size(); ++o) {
        if (right[o].bytes.empty()) continue;
        for (const std::size_t at :
             {std::size_t(0), right[o].bytes.size() / 2, right[o].bytes.size() - 1}) {
            SCOPED_TRACE(std::to_string(right[o].array) + " at " + std::to_string(at));
            Outputs spoiled = right;
            spoiled[o].bytes[at] ^= 1;
            expect_wrong(rig, wrong, name, spoiled);
        }
    }
}

// ---- Sorts

constexpr std::int64_t kSorted = 3000;
const char* const kOrders[] = {"", "_entropy_0.54", "_entropy_0.2", "_equal", "_sorted"};

template <class Key>
std::vector<std::size_t> sorted_places(const std::vector<Key>& keys) {
    std::vector<std::size_t> places(keys.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    using Bits = libscan::detail::KeyBits<Key>;
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
        return Bits::ordered(keys[a]) < Bits::ordered(keys[b]);
    });
    return places;
}

template <class T>
std::vector<T> gathered(const std::vector<T>& values, const std::vector<std::size_t>& places) {
    std::vector<T> out;
    for (const std::size_t place : places) out.push_back(values[place]);
    return out;
}

template <class Key>
void check_key_sorts(const std::string& type) {
    for (const char* order : kOrders) {
        const std::string name = std::string("sort_keys") + order + "/" + type;
        check_bits(name, kSorted, [](const Arrays& arrays) {
            const std::vector<Key> keys = download<Key>(arrays, 0, kSorted);
            return Outputs{output(1, gathered(keys, sorted_places(keys)))};
        });
    }
    // All keys are there, but not in order.
    const std::string name = "sort_keys/" + type;
    Rig rig(false);
    ASSERT_EQ(rig.prepare(workload(name), kSorted), "");
    std::vector<Key> keys = download<Key>(rig.slots().first, 0, kSorted);
    keys = gathered(keys, sorted_places(keys));
    std::swap(keys.front(), keys.back());
    std::list<Contestant> wrong;
    expect_wrong(rig, wrong, name, {output(1, keys)});
}

template <class Key, class Value>
void check_pair_sorts(const std::string& types) {
    for (const char* order : kOrders) {
        const std::string name = std::string("sort_pairs") + order + "/" + types;
        check_bits(name, kSorted, [](const Arrays& arrays) {
            const std::vector<Key> keys = download<Key>(arrays, 0, kSorted);
            const auto places = sorted_places(keys);
            return Outputs{output(2, gathered(keys, places)),
                           output(3, gathered(download<Value>(arrays, 1, kSorted), places))};
        });
    }
    // Equal keys, of which two have changed places.
    const std::string name = "sort_pairs_equal/" + types;
    Rig rig(false);
    ASSERT_EQ(rig.prepare(workload(name), kSorted), "");
    const std::vector<Key> keys = download<Key>(rig.slots().first, 0, kSorted);
    std::vector<Value> values = download<Value>(rig.slots().first, 1, kSorted);
    std::swap(values[1000], values[1001]);
    std::list<Contestant> wrong;
    expect_wrong(rig, wrong, name, {output(2, keys), output(3, values)});
}

TEST(SortChecks, Bytes) {
    check_key_sorts<std::uint8_t>("u8");
    check_key_sorts<std::uint16_t>("u16");
}
TEST(SortChecks, Words) {
    check_key_sorts<std::uint32_t>("u32");
    check_key_sorts<std::uint64_t>("u64");
    check_key_sorts<bench::U128>("u128");
}
TEST(SortChecks, Floats) {
    check_key_sorts<float>("f32");
    check_key_sorts<double>("f64");
}
TEST(SortChecks, Pairs) {
    check_pair_sorts<std::uint32_t, std::uint32_t>("u32_u32");
    check_pair_sorts<std::uint64_t, std::uint64_t>("u64_u64");
    check_pair_sorts<std::uint32_t, V16>("u32_v16");
}

// Ones are as frequent as the AND of so many random bits has them.
TEST(SortInputs, Entropy) {
    const double shares[] = {1.0 / 2, 1.0 / 8, 1.0 / 32};
    for (int w = 0; w < 3; ++w) {
        Rig rig(false);
        ASSERT_EQ(rig.prepare(workload(std::string("sort_keys") + kOrders[w] + "/u64"), 10000), "");
        double ones = 0;
        for (const std::uint64_t key : download<std::uint64_t>(rig.slots().first, 0, 10000)) {
            for (int bit = 0; bit < 64; ++bit) ones += static_cast<double>(key >> bit & 1);
        }
        EXPECT_NEAR(ones / 640000, shares[w], 0.003) << kOrders[w];
    }
}

// ---- Compactions. One chunk of the check, and several segments of them with a part of one.

template <class T>
struct Serial {
    std::vector<T> out, second, rest;

    // part(i): 0, 1 or 2.
    template <class Part>
    Serial(const std::vector<T>& in, Part part) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            const int where = part(i);
            (where == 1 ? out : where == 2 ? second : rest).push_back(in[i]);
        }
    }
};

Output counts(const std::vector<int>& values) { return output(Where::kCounts, values); }
template <class T>
int count(const std::vector<T>& values) {
    return static_cast<int>(values.size());
}

// The workload's inputs leave an output no more room than it needs on average.
template <class T>
void expect_room(const std::string& name, int array, std::int64_t n, std::size_t items) {
    const bench::ArrayShape& shape = workload(name).arrays[static_cast<std::size_t>(array)];
    EXPECT_LE(static_cast<double>(items * sizeof(T)),
              shape.item_bytes * static_cast<double>(n) + static_cast<double>(shape.fixed_bytes))
        << name << ", " << array;
}

template <class T>
void check_selects(const std::string& type, std::int64_t n) {
    for (const bench::Share& share : bench::kShares) {
        const std::string name = bench::select_name(share) + "/" + type;
        check_bits(name, n, [&](const Arrays& arrays) {
            const std::vector<T> in = download<T>(arrays, Where::kIn, n);
            const T limit = bench::item_at<T>(share.of_256);
            const Serial<T> made(in, [&](std::size_t i) { return in[i] < limit ? 1 : 0; });
            EXPECT_NEAR(static_cast<double>(made.out.size()) / static_cast<double>(n),
                        share.of_256 / 256.0, 0.05);
            expect_room<T>(name, Where::kOut, n, made.out.size());
            return Outputs{output(Where::kOut, made.out), counts({count(made.out)})};
        });
    }
    check_bits("select_flagged_50/" + type, n, [&](const Arrays& arrays) {
        const std::vector<T> in = download<T>(arrays, Where::kIn, n);
        const auto flags = download<std::uint8_t>(arrays, Where::kBeside, n);
        const Serial<T> made(in, [&](std::size_t i) { return flags[i] != 0 ? 1 : 0; });
        expect_room<T>("select_flagged_50/" + type, Where::kOut, n, made.out.size());
        return Outputs{output(Where::kOut, made.out), counts({count(made.out)})};
    });
}

template <class T>
void check_partitions(const std::string& type, std::int64_t n) {
    check_bits("partition_if_50/" + type, n, [&](const Arrays& arrays) {
        const std::vector<T> in = download<T>(arrays, Where::kIn, n);
        const T limit = bench::item_at<T>(bench::kHalf);
        Serial<T> made(in, [&](std::size_t i) { return in[i] < limit ? 1 : 0; });
        const int selected = count(made.out);
        made.out.insert(made.out.end(), made.rest.rbegin(), made.rest.rend());
        return Outputs{output(Where::kOut, made.out), counts({selected})};
    });
    const std::string name = "partition_three_way/" + type;
    check_bits(name, n, [&](const Arrays& arrays) {
        const std::vector<T> in = download<T>(arrays, Where::kIn, n);
        const T first = bench::item_at<T>(bench::kFirstPart);
        const T second = bench::item_at<T>(bench::kSecondPart);
        const Serial<T> made(in, [&](std::size_t i) {
            return in[i] < first ? 1 : in[i] < second ? 2 : 0;
        });
        expect_room<T>(name, Where::kOut, n, made.out.size());
        expect_room<T>(name, Where::kSecond, n, made.second.size());
        expect_room<T>(name, Where::kUnselected, n, made.rest.size());
        return Outputs{output(Where::kOut, made.out), output(Where::kSecond, made.second),
                       output(Where::kUnselected, made.rest),
                       counts({count(made.out), count(made.second)})};
    });
}

// Heads of runs: their places.
template <class T>
std::vector<std::size_t> heads_of(const std::vector<T>& keys) {
    std::vector<std::size_t> heads;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (i == 0 || !(keys[i] == keys[i - 1])) heads.push_back(i);
    }
    return heads;
}

template <class T>
void check_runs(const std::string& type, std::int64_t n) {
    for (const int run : bench::kRuns) {
        const std::string unique = bench::runs_name("unique", run) + "/" + type;
        const std::string encode = bench::runs_name("run_length_encode", run) + "/" + type;
        check_bits(unique, n, [&](const Arrays& arrays) {
            const std::vector<T> in = download<T>(arrays, Where::kIn, n);
            const auto heads = heads_of(in);
            EXPECT_EQ(count(heads), static_cast<int>((n + run - 1) / run));
            expect_room<T>(unique, Where::kOut, n, heads.size());
            return Outputs{output(Where::kOut, gathered(in, heads)), counts({count(heads)})};
        });
        check_bits(encode, n, [&](const Arrays& arrays) {
            const std::vector<T> in = download<T>(arrays, Where::kIn, n);
            const auto heads = heads_of(in);
            std::vector<bench::RunLength> lengths;
            for (std::size_t h = 0; h < heads.size(); ++h) {
                const std::size_t end = h + 1 < heads.size() ? heads[h + 1] : in.size();
                lengths.push_back(static_cast<bench::RunLength>(end - heads[h]));
            }
            expect_room<bench::RunLength>(encode, Where::kSecond, n, lengths.size());
            return Outputs{output(Where::kOut, gathered(in, heads)),
                           output(Where::kSecond, lengths), counts({count(heads)})};
        });
    }
    const std::string by_key = bench::runs_name("unique_by_key", bench::kKeyRun) + "/" + type;
    check_bits(by_key, n, [&](const Arrays& arrays) {
        const std::vector<T> in = download<T>(arrays, Where::kIn, n);
        const auto keys = download<std::uint32_t>(arrays, Where::kBeside, n);
        const auto heads = heads_of(keys);
        expect_room<T>(by_key, Where::kOut, n, heads.size());
        expect_room<std::uint32_t>(by_key, Where::kSecond, n, heads.size());
        return Outputs{output(Where::kOut, gathered(in, heads)),
                       output(Where::kSecond, gathered(keys, heads)), counts({count(heads)})};
    });
}

template <class T>
void check_compactions(const std::string& type) {
    for (const std::int64_t n : {std::int64_t(400), std::int64_t(16384 + 100)}) {
        check_selects<T>(type, n);
        check_partitions<T>(type, n);
        check_runs<T>(type, n);
    }
}

TEST(CompactionChecks, U8) { check_compactions<std::uint8_t>("u8"); }
TEST(CompactionChecks, U32) { check_compactions<std::uint32_t>("u32"); }
TEST(CompactionChecks, U64) { check_compactions<std::uint64_t>("u64"); }
TEST(CompactionChecks, V16) { check_compactions<V16>("v16"); }

}  // namespace

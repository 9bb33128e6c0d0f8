// SPDX-License-Identifier: Apache-2.0
//
// What the compaction tests share: items of every size, selections of every kind, the serial
// results, and a list of all entry points that can be called alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "../scan/test_support.cuh"

namespace compaction_test {

using scan_test::DeviceArray;
using scan_test::for_each_schedule;
using scan_test::kIsSlow;
using scan_test::Random;
using scan_test::same;
using scan_test::two_phase;

// ---- Items -------------------------------------------------------------------------------------

// kBytes bytes with a 32-bit number in front.
template <int kBytes>
struct Record {
    std::uint32_t number;
    std::uint32_t rest[kBytes / 4 - 1];

    Record() = default;
    __host__ __device__ explicit Record(std::uint32_t n) : number(n) {
        for (int i = 0; i < kBytes / 4 - 1; ++i)
            rest[i] = n * 2654435761u + static_cast<unsigned>(i);
    }
    __host__ __device__ friend bool operator==(const Record& a, const Record& b) {
        for (int i = 0; i < kBytes / 4 - 1; ++i) {
            if (a.rest[i] != b.rest[i]) return false;
        }
        return a.number == b.number;
    }
    friend std::ostream& operator<<(std::ostream& out, const Record& r) { return out << r.number; }
};

template <class T>
__host__ __device__ std::uint32_t number_of(const T& item) {
    return static_cast<std::uint32_t>(item);
}
template <int kBytes>
__host__ __device__ std::uint32_t number_of(const Record<kBytes>& item) {
    return item.number;
}

// A predicate with state: the last bit of an item's number tells whether it is kept.
struct LastBit {
    std::uint32_t wanted;
    template <class T>
    __host__ __device__ bool operator()(const T& item) const {
        return (number_of(item) & 1u) == wanted;
    }
};

// Equal but for the last bits.
struct SameButFor {
    std::uint32_t bits;
    template <class T>
    __host__ __device__ bool operator()(const T& a, const T& b) const {
        return number_of(a) >> bits == number_of(b) >> bits;
    }
};

// ---- Selections --------------------------------------------------------------------------------

struct Selection {
    const char* name;
    int percent;  // kept; of a clustered one, of the clusters
    int cluster;  // items that share their fate
};
inline constexpr Selection kSelections[] = {
    {"none", 0, 1},
    {"all", 100, 1},
    {"10%", 10, 1},
    {"50%", 50, 1},
    {"90%", 90, 1},
    {"alternating", -1, 1},
    {"short clusters", 50, 7},
    {"clusters", 50, 700},
    {"few, in one", 5, 90},
    {"large clusters", 50, 9000},
};

inline std::vector<std::uint8_t> make_flags(std::size_t n, const Selection& selection,
                                            std::uint64_t seed = 1) {
    Random random(seed);
    std::vector<std::uint8_t> flags(n);
    bool kept = false;
    for (std::size_t i = 0; i < n; ++i) {
        if (selection.percent < 0) {
            kept = i % 2 == 0;
        } else if (i % static_cast<std::size_t>(selection.cluster) == 0) {
            kept = random.below(100) < selection.percent;
        }
        // Any value but 0 is true.
        flags[i] = static_cast<std::uint8_t>(kept ? 1 + random.below(255) : 0);
    }
    return flags;
}

// Items whose last bit is their flag and whose other bits make them differ.
template <class T>
std::vector<T> make_items(const std::vector<std::uint8_t>& flags) {
    std::vector<T> items;
    items.reserve(flags.size());
    for (std::size_t i = 0; i < flags.size(); ++i)
        items.push_back(static_cast<T>(static_cast<std::uint32_t>(i) * 2u + (flags[i] != 0)));
    return items;
}

// Runs of random length: an item is the number of its run, so that neighbours differ.
template <class T>
std::vector<T> make_runs(std::size_t n, int longest, std::uint64_t seed = 1) {
    Random random(seed);
    std::vector<T> items;
    items.reserve(n);
    for (std::uint32_t run = 0; items.size() < n; ++run) {
        std::size_t length = static_cast<std::size_t>(1 + random.below(longest));
        for (; length > 0 && items.size() < n; --length) items.push_back(static_cast<T>(run));
    }
    return items;
}

// ---- Serial results ----------------------------------------------------------------------------

template <class T, class Kept>
std::vector<T> serial_select(const std::vector<T>& in, Kept kept) {
    std::vector<T> out;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (kept(i)) out.push_back(in[i]);
    }
    return out;
}

template <class T, class Kept>
std::vector<T> serial_partition(const std::vector<T>& in, Kept kept, bool stable) {
    std::vector<T> out = serial_select(in, kept);
    std::vector<T> rest = serial_select(in, [&](std::size_t i) { return !kept(i); });
    if (!stable) std::reverse(rest.begin(), rest.end());
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
}

// The heads of runs, and one index behind the last.
template <class T, class Equal>
std::vector<std::size_t> serial_heads(const std::vector<T>& in, Equal equal) {
    std::vector<std::size_t> heads;
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (i == 0 || !equal(in[i - 1], in[i])) heads.push_back(i);
    }
    heads.push_back(in.size());
    return heads;
}

// ---- All entry points, on 32-bit items ---------------------------------------------------------

using Item = std::uint32_t;

struct Buffers {
    Item* in;  // only read, unless the entry point works in place
    std::uint8_t* flags;
    Item* out[3];
    std::int64_t* counts;  // two
    long long n;
    cudaStream_t stream;
};

// What is written: the fronts of the outputs (of `in`, in place) and the counts.
struct Results {
    std::vector<Item> out[3];
    std::vector<std::int64_t> counts;
};

struct EntryPoint {
    std::string name;
    bool in_place;
    bool has_flags;
    int outputs;
    // Two-phase; or, with one_call, without looking at storage.
    bool one_call;
    std::function<cudaError_t(void*, std::size_t&, const Buffers&)> call;
    std::function<Results(const std::vector<Item>&, const std::vector<std::uint8_t>&)> serial;
};

// Partition and three-way partition look at last bits, unique and run-length encode at all of them.
const std::vector<EntryPoint>& entry_points();

// Calls an entry point in its own way, and waits for it.
inline cudaError_t call(const EntryPoint& entry, const Buffers& buffers) {
    const auto call_and_wait = [&](void* temp, std::size_t& bytes) {
        const cudaError_t error = entry.call(temp, bytes, buffers);
        return error != cudaSuccess ? error : cudaStreamSynchronize(buffers.stream);
    };
    std::size_t none = 0;
    return entry.one_call ? call_and_wait(nullptr, none) : two_phase(call_and_wait);
}

// Arrays for one call.
class Arrays {
  public:
    Arrays(const std::vector<Item>& in, const std::vector<std::uint8_t>& flags,
           cudaStream_t stream = nullptr)
        : in_(in),
          flags_(flags),
          out_{DeviceArray<Item>(in.size()), DeviceArray<Item>(in.size()),
               DeviceArray<Item>(in.size())},
          counts_(2),
          stream_(stream) {}

    Buffers buffers() {
        return {in_.data(),
                flags_.data(),
                {out_[0].data(), out_[1].data(), out_[2].data()},
                counts_.data(),
                static_cast<long long>(in_.size()),
                stream_};
    }

    // True where the results are there, and nothing else has been written.
    testing::AssertionResult has(const EntryPoint& entry, const Results& expected,
                                 const std::vector<Item>& in,
                                 const std::vector<std::uint8_t>& flags) {
        const std::vector<std::int64_t> counts = counts_.download();
        for (std::size_t i = 0; i < expected.counts.size(); ++i) {
            if (counts[i] != expected.counts[i])
                return testing::AssertionFailure() << entry.name << ": count " << i << " is "
                                                   << counts[i] << ", not " << expected.counts[i];
        }
        if (flags_.download() != flags)
            return testing::AssertionFailure() << entry.name << ": flags were written";
        if (!entry.in_place && in_.download() != in)
            return testing::AssertionFailure() << entry.name << ": the input was written";
        for (int o = 0; o < 3; ++o) {
            const bool in_place = entry.in_place && o == 0;
            std::vector<Item> actual = in_place ? in_.download() : out_[o].download();
            std::vector<Item> whole = expected.out[o];
            const std::size_t written = whole.size();
            if (in_place) {
                whole.insert(whole.end(), in.begin() + static_cast<std::ptrdiff_t>(written),
                             in.end());
            } else {
                whole.resize(in.size(), 0xa5a5a5a5u);  // what DeviceArray fills with
            }
            const testing::AssertionResult right = same(actual, whole);
            if (!right) {
                return testing::AssertionFailure()
                       << entry.name << ", output " << o << ": " << right.message();
            }
        }
        return testing::AssertionSuccess();
    }

  private:
    DeviceArray<Item> in_;
    DeviceArray<std::uint8_t> flags_;
    DeviceArray<Item> out_[3];
    DeviceArray<std::int64_t> counts_;
    cudaStream_t stream_;
};

// Items for all entry points: runs, with last bits that are the flags.
inline std::vector<Item> make_mixed(const std::vector<std::uint8_t>& flags, int longest) {
    std::vector<Item> items = make_runs<Item>(flags.size(), longest);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = items[i] * 2 + (flags[i] != 0);
    return items;
}

}  // namespace compaction_test

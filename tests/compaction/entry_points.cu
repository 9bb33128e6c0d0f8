// SPDX-License-Identifier: Apache-2.0
//
// All entry points on 32-bit items, instantiated here once for all tests.
#include <compaction/device_partition.cuh>
#include <compaction/device_run_length_encode.cuh>
#include <compaction/device_select.cuh>

#include "compaction_test.cuh"

namespace compaction_test {
namespace {

using libscan::CompactionOptions;
using libscan::DevicePartition;
using libscan::DeviceRunLengthEncode;
using libscan::DeviceSelect;
using libscan::PartitionOrder;

using Items = std::vector<Item>;
using Flags = std::vector<std::uint8_t>;

constexpr LastBit kOdd{1};
constexpr SameButFor kPairs{2};  // items that are equal but for their last two bits

std::int64_t size(const Items& items) { return static_cast<std::int64_t>(items.size()); }

Results selected(const Items& in, std::function<bool(std::size_t)> kept) {
    Results results;
    results.out[0] = serial_select(in, kept);
    results.counts = {size(results.out[0])};
    return results;
}
Results if_odd(const Items& in, const Flags&) {
    return selected(in, [&](std::size_t i) { return kOdd(in[i]); });
}
Results if_flag(const Items& in, const Flags& flags) {
    return selected(in, [&](std::size_t i) { return flags[i] != 0; });
}
Results if_flag_odd(const Items& in, const Flags& flags) {
    return selected(in, [&](std::size_t i) { return kOdd(flags[i]); });
}
template <class Equality>
Results unique(const Items& in, Equality equal) {
    return selected(in, [&](std::size_t i) { return i == 0 || !equal(in[i - 1], in[i]); });
}
Results unique_all(const Items& in, const Flags&) { return unique(in, std::equal_to<Item>()); }
Results unique_pairs(const Items& in, const Flags&) { return unique(in, kPairs); }
template <class Equality>
Results by_key(const Items& in, Equality equal) {  // the keys are their own values, with +0
    Results results = unique(in, equal);
    results.out[1] = results.out[0];
    return results;
}
Results partition(const Items& in, std::function<bool(std::size_t)> kept, bool stable) {
    Results results;
    results.out[0] = serial_partition(in, kept, stable);
    results.counts = {size(serial_select(in, kept))};
    return results;
}
Results three_way(const Items& in, const Flags&) {
    Results results;
    const auto first = [&](std::size_t i) { return kOdd(in[i]); };
    const auto second = [&](std::size_t i) { return !first(i) && in[i] % 3 == 0; };
    results.out[0] = serial_select(in, first);
    results.out[1] = serial_select(in, second);
    results.out[2] = serial_select(in, [&](std::size_t i) { return !first(i) && !second(i); });
    results.counts = {size(results.out[0]), size(results.out[1])};
    return results;
}
Results encode(const Items& in, const Flags&) {
    Results results;
    const std::vector<std::size_t> heads = serial_heads(in, std::equal_to<Item>());
    for (std::size_t r = 0; r + 1 < heads.size(); ++r) {
        results.out[0].push_back(in[heads[r]]);
        results.out[1].push_back(static_cast<Item>(heads[r + 1] - heads[r]));
    }
    results.counts = {size(results.out[0])};
    return results;
}
Results non_trivial(const Items& in, const Flags&) {
    Results results;
    const std::vector<std::size_t> heads = serial_heads(in, std::equal_to<Item>());
    for (std::size_t r = 0; r + 1 < heads.size(); ++r) {
        if (heads[r + 1] - heads[r] < 2) continue;
        results.out[0].push_back(static_cast<Item>(heads[r]));
        results.out[1].push_back(static_cast<Item>(heads[r + 1] - heads[r]));
    }
    results.counts = {size(results.out[0])};
    return results;
}

struct MultipleOfThree {
    __host__ __device__ bool operator()(Item item) const { return item % 3 == 0; }
};

std::vector<EntryPoint> make_entry_points() {
    std::vector<EntryPoint> all;
    const auto add = [&](const char* name, bool in_place, bool has_flags, int outputs, auto serial,
                         auto two, auto one) {
        const std::string how = in_place ? ", in place" : "";
        all.push_back({name + how, in_place, has_flags, outputs, false, two, serial});
        all.push_back({name + how + ", one call", in_place, has_flags, outputs, true,
                       [=](void*, std::size_t&, const Buffers& b) {
                           CompactionOptions options;
                           options.stream = b.stream;
                           return one(b, options);
                       },
                       serial});
    };
#define TWO [](void* t, std::size_t& s, const Buffers& b)
#define ONE [](const Buffers& b, const CompactionOptions& o)
    add(
        "Flagged", false, true, 1, if_flag,
        TWO {
            return DeviceSelect::Flagged(t, s, b.in, b.flags, b.out[0], b.counts, b.n, b.stream);
        },
        ONE { return DeviceSelect::Flagged(b.in, b.flags, b.out[0], b.counts, b.n, o); });
    add(
        "Flagged", true, true, 1, if_flag,
        TWO { return DeviceSelect::Flagged(t, s, b.in, b.flags, b.counts, b.n, b.stream); },
        ONE { return DeviceSelect::Flagged(b.in, b.flags, b.counts, b.n, o); });
    add(
        "If", false, false, 1, if_odd,
        TWO { return DeviceSelect::If(t, s, b.in, b.out[0], b.counts, b.n, kOdd, b.stream); },
        ONE { return DeviceSelect::If(b.in, b.out[0], b.counts, b.n, kOdd, o); });
    add(
        "If", true, false, 1, if_odd,
        TWO { return DeviceSelect::If(t, s, b.in, b.counts, b.n, kOdd, b.stream); },
        ONE { return DeviceSelect::If(b.in, b.counts, b.n, kOdd, o); });
    add(
        "FlaggedIf", false, true, 1, if_flag_odd,
        TWO {
            return DeviceSelect::FlaggedIf(t, s, b.in, b.flags, b.out[0], b.counts, b.n, kOdd,
                                           b.stream);
        },
        ONE { return DeviceSelect::FlaggedIf(b.in, b.flags, b.out[0], b.counts, b.n, kOdd, o); });
    add(
        "FlaggedIf", true, true, 1, if_flag_odd,
        TWO { return DeviceSelect::FlaggedIf(t, s, b.in, b.flags, b.counts, b.n, kOdd, b.stream); },
        ONE { return DeviceSelect::FlaggedIf(b.in, b.flags, b.counts, b.n, kOdd, o); });
    add(
        "Unique", false, false, 1, unique_all,
        TWO { return DeviceSelect::Unique(t, s, b.in, b.out[0], b.counts, b.n, b.stream); },
        ONE { return DeviceSelect::Unique(b.in, b.out[0], b.counts, b.n, o); });
    add(
        "Unique", true, false, 1, unique_all,
        TWO { return DeviceSelect::Unique(t, s, b.in, b.counts, b.n, b.stream); },
        ONE { return DeviceSelect::Unique(b.in, b.counts, b.n, o); });
    add(
        "Unique with an operator", false, false, 1, unique_pairs,
        TWO { return DeviceSelect::Unique(t, s, b.in, b.out[0], b.counts, b.n, kPairs, b.stream); },
        ONE { return DeviceSelect::Unique(b.in, b.out[0], b.counts, b.n, kPairs, o); });
    add(
        "Unique with an operator", true, false, 1, unique_pairs,
        TWO { return DeviceSelect::Unique(t, s, b.in, b.counts, b.n, kPairs, b.stream); },
        ONE { return DeviceSelect::Unique(b.in, b.counts, b.n, kPairs, o); });
    add(
        "UniqueByKey", false, false, 2,
        [](const Items& in, const Flags&) { return by_key(in, std::equal_to<Item>()); },
        TWO {
            return DeviceSelect::UniqueByKey(t, s, b.in, b.in, b.out[0], b.out[1], b.counts, b.n,
                                             b.stream);
        },
        ONE {
            return DeviceSelect::UniqueByKey(b.in, b.in, b.out[0], b.out[1], b.counts, b.n, o);
        });
    add(
        "UniqueByKey with an operator", false, false, 2,
        [](const Items& in, const Flags&) { return by_key(in, kPairs); },
        TWO {
            return DeviceSelect::UniqueByKey(t, s, b.in, b.in, b.out[0], b.out[1], b.counts, b.n,
                                             kPairs, b.stream);
        },
        ONE {
            return DeviceSelect::UniqueByKey(b.in, b.in, b.out[0], b.out[1], b.counts, b.n, kPairs,
                                             o);
        });
    add(
        "Partition Flagged", false, true, 1,
        [](const Items& in, const Flags& flags) {
            return partition(
                in, [&](std::size_t i) { return flags[i] != 0; }, false);
        },
        TWO {
            return DevicePartition::Flagged(t, s, b.in, b.flags, b.out[0], b.counts, b.n, b.stream);
        },
        ONE { return DevicePartition::Flagged(b.in, b.flags, b.out[0], b.counts, b.n, o); });
    add(
        "Partition Flagged, stable", false, true, 1,
        [](const Items& in, const Flags& flags) {
            return partition(
                in, [&](std::size_t i) { return flags[i] != 0; }, true);
        },
        TWO {
            const CompactionOptions stable{b.stream, PartitionOrder::stable};
            return DevicePartition::Flagged(t, s, b.in, b.flags, b.out[0], b.counts, b.n, stable);
        },
        ONE {
            const CompactionOptions stable{o.stream, PartitionOrder::stable};
            return DevicePartition::Flagged(b.in, b.flags, b.out[0], b.counts, b.n, stable);
        });
    add(
        "Partition If", false, false, 1,
        [](const Items& in, const Flags&) {
            return partition(
                in, [&](std::size_t i) { return kOdd(in[i]); }, false);
        },
        TWO { return DevicePartition::If(t, s, b.in, b.out[0], b.counts, b.n, kOdd, b.stream); },
        ONE { return DevicePartition::If(b.in, b.out[0], b.counts, b.n, kOdd, o); });
    add(
        "Partition If, stable", false, false, 1,
        [](const Items& in, const Flags&) {
            return partition(
                in, [&](std::size_t i) { return kOdd(in[i]); }, true);
        },
        TWO {
            const CompactionOptions stable{b.stream, PartitionOrder::stable};
            return DevicePartition::If(t, s, b.in, b.out[0], b.counts, b.n, kOdd, stable);
        },
        ONE {
            const CompactionOptions stable{o.stream, PartitionOrder::stable};
            return DevicePartition::If(b.in, b.out[0], b.counts, b.n, kOdd, stable);
        });
    add(
        "Partition If three ways", false, false, 3, three_way,
        TWO {
            return DevicePartition::If(t, s, b.in, b.out[0], b.out[1], b.out[2], b.counts, b.n,
                                       kOdd, MultipleOfThree{}, b.stream);
        },
        ONE {
            return DevicePartition::If(b.in, b.out[0], b.out[1], b.out[2], b.counts, b.n, kOdd,
                                       MultipleOfThree{}, o);
        });
    add(
        "Encode", false, false, 2, encode,
        TWO {
            return DeviceRunLengthEncode::Encode(t, s, b.in, b.out[0], b.out[1], b.counts, b.n,
                                                 b.stream);
        },
        ONE { return DeviceRunLengthEncode::Encode(b.in, b.out[0], b.out[1], b.counts, b.n, o); });
    add(
        "NonTrivialRuns", false, false, 2, non_trivial,
        TWO {
            return DeviceRunLengthEncode::NonTrivialRuns(t, s, b.in, b.out[0], b.out[1], b.counts,
                                                         b.n, b.stream);
        },
        ONE {
            return DeviceRunLengthEncode::NonTrivialRuns(b.in, b.out[0], b.out[1], b.counts, b.n,
                                                         o);
        });
#undef TWO
#undef ONE
    return all;
}

}  // namespace

const std::vector<EntryPoint>& entry_points() {
    static const std::vector<EntryPoint> all = make_entry_points();
    return all;
}

}  // namespace compaction_test

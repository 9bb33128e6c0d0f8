// SPDX-License-Identifier: Apache-2.0
//
// Arrays, predicates and names of the compaction workloads.
#pragma once

#include <cstdint>
#include <string>

#include "../scan/elements.h"

namespace bench {

/// Where the arrays of a workload are, of which most have but a few.
struct CompactionArrays {
    enum : int {
        kIn,          // items
        kBeside,      // flags of 8 bits, or keys of 32
        kOut,         // items: selected, of the first part, heads of runs
        kSecond,      // items of the second part, keys, or lengths of 32 bits
        kUnselected,  // items
        kCounts,      // one or two ints
        kScratch,     // of the check
        kArrays
    };
};

using RunLength = std::int32_t;

/// What x/256 of random items are below.
template <class T>
T item_at(unsigned x) {
    if constexpr (sizeof(T) == 16) {
        return {x << 24, 0, 0, 0};
    } else {
        return static_cast<T>(static_cast<T>(x) << (8 * sizeof(T) - 8));
    }
}

template <class T>
struct Below {
    T limit;
    __host__ __device__ bool operator()(const T& item) const { return item < limit; }
};

/// Of 256 random items so many are selected.
struct Share {
    unsigned of_256;
    const char* percent;
};
inline constexpr Share kShares[] = {{3, "1"}, {26, "10"}, {128, "50"}, {230, "90"}, {253, "99"}};
inline constexpr unsigned kHalf = 128, kFirstPart = 85, kSecondPart = 171;

inline constexpr int kRuns[] = {1, 4, 37};
inline constexpr int kKeyRun = 4;

inline std::string select_name(const Share& share) {
    return std::string("select_if_") + share.percent;
}
inline std::string runs_name(const char* operation, int run) {
    return std::string(operation) + "_runs_" + std::to_string(run);
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
//
// The compaction workloads: inputs, and for the check what belongs where.
#pragma once

#include <algorithm>

#include "check.cuh"

namespace bench {

using Where = CompactionArrays;

template <class T>
__device__ const T& item(const Arrays& arrays, int array, std::int64_t i) {
    return static_cast<const T*>(arrays.at[array])[i];
}

template <class T>
struct RandomItems {
    __device__ T operator()(std::uint64_t i, std::uint64_t) const {
        const std::uint64_t bits = random_bits(i);
        if constexpr (sizeof(T) == 16) {
            const std::uint32_t high = static_cast<std::uint32_t>(bits >> 32);
            return {high, static_cast<std::uint32_t>(bits), ~high, high * 3u};
        } else {
            return static_cast<T>(bits);
        }
    }
};

// Neighbouring runs differ.
template <class T>
struct Runs {
    int length;
    __device__ T operator()(std::uint64_t i, std::uint64_t) const {
        const std::uint64_t run = i / static_cast<std::uint64_t>(length);
        if constexpr (sizeof(T) == 16) {
            const std::uint32_t low = static_cast<std::uint32_t>(run);
            return {7, low * 5u, ~low, low};
        } else {
            return static_cast<T>(run);
        }
    }
};

struct RandomFlags {
    __device__ std::uint8_t operator()(std::uint64_t i, std::uint64_t) const {
        return static_cast<std::uint8_t>(random_bits(i) >> 40 & 1);
    }
};

template <class T>
struct SelectTask {
    static constexpr int kCounts = 1;
    Below<T> selects;

    __device__ int part(const Arrays& arrays, std::int64_t i) const {
        return selects(item<T>(arrays, Where::kIn, i)) ? 1 : 0;
    }
    __device__ bool right(const Arrays& arrays, std::int64_t i, std::int64_t, int part,
                          std::int64_t first, std::int64_t) const {
        return part == 0 || item<T>(arrays, Where::kOut, first) == item<T>(arrays, Where::kIn, i);
    }
};

template <class T>
struct FlaggedTask {
    static constexpr int kCounts = 1;
    __device__ int part(const Arrays& arrays, std::int64_t i) const {
        return item<std::uint8_t>(arrays, Where::kBeside, i) != 0 ? 1 : 0;
    }
    __device__ bool right(const Arrays& arrays, std::int64_t i, std::int64_t, int part,
                          std::int64_t first, std::int64_t) const {
        return part == 0 || item<T>(arrays, Where::kOut, first) == item<T>(arrays, Where::kIn, i);
    }
};

// The heads of runs in an array of Keys.
template <class Key, int kArray>
__device__ int head_part(const Arrays& arrays, std::int64_t i) {
    return i == 0 || !(item<Key>(arrays, kArray, i - 1) == item<Key>(arrays, kArray, i)) ? 1 : 0;
}

template <class T>
struct UniqueTask {
    static constexpr int kCounts = 1;
    __device__ int part(const Arrays& arrays, std::int64_t i) const {
        return head_part<T, Where::kIn>(arrays, i);
    }
    __device__ bool right(const Arrays& arrays, std::int64_t i, std::int64_t, int part,
                          std::int64_t first, std::int64_t) const {
        return part == 0 || item<T>(arrays, Where::kOut, first) == item<T>(arrays, Where::kIn, i);
    }
};

template <class T>
struct UniqueByKeyTask {
    static constexpr int kCounts = 1;
    using Key = std::uint32_t;
    __device__ int part(const Arrays& arrays, std::int64_t i) const {
        return head_part<Key, Where::kBeside>(arrays, i);
    }
    __device__ bool right(const Arrays& arrays, std::int64_t i, std::int64_t, int part,
                          std::int64_t first, std::int64_t) const {
        return part == 0 ||
               (item<T>(arrays, Where::kOut, first) == item<T>(arrays, Where::kIn, i) &&
                item<Key>(arrays, Where::kSecond, first) == item<Key>(arrays, Where::kBeside, i));
    }
};

// The items that are not selected follow in reverse order.
template <class T>
struct PartitionTask {
    static constexpr int kCounts = 1;
    Below<T> selects;

    __device__ int part(const Arrays& arrays, std::int64_t i) const {
        return selects(item<T>(arrays, Where::kIn, i)) ? 1 : 0;
    }
    __device__ bool right(const Arrays& arrays, std::int64_t i, std::int64_t n, int part,
                          std::int64_t first, std::int64_t) const {
        const std::int64_t place = part == 1 ? first : n - 1 - (i - first);
        return item<T>(arrays, Where::kOut, place) == item<T>(arrays, Where::kIn, i);
    }
};

template <class T>
struct ThreeWayTask {
    static constexpr int kCounts = 2;
    Below<T> first_part, second_part;  // of what is in no earlier one

    __device__ int part(const Arrays& arrays, std::int64_t i) const {
        const T& own = item<T>(arrays, Where::kIn, i);
        return first_part(own) ? 1 : second_part(own) ? 2 : 0;
    }
    __device__ bool right(const Arrays& arrays, std::int64_t i, std::int64_t, int part,
                          std::int64_t first, std::int64_t second) const {
        const T& found = part == 1   ? item<T>(arrays, Where::kOut, first)
                         : part == 2 ? item<T>(arrays, Where::kSecond, second)
                                     : item<T>(arrays, Where::kUnselected, i - first - second);
        return found == item<T>(arrays, Where::kIn, i);
    }
};

template <class T>
struct EncodeTask {
    static constexpr int kCounts = 1;
    __device__ int part(const Arrays& arrays, std::int64_t i) const {
        return head_part<T, Where::kIn>(arrays, i);
    }
    __device__ bool right(const Arrays& arrays, std::int64_t i, std::int64_t n, int part,
                          std::int64_t first, std::int64_t) const {
        if (part == 0) return true;
        std::int64_t end = i + 1;
        while (end < n && this->part(arrays, end) == 0) ++end;
        return item<T>(arrays, Where::kOut, first) == item<T>(arrays, Where::kIn, i) &&
               item<RunLength>(arrays, Where::kSecond, first) == end - i;
    }
};

/// Bytes of each array for one item: what is read and what is written. Outputs have room for a few
/// items more.
struct CompactionShape {
    double in = 0, beside = 0, out = 0, second = 0, unselected = 0;
};

template <class T, class Task, class Fill>
Workload compaction_workload(std::string name, const CompactionShape& shape, const Task& task,
                             Fill fill) {
    const auto room = [](double bytes) {
        const bool any = bytes > 0;  // room for what chance adds, too
        return ArrayShape{false, any ? bytes + 0.01 * sizeof(T) : 0, any ? 64 * sizeof(T) : 0};
    };
    Workload workload;
    workload.name = std::move(name);
    workload.arrays = {{true, shape.in},
                       {true, shape.beside},
                       room(shape.out),
                       room(shape.second),
                       room(shape.unselected),
                       {false, 0, 2 * sizeof(int)},
                       {false, kScratchItemBytes, kScratchFixedBytes}};
    workload.moved_bytes = shape.in + shape.beside + shape.out + shape.second + shape.unselected;
    workload.copy_bytes = 2 * sizeof(T);
    workload.sizes.clear();
    for (const std::int64_t n : {1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 10000000, 1 << 24})
        workload.sizes.push_back(n);
    workload.sizes.push_back(sizeof(T) < 16 ? 1 << 28 : 1 << 27);
    workload.fill = std::move(fill);
    workload.check = [task](const Arrays& arrays, std::int64_t n, unsigned long long* errors,
                            cudaStream_t stream) {
        return check_parts(task, arrays, n, errors, stream);
    };
    return workload;
}

template <class T>
struct AddCompactionWorkloads {
    explicit AddCompactionWorkloads(const std::string& type) : slash_type_("/" + type) {
        const double size = sizeof(T);
        const auto random = [](const Slots& slots, std::int64_t n, cudaStream_t stream) {
            return fill_array<T>(slots, Where::kIn, n, RandomItems<T>{}, stream);
        };
        for (const Share& share : kShares) {
            CompactionShape shape;
            shape.in = size;
            shape.out = size * share.of_256 / 256;
            add(select_name(share), shape, SelectTask<T>{{item_at<T>(share.of_256)}}, random);
        }
        {
            CompactionShape shape;
            shape.in = size, shape.beside = 1, shape.out = size / 2;
            add("select_flagged_50", shape, FlaggedTask<T>{},
                [random](const Slots& slots, std::int64_t n, cudaStream_t stream) {
                    const cudaError_t error = random(slots, n, stream);
                    if (error != cudaSuccess) return error;
                    return fill_array<std::uint8_t>(slots, Where::kBeside, n, RandomFlags{},
                                                    stream);
                });
        }
        for (const int run : kRuns) {
            CompactionShape shape;
            shape.in = size, shape.out = size / run;
            add(runs_name("unique", run), shape, UniqueTask<T>{}, runs_of(run));
        }
        {
            CompactionShape shape;
            shape.in = size, shape.beside = 4, shape.out = size / kKeyRun, shape.second = 1;
            add(runs_name("unique_by_key", kKeyRun), shape, UniqueByKeyTask<T>{},
                [random](const Slots& slots, std::int64_t n, cudaStream_t stream) {
                    const cudaError_t error = random(slots, n, stream);
                    if (error != cudaSuccess) return error;
                    return fill_array<std::uint32_t>(slots, Where::kBeside, n,
                                                     Runs<std::uint32_t>{kKeyRun}, stream);
                });
        }
        {
            CompactionShape shape;
            shape.in = size, shape.out = size;
            add("partition_if_50", shape, PartitionTask<T>{{item_at<T>(kHalf)}}, random);
        }
        {
            CompactionShape shape;
            shape.in = size;
            shape.out = size * kFirstPart / 256;
            shape.second = size * (kSecondPart - kFirstPart) / 256;
            shape.unselected = size * (256 - kSecondPart) / 256;
            add("partition_three_way", shape,
                ThreeWayTask<T>{{item_at<T>(kFirstPart)}, {item_at<T>(kSecondPart)}}, random);
        }
        for (const int run : kRuns) {
            CompactionShape shape;
            shape.in = size, shape.out = size / run;
            shape.second = static_cast<double>(sizeof(RunLength)) / run;
            add(runs_name("run_length_encode", run), shape, EncodeTask<T>{}, runs_of(run));
        }
    }

  private:
    using Fill = std::function<cudaError_t(const Slots&, std::int64_t, cudaStream_t)>;

    static Fill runs_of(int run) {
        return [run](const Slots& slots, std::int64_t n, cudaStream_t stream) {
            return fill_array<T>(slots, Where::kIn, n, Runs<T>{run}, stream);
        };
    }
    template <class Task>
    void add(const std::string& operation, const CompactionShape& shape, const Task& task,
             const Fill& fill) {
        workloads().push_back(compaction_workload<T>(operation + slash_type_, shape, task, fill));
    }

    std::string slash_type_;
};

}  // namespace bench

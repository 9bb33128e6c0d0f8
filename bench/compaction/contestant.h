// SPDX-License-Identifier: Apache-2.0
//
// A library as a contestant in the compaction workloads of one item type. Library has Select,
// Partition and RunLengthEncode, with the functions of DeviceSelect, DevicePartition and
// DeviceRunLengthEncode, and a name.
#pragma once

#include "../harness/workload.h"
#include "elements.h"

namespace bench {

template <class Library, class T>
struct AddCompactions {
    explicit AddCompactions(const std::string& type) : slash_type_("/" + type) {
        for (const Share& share : kShares) add(select_name(share), select_if(share.of_256));
        add("select_flagged_50", flagged);
        for (const int run : kRuns) add(runs_name("unique", run), unique);
        add(runs_name("unique_by_key", kKeyRun), unique_by_key);
        add("partition_if_50", partition_if);
        add("partition_three_way", three_way);
        for (const int run : kRuns) add(runs_name("run_length_encode", run), encode);
    }

  private:
    using Where = CompactionArrays;

    void add(const std::string& operation, const Call& call) {
        contestants().push_back({operation + slash_type_, Library::kName, call});
    }
    static const T* in(const Arrays& arrays) {
        return static_cast<const T*>(arrays.at[Where::kIn]);
    }
    static T* out(const Arrays& arrays) { return static_cast<T*>(arrays.at[Where::kOut]); }
    static int* counts(const Arrays& arrays) {
        return static_cast<int*>(arrays.at[Where::kCounts]);
    }

    static Call select_if(unsigned of_256) {
        const Below<T> selects{item_at<T>(of_256)};
        return [selects](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                         cudaStream_t stream) {
            return Library::Select::If(temp, bytes, in(arrays), out(arrays), counts(arrays),
                                       static_cast<int>(n), selects, stream);
        };
    }
    static cudaError_t flagged(void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                               cudaStream_t stream) {
        return Library::Select::Flagged(temp, bytes, in(arrays),
                                        static_cast<const std::uint8_t*>(arrays.at[Where::kBeside]),
                                        out(arrays), counts(arrays), static_cast<int>(n), stream);
    }
    static cudaError_t unique(void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                              cudaStream_t stream) {
        return Library::Select::Unique(temp, bytes, in(arrays), out(arrays), counts(arrays),
                                       static_cast<int>(n), stream);
    }
    static cudaError_t unique_by_key(void* temp, std::size_t& bytes, const Arrays& arrays,
                                     std::int64_t n, cudaStream_t stream) {
        return Library::Select::UniqueByKey(
            temp, bytes, static_cast<const std::uint32_t*>(arrays.at[Where::kBeside]), in(arrays),
            static_cast<std::uint32_t*>(arrays.at[Where::kSecond]), out(arrays), counts(arrays),
            static_cast<int>(n), stream);
    }
    static cudaError_t partition_if(void* temp, std::size_t& bytes, const Arrays& arrays,
                                    std::int64_t n, cudaStream_t stream) {
        return Library::Partition::If(temp, bytes, in(arrays), out(arrays), counts(arrays),
                                      static_cast<int>(n), Below<T>{item_at<T>(kHalf)}, stream);
    }
    static cudaError_t three_way(void* temp, std::size_t& bytes, const Arrays& arrays,
                                 std::int64_t n, cudaStream_t stream) {
        return Library::Partition::If(
            temp, bytes, in(arrays), out(arrays), static_cast<T*>(arrays.at[Where::kSecond]),
            static_cast<T*>(arrays.at[Where::kUnselected]), counts(arrays), static_cast<int>(n),
            Below<T>{item_at<T>(kFirstPart)}, Below<T>{item_at<T>(kSecondPart)}, stream);
    }
    static cudaError_t encode(void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                              cudaStream_t stream) {
        return Library::RunLengthEncode::Encode(temp, bytes, in(arrays), out(arrays),
                                                static_cast<RunLength*>(arrays.at[Where::kSecond]),
                                                counts(arrays), static_cast<int>(n), stream);
    }

    std::string slash_type_;
};

}  // namespace bench

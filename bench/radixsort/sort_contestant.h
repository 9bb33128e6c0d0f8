// SPDX-License-Identifier: Apache-2.0
//
// A library's radix sort as a contestant in the sort workloads of one key type. Library has
// sort_keys and sort_pairs, with the arguments of DeviceRadixSort; what the keys are like does not
// matter to it.
#pragma once

#include "../harness/workload.h"
#include "elements.h"

namespace bench {

inline void add_sort(const std::string& operation, const std::string& types, const char* name,
                     const Call& call) {
    for (const char* order : {"", "_entropy_0.54", "_entropy_0.2", "_equal", "_sorted"})
        contestants().push_back({operation + order + "/" + types, name, call});
}

template <class Library, class Key>
struct AddKeySort {
    explicit AddKeySort(const std::string& type) {
        add_sort("sort_keys", type, Library::kName,
                 [](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                    cudaStream_t stream) {
                     return Library::sort_keys(temp, bytes, static_cast<const Key*>(arrays.at[0]),
                                               static_cast<Key*>(arrays.at[1]), static_cast<int>(n),
                                               stream);
                 });
    }
};

template <class Library, class Key, class Value>
struct AddPairSort {
    explicit AddPairSort(const std::string& types) {
        add_sort("sort_pairs", types, Library::kName,
                 [](void* temp, std::size_t& bytes, const Arrays& arrays, std::int64_t n,
                    cudaStream_t stream) {
                     return Library::sort_pairs(
                         temp, bytes, static_cast<const Key*>(arrays.at[0]),
                         static_cast<Key*>(arrays.at[2]), static_cast<const Value*>(arrays.at[1]),
                         static_cast<Value*>(arrays.at[3]), static_cast<int>(n), stream);
                 });
    }
};

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
//
// What a comparison is made of: workloads, and the contestants that do them. Both announce
// themselves by objects at namespace scope, so a further algorithm, type or contestant is a further
// source file and nothing else; and only the files of a library's contestants include it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

inline constexpr int kMaxArrays = 8;

/// The arrays of one call, in the order of the workload: inputs first.
struct Arrays {
    void* at[kMaxArrays] = {};
};

/// The same arrays several times over, so that successive calls find their data outside the L2.
struct Slots {
    Arrays first;
    std::size_t stride[kMaxArrays] = {};  // bytes from an array to its namesake in the next slot
    std::int64_t count = 1;

    Arrays slot(std::int64_t k) const {
        Arrays arrays;
        for (int a = 0; a < kMaxArrays; ++a) {
            if (first.at[a] != nullptr)
                arrays.at[a] =
                    static_cast<char*>(first.at[a]) + static_cast<std::size_t>(k) * stride[a];
        }
        return arrays;
    }
};

struct ArrayShape {
    bool is_input;
    double item_bytes;            // for each item of the workload
    std::size_t fixed_bytes = 0;  // and this much on top, for counts and the like
};

/// A task on n items that several contestants do.
struct Workload {
    std::string name;  // operation/type, as in "exclusive_sum/u32"
    std::vector<ArrayShape> arrays;
    double moved_bytes;     // that one item needs at least: read once, written once
    double copy_bytes = 0;  // of the copy to compare with; 0: as many as are moved

    /// Numbers of items at which it is measured.
    std::vector<std::int64_t> sizes = {1 << 10,  1 << 14, 1 << 16,   1 << 18, 1 << 20,
                                       10000000, 1 << 24, 100000000, 1 << 28};

    /// Writes the inputs of all slots.
    std::function<cudaError_t(const Slots& slots, std::int64_t n, cudaStream_t stream)> fill;
    /// Adds the number of wrong items to errors[0], in device memory; errors[1] is 0 and free for
    /// its use.
    std::function<cudaError_t(const Arrays& arrays, std::int64_t n, unsigned long long* errors,
                              cudaStream_t stream)>
        check;
};

/// Two-phase, as in CUB; the size of the storage is asked for with temp == nullptr.
using Call = std::function<cudaError_t(void* temp, std::size_t& temp_bytes, const Arrays& arrays,
                                       std::int64_t n, cudaStream_t stream)>;

struct Contestant {
    std::string workload;
    std::string name;  // libscan, cub, peer, thrust, copy
    Call call;
};

std::vector<Workload>& workloads();
std::vector<Contestant>& contestants();

struct AddWorkload {
    explicit AddWorkload(Workload workload) { workloads().push_back(std::move(workload)); }
};
struct AddContestant {
    AddContestant(std::string workload, std::string name, Call call) {
        contestants().push_back({std::move(workload), std::move(name), std::move(call)});
    }
};

/// The name under which CUB runs in this program: "cub" is the toolkit's; "peer" is the one that
/// LIBSCAN_PEER_CCCL names, in a program of its own.
#if defined(LIBSCAN_BENCH_PEER)
inline constexpr char kCubName[] = "peer";
#else
inline constexpr char kCubName[] = "cub";
#endif

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>

#include "copy.h"
#include "kernels.cuh"

namespace bench {
namespace {

struct RandomWord {
    __device__ std::uint32_t operator()(std::uint64_t i, std::uint64_t) const {
        return static_cast<std::uint32_t>(random_bits(i));
    }
};

__global__ void check_copy_kernel(const unsigned char* in, const unsigned char* out,
                                  std::int64_t bytes, unsigned long long* errors) {
    const std::int64_t words = bytes / 4;
    for (std::int64_t i = first_item(); i < words; i += item_step()) {
        const std::uint32_t from = reinterpret_cast<const std::uint32_t*>(in)[i];
        const std::uint32_t to = reinterpret_cast<const std::uint32_t*>(out)[i];
        if (from != to) atomicAdd(errors, 1ull);
    }
    const std::int64_t tail = words * 4 + first_item();
    if (tail < bytes && in[tail] != out[tail]) atomicAdd(errors, 1ull);
}

}  // namespace

std::string copy_name(double moved_bytes) {
    char text[64];
    std::snprintf(text, sizeof text, "copy/%gB", moved_bytes);
    return text;
}

void add_copy(double moved_bytes) {
    const double item_bytes = moved_bytes / 2;
    const auto bytes_of = [item_bytes](std::int64_t n) {
        return static_cast<std::int64_t>(std::ceil(item_bytes * static_cast<double>(n)));
    };
    Workload copy;
    copy.name = copy_name(moved_bytes);
    copy.arrays = {{true, item_bytes}, {false, item_bytes}};
    copy.moved_bytes = moved_bytes;
    // Whole words: an array has room up to the next multiple of 256 bytes.
    copy.fill = [bytes_of](const Slots& slots, std::int64_t n, cudaStream_t stream) {
        return fill_array<std::uint32_t>(slots, 0, (bytes_of(n) + 3) / 4, RandomWord{}, stream);
    };
    copy.check = [bytes_of](const Arrays& arrays, std::int64_t n, unsigned long long* errors,
                            cudaStream_t stream) {
        return libscan::launch(check_copy_kernel, blocks_for(bytes_of(n) / 4), kThreads, 0, stream,
                               static_cast<const unsigned char*>(arrays.at[0]),
                               static_cast<const unsigned char*>(arrays.at[1]), bytes_of(n),
                               errors);
    };
    const std::string name = copy.name;
    workloads().push_back(std::move(copy));
    contestants().push_back({name, "copy",
                             [bytes_of](void* temp, std::size_t& temp_bytes, const Arrays& arrays,
                                        std::int64_t n, cudaStream_t stream) {
                                 if (temp == nullptr) {
                                     temp_bytes = 0;
                                     return cudaSuccess;
                                 }
                                 return cudaMemcpyAsync(arrays.at[1], arrays.at[0],
                                                        static_cast<std::size_t>(bytes_of(n)),
                                                        cudaMemcpyDeviceToDevice, stream);
                             }});
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
//
// The calls whose kernels docs/architectures.md shows, and the constants of the library that its
// floors are worked out with. Arguments: compute capability times 10, multiprocessors, and bytes of
// shared memory that a block can have.
#include <bench/compaction/elements.h>
#include <bench/scan/elements.h>

#include <compaction/device_partition.cuh>
#include <compaction/device_run_length_encode.cuh>
#include <compaction/device_select.cuh>
#include <cstdio>
#include <cstdlib>
#include <libscan/device_scan.cuh>
#include <libscan/operators.cuh>
#include <libscan/three_kernel_scan.cuh>
#include <libscan/tile_algorithm.cuh>
#include <radixsort/device_radix_sort.cuh>
#include <radixsort/device_segmented_radix_sort.cuh>
#include <radixsort/radix_sort_policy.cuh>

#include "recording.h"

namespace {

using bench::V16;
using recording::array;
using recording::record;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// Many items; fewer, for which there are other kernels or smaller tiles; and so few that a sort is
// one launch: of a cluster, or of blocks that count.
constexpr std::int64_t kMany = 1 << 28, kSome = 1 << 20, kFew = 1 << 16, kLeast = 1 << 12;

template <class T>
void sums(const char* items, std::int64_t n) {
    record("exclusive sum", items, n, [](void* temp, std::size_t& bytes, std::int64_t n) {
        return libscan::DeviceScan::ExclusiveSum(temp, bytes, array<const T>(0), array<T>(1), n);
    });
}

void matrix_products(std::int64_t n) {
    record("exclusive scan, matrix product", "16 bytes", n,
           [](void* temp, std::size_t& bytes, std::int64_t n) {
               return libscan::DeviceScan::ExclusiveScan(temp, bytes, array<const V16>(0),
                                                         array<V16>(1), bench::Custom<V16>{},
                                                         bench::custom_start<V16>(), n);
           });
}

template <class T>
void sums_by_key(const char* items, std::int64_t n) {
    record("exclusive sum by key", items, n, [](void* temp, std::size_t& bytes, std::int64_t n) {
        return libscan::DeviceScan::ExclusiveSumByKey(temp, bytes, array<const u32>(0),
                                                      array<const T>(1), array<T>(2), n);
    });
}

template <class T>
void selects(const char* items, std::int64_t n) {
    record("select if", items, n, [](void* temp, std::size_t& bytes, std::int64_t n) {
        return libscan::DeviceSelect::If(temp, bytes, array<const T>(0), array<T>(1), array<int>(2),
                                         n, bench::Below<T>{bench::item_at<T>(bench::kHalf)});
    });
}

void other_compactions(std::int64_t n) {
    record("partition if", "u32", n, [](void* temp, std::size_t& bytes, std::int64_t n) {
        const bench::Below<u32> below{bench::item_at<u32>(bench::kHalf)};
        return libscan::DevicePartition::If(temp, bytes, array<const u32>(0), array<u32>(1),
                                            array<int>(2), n, below);
    });
    record("unique", "u32", n, [](void* temp, std::size_t& bytes, std::int64_t n) {
        return libscan::DeviceSelect::Unique(temp, bytes, array<const u32>(0), array<u32>(1),
                                             array<int>(2), n);
    });
    record("run-length encode", "u32", n, [](void* temp, std::size_t& bytes, std::int64_t n) {
        return libscan::DeviceRunLengthEncode::Encode(temp, bytes, array<const u32>(0),
                                                      array<u32>(1), array<bench::RunLength>(2),
                                                      array<int>(3), n);
    });
}

template <class Key>
void sorts(const char* items, std::int64_t n) {
    record("sort keys", items, n, [](void* temp, std::size_t& bytes, std::int64_t n) {
        return libscan::DeviceRadixSort::SortKeys(temp, bytes, array<const Key>(0), array<Key>(1),
                                                  n);
    });
}

void sorts_of_pairs(std::int64_t n) {
    record("sort pairs", "u32 + u32", n, [](void* temp, std::size_t& bytes, std::int64_t n) {
        return libscan::DeviceRadixSort::SortPairs(temp, bytes, array<const u32>(0), array<u32>(1),
                                                   array<const u32>(2), array<u32>(3), n);
    });
}

void sorts_of_segments(std::int64_t n) {
    record("sort keys in segments", "u32", n, [](void* temp, std::size_t& bytes, std::int64_t n) {
        return libscan::DeviceSegmentedRadixSort::SortKeys(
            temp, bytes, array<const u32>(0), array<u32>(1), n, kLeast, array<const int>(2),
            array<const int>(3));
    });
}

template <template <class, int, int> class TileScan>
void three_kernels(const char* name, std::int64_t n) {
    record(name, "f32", n, [](void* temp, std::size_t& bytes, std::int64_t n) {
        return libscan::ThreeKernelScan<TileScan>::ExclusiveSum(temp, bytes, array<const float>(0),
                                                                array<float>(1), n);
    });
}

// Constants of the library and of the comparison, a line each.
void constants() {
    using libscan::radix_sort_policy;
    std::printf("constant\tdigit bits\t%d\n", radix_sort_policy(sizeof(u32), 0, 750).digit_bits);
    for (const bench::Share& share : bench::kShares)
        std::printf("share\t%s\t%u\n", share.percent, share.of_256);
    for (const int run : bench::kRuns) std::printf("run\t%d\n", run);
    std::printf("constant\tkey run\t%d\n", bench::kKeyRun);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) return 2;
    recording::set_device(
        {std::atoi(arguments[1]), std::atoi(arguments[2]), std::atoi(arguments[3])});
    constants();
    for (const std::int64_t n : {kMany, kSome}) sums<u32>("u32", n);
    for (const std::int64_t n : {kMany, kSome}) sums<double>("f64", n);
    matrix_products(kMany);
    for (const std::int64_t n : {kMany, kSome}) sums_by_key<u32>("u32", n);
    sums_by_key<double>("f64", kMany);
    for (const std::int64_t n : {kMany, kSome}) selects<u32>("u32", n);
    selects<u8>("u8", kMany);
    selects<V16>("16 bytes", kMany);
    other_compactions(kMany);
    for (const std::int64_t n : {kMany, kFew, kLeast}) sorts<u32>("u32", n);
    sorts<u64>("u64", kMany);
    sorts_of_pairs(kMany);
    sorts_of_segments(kMany);
    three_kernels<libscan::BlockWarpShuffle>("three-kernel sum, warp shuffle", kMany);
    three_kernels<libscan::BlockBlellochPadded>("three-kernel sum, Blelloch padded", kMany);
    three_kernels<libscan::BlockHillisSteele>("three-kernel sum, Hillis-Steele", kMany);
    return 0;
}

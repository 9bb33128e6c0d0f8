// SPDX-License-Identifier: Apache-2.0
// The kernels whose code is watched: .ci/spill_gate compiles this file for sm_75 and fails when one
// of them keeps anything in local memory. Calling the public API here instantiates what a user of
// it would launch; the kernels that must come out are listed in production_kernels.txt.
#include <compaction/device_partition.cuh>
#include <compaction/device_run_length_encode.cuh>
#include <compaction/device_select.cuh>
#include <libscan/device_scan.cuh>
#include <libscan/operators.cuh>
#include <libscan/three_kernel_scan.cuh>
#include <libscan/tile_algorithm.cuh>
#include <radixsort/device_radix_sort.cuh>
#include <radixsort/device_segmented_radix_sort.cuh>

// 12 bytes, no identity known, an operator that is not commutative.
struct Affine {
    float scale, shift, weight;
};

struct ComposeAffine {
    __host__ __device__ Affine operator()(const Affine& a, const Affine& b) const {
        return Affine{a.scale * b.scale, a.shift * b.scale + b.shift, a.weight + b.weight};
    }
};

// What the compactions are watched with.
struct Quad {
    float x, y, z, w;
    __host__ __device__ friend bool operator==(const Quad& a, const Quad& b) {
        return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
    }
};

struct Positive {
    template <class T>
    __host__ __device__ bool operator()(const T& value) const {
        return value > 0;
    }
    __host__ __device__ bool operator()(const Quad& value) const { return value.w > 0; }
};
struct Even {
    template <class T>
    __host__ __device__ bool operator()(const T& value) const {
        return static_cast<int>(value) % 2 == 0;
    }
    __host__ __device__ bool operator()(const Quad& value) const { return value.x == value.y; }
};

namespace {

template <template <class, int, int> class TileScan, class In, class Out>
bool sums(void* storage, size_t& bytes, const In* in, Out* out, long long n) {
    using Scan = libscan::ThreeKernelScan<TileScan>;
    return Scan::ExclusiveSum(storage, bytes, in, out, n) == cudaSuccess &&
           Scan::InclusiveSum(storage, bytes, in, out, n) == cudaSuccess;
}

template <template <class, int, int> class TileScan>
bool all_types(void* storage, size_t& bytes, long long n) {
    static const int* const ints = nullptr;
    static const float* const floats = nullptr;
    static const double* const doubles = nullptr;
    static const Affine* const maps = nullptr;
    using Scan = libscan::ThreeKernelScan<TileScan>;
    return sums<TileScan>(storage, bytes, ints, static_cast<int*>(nullptr), n) &&
           sums<TileScan>(storage, bytes, ints, static_cast<long long*>(nullptr), n) &&
           sums<TileScan>(storage, bytes, floats, static_cast<float*>(nullptr), n) &&
           sums<TileScan>(storage, bytes, doubles, static_cast<double*>(nullptr), n) &&
           sums<TileScan>(storage, bytes, doubles, static_cast<float*>(nullptr), n) &&
           Scan::ExclusiveScan(storage, bytes, maps, static_cast<Affine*>(nullptr), ComposeAffine{},
                               Affine{1, 0, 0}, n) == cudaSuccess &&
           Scan::InclusiveScan(storage, bytes, maps, static_cast<Affine*>(nullptr), ComposeAffine{},
                               n) == cudaSuccess;
}

template <class In, class Out>
bool device_sums(void* storage, size_t& bytes, long long n) {
    using libscan::DeviceScan;
    static const In* const in = nullptr;
    static const int* const keys = nullptr;
    Out* const out = nullptr;
    return DeviceScan::ExclusiveSum(storage, bytes, in, out, n) == cudaSuccess &&
           DeviceScan::InclusiveSum(storage, bytes, in, out, n) == cudaSuccess &&
           DeviceScan::ExclusiveSumByKey(storage, bytes, keys, in, out, n) == cudaSuccess &&
           DeviceScan::InclusiveSumByKey(storage, bytes, keys, in, out, n) == cudaSuccess;
}

bool device_scans(void* storage, size_t& bytes, long long n) {
    using libscan::DeviceScan;
    static const Affine* const in = nullptr;
    Affine* const out = nullptr;
    const Affine identity{1, 0, 0};
    return device_sums<unsigned char, unsigned char>(storage, bytes, n) &&
           device_sums<int, int>(storage, bytes, n) &&
           device_sums<int, long long>(storage, bytes, n) &&
           device_sums<float, float>(storage, bytes, n) &&
           device_sums<double, double>(storage, bytes, n) &&
           DeviceScan::ExclusiveScan(storage, bytes, in, out, ComposeAffine{}, identity, n) ==
               cudaSuccess &&
           DeviceScan::InclusiveScan(storage, bytes, in, out, ComposeAffine{}, n) == cudaSuccess;
}

template <class T>
bool compactions(void* storage, size_t& bytes, long long n) {
    using libscan::DevicePartition;
    using libscan::DeviceRunLengthEncode;
    using libscan::DeviceSelect;
    static const T* const in = nullptr;
    static const int* const keys = nullptr;
    static const char* const flags = nullptr;
    T* const out = nullptr;
    int* const numbers = nullptr;
    const libscan::CompactionOptions stable{nullptr, libscan::PartitionOrder::stable};
    return DeviceSelect::Flagged(storage, bytes, in, flags, out, numbers, n) == cudaSuccess &&
           DeviceSelect::If(storage, bytes, in, out, numbers, n, Positive{}) == cudaSuccess &&
           DeviceSelect::Unique(storage, bytes, in, out, numbers, n) == cudaSuccess &&
           DeviceSelect::UniqueByKey(storage, bytes, keys, in, numbers, out, numbers, n) ==
               cudaSuccess &&
           DevicePartition::Flagged(storage, bytes, in, flags, out, numbers, n) == cudaSuccess &&
           DevicePartition::If(storage, bytes, in, out, numbers, n, Positive{}, stable) ==
               cudaSuccess &&
           DevicePartition::If(storage, bytes, in, out, out, out, numbers, n, Positive{}, Even{}) ==
               cudaSuccess &&
           DeviceRunLengthEncode::Encode(storage, bytes, in, out, numbers, numbers, n) ==
               cudaSuccess &&
           DeviceRunLengthEncode::NonTrivialRuns(storage, bytes, in, numbers, numbers, numbers,
                                                 n) == cudaSuccess;
}

template <class Key>
bool sorts(void* storage, size_t& bytes, long long n) {
    using libscan::DeviceRadixSort;
    Key* const keys = nullptr;
    unsigned* const values = nullptr;
    return DeviceRadixSort::SortKeys(storage, bytes, keys, keys, n) == cudaSuccess &&
           DeviceRadixSort::SortPairs(storage, bytes, keys, keys, values, values, n) == cudaSuccess;
}

bool device_sorts(void* storage, size_t& bytes, long long n) {
    using libscan::DeviceSegmentedRadixSort;
    unsigned* const keys = nullptr;
    const int* const offsets = nullptr;
    return sorts<unsigned char>(storage, bytes, n) && sorts<unsigned>(storage, bytes, n) &&
           sorts<unsigned long long>(storage, bytes, n) && sorts<float>(storage, bytes, n) &&
           sorts<double>(storage, bytes, n) &&
           DeviceSegmentedRadixSort::SortKeys(storage, bytes, keys, keys, n, n, offsets, offsets) ==
               cudaSuccess &&
           DeviceSegmentedRadixSort::SortPairs(storage, bytes, keys, keys, keys, keys, n, n,
                                               offsets, offsets) == cudaSuccess;
}

}  // namespace

bool instantiate_production_kernels(void* storage, size_t& bytes, long long n) {
    return all_types<libscan::BlockHillisSteele>(storage, bytes, n) &&
           all_types<libscan::BlockBlelloch>(storage, bytes, n) &&
           all_types<libscan::BlockBlellochPadded>(storage, bytes, n) &&
           all_types<libscan::BlockBlellochPaddedOneTerm>(storage, bytes, n) &&
           all_types<libscan::BlockWarpShuffle>(storage, bytes, n) &&
           device_scans(storage, bytes, n) && compactions<unsigned char>(storage, bytes, n) &&
           compactions<int>(storage, bytes, n) && compactions<double>(storage, bytes, n) &&
           compactions<Quad>(storage, bytes, n) && device_sorts(storage, bytes, n);
}

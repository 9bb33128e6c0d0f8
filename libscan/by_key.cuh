// SPDX-License-Identifier: Apache-2.0
//
// Scan by key: a scan of (value, head) pairs (segmented.cuh), in the kernels of any other scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/argument_checks.cuh>
#include <libscan/config.cuh>
#include <libscan/keyed_input.cuh>
#include <libscan/keyed_stage.cuh>
#include <libscan/scan_start.cuh>
#include <libscan/segmented.cuh>
#include <libscan/single_pass_scan.cuh>
#include <libscan/three_kernel_scan_kernels.cuh>
#include <libscan/wide_accumulator.cuh>

LIBSCAN_NAMESPACE_BEGIN

// a == b, the default of the scans by key.
struct Equal {
    template <class A, class B>
    __host__ __device__ constexpr bool operator()(const A& a, const B& b) const {
        return a == b;
    }
};

namespace detail {

// For values whose tiles are in shared memory, and which are scanned there as pairs: takes the
// scanned pairs and writes values. Those of an exclusive scan are combined with the initial value,
// which is what the head of a run gets alone.
template <class T, class In, class Out, class Op>
struct KeyedExclusiveOutput : IndexedIterator<void> {
    In in;
    Out out;
    mutable Op op;

    struct Slot {
        const KeyedExclusiveOutput& to;
        std::int64_t i;
        __device__ void operator=(const Segmented<T>& before) const {
            const T first = start_value<T>(to.in.init);
            store(
                to.out, i,
                is_head(to.in.keys, to.in.equal, i) ? first : combine(to.op, first, before.value));
        }
    };
    KeyedExclusiveOutput(In i, Out o, Op f) : in(i), out(o), op(f) {}
    __device__ Slot operator[](std::int64_t i) const { return {*this, i}; }
};

template <class T, class Out>
struct KeyedInclusiveOutput : IndexedIterator<void> {
    Out out;

    struct Slot {
        const KeyedInclusiveOutput& to;
        std::int64_t i;
        __device__ void operator=(const Segmented<T>& scanned) const {
            store(to.out, i, scanned.value);
        }
    };
    explicit KeyedInclusiveOutput(Out o) : out(o) {}
    __device__ Slot operator[](std::int64_t i) const { return {*this, i}; }
};

// Keys may not be overwritten: a tile looks at the key before its first. The values may be scanned
// in place.
template <class Keys, class Values, class Out>
[[nodiscard]] cudaError_t check_keyed_buffers(Keys keys, Values values, Out out, std::int64_t count,
                                              const void* temp, std::size_t temp_bytes) {
    if (count == 0) return cudaSuccess;
    ByteRange key_range, output;
    if (!to_byte_range(keys, count, key_range) || !to_byte_range(out, count, output))
        return cudaErrorInvalidValue;
    const ByteRange storage{reinterpret_cast<std::uintptr_t>(temp), temp_bytes, true};
    if (overlap(key_range, output) || overlap(key_range, storage)) return cudaErrorInvalidValue;
    return check_buffers(values, out, count, temp, temp_bytes);
}

// Init: the initial value of every run, or NoStart for an inclusive scan.
template <class T, class Tuning = ScanTuning>
struct KeyedScan {
    template <class Keys, class Values, class Out, class Op, class Init, class Equality>
    [[nodiscard]] static cudaError_t run(void* temp, std::size_t& temp_bytes, Keys keys,
                                         Values values, Out out, std::int64_t n, Op op, Init init,
                                         Equality equal, cudaStream_t stream) {
        constexpr bool kInclusive = kIsNoStart<Init>;
        if constexpr (kIsNarrow<T>) {
            return KeyedScan<WideAccumulator<T>, Tuning>::run(temp, temp_bytes, keys, values, out,
                                                              n, WideOp<T, Op>{op},
                                                              wide_start<T>(init), equal, stream);
        } else {
            if (temp != nullptr) {
                const cudaError_t error =
                    check_keyed_buffers(keys, values, out, n, temp, temp_bytes);
                if (error != cudaSuccess) return error;
            }
            using In = KeyedInput<T, Keys, Values, Equality, Init>;
            using Pair = Segmented<T>;
            const In in(keys, values, equal, init);
            const auto scan = [&](auto to) {
                return SinglePassScan<Pair, Tuning>::template run<kInclusive>(
                    temp, temp_bytes, in, to, n, SegmentedOp<T, Op>{op}, NoStart{}, stream);
            };
            if constexpr (sizeof(Pair) <= kMaxRegisterBytes) {
                return scan(out);
            } else if constexpr (kInclusive) {
                return scan(KeyedInclusiveOutput<T, Out>(out));
            } else {
                return scan(KeyedExclusiveOutput<T, In, Out, Op>(in, out, op));
            }
        }
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

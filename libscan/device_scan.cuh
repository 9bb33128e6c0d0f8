// SPDX-License-Identifier: Apache-2.0
//
// Device-wide scans with the names and signatures of cub::DeviceScan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/by_key.cuh>
#include <libscan/config.cuh>
#include <libscan/future_value.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_options.cuh>
#include <libscan/scan_start.cuh>
#include <libscan/single_pass_scan.cuh>
#include <libscan/three_kernel_scan.cuh>
#include <libscan/type_traits.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN

// Each scan can be called in three ways.
//
// Two-phase, as in CUB: with d_temp_storage == nullptr it only sets temp_storage_bytes (at least 1,
// never less for a larger num_items); called again with that much device memory, at any alignment,
// it enqueues its work on `stream` and returns. Nothing is allocated and nothing waits; it can be
// captured in a graph. Two-phase in place: with one iterator for input and output. In one call:
// with ScanOptions at the end, which allocates on the stream (scan_options.cuh).
//
// num_items has any integral type. Input and output are pointers or random access iterators that
// device code can dereference; an output may be write-only. d_in == d_out is allowed where both
// have elements of one size, any other overlap is not.
//
// The operator must be associative, need not be commutative, and is called with elements of the
// input, the initial value and results of the operator, nothing else; with both as the accumulator
// type. Sums accumulate in the wider of the promoted input type and the output type
// (SumAccumulator), other scans in the type of op(init, element). Accumulators are trivially
// copyable and default constructible, of any size that 32 of them leave room for in a block's
// shared memory. The initial value may be a FutureValue.
//
// The order in which elements are combined depends on their indices, their number and the sizes of
// the types alone: the result has the same bits in every run, on every GPU and on the CPU back end,
// as far as the operator gives the same there. (Flags that change single operations, as -ftz=true
// for denormals or -fmad for an operator that multiplies and adds, change the result with them.)
//
// Returns cudaErrorInvalidValue, before anything is launched or written, for a negative num_items,
// a null or misaligned pointer with num_items > 0, a forbidden overlap, or too small storage;
// otherwise the first error of a launch. num_items == 0 succeeds and writes nothing. An earlier
// error of the caller is neither returned nor cleared.
class DeviceScan {
    template <class In, class Out>
    using SumOf = SumAccumulator<IteratorValue<In>, IteratorValue<Out>>;
    template <class Op, class Init, class In>
    using AccFrom = ResultOf<Op, typename detail::InitialValue<Init>::Type, IteratorValue<In>>;
    template <class Op, class In>
    using ScanOf = ResultOf<Op, IteratorValue<In>, IteratorValue<In>>;
    // Tells the overloads apart, with a stream of 0 as well: a number of items is an integer, and
    // an iterator or operator that stands somewhere before it is not.
    template <class NumItems, class Before = void>
    using IfCount = std::enable_if_t<std::is_integral_v<NumItems> && !std::is_integral_v<Before>>;

  public:
    // ---- Sums
    // ------------------------------------------------------------------------------------

    // d_out[i] = d_in[0] + ... + d_in[i - 1]; d_out[0] = 0, a value-initialised accumulator.
    template <class In, class Out, class NumItems, class = IfCount<NumItems, Out>>
    [[nodiscard]] static cudaError_t ExclusiveSum(void* d_temp_storage,
                                                  std::size_t& temp_storage_bytes, In d_in,
                                                  Out d_out, NumItems num_items,
                                                  cudaStream_t stream = 0) {
        using Acc = SumOf<In, Out>;
        return scan<false, Acc>(d_temp_storage, temp_storage_bytes, d_in, d_out, num_items, Plus{},
                                Acc{}, stream);
    }
    template <class Iterator, class NumItems, class = IfCount<NumItems>>
    [[nodiscard]] static cudaError_t ExclusiveSum(void* d_temp_storage,
                                                  std::size_t& temp_storage_bytes, Iterator d_data,
                                                  NumItems num_items, cudaStream_t stream = 0) {
        return ExclusiveSum(d_temp_storage, temp_storage_bytes, d_data, d_data, num_items, stream);
    }
    template <class In, class Out, class NumItems>
    [[nodiscard]] static cudaError_t ExclusiveSum(In d_in, Out d_out, NumItems num_items,
                                                  const ScanOptions& options) {
        using Acc = SumOf<In, Out>;
        return one_call(options, [=](void* temp, std::size_t& bytes) {
            return scan_chosen<false, Acc>(temp, bytes, d_in, d_out, num_items, Plus{}, Acc{},
                                           options);
        });
    }

    // d_out[i] = d_in[0] + ... + d_in[i].
    template <class In, class Out, class NumItems, class = IfCount<NumItems, Out>>
    [[nodiscard]] static cudaError_t InclusiveSum(void* d_temp_storage,
                                                  std::size_t& temp_storage_bytes, In d_in,
                                                  Out d_out, NumItems num_items,
                                                  cudaStream_t stream = 0) {
        return scan<true, SumOf<In, Out>>(d_temp_storage, temp_storage_bytes, d_in, d_out,
                                          num_items, Plus{}, NoStart{}, stream);
    }
    template <class Iterator, class NumItems, class = IfCount<NumItems>>
    [[nodiscard]] static cudaError_t InclusiveSum(void* d_temp_storage,
                                                  std::size_t& temp_storage_bytes, Iterator d_data,
                                                  NumItems num_items, cudaStream_t stream = 0) {
        return InclusiveSum(d_temp_storage, temp_storage_bytes, d_data, d_data, num_items, stream);
    }
    template <class In, class Out, class NumItems>
    [[nodiscard]] static cudaError_t InclusiveSum(In d_in, Out d_out, NumItems num_items,
                                                  const ScanOptions& options) {
        return one_call(options, [=](void* temp, std::size_t& bytes) {
            return scan_chosen<true, SumOf<In, Out>>(temp, bytes, d_in, d_out, num_items, Plus{},
                                                     NoStart{}, options);
        });
    }

    // ---- Scans with an operator
    // --------------------------------------------------------------------

    // d_out[i] = init op d_in[0] op ... op d_in[i - 1]; d_out[0] = init.
    template <class In, class Out, class Op, class Init, class NumItems,
              class = IfCount<NumItems, Op>>
    [[nodiscard]] static cudaError_t ExclusiveScan(void* d_temp_storage,
                                                   std::size_t& temp_storage_bytes, In d_in,
                                                   Out d_out, Op scan_op, Init init_value,
                                                   NumItems num_items, cudaStream_t stream = 0) {
        return scan_from<false>(d_temp_storage, temp_storage_bytes, d_in, d_out, scan_op,
                                init_value, num_items, stream);
    }
    template <class Iterator, class Op, class Init, class NumItems, class = IfCount<NumItems>>
    [[nodiscard]] static cudaError_t ExclusiveScan(void* d_temp_storage,
                                                   std::size_t& temp_storage_bytes, Iterator d_data,
                                                   Op scan_op, Init init_value, NumItems num_items,
                                                   cudaStream_t stream = 0) {
        return ExclusiveScan(d_temp_storage, temp_storage_bytes, d_data, d_data, scan_op,
                             init_value, num_items, stream);
    }
    template <class In, class Out, class Op, class Init, class NumItems>
    [[nodiscard]] static cudaError_t ExclusiveScan(In d_in, Out d_out, Op scan_op, Init init_value,
                                                   NumItems num_items, const ScanOptions& options) {
        return one_call(options, [=](void* temp, std::size_t& bytes) {
            using Acc = AccFrom<Op, Init, In>;
            return scan_chosen<false, Acc>(temp, bytes, d_in, d_out, num_items, scan_op,
                                           detail::scan_start<Acc>(init_value), options);
        });
    }

    // d_out[i] = d_in[0] op ... op d_in[i].
    template <class In, class Out, class Op, class NumItems, class = IfCount<NumItems, Op>>
    [[nodiscard]] static cudaError_t InclusiveScan(void* d_temp_storage,
                                                   std::size_t& temp_storage_bytes, In d_in,
                                                   Out d_out, Op scan_op, NumItems num_items,
                                                   cudaStream_t stream = 0) {
        return scan<true, ScanOf<Op, In>>(d_temp_storage, temp_storage_bytes, d_in, d_out,
                                          num_items, scan_op, NoStart{}, stream);
    }
    template <class Iterator, class Op, class NumItems, class = IfCount<NumItems, Op>>
    [[nodiscard]] static cudaError_t InclusiveScan(void* d_temp_storage,
                                                   std::size_t& temp_storage_bytes, Iterator d_data,
                                                   Op scan_op, NumItems num_items,
                                                   cudaStream_t stream = 0) {
        return InclusiveScan(d_temp_storage, temp_storage_bytes, d_data, d_data, scan_op, num_items,
                             stream);
    }
    template <class In, class Out, class Op, class NumItems>
    [[nodiscard]] static cudaError_t InclusiveScan(In d_in, Out d_out, Op scan_op,
                                                   NumItems num_items, const ScanOptions& options) {
        return one_call(options, [=](void* temp, std::size_t& bytes) {
            return scan_chosen<true, ScanOf<Op, In>>(temp, bytes, d_in, d_out, num_items, scan_op,
                                                     NoStart{}, options);
        });
    }

    // d_out[i] = init op d_in[0] op ... op d_in[i].
    template <class In, class Out, class Op, class Init, class NumItems,
              class = IfCount<NumItems, Op>>
    [[nodiscard]] static cudaError_t InclusiveScanInit(void* d_temp_storage,
                                                       std::size_t& temp_storage_bytes, In d_in,
                                                       Out d_out, Op scan_op, Init init_value,
                                                       NumItems num_items,
                                                       cudaStream_t stream = 0) {
        return scan_from<true>(d_temp_storage, temp_storage_bytes, d_in, d_out, scan_op, init_value,
                               num_items, stream);
    }
    template <class In, class Out, class Op, class Init, class NumItems>
    [[nodiscard]] static cudaError_t InclusiveScanInit(In d_in, Out d_out, Op scan_op,
                                                       Init init_value, NumItems num_items,
                                                       const ScanOptions& options) {
        return one_call(options, [=](void* temp, std::size_t& bytes) {
            using Acc = AccFrom<Op, Init, In>;
            return scan_chosen<true, Acc>(temp, bytes, d_in, d_out, num_items, scan_op,
                                          detail::scan_start<Acc>(init_value), options);
        });
    }

    // ---- By key
    // ------------------------------------------------------------------------------------- A run
    // is a maximal range of successive keys of which each equals the one before it. Values may be
    // scanned in place; the keys are only read, and may not overlap the output.
    //
    // equality_op(a, b) is called with a key and the one that follows it, nothing else; keys need
    // no order, and equal ones need not be the same. The operator never combines across the
    // beginning of a run. The same pair of keys may be compared twice: the look-ahead scan folds a
    // tile before it is scanned. In what order a run is combined depends on where it lies in the
    // array, and on the sizes of key, value and accumulator.

    // Within each run, d_values_out[i] = the sum of the run's values before i.
    template <class Keys, class In, class Out, class Equality = Equal,
              class NumItems = std::uint32_t>
    [[nodiscard]] static cudaError_t ExclusiveSumByKey(void* d_temp_storage,
                                                       std::size_t& temp_storage_bytes,
                                                       Keys d_keys_in, In d_values_in,
                                                       Out d_values_out, NumItems num_items,
                                                       Equality equality_op = Equality(),
                                                       cudaStream_t stream = 0) {
        using Acc = SumOf<In, Out>;
        return by_key<Acc>(d_temp_storage, temp_storage_bytes, d_keys_in, d_values_in, d_values_out,
                           Plus{}, Acc{}, num_items, equality_op, stream);
    }

    // Within each run, d_values_out[i] = init op the run's values before i.
    template <class Keys, class In, class Out, class Op, class Init, class Equality = Equal,
              class NumItems = std::uint32_t>
    [[nodiscard]] static cudaError_t ExclusiveScanByKey(
        void* d_temp_storage, std::size_t& temp_storage_bytes, Keys d_keys_in, In d_values_in,
        Out d_values_out, Op scan_op, Init init_value, NumItems num_items,
        Equality equality_op = Equality(), cudaStream_t stream = 0) {
        using Acc = AccFrom<Op, Init, In>;
        return by_key<Acc>(d_temp_storage, temp_storage_bytes, d_keys_in, d_values_in, d_values_out,
                           scan_op, detail::scan_start<Acc>(init_value), num_items, equality_op,
                           stream);
    }

    // Within each run, d_values_out[i] = the sum of the run's values up to i.
    template <class Keys, class In, class Out, class Equality = Equal,
              class NumItems = std::uint32_t>
    [[nodiscard]] static cudaError_t InclusiveSumByKey(void* d_temp_storage,
                                                       std::size_t& temp_storage_bytes,
                                                       Keys d_keys_in, In d_values_in,
                                                       Out d_values_out, NumItems num_items,
                                                       Equality equality_op = Equality(),
                                                       cudaStream_t stream = 0) {
        return by_key<SumOf<In, Out>>(d_temp_storage, temp_storage_bytes, d_keys_in, d_values_in,
                                      d_values_out, Plus{}, NoStart{}, num_items, equality_op,
                                      stream);
    }

    // Within each run, d_values_out[i] = the run's first value op ... op d_values_in[i].
    template <class Keys, class In, class Out, class Op, class Equality = Equal,
              class NumItems = std::uint32_t>
    [[nodiscard]] static cudaError_t InclusiveScanByKey(
        void* d_temp_storage, std::size_t& temp_storage_bytes, Keys d_keys_in, In d_values_in,
        Out d_values_out, Op scan_op, NumItems num_items, Equality equality_op = Equality(),
        cudaStream_t stream = 0) {
        return by_key<ScanOf<Op, In>>(d_temp_storage, temp_storage_bytes, d_keys_in, d_values_in,
                                      d_values_out, scan_op, NoStart{}, num_items, equality_op,
                                      stream);
    }

  private:
    template <bool kInclusive, class In, class Out, class Op, class Init, class NumItems>
    [[nodiscard]] static cudaError_t scan_from(void* temp, std::size_t& bytes, In in, Out out,
                                               Op op, const Init& init, NumItems num_items,
                                               cudaStream_t stream) {
        using Acc = AccFrom<Op, Init, In>;
        return scan<kInclusive, Acc>(temp, bytes, in, out, num_items, op,
                                     detail::scan_start<Acc>(init), stream);
    }

    template <bool kInclusive, class Acc, class In, class Out, class NumItems, class Op,
              class Start>
    [[nodiscard]] static cudaError_t scan(void* temp, std::size_t& bytes, In in, Out out,
                                          NumItems num_items, Op op, Start start,
                                          cudaStream_t stream) {
        std::int64_t n = 0;
        if (!detail::to_item_count(num_items, n)) return cudaErrorInvalidValue;
        return detail::SinglePassScan<Acc>::template run<kInclusive>(temp, bytes, in, out, n, op,
                                                                     start, stream);
    }

    // By the strategy of the options. Only the one-call scans come here, so that the others do not
    // pay for compiling both.
    template <bool kInclusive, class Acc, class In, class Out, class NumItems, class Op,
              class Start>
    [[nodiscard]] static cudaError_t scan_chosen(void* temp, std::size_t& bytes, In in, Out out,
                                                 NumItems num_items, Op op, Start start,
                                                 const ScanOptions& options) {
        if (options.strategy == ScanStrategy::three_kernel) {
            constexpr SharedScanPolicy kPolicy = shared_scan_policy(sizeof(Acc));
            using Three = ThreeKernelScan<BlockWarpShuffle, kPolicy.threads, kPolicy.tile>;
            return Three::template scan<kInclusive, Acc>(temp, bytes, in, out, num_items, op, start,
                                                         options.stream);
        }
        return scan<kInclusive, Acc>(temp, bytes, in, out, num_items, op, start, options.stream);
    }

    template <class Call>
    [[nodiscard]] static cudaError_t one_call(const ScanOptions& options, Call call) {
        return detail::with_stream_storage(options.stream, call);
    }

    template <class Acc, class Keys, class In, class Out, class Op, class Init, class NumItems,
              class Equality>
    [[nodiscard]] static cudaError_t by_key(void* temp, std::size_t& bytes, Keys keys, In in,
                                            Out out, Op op, Init init, NumItems num_items,
                                            Equality equal, cudaStream_t stream) {
        std::int64_t n = 0;
        if (!detail::to_item_count(num_items, n)) return cudaErrorInvalidValue;
        return detail::KeyedScan<Acc>::run(temp, bytes, keys, in, out, n, op, init, equal, stream);
    }
};

LIBSCAN_NAMESPACE_END

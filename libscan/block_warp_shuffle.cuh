// SPDX-License-Identifier: Apache-2.0
//
// Tile scan by registers and shuffles: each thread folds a run of successive elements, the warps
// scan their lanes' sums by shuffles, warp 0 scans the sums of the warps, and each thread then
// walks its run again with what stands before it. Four barriers whatever the tile; two to three
// times tile operations. Source: Mark Harris and Michael Garland, "Optimizing Parallel Prefix
// Operations for the Fermi Architecture", GPU Computing Gems Jade Edition, chapter 3 (there with
// shared memory for shuffles).
#pragma once

#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_start.cuh>
#include <libscan/shared_layout.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN

// Scans up to kTile elements of T with a one-dimensional block of kThreads threads. Needs about
// kTile * sizeof(T) bytes of shared memory.
//
// Use: construct in every thread; put() each element i < count once; exclusive() or inclusive(),
// called by all threads together (collective); get() the results. The barriers between these steps
// are inside. A __syncthreads() of the caller must stand before the storage is used again. The
// operator must be associative, need not be commutative, and only ever sees elements, the start,
// and its own results.
template <class T, int kThreads, int kTile>
class BlockWarpShuffle {
    static_assert(detail::TileRequirements<T, kThreads, kTile>::kMet, "");

    static constexpr int kItems = detail::ceil_div(kTile, kThreads);  // elements in a thread's run
    static constexpr int kWarps = detail::ceil_div(kThreads, kWarpSize);

    // Lanes read kItems words apart; one spare word every 32 keeps powers of two free of conflicts.
    using Layout = OneTermPad;

    struct Storage {
        shared_array<T, layout_words<Layout>(kTile)> tile;
        shared_array<T, kWarps> warp;  // the sums of the warps, then the scan of these
    };

  public:
    using TempStorage = Storage;

    // count = number of elements, 1 to kTile.
    __device__ explicit BlockWarpShuffle(TempStorage& storage, int count = kTile)
        : storage_(storage), count_(count) {}

    // Gives element i < count its value. Any thread may do it.
    __device__ void put(int i, T value) { storage_.tile[Layout::word(i)] = value; }

    // Result of element i < count, for any thread. After an exclusive scan from NoStart the result
    // of element 0 is unspecified.
    __device__ T get(int i) const { return storage_.tile[Layout::word(i)]; }

    // Exclusive scan; see scan_start.cuh for what Start may be. Returns the total (with an initial
    // value included) to every thread.
    template <class Op, class Start>
    __device__ T exclusive(Op op, Start start) {
        return scan<false>(op, start);
    }

    // Inclusive scan. Returns the total to every thread.
    template <class Op>
    __device__ T inclusive(Op op) {
        return scan<true>(op, NoStart{});
    }

  private:
    template <bool kInclusive, class Op, class Start>
    __device__ T scan(Op op, Start start) {
        const int thread = static_cast<int>(threadIdx.x);
        const int lane = thread % kWarpSize;
        const int warp = thread / kWarpSize;
        const unsigned mask = warp_mask<kThreads>();
        // The threads that have elements come first, so do the warps.
        const int threads = detail::ceil_div(count_, kItems);
        const int warps = detail::ceil_div(threads, kWarpSize);
        const int lanes =
            threads - warp * kWarpSize < kWarpSize ? threads - warp * kWarpSize : kWarpSize;
        const int first = thread * kItems;
        const int last = first + kItems < count_ ? first + kItems : count_;
        const bool has_elements = first < count_;

        __syncthreads();
        // A thread without elements takes part in the shuffles with element 0; nobody combines it.
        T sum = has_elements ? fold(op, first, last) : fold(op, 0, 1);
        sum = warp_inclusive_scan(mask, sum, op, lanes);
        if (lane == lanes - 1) storage_.warp[warp] = sum;
        __syncthreads();
        if (warp == 0) scan_warp_sums(mask, op, start, warps, sum);
        __syncthreads();

        T before = shuffle_up(mask, sum, 1);  // the sum of the warp's lanes to the left
        if (has_elements) {
            if (warp > 0) {
                const T warps_before = storage_.warp[warp - 1];
                before = lane > 0 ? detail::combine(op, warps_before, before) : warps_before;
            } else if constexpr (kIsInitialValue<Start>) {
                before = lane > 0 ? detail::combine(op, start_value<T>(start), before)
                                  : start_value<T>(start);
            } else if constexpr (kIsIdentity<Start>) {
                if (lane == 0) before = start_value<T>(start);
            }
            write<kInclusive, kIsNoStart<Start>>(op, first, last, before);
        }
        __syncthreads();
        return storage_.warp[warps - 1];
    }

    // Element `first` op ... op element `last` - 1, of at least one element.
    template <class Op>
    __device__ T fold(Op op, int first, int last) {
        T sum = storage_.tile[Layout::word(first)];
        for (int i = first + 1; i < last; ++i) {
            const T value = storage_.tile[Layout::word(i)];
            sum = detail::combine(op, sum, value);
        }
        return sum;
    }

    // Replaces the sums of the warps by their inclusive scan, an initial value included. `filler`
    // is any value, for the lanes that have no warp to stand for.
    template <class Op, class Start>
    __device__ void scan_warp_sums(unsigned mask, Op op, Start start, int warps, const T& filler) {
        const int lane = static_cast<int>(threadIdx.x);
        T sum = filler;
        if (lane < warps) sum = storage_.warp[lane];
        if constexpr (kIsInitialValue<Start>) {
            if (lane == 0) sum = detail::combine(op, start_value<T>(start), sum);
        }
        sum = warp_inclusive_scan<kWarps>(mask, sum, op, warps);
        if (lane < warps) storage_.warp[lane] = sum;
    }

    // Writes the results of the run [first, last); `before` is what stands before it (nothing yet
    // for element 0 if there is no start).
    template <bool kInclusive, bool kNoStart, class Op>
    __device__ void write(Op op, int first, int last, T before) {
        for (int i = first; i < last; ++i) {
            const T value = storage_.tile[Layout::word(i)];
            if constexpr (!kInclusive) storage_.tile[Layout::word(i)] = before;
            if (!kInclusive && i + 1 == last) break;  // the next run has been told by the warp scan
            before = kNoStart && i == 0 ? value : detail::combine(op, before, value);
            if constexpr (kInclusive) storage_.tile[Layout::word(i)] = before;
        }
    }

    TempStorage& storage_;
    int count_;
};

LIBSCAN_NAMESPACE_END

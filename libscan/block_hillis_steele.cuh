// SPDX-License-Identifier: Apache-2.0
//
// Tile scan by Hillis and Steele's network: in step d every element adds the element d places to
// its left, d = 1, 2, 4, ... The step count is the smallest there is, log2(tile); the work is not:
// tile * log2(tile) - (tile - 1) operations. Neighbouring lanes touch neighbouring words, so no
// bank conflict ever occurs. Source: W. Daniel Hillis and Guy L. Steele Jr., "Data Parallel
// Algorithms", CACM 29(12), 1986.
#pragma once

#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_start.cuh>

LIBSCAN_NAMESPACE_BEGIN

// Scans up to kTile elements of T with a one-dimensional block of kThreads threads. Needs
// 2 * kTile * sizeof(T) bytes of shared memory.
//
// Use: construct in every thread; put() each element i < count once; exclusive() or inclusive(),
// called by all threads together (collective); get() the results. The barriers between these steps
// are inside. A __syncthreads() of the caller must stand before the storage is used again. The
// operator must be associative, need not be commutative, and only ever sees elements, the initial
// value, and its own results.
template <class T, int kThreads, int kTile>
class BlockHillisSteele {
    static_assert(detail::TileRequirements<T, kThreads, kTile>::kMet, "");

    struct Storage {
        // A step reads one buffer and writes the other: in one buffer, a thread could overwrite
        // what its neighbour has yet to read.
        shared_array<T, kTile> buffer[2];
    };

  public:
    using TempStorage = Storage;

    // count = number of elements, 1 to kTile.
    __device__ explicit BlockHillisSteele(TempStorage& storage, int count = kTile)
        : storage_(storage), count_(count) {}

    // Gives element i < count its value. Any thread may do it.
    __device__ void put(int i, T value) { storage_.buffer[0][i] = value; }

    // Result of element i < count, for any thread. After an exclusive scan from NoStart the result
    // of element 0 is unspecified.
    __device__ T get(int i) const {
        return i < shift_ ? first_ : static_cast<T>(storage_.buffer[result_][i - shift_]);
    }

    // Exclusive scan; see scan_start.cuh for what Start may be. Returns the total (with an initial
    // value included) to every thread.
    template <class Op, class Start>
    __device__ T exclusive(Op op, Start start) {
        if constexpr (kIsInitialValue<Start>) {
            // Whatever element 0 carries reaches everyone behind it: one operation.
            __syncthreads();
            if (threadIdx.x == 0) {
                const T first = storage_.buffer[0][0];
                storage_.buffer[0][0] = detail::combine(op, start_value<T>(start), first);
            }
        }
        if constexpr (!kIsNoStart<Start>) first_ = start_value<T>(start);
        shift_ = 1;  // the inclusive result of element i - 1 is the exclusive one of element i
        return sweep(op);
    }

    // Inclusive scan. Returns the total to every thread.
    template <class Op>
    __device__ T inclusive(Op op) {
        shift_ = 0;
        return sweep(op);
    }

  private:
    template <class Op>
    __device__ T sweep(Op op) {
        int from = 0;
        for (int distance = 1; distance < count_; distance *= 2) {
            __syncthreads();
            for (int i = static_cast<int>(threadIdx.x); i < count_; i += kThreads) {
                T value = storage_.buffer[from][i];
                if (i >= distance) {
                    const T left = storage_.buffer[from][i - distance];
                    value = detail::combine(op, left, value);
                }
                storage_.buffer[1 - from][i] = value;
            }
            from = 1 - from;
        }
        __syncthreads();
        result_ = from;
        return storage_.buffer[from][count_ - 1];
    }

    TempStorage& storage_;
    int count_;
    int shift_ = 0;   // 1 after an exclusive scan
    int result_ = 0;  // the buffer that holds the results
    T first_{};       // what an exclusive scan gives to element 0
};

LIBSCAN_NAMESPACE_END

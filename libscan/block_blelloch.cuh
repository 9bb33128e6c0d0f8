// SPDX-License-Identifier: Apache-2.0
//
// Tile scan by Blelloch's tree: two sweeps over a balanced binary tree whose nodes live in the
// elements' own places. About 2 * tile operations, as many as a constant times the serial scan; but
// lanes that stand 2 * stride words apart fall into the same bank. block_blelloch_padded*.cuh
// spread them. Source: Guy E. Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990;
// in the form of GPU Gems 3, chapter 39.
//
// The node with children at stride s and index k has its left child in element a = (2k + 1) * s -
// 1, its right child in element b = (2k + 2) * s - 1, and itself in b too.
#pragma once

#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_start.cuh>
#include <libscan/shared_layout.cuh>

LIBSCAN_NAMESPACE_BEGIN

// Scans up to kTile elements of T with a one-dimensional block of kThreads threads; Layout says
// where an element stands. Needs about kTile * sizeof(T) bytes of shared memory.
//
// Use: construct in every thread; put() each element i < count once; exclusive() or inclusive(),
// called by all threads together (collective); get() the results. The barriers between these steps
// are inside. A __syncthreads() of the caller must stand before the storage is used again. The
// operator must be associative, need not be commutative (every operation has the left part of the
// tile on its left), and only ever sees elements, the start, and its own results.
template <class T, int kThreads, int kTile, class Layout>
class BlockBlellochTree {
    static_assert(detail::TileRequirements<T, kThreads, kTile>::kMet, "");

    struct Storage {
        shared_array<T, layout_words<Layout>(kTile)> tree;
        shared_array<T, 1> total;
    };

  public:
    using TempStorage = Storage;

    // count = number of elements, 1 to kTile.
    __device__ explicit BlockBlellochTree(TempStorage& storage, int count = kTile)
        : storage_(storage), count_(count) {}

    // Gives element i < count its value. Any thread may do it.
    __device__ void put(int i, T value) { storage_.tree[Layout::word(i)] = value; }

    // Result of element i < count, for any thread. After an exclusive scan from NoStart the result
    // of element 0 is unspecified.
    __device__ T get(int i) const {
        i += shift_;
        return i < count_ ? static_cast<T>(storage_.tree[Layout::word(i)]) : total_;
    }

    // Exclusive scan; see scan_start.cuh for what Start may be. Returns the total (with an initial
    // value included) to every thread.
    template <class Op, class Start>
    __device__ T exclusive(Op op, Start start) {
        shift_ = 0;
        up_sweep(op);
        if (threadIdx.x == 0) {
            // The root is the tile's total. It must be saved before the start takes its place.
            // Thread 0 made the root itself, so it needs no barrier to read it.
            const T root = storage_.tree[kRoot];
            storage_.total[0] = root;
            if constexpr (!kIsNoStart<Start>) storage_.tree[kRoot] = start_value<T>(start);
        }
        down_sweep<kIsNoStart<Start>>(op);
        __syncthreads();
        total_ = storage_.total[0];
        if constexpr (kIsInitialValue<Start>) {
            total_ = detail::combine(op, start_value<T>(start), total_);
        }
        return total_;
    }

    // Inclusive scan. Returns the total to every thread.
    template <class Op>
    __device__ T inclusive(Op op) {
        const T total = exclusive(op, NoStart{});
        shift_ = 1;  // the exclusive result of element i + 1 is the inclusive one of element i
        return total;
    }

  private:
    static constexpr int kRoot = Layout::word(kTile - 1);

    // Towards the root: every node becomes left child op right child. Where the tile is ragged, a
    // node may have no right child; the left one moves up as it is. A node without any child is
    // left out.
    template <class Op>
    __device__ void up_sweep(Op op) {
        for (int stride = 1; stride < kTile; stride *= 2) {
            __syncthreads();
            const int nodes = detail::ceil_div(count_, 2 * stride);
            for (int k = static_cast<int>(threadIdx.x); k < nodes; k += kThreads) {
                const int a = (2 * k + 1) * stride - 1;
                const int b = (2 * k + 2) * stride - 1;
                T node = storage_.tree[Layout::word(a)];
                if (a + 1 < count_) {
                    const T right = storage_.tree[Layout::word(b)];
                    node = detail::combine(op, node, right);
                }
                storage_.tree[Layout::word(b)] = node;
            }
        }
    }

    // Towards the leaves: a node holds everything to the left of its subtree. It hands that to its
    // left child, and that op (the sum that the left child held) to its right child. Without a
    // start there is nothing to the left of the leftmost node of a level: its right child just gets
    // the left one's sum.
    template <bool kNoStart, class Op>
    __device__ void down_sweep(Op op) {
        for (int stride = kTile / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const int nodes = detail::ceil_div(count_, 2 * stride);
            for (int k = static_cast<int>(threadIdx.x); k < nodes; k += kThreads) {
                const int a = (2 * k + 1) * stride - 1;
                const int b = (2 * k + 2) * stride - 1;
                T right = storage_.tree[Layout::word(a)];
                if (!kNoStart || k > 0) {
                    const T before = storage_.tree[Layout::word(b)];
                    storage_.tree[Layout::word(a)] = before;
                    if (a + 1 < count_) right = detail::combine(op, before, right);
                }
                if (a + 1 < count_) storage_.tree[Layout::word(b)] = right;
            }
        }
    }

    TempStorage& storage_;
    int count_;
    int shift_ = 0;  // 1 after an inclusive scan
    T total_{};
};

// The tree without padding: element i in word i.
template <class T, int kThreads, int kTile>
using BlockBlelloch = BlockBlellochTree<T, kThreads, kTile, PlainLayout>;

LIBSCAN_NAMESPACE_END

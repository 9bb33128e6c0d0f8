// SPDX-License-Identifier: Apache-2.0
//
// Run-length encoding as a task of the compaction kernel. A run is a maximal range of successive
// items of which each equals the one before it; its first item is its head.
//
// The length of a run is the distance from its head to the next, so it is written by the tile that
// has the next head, and the last one by finish(). What tiles tell each other is how many heads
// there are and where the last one is: the source's ReduceByKey with positions for sums, since a
// length is a difference of two positions.
//
// Source: Duane Merrill and Michael Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back", NVIDIA NVR-2016-002, 2016, section on reduce-by-key.
#pragma once

#include <compaction/compaction_kernel.cuh>
#include <compaction/criteria.cuh>
#include <compaction/tile_counts.cuh>
#include <compaction/tile_shape.cuh>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/type_traits.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// count[0]: heads; count[1]: index of the last one, plus 1, or 0 where there is none.
struct LastHead {
    __device__ Counts<2> operator()(const Counts<2>& a, const Counts<2>& b) const {
        return {{a.count[0] + b.count[0], b.count[0] > 0 ? b.count[1] : a.count[1]}};
    }
};

// Each warp writes down where in the tile its last item of the part is, or -1. A barrier must
// follow before last_noted() tells the last one in the tile, or -1.
template <class Shape>
__device__ void note_last(const PartBits<1>& part, shared_array<int, Shape::kWarps>& warp_last) {
    int last = -1;
    LIBSCAN_UNROLL(Shape::kRows)
    for (int row = 0; row < Shape::kRows; ++row) {
        const unsigned mask = __ballot_sync(~0u, part.has(0, row));
        if (mask != 0) {
            last = Shape::row_begin(row) + kWarpSize - 1 - __clz(static_cast<int>(mask));
        }
    }
    if (Shape::lane() == 0) warp_last[Shape::warp()] = last;
}
template <class Shape>
__device__ int last_noted(const shared_array<int, Shape::kWarps>& warp_last) {
    int last = -1;
    for (int warp = 0; warp < Shape::kWarps; ++warp) {
        const int of_warp = warp_last[warp];
        if (of_warp >= 0) last = of_warp;
    }
    return last;
}

template <class Out>
__device__ void store_number(Out out, Word i, std::int64_t value) {
    store(out, static_cast<std::int64_t>(i), value);
}

template <class ShapeOfTile, class In, class Unique, class Lengths, class NumRuns, class Equality>
struct EncodeTask {
    using Shape = ShapeOfTile;
    using Item = IteratorValue<In>;
    using State = Counts<2>;
    using Combine = LastHead;
    static_assert(Shape::kTile <= 65536, "a position in the tile is kept in 16 bits");

    In in;
    UniqueCriterion<In, Equality> is_head;
    Unique unique;
    Lengths lengths;
    NumRuns num_runs;

    struct Shared {
        shared_array<int, Shape::kWarps> warp_counts, warp_last;
        shared_array<Item, Shape::kTile> items;                // the heads, in order
        shared_array<unsigned short, Shape::kTile> positions;  // and where they are in the tile
    };

    class Tile {
      public:
        __device__ Tile(EncodeTask& task, Shared& shared, std::int64_t base, int count)
            : task_(task), shared_(shared), base_(base), count_(count) {}

        __device__ State read() {
            for_each_row<Shape>(count_, [&](int row, int i, bool inside) {
                if (inside) items_[row] = task_.in[base_ + i];
            });
            for_each_row<Shape>(count_, [&](int row, int i, bool inside) {
                if (inside) heads_.set(task_.is_head.part(base_ + i, items_[row]), row);
            });
            note_last<Shape>(heads_, shared_.warp_last);
            counts_ = count_parts<Shape>(heads_, shared_.warp_counts);
            return State{{static_cast<Word>(counts_.total[0]),
                          static_cast<Word>(base_ + last_noted<Shape>(shared_.warp_last) + 1)}};
        }

        __device__ void stage() {
            int next = counts_.before_warp[0];
            for_each_row<Shape>(count_, [&](int row, int i, bool) {
                const bool head = heads_.has(0, row);
                const int rank = rank_in_row(next, __ballot_sync(~0u, head));
                if (!head) return;
                shared_.items[rank] = items_[row];
                shared_.positions[rank] = static_cast<unsigned short>(i);
            });
        }

        __device__ void write(const State& before, std::int64_t) {
            for (int r = static_cast<int>(threadIdx.x); r < counts_.total[0];
                 r += Shape::kThreads) {
                const Word run = before.count[0] + static_cast<Word>(r);
                const Item item = shared_.items[r];
                store(task_.unique, static_cast<std::int64_t>(run), item);
                if (run == 0) continue;
                const int here = shared_.positions[r];
                std::int64_t previous = static_cast<std::int64_t>(before.count[1]) - 1;
                if (r > 0) {
                    const int there = shared_.positions[r - 1];
                    previous = base_ + there;
                }
                store_number(task_.lengths, run - 1, base_ + here - previous);
            }
        }

      private:
        EncodeTask& task_;
        Shared& shared_;
        std::int64_t base_;
        int count_;
        PartBits<1> heads_;
        PartCounts<1> counts_;
        Item items_[Shape::kRows];
    };

    __device__ void finish(const State& end, std::int64_t n) {
        if (end.count[0] > 0) {
            store_number(lengths, end.count[0] - 1,
                         n - (static_cast<std::int64_t>(end.count[1]) - 1));
        }
        store_count<1>(num_runs, 0, end.count[0]);
    }
};

// ---- Runs of two items and more ----------------------------------------------------------------
//
// Such a run opens at its second item, the first one that equals the item before it where that one
// does not, and closes at the next head. Whether a tile's first item opens a run hangs on the tile
// before, so it is kept apart: what is counted and staged leaves it out, and write() puts it in.

// Of a range of items.
struct OpenRuns {
    Word opened;       // runs that open here, the first item left out
    bool first_equal;  // the first item equals the one before it
    bool open;         // the last item is in a run that has opened
    Word opening;      // where the last run opens, or, if opened == 0, where the first item is

    __device__ static OpenRuns unpack(const Counts<2>& state) {
        return {state.count[0] >> 2, (state.count[0] & 2) != 0, (state.count[0] & 1) != 0,
                state.count[1]};
    }
    __device__ Counts<2> pack() const {
        return {{opened << 2 | (first_equal ? 2u : 0u) | (open ? 1u : 0u), opening}};
    }
};

struct JoinOpenRuns {
    __device__ Counts<2> operator()(const Counts<2>& left, const Counts<2>& right) const {
        const OpenRuns a = OpenRuns::unpack(left), b = OpenRuns::unpack(right);
        const bool opens = b.first_equal && !a.open;  // b's first item opens a run
        return OpenRuns{a.opened + b.opened + (opens ? 1u : 0u), a.first_equal, b.open,
                        b.opened > 0 || opens ? b.opening : a.opening}
            .pack();
    }
};

template <class ShapeOfTile, class In, class Offsets, class Lengths, class NumRuns, class Equality>
struct NonTrivialRunsTask {
    using Shape = ShapeOfTile;
    using Item = IteratorValue<In>;
    using State = Counts<2>;
    using Combine = JoinOpenRuns;
    static constexpr int kRuns = Shape::kTile / 2 + 1;  // no more can open in a tile
    static_assert(Shape::kTile <= 65536, "a position in the tile is kept in 16 bits");

    In in;
    UniqueCriterion<In, Equality> is_head;
    Offsets offsets;
    Lengths lengths;
    NumRuns num_runs;

    struct Shared {
        shared_array<int, Shape::kWarps> warp_counts, warp_last;
        shared_array<unsigned, Shape::kWarps> warp_equal;  // of the warp's last row
        shared_array<bool, 2> end_equal;                   // the first item, the last item
        shared_array<unsigned short, kRuns> openings;      // of the runs that open in the tile
        shared_array<unsigned short, kRuns> closings;      // [r + 1]: of run r; [0]: of one before
    };

    class Tile {
      public:
        __device__ Tile(NonTrivialRunsTask& task, Shared& shared, std::int64_t base, int count)
            : task_(task), shared_(shared), base_(base), count_(count) {}

        __device__ State read() {
            Item items[Shape::kRows];
            for_each_row<Shape>(count_, [&](int row, int i, bool inside) {
                if (inside) items[row] = task_.in[base_ + i];
            });
            PartBits<1> equal;
            for_each_row<Shape>(count_, [&](int row, int i, bool inside) {
                if (inside) equal.set(task_.is_head.part(base_ + i, items[row]) - 1, row);
            });
            const int lane = Shape::lane();
            const unsigned last_row = __ballot_sync(~0u, equal.has(0, Shape::kRows - 1));
            if (lane == 0) shared_.warp_equal[Shape::warp()] = last_row;
            __syncthreads();
            unsigned before = 0;  // bit 31: the item before the row equals the one before it
            if (Shape::warp() > 0) before = shared_.warp_equal[Shape::warp() - 1];
            for_each_row<Shape>(count_, [&](int row, int i, bool inside) {
                const unsigned here = __ballot_sync(~0u, equal.has(0, row));
                unsigned left = here << 1 | before >> 31;
                if (Shape::row_begin(row) == 0) left = (left & ~1u) | (here & 1u);  // first item
                before = here;
                if (!inside) return;
                const bool equals = (here >> lane & 1u) != 0,
                           left_equals = (left >> lane & 1u) != 0;
                if (equals && !left_equals) opens_.set(0, row);
                if (!equals && left_equals) closes_.set(0, row);
                if (i == 0) shared_.end_equal[0] = equals;
                if (i == count_ - 1) shared_.end_equal[1] = equals;
            });
            note_last<Shape>(opens_, shared_.warp_last);
            counts_ = count_parts<Shape>(opens_, shared_.warp_counts);
            tile_.opened = static_cast<Word>(counts_.total[0]);
            if (count_ > 0) {
                tile_.first_equal = shared_.end_equal[0];
                tile_.open = shared_.end_equal[1];
            }
            const int last = last_noted<Shape>(shared_.warp_last);
            tile_.opening = static_cast<Word>(base_ + (last > 0 ? last : 0));
            return tile_.pack();
        }

        __device__ void stage() {
            int next = counts_.before_warp[0];
            for_each_row<Shape>(count_, [&](int row, int i, bool) {
                const bool opens = opens_.has(0, row);
                const int rank = rank_in_row(next, __ballot_sync(~0u, opens));
                if (opens) shared_.openings[rank] = static_cast<unsigned short>(i);
                if (closes_.has(0, row)) shared_.closings[rank] = static_cast<unsigned short>(i);
            });
        }

        __device__ void write(const State& state_before, std::int64_t) {
            const OpenRuns before = OpenRuns::unpack(state_before);
            const bool first_opens = tile_.first_equal && !before.open;
            // The number of the tile's run 0, and where the run before that begins.
            const Word first_run = before.opened + (first_opens ? 1u : 0u);
            const std::int64_t begin_before =
                first_opens ? base_ - 1 : static_cast<std::int64_t>(before.opening) - 1;
            const int thread = static_cast<int>(threadIdx.x), runs = counts_.total[0];
            if (thread == 0 && first_opens) store_number(task_.offsets, before.opened, base_ - 1);
            if (thread == 0 && count_ > 0 && before.open && !tile_.first_equal)
                store_number(task_.lengths, before.opened - 1, base_ - begin_before);
            // Run r = -1 is the one that the first item is in; the last run may still be open.
            const int closed = tile_.open ? runs - 1 : runs;
            for (int r = thread - (tile_.first_equal ? 1 : 0); r < runs; r += Shape::kThreads) {
                std::int64_t begin = begin_before;
                if (r >= 0) {
                    const int opening = shared_.openings[r];
                    begin = base_ + opening - 1;
                    store_number(task_.offsets, first_run + static_cast<Word>(r), begin);
                }
                if (r >= closed) continue;
                const int closing = shared_.closings[r + 1];
                store_number(task_.lengths, first_run + static_cast<Word>(r),
                             base_ + closing - begin);
            }
        }

      private:
        NonTrivialRunsTask& task_;
        Shared& shared_;
        std::int64_t base_;
        int count_;
        PartBits<1> opens_, closes_;
        PartCounts<1> counts_;
        OpenRuns tile_ = {};
    };

    __device__ void finish(const State& state, std::int64_t n) {
        const OpenRuns end = OpenRuns::unpack(state);
        if (end.open) {
            store_number(lengths, end.opened - 1, n - (static_cast<std::int64_t>(end.opening) - 1));
        }
        store_count<1>(num_runs, 0, end.opened);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

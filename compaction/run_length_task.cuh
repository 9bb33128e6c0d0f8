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
#include <compaction/lane_rows.cuh>
#include <compaction/packed_copy.cuh>
#include <compaction/sinks.cuh>
#include <compaction/staging.cuh>
#include <compaction/tile_counts.cuh>
#include <compaction/tile_shape.cuh>
#include <compaction/turned_row.cuh>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/type_traits.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// count[0]: heads; count[1]: index of the last one, plus 1, or 0 where there is none. Later heads
// have larger indices, so the order of combination does not matter.
struct LastHead {
    static constexpr bool kCommutative = true;
    template <class C>
    __device__ __forceinline__ C operator()(const C& a, const C& b) const {
        return {{a.count[0] + b.count[0], a.count[1] > b.count[1] ? a.count[1] : b.count[1]}};
    }
};

// 1 + the place in the tile of the warp's last item that has its bit, 0 where there is none; in all
// lanes.
template <class Shape>
__device__ __forceinline__ int behind_last(const ItemBits<Shape>& bits) {
    int behind = 0;
    LIBSCAN_UNROLL_ALL
    for (int row = 0; row < Shape::kRows; ++row) {
        const unsigned own = bits.row(row);
        if (own != 0) behind = Shape::at(row) + kWarpSize - __clz(static_cast<int>(own));
    }
    LIBSCAN_UNROLL_ALL
    for (int distance = kWarpSize / 2; distance > 0; distance /= 2) {
        const int other = __shfl_xor_sync(~0u, behind, distance);
        behind = other > behind ? other : behind;
    }
    return behind;
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
    using Gather = GatherFor<Shape, State, Combine, 1>;
    static_assert(Shape::kTile <= 65536, "a position in the tile is kept in 16 bits");

    In in;
    Equality equal;
    Unique unique;
    Lengths lengths;
    NumRuns num_runs;

    using Local = Counts<2, int>;

    struct Shared {
        shared_array<StagedItem<Item>, Shape::kTile> items;    // the heads, in order
        shared_array<unsigned short, Shape::kTile> positions;  // and where they are in the tile
    };

    class Tile {
      public:
        __device__ __forceinline__ void load(EncodeTask& task, std::int64_t base, int count) {
            load_rows<Shape>(task.in, base, count, rows_);
            load_left<Shape>(task.in, base, count, left_);
        }

        __device__ __forceinline__ Local count(EncodeTask& task, std::int64_t base, int count) {
            heads_.clear();
            mark_heads<Shape>(task.in, task.equal, rows_, left_, base, count, heads_);
            return Local{{ranks_.rank(heads_), behind_last(heads_)}};
        }

        __device__ __forceinline__ void stage(EncodeTask&, Shared& shared, int, const Local& before,
                                              const Local&) {
            heads_.forget();
            using Items = Staging<StagedItem<Item>, decltype(shared.items)>;
            using Positions = Staging<unsigned short, decltype(shared.positions)>;
            Items items(shared.items);
            Positions positions(shared.positions);
            int next = before.count[0];
            LIBSCAN_UNROLL_ALL
            for (int row = 0; row < Shape::kRows; ++row) {
                if constexpr (kCanTurn<Item, Shape::kVector>) {
                    constexpr int kMany = kWarpSize * Shape::kVector / 2;
                    if (ranks_.in_row(row) > kMany) {
                        stage_turned(items, positions, row, next + ranks_.below(row));
                        next += ranks_.in_row(row);
                        continue;
                    }
                }
                int item = items.address(next + ranks_.below(row));
                int position = positions.address(next + ranks_.below(row));
                next += ranks_.in_row(row);
                LIBSCAN_UNROLL_ALL
                for (int j = 0; j < Shape::kVector; ++j) {
                    const unsigned head = heads_.in_place(row, j);
                    items.put_if(head, item, same_bytes<StagedItem<Item>>(rows_[row].get(j)));
                    positions.put_low_if(head, position, static_cast<unsigned>(Shape::at(row) + j));
                }
            }
        }

      private:
        // A row's heads, from place `first` on.
        template <class Items, class Positions>
        __device__ __forceinline__ void stage_turned(Items& items, Positions& positions, int row,
                                                     int first) {
            const TurnedOrder<Shape::kVector> order;
            const unsigned bits = heads_.row(row), heads = order.turned(bits);
            const LaneRow<Item, Shape::kVector> turned = order.turned(rows_[row]);
            const int begin = first + order.skipped(bits);
            int item = items.address(begin), position = positions.address(begin);
            LIBSCAN_UNROLL_ALL
            for (int j = 0; j < Shape::kVector; ++j) {
                if (order.begins_anew(j)) {
                    item = items.address(first);
                    position = positions.address(first);
                }
                const unsigned head = heads & 1u << j;
                items.put_if(head, item, same_bytes<StagedItem<Item>>(turned.get(j)));
                positions.put_low_if(head, position,
                                     static_cast<unsigned>(Shape::at(row) + order.item(j)));
            }
        }

        ItemBits<Shape> heads_;
        LaneRanks<Shape> ranks_;
        LaneRow<Item, Shape::kVector> rows_[Shape::kRows];
        Item left_;
    };

    __device__ static State widen(const Local& local, std::int64_t base) {
        return {{static_cast<Word>(local.count[0]),
                 static_cast<Word>(local.count[1] > 0 ? base + local.count[1] : 0)}};
    }

    __device__ __forceinline__ void write(Shared& shared, std::int64_t base, int,
                                          const Local& total, const State& before, std::int64_t) {
        const int thread = static_cast<int>(threadIdx.x), heads = total.count[0];
        const std::int64_t first = static_cast<std::int64_t>(before.count[0]);
        if constexpr (sizeof(Item) <= 2 && std::is_same_v<Unique, Item*>) {
            copy_packed<Shape::kThreads, false>(reinterpret_cast<char*>(&shared.items[0]), 0, heads,
                                                unique + first);
        } else {
            for_some_at_once<Shape::kThreads, sizeof(Item) <= 8 ? 4 : 2>(
                thread, heads,
                [&](int r) {
                    const StagedItem<Item> item = shared.items[r];
                    return item;
                },
                [&](int r, const StagedItem<Item>& item) {
                    store_item(unique, first + r, same_bytes<Item>(item));
                });
        }
        // Each head but the first ends a run that begins in this tile.
        for_some_at_once<Shape::kThreads, 4>(
            thread + 1, heads,
            [&](int r) {
                const int begin = shared.positions[r - 1], end = shared.positions[r];
                return end - begin;
            },
            [&](int r, int length) {
                store_number(lengths, before.count[0] + static_cast<Word>(r) - 1,
                             std::int64_t{length});
            });
        if (thread == Shape::kThreads - 1 && heads > 0 && first > 0) {
            const int end = shared.positions[0];
            store_number(lengths, before.count[0] - 1,
                         base + end - (static_cast<std::int64_t>(before.count[1]) - 1));
        }
    }

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
// does not, and closes at the next head. Whether the first item of a range opens a run hangs on
// what stands before, so it is kept apart: what a warp counts leaves it out. Behind the block's
// barrier that is settled for all warps but the first, whose first item write() puts in.

// Of a range of items.
template <class Number>
struct OpenRuns {
    Number opened;     // runs that open here, the first item left out
    bool first_equal;  // the first item equals the one before it
    bool open;         // the last item is in a run that has opened
    Number opening;    // 1 + where the last run opens, or, if opened == 0, the first item's place

    __device__ static OpenRuns unpack(const Counts<2, Number>& state) {
        return {state.count[0] >> 2, (state.count[0] & 2) != 0, (state.count[0] & 1) != 0,
                state.count[1]};
    }
    __device__ Counts<2, Number> pack() const {
        return {
            {opened << 2 | (first_equal ? Number(2) : Number(0)) | (open ? Number(1) : Number(0)),
             opening}};
    }
};

// All zero is a range without items.
struct JoinOpenRuns {
    static constexpr bool kCommutative = false;
    template <class Number>
    __device__ Counts<2, Number> operator()(const Counts<2, Number>& left,
                                            const Counts<2, Number>& right) const {
        if (right.count[1] == 0) return left;
        if (left.count[1] == 0) return right;
        const auto a = OpenRuns<Number>::unpack(left), b = OpenRuns<Number>::unpack(right);
        const bool opens = b.first_equal && !a.open;  // b's first item opens a run
        return OpenRuns<Number>{a.opened + b.opened + (opens ? Number(1) : Number(0)),
                                a.first_equal, b.open,
                                b.opened > 0 || opens ? b.opening : a.opening}
            .pack();
    }
};

template <class ShapeOfTile, class In, class Offsets, class Lengths, class NumRuns, class Equality>
struct NonTrivialRunsTask {
    using Shape = ShapeOfTile;
    using Item = IteratorValue<In>;
    using State = Counts<2>;
    using Local = Counts<2, int>;
    using Combine = JoinOpenRuns;
    using Gather = TileGather<State, Combine>;
    static constexpr int kRuns = Shape::kTile / 2 + 1;  // no more can open in a tile

    In in;
    Equality equal;
    Offsets offsets;
    Lengths lengths;
    NumRuns num_runs;

    struct Shared {
        shared_array<unsigned short, kRuns> openings;  // of the runs that open in the tile
        shared_array<unsigned short, kRuns> closings;  // [r + 1]: of run r; [0]: of one before
    };

    class Tile {
      public:
        __device__ __forceinline__ void load(NonTrivialRunsTask& task, std::int64_t base,
                                             int count) {
            load_rows<Shape>(task.in, base, count, rows_);
            load_left<Shape>(task.in, base, count, left_);
        }

        __device__ __forceinline__ Local count(NonTrivialRunsTask& task, std::int64_t base,
                                               int count) {
            constexpr int kWarpItems = Shape::kRows * kWarpSize * Shape::kVector;
            ItemBits<Shape> heads, equal;
            mark_heads<Shape>(task.in, task.equal, rows_, left_, base, count, heads);
            for_each_item<Shape>(
                count, [&](int row, int j, int) { equal.set(row, j, !heads.has(row, j)); });
            opens_.clear();
            closes_.clear();
            const int lane = Shape::lane();
            unsigned before = 0;  // bit 31: the item before the row equals the one before it
            LIBSCAN_UNROLL_ALL
            for (int row = 0; row < Shape::kRows; ++row) {
                const unsigned own = equal.row(row);
                const unsigned last = __ballot_sync(~0u, (own >> (Shape::kVector - 1) & 1u) != 0);
                const unsigned carry =
                    (lane > 0 ? last >> (lane > 0 ? lane - 1 : 0) : before >> 31) & 1u;
                const unsigned left = own << 1 | carry;
                const unsigned known = row == 0 && lane == 0 ? ~1u : ~0u;
                opens_.set_row(row, own & ~left & known);
                closes_.set_row(row, heads.row(row) & left & known);
                before = last;
            }
            first_equal_ = __shfl_sync(~0u, equal.row(0), 0) & 1u;
            const int opened = ranks_.rank(opens_);
            const int opening = behind_last(opens_), last_equal = behind_last(equal);
            const int begin = Shape::warp() * kWarpItems;
            if (begin >= count) return Local{};
            const int end = begin + kWarpItems < count ? begin + kWarpItems : count;
            return OpenRuns<int>{opened, first_equal_ != 0, last_equal == end,
                                 opened > 0 ? opening : begin + 1}
                .pack();
        }

        __device__ __forceinline__ void stage(NonTrivialRunsTask&, Shared& shared, int count,
                                              const Local& state_before, const Local&) {
            opens_.forget();
            closes_.forget();
            const OpenRuns<int> before = OpenRuns<int>::unpack(state_before);
            int next = before.opened;
            if (Shape::warp() > 0) {
                // The warp's first item.
                const int first = Shape::at(0) - Shape::lane() * Shape::kVector;
                const bool opens = first_equal_ != 0 && !before.open;
                if (Shape::lane() == 0 && first < count) {
                    const unsigned short place = static_cast<unsigned short>(first);
                    if (opens) shared.openings[next] = place;
                    if (first_equal_ == 0 && before.open) shared.closings[next] = place;
                }
                next += opens ? 1 : 0;
            }
            using Places = Staging<unsigned short, decltype(shared.openings)>;
            Places openings(shared.openings), closings(shared.closings);
            LIBSCAN_UNROLL_ALL
            for (int row = 0; row < Shape::kRows; ++row) {
                int opening = openings.address(next + ranks_.below(row));
                const int between = closings.begin() - openings.begin();
                next += ranks_.in_row(row);
                LIBSCAN_UNROLL_ALL
                for (int j = 0; j < Shape::kVector; ++j) {
                    const unsigned i = static_cast<unsigned>(Shape::at(row) + j);
                    const unsigned opens = opens_.in_place(row, j);
                    int closing = opening + between;
                    closings.put_low_if(closes_.in_place(row, j), closing, i);
                    openings.put_low_if(opens, opening, i);
                }
            }
        }

      private:
        ItemBits<Shape> opens_, closes_;
        LaneRanks<Shape> ranks_;
        LaneRow<Item, Shape::kVector> rows_[Shape::kRows];
        Item left_;
        unsigned first_equal_;  // the warp's first item equals the one before it
    };

    __device__ static State widen(const Local& local, std::int64_t base) {
        return {{static_cast<Word>(local.count[0]),
                 static_cast<Word>(local.count[1] > 0 ? base + local.count[1] : 0)}};
    }

    __device__ __forceinline__ void write(Shared& shared, std::int64_t base, int count,
                                          const Local& total, const State& state_before,
                                          std::int64_t) {
        const OpenRuns<Word> before = OpenRuns<Word>::unpack(state_before);
        const OpenRuns<int> tile = OpenRuns<int>::unpack(total);
        const bool first_opens = tile.first_equal && !before.open;
        // The number of the tile's run 0, and where the run before that begins.
        const Word first_run = before.opened + (first_opens ? 1u : 0u);
        const std::int64_t begin_before =
            first_opens ? base - 1 : static_cast<std::int64_t>(before.opening) - 2;
        const int thread = static_cast<int>(threadIdx.x), runs = tile.opened;
        if (thread == 0 && first_opens) store_number(offsets, before.opened, base - 1);
        if (thread == 0 && count > 0 && before.open && !tile.first_equal)
            store_number(lengths, before.opened - 1, base - begin_before);
        // Run r = -1 is the one that the first item is in; the last run may still be open.
        const int closed = tile.open ? runs - 1 : runs;
        for (int r = thread - (tile.first_equal ? 1 : 0); r < runs; r += Shape::kThreads) {
            std::int64_t begin = begin_before;
            if (r >= 0) {
                const int opening = shared.openings[r];
                begin = base + opening - 1;
                store_number(offsets, first_run + static_cast<Word>(r), begin);
            }
            if (r >= closed) continue;
            const int closing = shared.closings[r + 1];
            store_number(lengths, first_run + static_cast<Word>(r), base + closing - begin);
        }
    }

    __device__ void finish(const State& state, std::int64_t n) {
        const OpenRuns<Word> end = OpenRuns<Word>::unpack(state);
        if (end.open) {
            store_number(lengths, end.opened - 1, n - (static_cast<std::int64_t>(end.opening) - 2));
        }
        store_count<1>(num_runs, 0, end.opened);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

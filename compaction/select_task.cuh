// SPDX-License-Identifier: Apache-2.0
//
// Select and partition as a task of the compaction kernel: a criterion sorts the items of a tile
// into parts, and columns carry them from input to output. A column is an input sequence with its
// sink: select has one, unique by key has one for keys and one for values.
#pragma once

#include <compaction/compaction_kernel.cuh>
#include <compaction/sinks.cuh>
#include <compaction/tile_counts.cuh>
#include <compaction/tile_shape.cuh>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/type_traits.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// From global memory to registers to shared memory to global memory. in_place: the sink writes to
// the input itself, item for item.
template <class In, class Sink>
struct Column {
    using Item = IteratorValue<In>;
    static constexpr bool kKeepsRejects = Sink::kKeepsRejects;
    template <int kRows>
    struct Registers {
        Item items[kRows];
    };
    template <int kTile>
    using Staged = shared_array<Item, kTile>;

    In in;
    Sink sink;
    bool in_place;

    template <class R>
    __device__ void read(R& registers, int row, std::int64_t i) {
        registers.items[row] = in[i];
    }
    template <class R, class S>
    __device__ void stage(const R& registers, int row, S& staged, int at) {
        staged[at] = registers.items[row];
    }
    template <class S>
    __device__ void write(const S& staged, int at, int part, std::int64_t position,
                          const SinkPlace& place) {
        if (in_place && place.stays) return;
        const Item item = staged[at];
        sink.put(part, position, item, place);
    }
};

struct NoColumn {
    static constexpr bool kKeepsRejects = false;
    template <int>
    struct Registers {};
    template <int>
    struct Staged {};

    template <class R>
    __device__ void read(R&, int, std::int64_t) {}
    template <class R, class S>
    __device__ void stage(const R&, int, S&, int) {}
    template <class S>
    __device__ void write(const S&, int, int, std::int64_t, const SinkPlace&) {}
};

// Criterion: criteria.cuh. Main: the column that the criterion sees. Second: one that is carried
// along, or NoColumn.
//
// Unique in place: a tile compares its first item with the last one before it, in a tile that may
// be written at that very time. Only that tile itself, or one before it, can write there without
// waiting for this one; an item never moves to the right, so it could only be written onto itself;
// and then nothing before it was dropped, and its tile stays as it is. Such a tile is not written.
template <class ShapeOfTile, class Criterion, class Main, class Second, class NumSelected>
struct SelectTask {
    using Shape = ShapeOfTile;
    static constexpr int kParts = Criterion::kParts;
    static constexpr bool kKeepsRejects = Main::kKeepsRejects;
    static_assert(!Second::kKeepsRejects, "the second column has selected items only");
    using State = Counts<kParts>;
    using Combine = AddCounts;

    Criterion criterion;
    Main main;
    Second second;
    NumSelected num_selected;

    struct Shared {
        shared_array<int, Shape::kWarps * kParts> warp_counts;
        typename Main::template Staged<Shape::kTile> main;
        typename Second::template Staged<Shape::kTile> second;
    };

    class Tile {
      public:
        __device__ Tile(SelectTask& task, Shared& shared, std::int64_t base, int count)
            : task_(task), shared_(shared), base_(base), count_(count) {}

        __device__ State read() {
            constexpr bool kReadsAll = Criterion::kNeedsItem || kKeepsRejects;
            if constexpr (kReadsAll) {
                for_each_row<Shape>(count_, [&](int row, int i, bool inside) {
                    if (inside) task_.main.read(main_, row, base_ + i);
                });
            }
            for_each_row<Shape>(count_, [&](int row, int i, bool inside) {
                if (inside) parts_.set(part_of(row, i), row);
            });
            LIBSCAN_UNROLL(Shape::kRows)
            for (int row = 0; row < Shape::kRows; ++row) {
                if (!parts_.has(0, row)) continue;
                const std::int64_t i = base_ + Shape::row_begin(row) + Shape::lane();
                if constexpr (!kReadsAll) task_.main.read(main_, row, i);
                task_.second.read(second_, row, i);
            }
            counts_ = count_parts<Shape>(parts_, shared_.warp_counts);
            State state;
            LIBSCAN_UNROLL(kParts)
            for (int k = 0; k < kParts; ++k) state.count[k] = static_cast<Word>(counts_.total[k]);
            return state;
        }

        // Part by part, each in the order of the input, the rejected items last.
        __device__ void stage() {
            // next[k]: where the next item of part k goes. A rejected item goes to its index plus
            // `rest`, less all next[k].
            int next[kParts], selected = 0, rest = 0;
            LIBSCAN_UNROLL(kParts)
            for (int k = 0; k < kParts; ++k) {
                next[k] = selected + counts_.before_warp[k];
                rest += selected;
                selected += counts_.total[k];
            }
            rest += selected;
            for_each_row<Shape>(count_, [&](int row, int i, bool inside) {
                int at = rest + i;
                bool rejected = true;
                LIBSCAN_UNROLL(kParts)
                for (int k = 0; k < kParts; ++k) {
                    const bool mine = parts_.has(k, row);
                    const int place = rank_in_row(next[k], __ballot_sync(~0u, mine));
                    at = mine ? place : rejected ? at - place : at;
                    rejected = rejected && !mine;
                }
                if (!inside || (rejected && !kKeepsRejects)) return;
                task_.main.stage(main_, row, shared_.main, at);
                task_.second.stage(second_, row, shared_.second, at);
            });
        }

        __device__ void write(const State& before, std::int64_t n) {
            // Part k has the staged items up to end[k]; the one at `at` goes to position[k] + at.
            std::int64_t position[kParts], rejected = base_;
            int end[kParts], kept = 0;
            LIBSCAN_UNROLL(kParts)
            for (int k = 0; k < kParts; ++k) {
                const std::int64_t in_front = static_cast<std::int64_t>(before.count[k]);
                position[k] = in_front - kept;
                rejected -= in_front;
                kept += counts_.total[k];
                end[k] = kept;
            }
            rejected -= kept;
            const bool stays = !kKeepsRejects && kept == count_ && position[0] == base_;
            const SinkPlace place{n, counts_.total[0], stays};
            const int all = kKeepsRejects ? count_ : kept;
            for (int at = static_cast<int>(threadIdx.x); at < all; at += Shape::kThreads) {
                int part = kParts;
                std::int64_t to = rejected + at;
                LIBSCAN_UNROLL(kParts)
                for (int k = kParts - 1; k >= 0; --k) {
                    const bool is_in = !kKeepsRejects || at < end[k];
                    part = is_in ? k : part;
                    to = is_in ? position[k] + at : to;
                }
                task_.main.write(shared_.main, at, part, to, place);
                task_.second.write(shared_.second, at, part, to, place);
            }
        }

      private:
        __device__ int part_of(int row, int i) {
            if constexpr (Criterion::kNeedsItem) {
                return task_.criterion.part(base_ + i, main_.items[row]);
            } else {
                return task_.criterion.part(base_ + i);
            }
        }

        SelectTask& task_;
        Shared& shared_;
        std::int64_t base_;
        int count_;
        PartBits<kParts> parts_;
        PartCounts<kParts> counts_;
        typename Main::template Registers<Shape::kRows> main_;
        typename Second::template Registers<Shape::kRows> second_;
    };

    __device__ void finish(const State& end, std::int64_t) {
        LIBSCAN_UNROLL(kParts)
        for (int k = 0; k < kParts; ++k) store_count<kParts>(num_selected, k, end.count[k]);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

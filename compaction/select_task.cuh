// SPDX-License-Identifier: Apache-2.0
//
// Select and partition as a task of the compaction kernel: a criterion sorts the items of a tile
// into parts, and columns carry them from input to output. A column is an input sequence with its
// sink: select has one, unique by key has one for keys and one for values.
#pragma once

#include <compaction/compaction_kernel.cuh>
#include <compaction/lane_rows.cuh>
#include <compaction/packed_copy.cuh>
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
    template <class Shape>
    struct Registers {
        LaneRow<Item, Shape::kVector> rows[Shape::kRows];
    };
    template <int kTile>
    using Staged = shared_array<StagedItem<Item>, kTile>;

    In in;
    Sink sink;
    bool in_place;

    template <class Shape>
    __device__ __forceinline__ void load(Registers<Shape>& registers, std::int64_t base,
                                         int count) {
        load_rows<Shape>(in, base, count, registers.rows);
    }
    // The items in `bits`, and maybe their neighbours.
    template <class Shape>
    __device__ __forceinline__ void load_some(Registers<Shape>& registers, std::int64_t base,
                                              int count, const ItemBits<Shape>& bits) {
        using Row = LaneRow<Item, Shape::kVector>;
        if constexpr (std::is_pointer_v<In> && Row::kIsPacked) {
            const auto* const from = in + base + Shape::at(0);
            if (count == Shape::kTile &&
                reinterpret_cast<std::uintptr_t>(from) % Row::kAlignment == 0) {
                LIBSCAN_UNROLL_ALL
                for (int row = 0; row < Shape::kRows; ++row) {
                    if (bits.row(row) != 0)
                        registers.rows[row].load(from + row * kWarpSize * Shape::kVector);
                }
                return;
            }
        }
        LIBSCAN_UNROLL_ALL
        for (int row = 0; row < Shape::kRows; ++row) {
            registers.rows[row].clear();
            LIBSCAN_UNROLL_ALL
            for (int j = 0; j < Shape::kVector; ++j) {
                if (bits.has(row, j)) registers.rows[row].set(j, in[base + Shape::at(row) + j]);
            }
        }
    }
    template <class R, class S>
    __device__ __forceinline__ void stage(const R& registers, int row, int j, S& staged, int at) {
        staged[at] = same_bytes<StagedItem<Item>>(registers.rows[row].get(j));
    }
    // Staged item `at` is of this part, where it is at this position.
    template <class S>
    __device__ __forceinline__ void write(const S& staged, int at, int part, std::int64_t position,
                                          const SinkPlace& place) {
        const StagedItem<Item> item = staged[at];
        sink.put(part, position, same_bytes<Item>(item), place);
    }
    // All staged items, where there is one part: the first `kept` are in it, at position + their
    // index; the others up to `count` are not, at rejected + their index.
    template <int kThreads, class S>
    __device__ __forceinline__ void write_all(S& staged, int kept, int count, std::int64_t position,
                                              std::int64_t rejected, const SinkPlace& place) {
        if (in_place && place.stays) return;
        if constexpr (sizeof(Item) <= 2 && Sink::template kIsArrayOf<Item>) {
            char* const from = reinterpret_cast<char*>(&staged[0]);
            const int all = kKeepsRejects ? count : kept;
            copy_packed<kThreads, false>(from, 0, kept, all, sink.out + position);
            if constexpr (kKeepsRejects) {
                copy_packed<kThreads, true>(from, kept, count - kept, all,
                                            sink.out + (place.n - rejected - count));
            }
        } else {
            const int thread = static_cast<int>(threadIdx.x);
            for (int at = thread; at < kept; at += kThreads)
                write(staged, at, 0, position + at, place);
            if constexpr (kKeepsRejects) {
                for (int at = kept + thread; at < count; at += kThreads)
                    write(staged, at, 1, rejected + at, place);
            }
        }
    }
};

struct NoColumn {
    static constexpr bool kKeepsRejects = false;
    template <class>
    struct Registers {};
    template <int>
    struct Staged {};

    template <class Shape>
    __device__ void load_some(Registers<Shape>&, std::int64_t, int, const ItemBits<Shape>&) {}
    template <class R, class S>
    __device__ void stage(const R&, int, int, S&, int) {}
    template <class S>
    __device__ void write(const S&, int, int, std::int64_t, const SinkPlace&) {}
    template <int, class S>
    __device__ void write_all(S&, int, int, std::int64_t, std::int64_t, const SinkPlace&) {}
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
    using Gather = GatherFor<Shape, State, Combine, kParts>;

    Criterion criterion;
    Main main;
    Second second;
    NumSelected num_selected;

    using Local = Counts<kParts, int>;

    struct Shared {
        typename Main::template Staged<Shape::kTile> main;
        typename Second::template Staged<Shape::kTile> second;
    };

    class Tile {
      public:
        __device__ __forceinline__ void load(SelectTask& task, std::int64_t base, int count) {
            task.main.template load<Shape>(main_, base, count);
            task.criterion.template load<Shape>(asked_, base, count);
        }

        __device__ __forceinline__ Local count(SelectTask& task, std::int64_t base, int count) {
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kParts; ++k) parts_[k].clear();
            task.criterion.template classify<Shape>(asked_, main_.rows, base, count, parts_);
            task.second.template load_some<Shape>(second_, base, count, parts_[0]);
            Local local;
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kParts; ++k) local.count[k] = ranks_[k].rank(parts_[k]);
            return local;
        }

        // Part by part, each in the order of the input, the rejected items last.
        __device__ __forceinline__ void stage(SelectTask& task, Shared& shared, int count,
                                              const Local& before, const Local& total) {
            // next[k]: where the next item of part k goes. A rejected item goes to its index plus
            // `rest`, less all next[k].
            int next[kParts], selected = 0, rest = 0;
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kParts; ++k) {
                parts_[k].forget();
                next[k] = selected + before.count[k];
                rest += selected;
                selected += total.count[k];
            }
            rest += selected;
            LIBSCAN_UNROLL_ALL
            for (int row = 0; row < Shape::kRows; ++row) {
                int place[kParts];
                LIBSCAN_UNROLL_ALL
                for (int k = 0; k < kParts; ++k) {
                    place[k] = next[k] + ranks_[k].below(row);
                    next[k] += ranks_[k].in_row(row);
                }
                LIBSCAN_UNROLL_ALL
                for (int j = 0; j < Shape::kVector; ++j) {
                    const int i = Shape::at(row) + j;
                    int at = rest + i;
                    bool rejected = true;
                    LIBSCAN_UNROLL_ALL
                    for (int k = 0; k < kParts; ++k) {
                        const bool mine = parts_[k].has(row, j);
                        at = mine ? place[k] : rejected ? at - place[k] : at;
                        rejected = rejected && !mine;
                        place[k] += mine ? 1 : 0;
                    }
                    if (rejected && (!kKeepsRejects || i >= count)) continue;
                    task.main.stage(main_, row, j, shared.main, at);
                    task.second.stage(second_, row, j, shared.second, at);
                }
            }
        }

      private:
        ItemBits<Shape> parts_[kParts];
        LaneRanks<Shape> ranks_[kParts];
        typename Main::template Registers<Shape> main_;
        typename Second::template Registers<Shape> second_;
        typename Criterion::template Registers<Shape> asked_;
    };

    __device__ static State widen(const Local& local, std::int64_t) {
        State state;
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kParts; ++k) state.count[k] = static_cast<Word>(local.count[k]);
        return state;
    }

    __device__ __forceinline__ void write(Shared& shared, std::int64_t base, int count,
                                          const Local& total, const State& before, std::int64_t n) {
        // Part k has the staged items up to end[k]; the one at `at` goes to position[k] + at.
        std::int64_t position[kParts], rejected = base;
        int end[kParts], kept = 0;
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kParts; ++k) {
            const std::int64_t in_front = static_cast<std::int64_t>(before.count[k]);
            position[k] = in_front - kept;
            rejected -= in_front;
            kept += total.count[k];
            end[k] = kept;
        }
        rejected -= kept;
        const bool stays = !kKeepsRejects && kept == count && position[0] == base;
        const SinkPlace place{n, total.count[0], stays};
        if constexpr (kParts == 1) {
            main.template write_all<Shape::kThreads>(shared.main, kept, count, position[0],
                                                     rejected, place);
            second.template write_all<Shape::kThreads>(shared.second, kept, count, position[0],
                                                       rejected, place);
            return;
        }
        const int all = kKeepsRejects ? count : kept;
        for (int at = static_cast<int>(threadIdx.x); at < all; at += Shape::kThreads) {
            int part = kParts;
            std::int64_t to = rejected + at;
            LIBSCAN_UNROLL_ALL
            for (int k = kParts - 1; k >= 0; --k) {
                const bool is_in = !kKeepsRejects || at < end[k];
                part = is_in ? k : part;
                to = is_in ? position[k] + at : to;
            }
            main.write(shared.main, at, part, to, place);
            second.write(shared.second, at, part, to, place);
        }
    }

    __device__ void finish(const State& end, std::int64_t) {
        LIBSCAN_UNROLL(kParts)
        for (int k = 0; k < kParts; ++k) store_count<kParts>(num_selected, k, end.count[k]);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

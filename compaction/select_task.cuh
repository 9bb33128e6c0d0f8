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
#include <compaction/staging.cuh>
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
        if constexpr (kIsArray<In> && Row::kIsPacked) {
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
    template <int kTile>
    using StagingOf = Staging<StagedItem<Item>, Staged<kTile>>;
    // The address moves on by so many bytes.
    template <int kBy, class R, class S>
    __device__ __forceinline__ void stage(const R& registers, int row, int j, S& staging,
                                          unsigned wanted, int& address) {
        if constexpr (sizeof(Item) < 4 && std::decay_t<decltype(registers.rows[0])>::kIsPacked) {
            staging.template put_low_if<kBy>(wanted, address, registers.rows[row].low(j));
        } else {
            staging.template put_if<kBy>(wanted, address,
                                         same_bytes<StagedItem<Item>>(registers.rows[row].get(j)));
        }
    }
    // The staged items from `first` on are of this part, at this position and those behind it.
    template <int kThreads, int kPart, class S>
    __device__ __forceinline__ void write(S& staged, int first, int count, std::int64_t position,
                                          const SinkPlace& place) {
        if (in_place && place.stays) return;
        if constexpr (sizeof(Item) <= 2 && Sink::template kIsArrayOf<Item>) {
            copy_packed<kThreads, Sink::template kIsBackwards<kPart>>(
                reinterpret_cast<char*>(&staged[0]), first, count,
                sink.template array<kPart>(position, count, place));
        } else {
            for_some_at_once<kThreads, sizeof(Item) <= 8 ? 4 : 2>(
                static_cast<int>(threadIdx.x), count,
                [&](int i) {
                    const StagedItem<Item> item = staged[first + i];
                    return item;
                },
                [&](int i, const StagedItem<Item>& item) {
                    sink.put(kPart, position + i, same_bytes<Item>(item), place);
                });
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
    template <int>
    struct StagingOf {
        static constexpr int kStep = 0;
        template <class S>
        __device__ explicit StagingOf(S&) {}
        __device__ int address(int) const { return 0; }
    };
    template <int, class R, class S>
    __device__ void stage(const R&, int, int, S&, unsigned, int) {}
    template <int, int, class S>
    __device__ void write(S&, int, int, std::int64_t, const SinkPlace&) {}
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
            using Staging = typename Main::template StagingOf<Shape::kTile>;
            using Beside = typename Second::template StagingOf<Shape::kTile>;
            Staging main(shared.main);
            Beside second(shared.second);
            LIBSCAN_UNROLL_ALL
            for (int row = 0; row < Shape::kRows; ++row) {
                // Addresses; `others` less all of them is that of a rejected item in place 0.
                int place[kParts];
                int others = main.address(rest + Shape::at(row));
                LIBSCAN_UNROLL_ALL
                for (int k = 0; k < kParts; ++k) {
                    place[k] = main.address(next[k] + ranks_[k].below(row));
                    others += main.begin();
                }
                int beside = second.address(next[0] + ranks_[0].below(row));
                LIBSCAN_UNROLL_ALL
                for (int k = 0; k < kParts; ++k) next[k] += ranks_[k].in_row(row);
                const int left = count - Shape::at(row);
                LIBSCAN_UNROLL_ALL
                for (int j = 0; j < Shape::kVector; ++j) {
                    const unsigned mine = parts_[0].in_place(row, j);
                    if constexpr (kKeepsRejects) {
                        int at = others + j * Staging::kStep;
                        LIBSCAN_UNROLL_ALL
                        for (int k = 0; k < kParts; ++k) at -= place[k];
                        LIBSCAN_UNROLL_ALL
                        for (int k = kParts - 1; k >= 0; --k) {
                            at = take_place<Staging::kStep>(parts_[k].in_place(row, j), place[k],
                                                            at);
                        }
                        task.main.template stage<0>(main_, row, j, main, j < left ? 1u : 0u, at);
                    } else {
                        static_assert(kParts == 1, "several parts keep what is in none");
                        task.main.template stage<Staging::kStep>(main_, row, j, main, mine,
                                                                 place[0]);
                        task.second.template stage<Beside::kStep>(second_, row, j, second, mine,
                                                                  beside);
                    }
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

    template <int kPart>
    __device__ __forceinline__ void write_part(Shared& shared, int first_staged, int count,
                                               std::int64_t position, const SinkPlace& place) {
        main.template write<Shape::kThreads, kPart>(shared.main, first_staged, count, position,
                                                    place);
        second.template write<Shape::kThreads, kPart>(shared.second, first_staged, count, position,
                                                      place);
    }
    __device__ __forceinline__ void write(Shared& shared, std::int64_t base, int count,
                                          const Local& total, const State& before, std::int64_t n) {
        int kept = 0;
        std::int64_t rejected = base;
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kParts; ++k) {
            kept += total.count[k];
            rejected -= static_cast<std::int64_t>(before.count[k]);
        }
        const std::int64_t first = static_cast<std::int64_t>(before.count[0]);
        const SinkPlace place{n, total.count[0], !kKeepsRejects && kept == count && first == base};
        write_part<0>(shared, 0, total.count[0], first, place);
        if constexpr (kParts == 2) {
            write_part<1>(shared, total.count[0], total.count[1],
                          static_cast<std::int64_t>(before.count[1]), place);
        }
        if constexpr (kKeepsRejects)
            write_part<kParts>(shared, kept, count - kept, rejected, place);
    }

    __device__ void finish(const State& end, std::int64_t) {
        LIBSCAN_UNROLL(kParts)
        for (int k = 0; k < kParts; ++k) store_count<kParts>(num_selected, k, end.count[k]);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

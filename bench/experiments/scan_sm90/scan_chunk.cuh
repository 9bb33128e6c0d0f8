// SPDX-License-Identifier: Apache-2.0
//
// A chunk: what one warp scans at once, kRows rows of 32 lanes of 16 bytes, item order row by row.
// The order of combination within a chunk is fixed here, for every kernel:
//   lane total  = items of the lane, left to right
//   row scan    = Hillis-Steele over the lane totals
//   chunk total = row totals, left to right
//   result      = ((start + rows before) + lanes before in the row) + items before in the lane
// A ragged chunk is handled by counts: the operator sees nothing but items, and results of it.
#pragma once

#include "scan_primitives.cuh"

namespace lab {

// A warp's writes of rows that are not aligned to 16 bytes: aligned vectors are put together from
// neighbouring lanes, so the writes stay 16 bytes wide; only the two ends go item by item.
template <class Out>
class ShiftedWriter {
  public:
    static constexpr int kItems = Row<Out>::kItems;

    __device__ __forceinline__ ShiftedWriter(Out* out, int shift, int lane)
        : out_(out),
          to_(reinterpret_cast<char*>(out) - shift + 16 * lane),
          shift_(shift),
          lane_(lane) {}

    __device__ __forceinline__ void write(int k, const Row<Out>& row) {
        uint32_t rotated[4], before[4], both[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            rotated[i] = __shfl_sync(kAllLanes, row.w[i], (lane_ + kWarp - 1) % kWarp);
            before[i] = lane_ == 0 ? last_.w[i] : rotated[i];
            last_.w[i] = rotated[i];
        }
        if (k == 0 && lane_ == 0) {
#pragma unroll
            for (int j = 0; j < kItems; ++j) {
                if (static_cast<int>(j * sizeof(Out)) < 16 - shift_) out_[j] = row.get(j);
            }
        } else {
            funnel(both, before, row.w, 16 - shift_);
            __stcs(reinterpret_cast<uint4*>(to_ + 16 * kWarp * k),
                   uint4{both[0], both[1], both[2], both[3]});
        }
    }
    __device__ __forceinline__ void finish(int rows) {
        if (lane_ != 0) return;
        Out* end = out_ + rows * kWarp * kItems;
#pragma unroll
        for (int j = 0; j < kItems; ++j) {
            if (static_cast<int>(j * sizeof(Out)) >= 16 - shift_) end[j - kItems] = last_.get(j);
        }
    }

  private:
    Out* out_;
    char* to_;
    int shift_, lane_;
    Row<Out> last_;  // lane 0: the last vector of the row before
};

// Operators that are known to be addition.
template <class Op>
struct IsPlus : std::false_type {};

template <class In, class Out, class Acc, class Op, int kRowsP, bool kInclusive>
struct Chunk {
    static constexpr int kRows = kRowsP;
    static constexpr int kVector = Row<In>::kItems;
    static constexpr int kRowItems = kWarp * kVector;
    static constexpr int kItems = kRows * kRowItems;
    static constexpr bool kPacked = 16 % sizeof(In) == 0;

    Row<In> row[kRows];
    uint32_t zero;       // 0, by a value that the compiler cannot know (see Row::get_as)
    Acc scanned[kRows];  // inclusive over lanes
    // Row totals and what comes before the lane in its row: made ahead of the prefix where
    // registers allow, since every scanner waits for the prefix, and after it as little as possible
    // should be left.
    static constexpr bool kPrepare = sizeof(Acc) <= 8;
    Acc row_sum[kRows];

    // A full chunk from shared memory; the first item is `shift` bytes behind `from`, which is
    // aligned.
    __device__ __forceinline__ void load_shared(const char* from, int shift, int lane) {
        if constexpr (kPacked) {
            const uint4* v = reinterpret_cast<const uint4*>(from) + lane;
            if (shift == 0) {
#pragma unroll
                for (int k = 0; k < kRows; ++k) {
                    const uint4 a = v[k * kWarp];
                    row[k].w[0] = a.x, row[k].w[1] = a.y, row[k].w[2] = a.z, row[k].w[3] = a.w;
                }
            } else {
#pragma unroll
                for (int k = 0; k < kRows; ++k) {
                    const uint4 a = v[k * kWarp], b = v[k * kWarp + 1];
                    funnel(row[k].w, {a.x, a.y, a.z, a.w}, {b.x, b.y, b.z, b.w}, shift);
                }
            }
        } else {
            load_items(reinterpret_cast<const In*>(from + shift), kItems, lane);
        }
    }
    // A full chunk from 16-byte aligned global memory.
    __device__ __forceinline__ void load_global(const In* from, int lane) {
        if constexpr (kPacked) {
            const uint4* v = reinterpret_cast<const uint4*>(from) + lane;
#pragma unroll
            for (int k = 0; k < kRows; ++k) {
                const uint4 a = v[k * kWarp];
                row[k].w[0] = a.x, row[k].w[1] = a.y, row[k].w[2] = a.z, row[k].w[3] = a.w;
            }
        } else {
            load_items(from, kItems, lane);
        }
    }
    __device__ __forceinline__ void load_items(const In* from, int count, int lane) {
#pragma unroll
        for (int k = 0; k < kRows; ++k) {
#pragma unroll
            for (int j = 0; j < kVector; ++j) {
                const int i = (k * kWarp + lane) * kVector + j;
                if (i < count) row[k].set(j, from[i]);
            }
        }
    }

    // Lanes of row k that hold an item, and items of this lane in it.
    static __device__ __forceinline__ int lanes_in(int k, int count) {
        const int rest = min(max(count - k * kRowItems, 0), kRowItems);
        return (rest + kVector - 1) / kVector;
    }
    static __device__ __forceinline__ int items_in(int k, int count, int lane) {
        return min(max(count - (k * kWarp + lane) * kVector, 0), kVector);
    }

    // Sums of bytes in 32 bits: one instruction adds up to four. Exact, so the order does not
    // matter.
    static constexpr bool kDotProduct = sizeof(In) == 1 && std::is_integral<In>::value &&
                                        sizeof(Acc) == 4 && std::is_integral<Acc>::value &&
                                        IsPlus<Op>::value;
    static __device__ __forceinline__ Acc sum_bytes(uint32_t bytes, uint32_t which, Acc sum) {
        if constexpr (std::is_signed<In>::value) {
            return static_cast<Acc>(
                __dp4a(static_cast<int>(bytes), static_cast<int>(which), static_cast<int>(sum)));
        } else {
            return static_cast<Acc>(__dp4a(bytes, which, static_cast<unsigned>(sum)));
        }
    }

    template <bool kFull>
    __device__ __forceinline__ Acc lane_total(int k, Op op, int count, int lane) const {
        if constexpr (kFull && kDotProduct) {
            Acc sum = 0;
#pragma unroll
            for (int i = 0; i < 4; ++i) sum = sum_bytes(row[k].w[i], 0x01010101, sum);
            return sum;
        }
        const int items = kFull ? kVector : items_in(k, count, lane);
        Acc total = row[k].template get_as<Acc>(0);
#pragma unroll
        for (int j = 1; j < kVector; ++j) {
            if (kFull || j < items)
                total = static_cast<Acc>(op(total, row[k].template get_as<Acc>(j)));
        }
        return total;
    }

    template <bool kFull>
    __device__ __forceinline__ void scan_lanes(Op op, int count, int lane) {
#pragma unroll
        for (int k = 0; k < kRows; ++k) scanned[k] = lane_total<kFull>(k, op, count, lane);
#pragma unroll
        for (int k = 0; k < kRows; ++k) row[k].keep_packed();
#pragma unroll
        for (int k = 0; k < kRows; ++k) {
            scanned[k] =
                warp_inclusive_scan(scanned[k], op, lane, kFull ? kWarp : lanes_in(k, count));
        }
    }
    template <bool kFull>
    __device__ __forceinline__ void prepare(int count) {
        if constexpr (kPrepare) {
#pragma unroll
            for (int k = 0; k < kRows; ++k) {
                row_sum[k] = row_total<kFull>(k, count);
                scanned[k] = shuffle_up(scanned[k], 1);
            }
        }
    }
    template <bool kFull>
    __device__ __forceinline__ Acc row_total(int k, int count) const {
        return shuffle(scanned[k], kFull ? kWarp - 1 : lanes_in(k, count) - 1);
    }
    // After scan_lanes, before prepare; in every lane.
    template <bool kFull>
    __device__ __forceinline__ Acc total(Op op, int count) const {
        Acc sum = row_total<kFull>(0, count);
#pragma unroll
        for (int k = 1; k < kRows; ++k) {
            if (kFull || k * kRowItems < count)
                sum = static_cast<Acc>(op(sum, row_total<kFull>(k, count)));
        }
        return sum;
    }
    // The same value (the same trees) without the scan; in lane 0 at least.
    template <bool kFull>
    __device__ __forceinline__ Acc reduce(Op op, int count, int lane) {
        if constexpr (!kFull) {
            scan_lanes<false>(op, count, lane);
            return total<false>(op, count);
        } else {
            Acc sum[kRows];
#pragma unroll
            for (int k = 0; k < kRows; ++k) sum[k] = lane_total<true>(k, op, count, lane);
            return reduce_rows<kRows>(sum, op, lane);
        }
    }

    // Writes the results. `start` is what comes before the chunk, if has_start (the same in all
    // lanes).
    template <bool kFull, bool kAlwaysStart>
    __device__ __forceinline__ void emit(Out* out, int out_shift, bool has_start, Acc start, Op op,
                                         int count, int lane) const {
        constexpr bool kWide = sizeof(Out) * kVector == 16 && kPacked;
        if constexpr (kFull && kWide) {
            if (out_shift == 0) {
                uint4* to = reinterpret_cast<uint4*>(out) + lane;
                results<true, kAlwaysStart>(
                    has_start, start, op, count, lane, [&](int k, const Row<Out>& r, int) {
                        __stcs(to + k * kWarp, uint4{r.w[0], r.w[1], r.w[2], r.w[3]});
                    });
                return;
            }
            if (out_shift % static_cast<int>(sizeof(Out)) == 0) {
                ShiftedWriter<Out> writer(out, out_shift, lane);
                results<true, kAlwaysStart>(
                    has_start, start, op, count, lane,
                    [&](int k, const Row<Out>& r, int) { writer.write(k, r); });
                writer.finish(kRows);
                return;
            }
        }
        results<kFull, kAlwaysStart>(has_start, start, op, count, lane,
                                     [&](int k, const OutItems& r, int items) {
#pragma unroll
                                         for (int j = 0; j < kVector; ++j) {
                                             if (j < items) {
                                                 out[(k * kWarp + lane) * kVector + j] = r.get(j);
                                             }
                                         }
                                     });
    }

  private:
    struct PlainItems {
        Out item[kVector];
        __device__ __forceinline__ Out get(int j) const { return item[j]; }
        __device__ __forceinline__ void set_as(int j, const Acc& v) {
            item[j] = static_cast<Out>(v);
        }
    };
    template <bool kWide, class A, class B>
    struct Pick {
        using Type = A;
    };
    template <class A, class B>
    struct Pick<false, A, B> {
        using Type = B;
    };
    using OutItems = typename Pick<(sizeof(Out) * kVector == 16), Row<Out>, PlainItems>::Type;

    template <bool kFull, bool kAlwaysStart, class Write>
    __device__ __forceinline__ void results(bool has_start, Acc start, Op op, int count, int lane,
                                            Write write) const {
#pragma unroll
        for (int k = 0; k < kRows; ++k) {
            if (!kFull && k * kRowItems >= count) break;
            Row<In> from = row[k];
            from.keep_packed();  // here, else the unpacking of all rows is moved ahead of the loop
            const bool has = kAlwaysStart || k > 0 || has_start;
            const int items = kFull ? kVector : items_in(k, count, lane);
            const Acc before = kPrepare ? scanned[k] : shuffle_up(scanned[k], 1);
            const Acc sum = kPrepare ? row_sum[k] : row_total<kFull>(k, count);
            Acc x = start;
            if (has) {
                x = combine_if(lane > 0 && (kFull || items > 0), op, start, before, start);
            } else if (lane > 0) {
                x = before;
            }
            OutItems r;
            if constexpr (kFull && kDotProduct && kAlwaysStart) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    constexpr uint32_t kFirst[5] = {0, 0x01, 0x0101, 0x010101, 0x01010101};
#pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        r.set_as(4 * i + j, sum_bytes(from.w[i], kFirst[j + kInclusive], x));
                    }
                    x = sum_bytes(from.w[i], kFirst[4], x);
                }
            } else if constexpr (kInclusive) {
#pragma unroll
                for (int j = 0; j < kVector; ++j) {
                    if (kFull || j < items) {
                        const Acc item = from.template get_as<Acc>(j, zero);
                        if (j > 0 || has || lane > 0) {
                            x = static_cast<Acc>(op(x, item));
                        } else {
                            x = item;
                        }
                        r.set_as(j, x);
                    }
                }
            } else {
                r.set_as(0, x);
#pragma unroll
                for (int j = 1; j < kVector; ++j) {
                    if (kFull || j < items) {
                        x = static_cast<Acc>(op(x, from.template get_as<Acc>(j - 1, zero)));
                        r.set_as(j, x);
                    }
                }
            }
            write(k, r, items);
            if (k + 1 < kRows && (kFull || (k + 1) * kRowItems < count)) {
                if (has) {
                    start = static_cast<Acc>(op(start, sum));
                } else {
                    start = sum;
                }
            }
        }
    }
};

}  // namespace lab

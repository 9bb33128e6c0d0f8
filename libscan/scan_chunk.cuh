// SPDX-License-Identifier: Apache-2.0
//
// A chunk: what one warp scans at once, in registers: kRows rows of 32 lanes of 16 bytes each, the
// items in order row by row. The order in which they are combined is fixed here, for every kernel
// and GPU:
//     lane total  = the lane's items of a row, from left to right
//     row scan    = Hillis-Steele over the lane totals
//     chunk total = row totals, from left to right
//     result      = ((start op rows before) op lanes before in the row) op items before in the lane
// A ragged chunk is handled by counts: the operator sees nothing but items and results of its own.
#pragma once

#include <cstdint>
#include <libscan/chunk_rows.cuh>
#include <libscan/chunk_writer.cuh>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/row_loads.cuh>
#include <libscan/vector_row.cuh>
#include <libscan/warp_reduce.cuh>
#include <libscan/warp_scan.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class In, class Acc, class Op, int kRowsOfChunk, bool kInclusive>
class ScanChunk {
  public:
    using Rows = ChunkRows<kRowsOfChunk, VectorRow<In>::kItems>;
    static constexpr int kRows = Rows::kRows, kVector = Rows::kVector;
    static constexpr int kRowItems = Rows::kRowItems, kItems = Rows::kItems;

    // `zero` is 0, by a value that the compiler cannot know (see VectorRow).
    template <class Source>
    __device__ __forceinline__ ScanChunk(Op op, std::uint32_t zero, const Source&)
        : op_(op), zero_(zero), lane_(static_cast<int>(threadIdx.x) % kWarpSize) {}

    // ---- Loading: all rows of a full chunk, or the first `count` items (row_loads.cuh)

    // From shared memory (load_shared_rows).
    __device__ __forceinline__ void load_shared(char* from, int shift) {
        load_shared_rows<kVector>(row_, from, shift, lane_);
    }
    // From global memory (load_rows).
    template <bool kFull, class Iterator>
    __device__ __forceinline__ void load(Iterator in, std::int64_t base, int count,
                                         std::int64_t n) {
        load_rows<kVector, kFull>(row_, in, base, count, n, lane_);
    }

    // ---- The scan: scan_lanes, then total if wanted, then prepare, then emit. Or reduce alone.
    // kFull: the chunk has all its items, and `count` is not looked at. Else 0 < count < kItems.

    template <bool kFull>
    __device__ __forceinline__ void scan_lanes(int count) {
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) scanned_[k] = lane_total<kFull>(k, count);
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) row_[k].keep_packed();
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) {
            scanned_[k] = warp_inclusive_scan(~0u, scanned_[k], op_,
                                              kFull ? kWarpSize : Rows::lanes_in(k, count));
        }
    }
    // Of the chunk; in every lane.
    template <bool kFull>
    __device__ __forceinline__ Acc total(int count) {
        Acc sum = row_total<kFull>(0, count);
        LIBSCAN_UNROLL_ALL
        for (int k = 1; k < kRows; ++k) {
            if (kFull || k * kRowItems < count) {
                const Acc row = row_total<kFull>(k, count);
                sum = combine(op_, sum, row);
            }
        }
        return sum;
    }
    // The total without the scan: the same trees, so the same bits. In lane 0 at least.
    template <bool kFull>
    __device__ __forceinline__ Acc reduce(int count) {
        if constexpr (kFull) {
            Acc sum[kRows];
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kRows; ++k) sum[k] = lane_total<true>(k, count);
            return warp_reduce_rows(sum, op_);
        } else {
            scan_lanes<false>(count);
            return total<false>(count);
        }
    }
    // What can be done ahead of the start of the chunk, since all warps wait for that.
    template <bool kFull>
    __device__ __forceinline__ void prepare(int count) {
        if constexpr (kPrepare) {
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kRows; ++k) {
                row_sum_[k] = row_total<kFull>(k, count);
                scanned_[k] = shuffle_up(~0u, scanned_[k], 1);
            }
        }
    }

    // Writes the results behind `at`. `start` stands before the chunk, if has_start (the same in
    // all lanes); kAlwaysStart says so at compile time.
    template <bool kFull, bool kAlwaysStart, class Out>
    __device__ __forceinline__ void emit(Out out, std::int64_t at, bool has_start, const Acc& start,
                                         int count) {
        write_chunk<kFull, kVector, kRows, Acc>(out, at, [&](auto& writer) {
            if constexpr (kZeroStart) {
                results<kFull, true>(true, has_start ? start : Acc(0), count, writer);
            } else {
                results<kFull, kAlwaysStart>(has_start, start, count, writer);
            }
        });
    }

  private:
    // Wide accumulators leave no registers for it.
    static constexpr bool kPrepare = sizeof(Acc) <= (kInclusive ? 4 : 8);
    // A sum of integers that begins with 0 is the same as one that begins with nothing.
    static constexpr bool kZeroStart = std::is_integral_v<Acc> && kHasZeroIdentity<Op, Acc>;
    // Sums of bytes in 32 bits: one instruction adds four. Exact, so the order does not matter.
    static constexpr bool kDotProduct = kZeroStart && sizeof(Acc) == 4 && sizeof(In) == 1 &&
                                        std::is_integral_v<In> && !std::is_same_v<In, bool>;

    static __device__ __forceinline__ Acc add_bytes(std::uint32_t bytes, std::uint32_t which,
                                                    const Acc& sum) {
        if constexpr (std::is_signed_v<In>) {
            return static_cast<Acc>(
                __dp4a(static_cast<int>(bytes), static_cast<int>(which), static_cast<int>(sum)));
        } else {
            return static_cast<Acc>(__dp4a(bytes, which, static_cast<unsigned>(sum)));
        }
    }

    template <bool kFull>
    __device__ __forceinline__ Acc lane_total(int k, int count) {
        if constexpr (kFull && kDotProduct) {
            Acc sum = 0;
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < 4; ++i) sum = add_bytes(row_[k].w[i], 0x01010101, sum);
            return sum;
        } else {
            const int items = kFull ? kVector : Rows::items_in(k, count, lane_);
            Acc sum = row_[k].template get_as<Acc>(0);
            LIBSCAN_UNROLL_ALL
            for (int j = 1; j < kVector; ++j) {
                if (kFull || j < items) {
                    const Acc item = row_[k].template get_as<Acc>(j);
                    sum = combine(op_, sum, item);
                }
            }
            return sum;
        }
    }
    // Between scan_lanes and prepare; in every lane.
    template <bool kFull>
    __device__ __forceinline__ Acc row_total(int k, int count) const {
        return broadcast(~0u, scanned_[k],
                         kFull ? kWarpSize - 1 : (Rows::lanes_in(k, count) - 1) & (kWarpSize - 1));
    }

    template <bool kFull, bool kAlwaysStart, class Writer>
    __device__ __forceinline__ void results(bool has_start, Acc start, int count, Writer& writer) {
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) {
            if (!kFull && k * kRowItems >= count) break;
            VectorRow<In> row = row_[k];
            row.keep_packed();  // here, else the unpacking of all rows moves ahead of the loop
            const bool has = kAlwaysStart || k > 0 || has_start;
            const int items = kFull ? kVector : Rows::items_in(k, count, lane_);
            Acc before = scanned_[k], sum = start;
            if constexpr (kPrepare) {
                sum = row_sum_[k];
            } else {
                before = shuffle_up(~0u, scanned_[k], 1);
                sum = row_total<kFull>(k, count);
            }
            Acc x = start;  // what stands before the lane's items
            if (has) {
                if (lane_ > 0 && (kFull || items > 0)) x = combine(op_, start, before);
            } else if (lane_ > 0) {
                x = before;
            }
            row_results<kFull>(k, row, x, has || lane_ > 0, items, writer);
            if (k + 1 < kRows && (kFull || (k + 1) * kRowItems < count)) {
                if (has) {
                    start = combine(op_, start, sum);
                } else {
                    start = sum;
                }
            }
        }
    }

    template <bool kFull, class Writer>
    __device__ __forceinline__ void row_results(int k, const VectorRow<In>& row, Acc x, bool has,
                                                int items, Writer& writer) {
        typename Writer::Row r;
        if constexpr (kFull && kDotProduct) {  // there is a start: kZeroStart
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < 4; ++i) {
                constexpr std::uint32_t kFirst[5] = {0, 0x01, 0x0101, 0x010101, 0x01010101};
                LIBSCAN_UNROLL_ALL
                for (int j = 0; j < 4; ++j) {
                    r.set_as(4 * i + j, add_bytes(row.w[i], kFirst[j + kInclusive], x));
                }
                x = add_bytes(row.w[i], kFirst[4], x);
            }
        } else {
            constexpr int kLag = kInclusive ? 0 : 1;
            if constexpr (!kInclusive) r.set_as(0, x);
            LIBSCAN_UNROLL_ALL
            for (int j = kLag; j < kVector; ++j) {
                if (kFull || j < items) {
                    const Acc item = row.template get_as<Acc>(j - kLag, zero_);
                    if (j > kLag || has) {
                        x = combine(op_, x, item);
                    } else {
                        x = item;
                    }
                    r.set_as(j, x);
                }
            }
        }
        writer.write(k, r, items);
    }

    Op op_;
    std::uint32_t zero_;
    int lane_;
    VectorRow<In> row_[kRows];
    Acc scanned_[kRows];  // inclusive over the lanes; one lane further after prepare()
    Acc row_sum_[kPrepare ? kRows : 1];
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

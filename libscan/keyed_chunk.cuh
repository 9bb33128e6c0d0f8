// SPDX-License-Identifier: Apache-2.0
//
// The chunk of a scan by key: what scan_chunk.cuh is for one array, for keys and values. It holds
// values and, one bit an item, which of them begin a run; keys are dropped once compared. Results
// are combined in the order of scan_chunk.cuh, with `op` on (value, head) pairs (segmented.cuh);
// but no pair is made within a row: a lane knows how far down its run reaches, and a step of the
// scan that would go beyond combines nothing.
//
// Equality and operator see nothing but keys, items and results of their own.
#pragma once

#include <cstdint>
#include <libscan/chunk_rows.cuh>
#include <libscan/chunk_writer.cuh>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/row_loads.cuh>
#include <libscan/scan_policy.cuh>
#include <libscan/scan_start.cuh>
#include <libscan/segmented.cuh>
#include <libscan/type_traits.cuh>
#include <libscan/vector_row.cuh>
#include <libscan/warp_scan.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// A run begins at element i.
template <class Keys, class Equality>
__device__ bool is_head(Keys keys, Equality& equal, std::int64_t i) {
    return i == 0 || !equal(keys[i - 1], keys[i]);
}

// Keys that are copied to registers and compared there; others are compared where they are.
template <class Keys, class Key = IteratorValue<Keys>>
inline constexpr bool kKeysInRegisters =
    kIsArray<Keys>&& std::is_trivially_copyable_v<Key>&& std::is_default_constructible_v<Key>&&
        std::is_copy_assignable_v<Key> &&
    sizeof(Key) <= 16;

// In: a KeyedInput. Item: what a value is in registers. PairOp: a SegmentedOp on T.
template <class In, class Item, class T, class PairOp, int kRowsOfChunk, bool kInclusive>
class KeyedChunk {
    using Keys = decltype(In::keys);
    using Key = IteratorValue<Keys>;
    using Equality = decltype(In::equal);
    using Init = decltype(In::init);
    using Op = decltype(PairOp::op);
    using Acc = Segmented<T>;

  public:
    using Rows = ChunkRows<kRowsOfChunk, keyed_lane_items(sizeof(Key), sizeof(Item))>;
    static constexpr int kRows = Rows::kRows, kVector = Rows::kVector;
    static constexpr int kRowItems = Rows::kRowItems, kItems = Rows::kItems;
    static constexpr int kKeyBytes = kItems * static_cast<int>(sizeof(Key));
    static constexpr int kValueBytes = kItems * static_cast<int>(sizeof(Item));

    // `zero` is 0, by a value that the compiler cannot know (see VectorRow).
    __device__ __forceinline__ KeyedChunk(const PairOp& op, std::uint32_t zero, const In& in)
        : op_(op.op),
          equal_(in.equal),
          init_(in.init),
          zero_(zero),
          lane_(static_cast<int>(threadIdx.x) % kWarpSize) {}

    // ---- Loading: all rows of a full chunk, or the first `count` items

    // From shared memory (load_shared_rows): the first value is value_shift bytes behind `values`,
    // the first key key_shift bytes behind `keys`, and in front of that the key before it.
    // is_first: there is none; this chunk is the first of all.
    __device__ __forceinline__ void load_shared(char* values, int value_shift, char* keys,
                                                int key_shift, bool is_first) {
        load_shared_keys(keys, key_shift, is_first);
        load_shared_rows<kVector>(row_, values, value_shift, lane_);
    }

    // From global memory (load_rows).
    template <bool kFull>
    __device__ __forceinline__ void load(const In& in, std::int64_t base, int count,
                                         std::int64_t n) {
        is_first_ = base == 0;
        if constexpr (kKeysInRegisters<Keys>) {
            load_rows<kVector, kFull>(key_, in.keys, base, count, n, lane_);
            if (lane_ == 0 && base > 0) key_before_ = in.keys[base - 1];
        }
        load_rows<kVector, kFull>(row_, in.values, base, count, n, lane_);
        if constexpr (!kKeysInRegisters<Keys>) {
            LIBSCAN_UNROLL_ALL
            for (int k = 0; k < kRows; ++k) {
                const int first = (k * kWarpSize + lane_) * kVector;
                LIBSCAN_UNROLL_ALL
                for (int j = 0; j < kVector; ++j) {
                    if (kFull || first + j < count)
                        set_head(k, j, is_head(in.keys, equal_, base + first + j));
                }
            }
        }
    }

    // ---- The scan, as in scan_chunk.cuh

    template <bool kFull>
    __device__ __forceinline__ void scan_lanes(int count) {
        if constexpr (kKeysInRegisters<Keys>) find_heads<kFull>(count);
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) scanned_[k] = lane_total<kFull>(k, count);
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) row_[k].keep_packed();
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) (void)any_heads(k);
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) scanned_[k] = scan_row<kFull>(k, scanned_[k], count);
    }
    // Of the chunk; in every lane.
    template <bool kFull>
    __device__ __forceinline__ Acc total(int count) {
        Acc sum{row_total<kFull>(0, count), lanes_[0] != 0};
        LIBSCAN_UNROLL_ALL
        for (int k = 1; k < kRows; ++k) {
            if (kFull || k * kRowItems < count) {
                const T row = row_total<kFull>(k, count);
                sum.value = lanes_[k] != 0 ? row : combine(op_, sum.value, row);
                sum.head = sum.head || lanes_[k] != 0;
            }
        }
        return sum;
    }
    // The total without the scan, in place of load_shared, with the same parameters. Rows before
    // the last head have no part in it, and their values are not even loaded.
    template <bool kFull>
    __device__ __forceinline__ Acc reduce_shared(char* values, int value_shift, char* keys,
                                                 int key_shift, bool is_first, int count) {
        constexpr int kRowBytes = kRowItems * static_cast<int>(sizeof(Item));
        load_shared_keys(keys, key_shift, is_first);
        find_heads<kFull>(count);
        int first = 0;
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) {
            if (any_heads(k)) first = k;
        }
        Acc sum{T(), false};
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) {
            if (k < first || (!kFull && k * kRowItems >= count)) continue;
            VectorRow<Item> row[1];
            load_shared_rows<kVector>(row, values + k * kRowBytes, value_shift, lane_);
            row_[k] = row[0];
            scanned_[k] = scan_row<kFull>(k, lane_total<kFull>(k, count), count);
            const T total = row_total<kFull>(k, count);
            sum.value = k == first ? total : combine(op_, sum.value, total);
            sum.head = sum.head || lanes_[k] != 0;
        }
        return sum;
    }
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

    // Writes the results behind `at`. `start` stands before the chunk; in front of the first of all
    // chunks it is any value.
    template <bool kFull, bool kAlwaysStart, class Out>
    __device__ __forceinline__ void emit(Out out, std::int64_t at, bool, const Acc& start,
                                         int count) {
        write_chunk<kFull, kVector, kRows, T>(
            out, at, [&](auto& writer) { results<kFull>(start.value, count, writer); });
    }

  private:
    // Wide accumulators leave no registers for it.
    static constexpr bool kPrepare = sizeof(T) <= 8;
    static constexpr int kHeadWords = (kRows * kVector + 31) / 32;
    static_assert(32 % kVector == 0, "the bits of a lane in a row are in one word");

    // ---- Heads

    __device__ __forceinline__ void set_head(int k, int j, bool head) {
        const int bit = k * kVector + j;
        if (head) heads_[bit / 32] |= 1u << (bit % 32);
    }
    __device__ __forceinline__ bool head(int k, int j) const {
        const int bit = k * kVector + j;
        return (heads_[bit / 32] >> (bit % 32) & 1) != 0;
    }
    __device__ __forceinline__ std::uint32_t heads_of(int k) const {
        constexpr std::uint32_t kMask = (1u << kVector) - 1;
        return heads_[k * kVector / 32] & (kMask << (k * kVector % 32));
    }
    // Of row k; sets lanes_.
    __device__ __forceinline__ bool any_heads(int k) {
        lanes_[k] = __ballot_sync(~0u, heads_of(k) != 0);
        return lanes_[k] != 0;
    }
    __device__ __forceinline__ void load_shared_keys(char* keys, int shift, bool is_first) {
        load_shared_rows<kVector>(key_, keys, shift, lane_);
        is_first_ = is_first;
        if (lane_ == 0 && !is_first) {
            const Key before = shared_at<Key>(keys + shift - static_cast<int>(sizeof(Key)));
            key_before_ = before;
        }
    }
    // Compares each key with the one before it, which a lane has from the lane below, and lane 0
    // from the row before.
    template <bool kFull>
    __device__ __forceinline__ void find_heads(int count) {
        const bool none_before = is_first_ && lane_ == 0;
        Key last = key_before_;  // of the row before, in lane 0
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) {
            const Key own = key_[k].template get_as<Key>(kVector - 1);
            const Key from = broadcast(~0u, own, (lane_ + kWarpSize - 1) % kWarpSize);
            Key left = lane_ == 0 ? last : from;
            last = from;
            const int items = kFull ? kVector : Rows::items_in(k, count, lane_);
            LIBSCAN_UNROLL_ALL
            for (int j = 0; j < kVector; ++j) {
                const Key key = key_[k].template get_as<Key>(j);
                if (kFull || j < items) {
                    if (k == 0 && j == 0 && none_before) {
                        set_head(k, j, true);
                    } else {
                        set_head(k, j, !equal_(left, key));
                    }
                }
                left = key;
            }
        }
    }

    // ---- Totals

    template <bool kFull>
    __device__ __forceinline__ T lane_total(int k, int count) {
        const int items = kFull ? kVector : Rows::items_in(k, count, lane_);
        T sum = row_[k].template get_as<T>(0);
        LIBSCAN_UNROLL_ALL
        for (int j = 1; j < kVector; ++j) {
            if (kFull || j < items) sum = join(k, j, sum, row_[k].template get_as<T>(j));
        }
        return sum;
    }
    // Item j of row k, behind `before`.
    __device__ __forceinline__ T join(int k, int j, const T& before, const T& item) {
        return head(k, j) ? item : combine(op_, before, item);
    }
    // Inclusive scan of the lane totals of row k.
    template <bool kFull>
    __device__ __forceinline__ T scan_row(int k, const T& total, int count) {
        return warp_scan_runs<kWarpSize>(~0u, total, lanes_[k], op_,
                                         kFull ? kWarpSize : Rows::lanes_in(k, count));
    }
    // Between scan_lanes and prepare; in every lane.
    template <bool kFull>
    __device__ __forceinline__ T row_total(int k, int count) const {
        return broadcast(~0u, scanned_[k],
                         kFull ? kWarpSize - 1 : (Rows::lanes_in(k, count) - 1) & (kWarpSize - 1));
    }

    // ---- Results

    template <bool kFull, class Writer>
    __device__ __forceinline__ void results(T start, int count, Writer& writer) {
        T init = T();
        if constexpr (!kInclusive) init = start_value<T>(init_);
        const unsigned lanes_below = (1u << lane_) - 1;
        LIBSCAN_UNROLL_ALL
        for (int k = 0; k < kRows; ++k) {
            if (!kFull && k * kRowItems >= count) break;
            VectorRow<Item> row = row_[k];
            row.keep_packed();  // here, else the unpacking of all rows moves ahead of the loop
            const int items = kFull ? kVector : Rows::items_in(k, count, lane_);
            T before = scanned_[k], sum = start;
            if constexpr (kPrepare) {
                sum = row_sum_[k];
            } else {
                before = shuffle_up(~0u, scanned_[k], 1);
                sum = row_total<kFull>(k, count);
            }
            T x = start;  // what stands before the lane's items
            if (lane_ > 0 && (kFull || items > 0)) {
                if ((lanes_[k] & lanes_below) != 0) {
                    x = before;
                } else {
                    x = combine(op_, start, before);
                }
            }
            row_results<kFull>(k, row, x, init, items, writer);
            if (k + 1 < kRows && (kFull || (k + 1) * kRowItems < count)) {
                if (lanes_[k] != 0) {
                    start = sum;
                } else {
                    start = combine(op_, start, sum);
                }
            }
        }
    }

    template <bool kFull, class Writer>
    __device__ __forceinline__ void row_results(int k, const VectorRow<Item>& row, T x,
                                                const T& init, int items, Writer& writer) {
        typename Writer::Row r;
        LIBSCAN_UNROLL_ALL
        for (int j = 0; j < kVector; ++j) {
            if (kFull || j < items) {
                if constexpr (!kInclusive) {
                    const T result = head(k, j) ? init : combine(op_, init, x);
                    r.set_as(j, result);
                }
                if (kInclusive || j + 1 < kVector) {
                    const T item = row.template get_as<T>(j, zero_);
                    if (kInclusive || kFull || j + 1 < items) x = join(k, j, x, item);
                }
                if constexpr (kInclusive) r.set_as(j, x);
            }
        }
        writer.write(k, r, items);
    }

    Op op_;
    Equality equal_;
    Init init_;
    std::uint32_t zero_;
    int lane_;
    bool is_first_;
    std::uint32_t heads_[kHeadWords] = {};
    unsigned lanes_[kRows];  // of each row: the lanes in which a run begins
    VectorRow<Item> row_[kRows];
    T scanned_[kRows];  // inclusive over the lanes; one lane further after prepare()
    T row_sum_[kPrepare ? kRows : 1];
    // Until the heads are found.
    VectorRow<std::conditional_t<kKeysInRegisters<Keys>, Key, char>>
        key_[kKeysInRegisters<Keys> ? kRows : 1];
    std::conditional_t<kKeysInRegisters<Keys>, Key, char> key_before_ = {};
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

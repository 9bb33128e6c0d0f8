// SPDX-License-Identifier: Apache-2.0
//
// The items of a thread in registers, and how they get there.
#pragma once

#include <compaction/tile_shape.cuh>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>
#include <libscan/operators.cuh>
#include <libscan/type_traits.cuh>
#include <libscan/warp_scan.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Items that can be packed in words.
template <class T>
inline constexpr bool kFillsWords = std::is_trivially_copyable_v<T> &&
                                    (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 ||
                                     sizeof(T) == 8 || sizeof(T) == 16);

// What an item is in shared memory, where it may be read and written at once.
struct alignas(16) Item16 {
    std::uint32_t word[4];
};
template <class T>
using StagedItem = std::conditional_t<kFillsWords<T> && sizeof(T) == 16, Item16, T>;

template <class To, class From>
__device__ __forceinline__ To same_bytes(const From& from) {
    static_assert(sizeof(To) == sizeof(From), "not the same bytes");
    if constexpr (std::is_same_v<To, From>) {
        return from;
    } else {
        To to;
        std::memcpy(static_cast<void*>(__builtin_addressof(to)),
                    static_cast<const void*>(__builtin_addressof(from)), sizeof(To));
        return to;
    }
}

// kVector items side by side. Packed they are as they came from memory, up to 16 bytes at once.
template <class T, int kVector, bool kPacked = kFillsWords<T> && (kVector > 1 || sizeof(T) == 16)>
class LaneRow {
    static constexpr int kBytes = kVector * static_cast<int>(sizeof(T));

  public:
    static constexpr bool kIsPacked = true;
    static constexpr int kAlignment = kBytes < 16 ? kBytes & -kBytes : 16;

    __device__ __forceinline__ void clear() {
        LIBSCAN_UNROLL_ALL
        for (int w = 0; w < kWords; ++w) word_[w] = 0;
    }
    // `from` is a multiple of kAlignment.
    __device__ __forceinline__ void load(const T* from) {
#if defined(__CUDACC__)
        if constexpr (kBytes % 16 == 0) {
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < kBytes / 16; ++i) {
                const uint4 v = reinterpret_cast<const uint4*>(from)[i];
                word_[4 * i] = v.x, word_[4 * i + 1] = v.y;
                word_[4 * i + 2] = v.z, word_[4 * i + 3] = v.w;
            }
        } else if constexpr (kBytes == 8) {
            const uint2 v = *reinterpret_cast<const uint2*>(from);
            word_[0] = v.x, word_[1] = v.y;
        } else if constexpr (kBytes == 4) {
            word_[0] = *reinterpret_cast<const unsigned*>(from);
        } else if constexpr (kBytes == 2) {
            word_[0] = *reinterpret_cast<const unsigned short*>(from);
        } else {
            word_[0] = *reinterpret_cast<const unsigned char*>(from);
        }
#else
        word_[kWords - 1] = 0;
        std::memcpy(word_, static_cast<const void*>(from), kBytes);
#endif
    }
    __device__ __forceinline__ T get(int j) const {
        T item;
        if constexpr (sizeof(T) >= 4) {
            std::memcpy(static_cast<void*>(__builtin_addressof(item)),
                        &word_[j * static_cast<int>(sizeof(T)) / 4], sizeof(T));
        } else {
            const unsigned word = word_[j / kPerWord] >> (j % kPerWord * kItemBits);
            std::memcpy(static_cast<void*>(__builtin_addressof(item)), &word, sizeof(T));
        }
        return item;
    }
    // An item of less than a word, with others above it.
    __device__ __forceinline__ unsigned low(int j) const {
        return word_[j / kPerWord] >> (j % kPerWord * kItemBits);
    }
    // Of a cleared row.
    __device__ __forceinline__ void set(int j, T item) {
        if constexpr (sizeof(T) >= 4) {
            std::memcpy(&word_[j * static_cast<int>(sizeof(T)) / 4],
                        static_cast<const void*>(__builtin_addressof(item)), sizeof(T));
        } else {
            unsigned word = 0;
            std::memcpy(&word, static_cast<const void*>(__builtin_addressof(item)), sizeof(T));
            word_[j / kPerWord] |= word << (j % kPerWord * kItemBits);
        }
    }

    // Of sixteen bytes: those from `first` on, which is even, come to the front, and those before
    // it behind them.
    __device__ __forceinline__ void turn(int first) {
        static_assert(kBytes == 16, "four words");
        LIBSCAN_UNROLL_ALL
        for (int by = 2; by > 0; by /= 2) {
            const bool moves = (first & 4 * by) != 0;
            unsigned turned[kWords];
            LIBSCAN_UNROLL_ALL
            for (int w = 0; w < kWords; ++w)
                turned[w] = moves ? word_[(w + by) % kWords] : word_[w];
            LIBSCAN_UNROLL_ALL
            for (int w = 0; w < kWords; ++w) word_[w] = turned[w];
        }
        const unsigned shift = static_cast<unsigned>(first % 4 * 8), begin = word_[0];
        LIBSCAN_UNROLL_ALL
        for (int w = 0; w < kWords; ++w)
            word_[w] = __funnelshift_r(word_[w], w + 1 < kWords ? word_[w + 1] : begin, shift);
    }

  private:
    static_assert(sizeof(T) % 4 == 0 || sizeof(T) <= 2, "an item lies in one word, or fills words");
    static constexpr int kWords = ceil_div(kBytes, 4);
    static constexpr int kPerWord = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;
    static constexpr int kItemBits = sizeof(T) < 4 ? 8 * static_cast<int>(sizeof(T)) : 0;
    unsigned word_[kWords];
};

template <class T, int kVector>
class LaneRow<T, kVector, false> {
  public:
    static constexpr bool kIsPacked = false;
    __device__ __forceinline__ void clear() {}
    __device__ __forceinline__ T get(int j) const { return item_[j]; }
    __device__ __forceinline__ void set(int j, T item) { item_[j] = item; }

  private:
    T item_[kVector];
};

// The calling thread's items of a tile of `count` items that begins at in[base].
template <class Shape, class In, class Row>
__device__ __forceinline__ void load_rows(In in, std::int64_t base, int count,
                                          Row (&rows)[Shape::kRows]) {
    if constexpr (kIsArray<In> && Row::kIsPacked) {
        const auto* const from = in + base + Shape::at(0);
        if (reinterpret_cast<std::uintptr_t>(from) % Row::kAlignment == 0) {
            if (count == Shape::kTile) {
                LIBSCAN_UNROLL_ALL
                for (int row = 0; row < Shape::kRows; ++row)
                    rows[row].load(from + row * kWarpSize * Shape::kVector);
                return;
            }
            // One lane's row of the last tile is not whole.
            LIBSCAN_UNROLL_ALL
            for (int row = 0; row < Shape::kRows; ++row) {
                rows[row].clear();
                const int left = count - Shape::at(row);
                if (left >= Shape::kVector) {
                    rows[row].load(from + row * kWarpSize * Shape::kVector);
                } else if (left > 0) {
                    LIBSCAN_UNROLL_ALL
                    for (int j = 0; j < Shape::kVector - 1; ++j) {
                        if (j < left) rows[row].set(j, in[base + Shape::at(row) + j]);
                    }
                }
            }
            return;
        }
    }
    LIBSCAN_UNROLL_ALL
    for (int row = 0; row < Shape::kRows; ++row) rows[row].clear();
    for_each_item<Shape>(count, [&](int row, int j, int i) { rows[row].set(j, in[base + i]); });
}

// ---- Heads of runs: items that do not equal the item before them -----------------------------

// Small items come from the neighbour's registers, large ones from memory again.
template <class T>
inline constexpr bool kIsShuffled = std::is_trivially_copyable_v<T> && sizeof(T) <= 16;

// The item before the calling warp's first one, in lane 0; any item elsewhere.
template <class Shape, class In>
__device__ __forceinline__ void load_left(In in, std::int64_t base, int count,
                                          IteratorValue<In>& left) {
    const int first = Shape::at(0);
    if (Shape::lane() == 0 && first < count && base + first > 0) left = in[base + first - 1];
}

// Asks once for each pair of neighbours. heads: cleared before. kFull: the tile is.
template <class Shape, bool kFull, class In, class Equality, class Row>
__device__ __forceinline__ void mark_heads_of(In in, Equality& equal,
                                              const Row (&rows)[Shape::kRows],
                                              const IteratorValue<In>& left, std::int64_t base,
                                              int count, ItemBits<Shape>& heads) {
    using Item = IteratorValue<In>;
    const int lane = Shape::lane();
    Item last = left;
    LIBSCAN_UNROLL_ALL
    for (int row = 0; row < Shape::kRows; ++row) {
        const int first = Shape::at(row);
        Item before;  // the thread's items of the row
        if constexpr (kIsShuffled<Item>) {
            // Lane 31 gives its last item of the row before to lane 0.
            const Item own = rows[row].get(Shape::kVector - 1);
            const Item given = lane == kWarpSize - 1 ? last : own;
            before = broadcast(~0u, given, (lane + kWarpSize - 1) % kWarpSize);
            if (row == 0 && lane == 0) before = left;
            last = own;
        } else {
            if (first < count && base + first > 0) before = in[base + first - 1];
        }
        LIBSCAN_UNROLL_ALL
        for (int j = 0; j < Shape::kVector; ++j) {
            if (!kFull && first + j >= count) continue;
            bool head = base + first + j == 0;
            if (!head) {
                const Item item = rows[row].get(j);
                const Item previous = j > 0 ? rows[row].get(j > 0 ? j - 1 : 0) : before;
                head = !static_cast<bool>(equal(previous, item));
            }
            heads.set(row, j, head);
        }
    }
}
template <class Shape, class In, class Equality, class Row>
__device__ __forceinline__ void mark_heads(In in, Equality& equal, const Row (&rows)[Shape::kRows],
                                           const IteratorValue<In>& left, std::int64_t base,
                                           int count, ItemBits<Shape>& heads) {
    if (count == Shape::kTile) {
        mark_heads_of<Shape, true>(in, equal, rows, left, base, count, heads);
    } else {
        mark_heads_of<Shape, false>(in, equal, rows, left, base, count, heads);
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// A tile of a scan by key in a stage of the look-ahead scan's ring: its values, and behind them its
// keys, with the key before the first.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/hopper.cuh>
#include <libscan/keyed_input.cuh>
#include <libscan/operators.cuh>
#include <libscan/tile_stage.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class T, class Key, class Item, class Equality, class Init, int kWarps, class Chunk>
class TileStage<KeyedInput<T, const Key*, const Item*, Equality, Init>, kWarps, Chunk> {
    using In = KeyedInput<T, const Key*, const Item*, Equality, Init>;
    static constexpr int kTile = kWarps * Chunk::kItems;
    // Each array starts at the offset, modulo 16, that it has in global memory: up to 15 bytes
    // more, and rows are read with one vector more than they have.
    static __host__ __device__ constexpr int round_up(int bytes) { return (bytes + 15) & ~15; }
    static constexpr int kValues = round_up(kWarps * Chunk::kValueBytes) + 32;
    static constexpr int kKeyBefore = 16;               // bytes for it
    static constexpr int kKeys = kValues + kKeyBefore;  // where keys begin
    static constexpr int kKeySize = static_cast<int>(sizeof(Key));
    static_assert(kKeySize <= kKeyBefore, "room for a key before the first");

  public:
    static constexpr int kBytes = kKeys + round_up(kWarps * Chunk::kKeyBytes) + 32;

    __device__ __forceinline__ explicit TileStage(const In& in)
        : value_shift_(offset(in.values)), key_shift_(offset(in.keys)) {}

    // By the loader's warp.
    __device__ __forceinline__ void fill(const In& in, std::int64_t n, unsigned tile, int items,
                                         char* stage, Mbarrier& full, int lane) const {
        const std::int64_t base = static_cast<std::int64_t>(tile) * kTile;
        const std::int64_t behind = n - base - items;
        const int chunks = ceil_div(items, Chunk::kItems);
        const StageCopy values = copy<Chunk::kValueBytes>(in.values, base, behind, items, 0, chunks,
                                                          stage, 0, value_shift_, lane);
        const StageCopy keys =
            copy<Chunk::kKeyBytes>(in.keys, base, behind, items, tile > 0 ? 1 : 0, chunks,
                                   stage + kValues, kKeyBefore, key_shift_, lane);
        __syncwarp();
        if (lane == 0) {
            full.arrive_expecting(values.bytes() + keys.bytes());
            keys.start(full);
            values.start(full);
        }
    }
    // The total of chunk c of the tile, which has `count` items.
    __device__ __forceinline__ auto reduce(Chunk& chunk, char* stage, unsigned tile, int c,
                                           int count) const {
        char* const values = stage + c * Chunk::kValueBytes;
        char* const keys = stage + kKeys + c * Chunk::kKeyBytes;
        const bool is_first = tile == 0 && c == 0;
        return count >= Chunk::kItems
                   ? chunk.template reduce_shared<true>(values, value_shift_, keys, key_shift_,
                                                        is_first, Chunk::kItems)
                   : chunk.template reduce_shared<false>(values, value_shift_, keys, key_shift_,
                                                         is_first, count);
    }
    // Loads it for a scan.
    __device__ __forceinline__ void load(Chunk& chunk, char* stage, unsigned tile, int c) const {
        chunk.load_shared(stage + c * Chunk::kValueBytes, value_shift_,
                          stage + kKeys + c * Chunk::kKeyBytes, key_shift_, tile == 0 && c == 0);
    }

  private:
    static __device__ __forceinline__ int offset(const void* array) {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(array) % 16);
    }
    // Elements base - before .. base + items - 1 of an array in which `behind` more follow; element
    // `base` goes to `place` + shift behind `to`. Where there is more of the array around them,
    // whole vectors are copied, and nothing goes byte by byte.
    template <int kChunkBytes, class Element>
    static __device__ __forceinline__ StageCopy copy(const Element* array, std::int64_t base,
                                                     std::int64_t behind, int items, int before,
                                                     int chunks, char* to, int place, int shift,
                                                     int lane) {
        constexpr int kSize = static_cast<int>(sizeof(Element));
        constexpr int kMore = ceil_div(15, kSize);
        const int first = place + shift;
        int begin = first - before * kSize, end = first + items * kSize;
        if (base > kMore) begin &= ~15;
        if (behind >= kMore) end = round_up(end);
        return StageCopy(reinterpret_cast<const char*>(array + base) - first, to, begin, end,
                         first + chunks * kChunkBytes, lane);
    }

    int value_shift_, key_shift_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

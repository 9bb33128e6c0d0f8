// SPDX-License-Identifier: Apache-2.0
//
// How a tile's input lies in a stage of the look-ahead scan's ring, how it comes there, and how a
// chunk is loaded from there. (That of a scan by key: keyed_stage.cuh.)
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/hopper.cuh>
#include <libscan/operators.cuh>
#include <libscan/vector_row.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// The part of an array that is copied to a stage: bytes begin .. end - 1 behind `from` to the same
// places behind `to`; both are 16-byte aligned.
//
// Bulk copies move multiples of 16 aligned bytes. The ends that do not fit go one by one, so that
// nothing outside the array is ever read.
class StageCopy {
  public:
    // What comes before the bulk copy, by a warp. Aligned vectors are read from the stage, from
    // that of `begin` on up to read_end: what is not copied of those is cleared.
    __device__ __forceinline__ StageCopy(const char* from, char* to, int begin, int end,
                                         int read_end, int lane)
        : from_(from), to_(to) {
        const int aligned = (end + 15) & ~15;
        wide_begin_ = (begin + 15) & ~15;
        const int wide_end = end & ~15;
        const bool odd_ends = begin % 16 != 0 || end % 16 != 0;
        const bool ragged = aligned < read_end;
        if (odd_ends) {
            const int head_end = wide_begin_ < end ? wide_begin_ : end;
            const int tail_begin = wide_end > head_end ? wide_end : head_end;
            const int i = lane < 16 ? begin + lane : tail_begin + lane - 16;
            if (i < (lane < 16 ? head_end : end)) shared_at<char>(to + i) = from[i];
            // The rest of the first and of the last vector is read with it, and not used.
            const int before = begin & ~15;
            if (before + lane < begin) shared_at<char>(to + before + lane) = 0;
            if (end + lane < aligned) shared_at<char>(to + end + lane) = 0;
        }
        if (ragged) {  // rows are read whole: clear what is behind the end
            for (int at = aligned + 16 * lane; at < read_end; at += 16 * kWarpSize)
                shared_at<Vector16>(to + at) = Vector16{};
        }
        if (odd_ends || ragged) fence_for_bulk();
        wide_ = wide_end > wide_begin_ ? wide_end - wide_begin_ : 0;
    }
    // Of the bulk copy.
    __device__ __forceinline__ unsigned bytes() const { return static_cast<unsigned>(wide_); }
    // By one thread, behind a barrier of the warp.
    __device__ __forceinline__ void start(Mbarrier& full) const {
        if (wide_ > 0) bulk_load(to_ + wide_begin_, from_ + wide_begin_, bytes(), full);
    }

  private:
    const char* from_;
    char* to_;
    int wide_begin_, wide_;
};

// In: what ScanInput::bulk gives; tiles of kWarps chunks.
template <class In, int kWarps, class Chunk>
class TileStage;

template <class T, int kWarps, class Chunk>
class TileStage<const T*, kWarps, Chunk> {
    static constexpr int kChunkBytes = Chunk::kItems * static_cast<int>(sizeof(T));

  public:
    // A tile starts at the offset, modulo 16, that it has in global memory: up to 15 bytes more,
    // and rows are read with one vector more than they have.
    static constexpr int kBytes = (kWarps * kChunkBytes + 15) / 16 * 16 + 32;

    __device__ __forceinline__ explicit TileStage(const T* in)
        : shift_(static_cast<int>(reinterpret_cast<std::uintptr_t>(in) % 16)) {}

    // By the loader's warp.
    __device__ __forceinline__ void fill(const T* in, std::int64_t, unsigned tile, int items,
                                         char* stage, Mbarrier& full, int lane) const {
        const char* const from = reinterpret_cast<const char*>(in) - shift_ +
                                 static_cast<std::int64_t>(tile) * (kChunkBytes * kWarps);
        const int bytes = items * static_cast<int>(sizeof(T));
        const StageCopy copy(from, stage, shift_, shift_ + bytes,
                             shift_ + ceil_div(bytes, kChunkBytes) * kChunkBytes, lane);
        __syncwarp();
        if (lane == 0) {
            full.arrive_expecting(copy.bytes());
            copy.start(full);
        }
    }
    // The total of chunk c of the tile, which has `count` items. In lane 0 at least.
    __device__ __forceinline__ auto reduce(Chunk& chunk, char* stage, unsigned tile, int c,
                                           int count) const {
        load(chunk, stage, tile, c);
        return count >= Chunk::kItems ? chunk.template reduce<true>(Chunk::kItems)
                                      : chunk.template reduce<false>(count);
    }
    // Loads it for a scan.
    __device__ __forceinline__ void load(Chunk& chunk, char* stage, unsigned, int c) const {
        chunk.load_shared(stage + c * kChunkBytes, shift_);
    }

  private:
    int shift_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

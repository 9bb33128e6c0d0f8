// SPDX-License-Identifier: Apache-2.0
//
// How a warp writes the results of a chunk: rows of 32 lanes, a lane's items side by side. Pointers
// get vectors of up to 16 bytes, also where the output is not aligned to them; other iterators get
// item after item.
#pragma once

#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>
#include <libscan/three_kernel_scan_kernels.cuh>
#include <libscan/type_traits.cuh>
#include <libscan/vector_row.cuh>
#include <libscan/warp_scan.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// A lane's results of one row, as they are or to be converted when they are written.
template <class T, int kItems>
struct ResultRow {
    T item[kItems];
    template <class Acc>
    __device__ __forceinline__ void set_as(int i, const Acc& value) {
        item[i] = static_cast<T>(value);
    }
};

// Any iterator, any count. Only results that exist are converted.
template <class Out, class Acc, int kItems>
class ItemWriter {
  public:
    struct Row {
        Acc item[kItems];
        __device__ __forceinline__ void set_as(int i, const Acc& value) { item[i] = value; }
    };
    __device__ __forceinline__ ItemWriter(Out out, std::int64_t at) : out_(out), at_(at) {}
    __device__ __forceinline__ void write(int k, const Row& row, int items) {
        const std::int64_t first =
            at_ + (k * kWarpSize + static_cast<int>(threadIdx.x) % kWarpSize) * kItems;
        LIBSCAN_UNROLL_ALL
        for (int j = 0; j < kItems; ++j) {
            if (j < items) store(out_, first + j, row.item[j]);
        }
    }

  private:
    Out out_;
    std::int64_t at_;
};

// Full rows whose lanes have 16 bytes of results each. Where the output is not aligned to those,
// aligned vectors are put together from neighbouring lanes, and only the two ends of the chunk go
// item by item.
template <class T>
class VectorWriter {
  public:
    using Row = VectorRow<T>;
    // shift = address of `out` modulo 16, a multiple of sizeof(T).
    __device__ __forceinline__ VectorWriter(T* out, int shift)
        : out_(out), shift_(shift), lane_(static_cast<int>(threadIdx.x) % kWarpSize) {}

    __device__ __forceinline__ void write(int k, const Row& row, int) {
        char* const to = reinterpret_cast<char*>(out_) - shift_ + 16 * (lane_ + kWarpSize * k);
        if (shift_ == 0) {  // in all lanes
            stream16(to, row.w);
            return;
        }
        std::uint32_t before[4], both[4];
        LIBSCAN_UNROLL_ALL
        for (int i = 0; i < 4; ++i) {
            const std::uint32_t rotated =
                __shfl_sync(~0u, row.w[i], (lane_ + kWarpSize - 1) % kWarpSize);
            before[i] = lane_ == 0 ? last_.w[i] : rotated;
            last_.w[i] = rotated;
        }
        if (k == 0 && lane_ == 0) {
            LIBSCAN_UNROLL_ALL
            for (int j = 0; j < Row::kItems; ++j) {
                if (j * static_cast<int>(sizeof(T)) < 16 - shift_)
                    out_[j] = row.template get_as<T>(j);
            }
        } else {
            funnel(both, before, row.w, 16 - shift_);
            stream16(to, both);
        }
    }
    __device__ __forceinline__ void finish(int rows) {
        if (lane_ != 0 || shift_ == 0) return;
        T* const end = out_ + rows * kWarpSize * Row::kItems;
        LIBSCAN_UNROLL_ALL
        for (int j = 0; j < Row::kItems; ++j) {
            if (j * static_cast<int>(sizeof(T)) >= 16 - shift_)
                end[j - Row::kItems] = last_.template get_as<T>(j);
        }
    }

  private:
    T* out_;
    int shift_, lane_;
    Row last_ = {};  // of lane 0: the last vector of the row before
};

// Full rows whose lanes have some other multiple of 4 bytes of results, a power of two, and aligned
// to the vectors they make.
template <class T, int kItems>
class PieceWriter {
    static constexpr int kBytes = kItems * static_cast<int>(sizeof(T));

  public:
    static constexpr bool kPossible = kBytes >= 4 && (kBytes & (kBytes - 1)) == 0;
    static constexpr int kAlignment = kBytes < 16 ? kBytes : 16;
    using Row = ResultRow<T, kItems>;

    __device__ __forceinline__ explicit PieceWriter(T* out)
        : to_(reinterpret_cast<char*>(out) + kBytes * static_cast<int>(threadIdx.x % kWarpSize)) {}
    __device__ __forceinline__ void write(int k, const Row& row, int) {
        char* const to = to_ + kBytes * kWarpSize * k;
        std::uint32_t words[kBytes / 4];
        std::memcpy(words, static_cast<const void*>(row.item), kBytes);
        if constexpr (kBytes >= 16) {
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < kBytes / 16; ++i) {
                const std::uint32_t piece[4] = {words[4 * i], words[4 * i + 1], words[4 * i + 2],
                                                words[4 * i + 3]};
                stream16(to + 16 * i, piece);
            }
        } else {
            struct alignas(kBytes) Piece {
                std::uint32_t w[kBytes / 4];
            } piece;
            LIBSCAN_UNROLL_ALL
            for (int i = 0; i < kBytes / 4; ++i) piece.w[i] = words[i];
            std::memcpy(__builtin_assume_aligned(to, kBytes), &piece, kBytes);
        }
    }

  private:
    char* to_;
};

// Calls results(writer) with a writer that suits `out`, once; results go to out[at], out[at + 1]
// ... and writer.write(k, row, items) takes the results of row k of the calling lane.
template <bool kFull, int kItems, int kRows, class Acc, class Out, class Results>
__device__ __forceinline__ void write_chunk(Out out, std::int64_t at, Results results) {
    using T = IteratorValue<Out>;
    if constexpr (kFull && kIsArray<Out> && std::is_trivially_copyable_v<T> &&
                  std::is_default_constructible_v<T>) {
        T* const to = out + at;
        const int shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 16);
        if constexpr (kItems * sizeof(T) == 16) {
            constexpr bool kOnItems = alignof(T) == sizeof(T);
            if (kOnItems || shift % static_cast<int>(sizeof(T)) == 0) {
                VectorWriter<T> writer(to, shift);
                results(writer);
                writer.finish(kRows);
                return;
            }
        } else if constexpr (PieceWriter<T, kItems>::kPossible) {
            using Writer = PieceWriter<T, kItems>;
            if (shift % Writer::kAlignment == 0) {
                Writer writer(to);
                results(writer);
                return;
            }
        }
    }
    ItemWriter<Out, Acc, kItems> writer(out, at);
    results(writer);
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

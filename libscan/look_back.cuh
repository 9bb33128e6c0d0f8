// SPDX-License-Identifier: Apache-2.0
//
// Look-back: how a tile learns, while the grid runs, what stands before it.
//
// Every tile publishes its aggregate as soon as it has it, and then waits for aggregates of earlier
// tiles only. Tiles are handed out by a ticket, so every earlier tile is held by a block that runs:
// the lowest tile that is not finished never waits for long, however many blocks are resident and
// in whatever order they start.
//
// The order of combination is fixed by index. Tiles are grouped in windows of 32; what stands
// before tile t is
//     (((start op window 0) op window 1) op ...) op (the tiles of t's window before t)
// where a window, and the part of one, is folded by the tree of a warp scan. So the result has the
// same bits in every run. The prefix at a window's boundary is published by the window's last tile.
// A tile that comes before it is there goes back to the nearest boundary that is, and adds the
// windows after it up by itself, in the same order: the value is the same whoever computes it.
//
// Source: Duane Merrill and Michael Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back", NVIDIA NVR-2016-002, 2016; there the order depends on timing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/operators.cuh>
#include <libscan/scan_start.cuh>
#include <libscan/warp_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

inline constexpr int kWindow = kWarpSize;  // tiles

// Values of T that one thread publishes and others wait for. A value of up to 4 bytes shares a word
// with its flag, so that both come at once. A larger one stands apart, and its flag is released
// after it. All bits of the value are the value's own.
template <class T, bool kInOneWord = (sizeof(T) <= 4)>
class PublishedValues;

template <class T>
class PublishedValues<T, true> {
  public:
    static constexpr std::size_t kClearedBytes = sizeof(Word);  // for each value; zero at the start
    static constexpr std::size_t kValueBytes = 0;

    PublishedValues() = default;
    PublishedValues(void* cleared, void*) : words_(static_cast<Word*>(cleared)) {}

    __device__ void publish(std::int64_t i, const T& value) const {
        unsigned bits = 0;
        std::memcpy(&bits, static_cast<const void*>(&value), sizeof(T));
        store_relaxed(words_ + i, kPublished | bits);
    }
    // False while nothing has been published; `value` is then left as it is.
    __device__ bool read(std::int64_t i, T& value) const {
        const Word word = load_relaxed(words_ + i);
        if (!(word & kPublished)) return false;
        const unsigned bits = static_cast<unsigned>(word);
        std::memcpy(static_cast<void*>(&value), &bits, sizeof(T));
        return true;
    }

  private:
    static constexpr Word kPublished = Word(1) << 32;
    Word* words_;
};

template <class T>
class PublishedValues<T, false> {
  public:
    static constexpr std::size_t kClearedBytes = sizeof(unsigned);
    static constexpr std::size_t kValueBytes = sizeof(T);

    PublishedValues() = default;
    PublishedValues(void* cleared, void* values)
        : flags_(static_cast<unsigned*>(cleared)), values_(static_cast<T*>(values)) {}

    __device__ void publish(std::int64_t i, const T& value) const {
        values_[i] = value;
        store_release(flags_ + i, 1u);
    }
    __device__ bool read(std::int64_t i, T& value) const {
        if (load_acquire(flags_ + i) == 0) return false;
        value = values_[i];
        return true;
    }

  private:
    unsigned* flags_;
    T* values_;
};

// What the tiles of one launch share. The part that clear() names must be zero when the launch
// begins.
template <class T>
struct LookBackStates {
    Word* ticket;
    PublishedValues<T> aggregates;  // of each tile
    PublishedValues<T> boundaries;  // [w]: what stands before tile 32 * w

    // Number of boundaries that `tiles` tiles have, number 0 included.
    static std::int64_t windows(std::int64_t tiles) { return tiles / kWindow + 1; }
};

// What stands before a tile. A null start is told by `exists`.
template <class T>
struct Prefix {
    T value;
    bool exists;
};

// Publishes the tile's aggregate, and returns what stands before the tile. All lanes of one full
// warp call it together, for tiles of ever later tickets.
template <class T, class Op, class Start>
class LookBack {
  public:
    __device__ LookBack(const LookBackStates<T>& states, Op op, Start start)
        : states_(states),
          op_(op),
          start_(start),
          lane_(static_cast<int>(threadIdx.x) % kWarpSize) {}

    __device__ Prefix<T> operator()(std::int64_t tile, const T& aggregate) {
        if (lane_ == 0) states_.aggregates.publish(tile, aggregate);
        const std::int64_t window = tile / kWindow;
        const int within = static_cast<int>(tile % kWindow);
        // Lane l gets the fold of the window's tiles up to l; lane `within` is this tile itself.
        const T folded = scan_window(window, within, aggregate);
        Prefix<T> before = boundary(window, aggregate);
        if (within == kWindow - 1) {
            const T all = broadcast(~0u, folded, kWindow - 1);
            const T next = before.exists ? combine(op_, before.value, all) : all;
            if (lane_ == 0) states_.boundaries.publish(window + 1, next);
        }
        if (within > 0) {
            const T part = broadcast(~0u, folded, within - 1);
            before.value = before.exists ? combine(op_, before.value, part) : part;
            before.exists = true;
        }
        return before;
    }

  private:
    // Waits for the first `count` aggregates of a window and scans them, `own` standing behind them
    // in lane `count`. Later lanes hold nothing of use.
    __device__ T scan_window(std::int64_t window, int count, const T& own) {
        T value = own;
        bool there = lane_ >= count;
        do {
            if (!there) there = states_.aggregates.read(window * kWindow + lane_, value);
        } while (!__all_sync(~0u, there));
        return warp_inclusive_scan(~0u, value, op_, count + 1);
    }

    // What stands before a window. `filler` is any value.
    __device__ Prefix<T> boundary(std::int64_t window, const T& filler) {
        T value = filler;
        int nearest = 0;  // lane l looks at the boundary l windows back; number 0 is the start
        unsigned known;
        do {
            const std::int64_t candidate = window - lane_;
            bool there = candidate == 0;
            if (candidate > 0) there = states_.boundaries.read(candidate, value);
            known = __ballot_sync(~0u, there);
        } while (known == 0);
        nearest = __ffs(static_cast<int>(known)) - 1;
        std::int64_t at = window - nearest;
        Prefix<T> before{broadcast(~0u, value, nearest), at > 0};
        if constexpr (!kIsNoStart<Start>) {
            if (at == 0) before = Prefix<T>{start_value<T>(start_), true};
        }
        for (; at < window; ++at) {
            const T all = broadcast(~0u, scan_window(at, kWindow, filler), kWindow - 1);
            before.value = before.exists ? combine(op_, before.value, all) : all;
            before.exists = true;
        }
        return before;
    }

    const LookBackStates<T>& states_;
    Op op_;
    Start start_;
    int lane_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

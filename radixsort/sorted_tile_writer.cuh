// SPDX-License-Identifier: Apache-2.0
//
// How a tile that lies sorted in shared memory goes to its places in global memory, where the items
// of each digit make a run.
//
// A warp writes rows of up to 32 items. A row that begins anywhere begins and ends within a sector
// of the L2 cache (32 bytes), and a sector that is written in parts costs more than one that is
// written at once. So where the tile is large rows begin with a sector, if they can: about every
// kPitch items one begins, at the next item that is the first of a sector.
#pragma once

#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/operators.cuh>
#include <libscan/warp_scan.cuh>
#include <radixsort/sort_items.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// runs: of each digit, where item number 0 of the tile would go if it had the digit.
template <int kThreads, int kAhead, class Key, class Value, class Digit, class Runs>
class SortedTileWriter {
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValues>;
    static constexpr int kWarps = kThreads / kWarpSize;
    // Items of a sector.
    static constexpr int kGrain =
        sizeof(Key) >= 4 && 32 % sizeof(Key) == 0 ? 32 / static_cast<int>(sizeof(Key)) : 1;
    static constexpr int kPitch = kWarpSize - (kGrain - 1);

  public:
    // Keys alone come from two blocks of a multiprocessor, which keep it busy: there the longer way
    // of this costs more than it saves.
    static constexpr bool kBySectors = kHasValues && kGrain > 1;

    __device__ __forceinline__ SortedTileWriter(char* keys, char* values, Runs& runs,
                                                const Digit& digit,
                                                const SortTarget<Key, Value>& target)
        : keys_(keys), values_(values), runs_(runs), digit_(digit), target_(target) {}

    // Writes the items [0, count) in rows that begin anywhere. All threads. kFull: the number of
    // rows, `rows` for each warp, is a multiple of kAhead, and all of them have all items.
    template <bool kFull>
    __device__ __forceinline__ void write(int count, int rows) const {
        constexpr int kStep = kFull ? kAhead : 1;
        LIBSCAN_UNROLL(1)
        for (int row = 0; row < rows; row += kStep) {
            LIBSCAN_UNROLL(kStep)
            for (int k = 0; k < kStep; ++k) {
                const int i = static_cast<int>(threadIdx.x) + (row + k) * kThreads;
                if (kFull || i < count) {
                    const Key key = item<Key>(keys_, i);
                    const Word to = run_of(key) + static_cast<unsigned>(i);
                    *place(target_.keys, to) = key;
                    if constexpr (kHasValues) {
                        const Value value = item<Value>(values_, i);
                        *place(target_.values, to) = value;
                    }
                }
            }
        }
    }

    // The same in rows that begin with a sector.
    __device__ __forceinline__ void write_by_sectors(int count) const {
        constexpr int kStep = 2;  // rows at once
        const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
        const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
        const int rows = ceil_div(count, kPitch);
        // A lane finds where a row begins and ends, for as many rows of the warp as there are
        // lanes.
        LIBSCAN_UNROLL(1)
        for (int first = warp; first < rows; first += kWarps * kWarpSize) {
            const int begin = row_begin(first + kWarps * lane, count);
            const int end = row_begin(first + kWarps * lane + 1, count);
            const int rest = ceil_div(rows - first, kWarps);
            const int most = rest < kWarpSize ? rest : kWarpSize;
            LIBSCAN_UNROLL(1)
            for (int row = 0; row < most; row += kStep) {
                // No branch: the loads of several rows are on their way at once.
                Key keys[kStep];
                Value values[kStep]{};
                Word to[kStep];
                bool there[kStep];
                LIBSCAN_UNROLL(kStep)
                for (int k = 0; k < kStep; ++k) {
                    const int i = __shfl_sync(~0u, begin, row + k) + lane;
                    there[k] = i < __shfl_sync(~0u, end, row + k);
                    const int from = there[k] ? i : 0;
                    keys[k] = item<Key>(keys_, from);
                    if constexpr (kHasValues) values[k] = item<Value>(values_, from);
                    to[k] = run_of(keys[k]) + static_cast<unsigned>(i);
                }
                LIBSCAN_UNROLL(kStep)
                for (int k = 0; k < kStep; ++k) {
                    store_if(there[k], place(target_.keys, to[k]), keys[k]);
                    if constexpr (kHasValues)
                        store_if(there[k], place(target_.values, to[k]), values[k]);
                }
            }
        }
    }

  private:
    template <class T>
    __device__ __forceinline__ static decltype(auto) item(char* items, int i) {
        return shared_at<T>(items + i * static_cast<int>(sizeof(T)));
    }
    template <class T>
    __device__ __forceinline__ static T* place(T* array, Word i) {
        return global_pointer<T>(static_cast<Word>(reinterpret_cast<std::uintptr_t>(array)) +
                                 i * sizeof(T));
    }
    // From C++ the compiler makes a branch, and then one item after the other.
    template <class T>
    __device__ __forceinline__ static void store_if(bool condition, T* to, const T& item) {
#if defined(__CUDA_ARCH__)
        if constexpr (sizeof(T) == 4) {
            std::uint32_t bits;
            std::memcpy(&bits, &item, sizeof(T));
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.b32 [%0], %1; }" ::"l"(
                             __cvta_generic_to_global(to)),
                         "r"(bits), "r"(static_cast<unsigned>(condition))
                         : "memory");
        } else if constexpr (sizeof(T) == 8) {
            std::uint64_t bits;
            std::memcpy(&bits, &item, sizeof(T));
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p st.global.b64 [%0], %1; }" ::"l"(
                             __cvta_generic_to_global(to)),
                         "l"(bits), "r"(static_cast<unsigned>(condition))
                         : "memory");
        } else {
            if (condition) *to = item;
        }
#else
        if (condition) *to = item;
#endif
    }
    __device__ __forceinline__ Word run_of(const Key& key) const {
        const Word run = runs_[static_cast<int>(digit_(key))];
        return run;
    }
    // The row's first item; beyond the last row `count`.
    __device__ __forceinline__ int row_begin(int row, int count) const {
        const int at = row * kPitch;
        if (at == 0 || at >= count) return at == 0 ? 0 : count;
        const Key key = item<Key>(keys_, at);
        const unsigned start =
            static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(target_.keys) / sizeof(Key));
        const unsigned place =
            start + static_cast<unsigned>(run_of(key)) + static_cast<unsigned>(at);
        const int begin = at + static_cast<int>((0u - place) % kGrain);
        return begin < count ? begin : count;
    }

    char* const keys_;
    char* const values_;
    Runs& runs_;
    const Digit& digit_;
    const SortTarget<Key, Value>& target_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// Where the items of a part go. put(part, position, item, place): `position` counts the items of
// the same part before this one in the whole input; the last part is that of the rejected items.
#pragma once

#include <compaction/lane_rows.cuh>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/three_kernel_scan_kernels.cuh>
#include <libscan/type_traits.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// out[i] = item; an item of 16 bytes at once, where the address allows it.
template <class Out, class Item>
__device__ __forceinline__ void store_item(Out out, std::int64_t i, const Item& item) {
    if constexpr (kIsArray<Out> && std::is_same_v<IteratorValue<Out>, Item> && kFillsWords<Item> &&
                  sizeof(Item) == 16 && alignof(Item) < 16) {
        if (reinterpret_cast<std::uintptr_t>(out) % 16 == 0) {
#if defined(__CUDACC__)
            const Item16 words = same_bytes<Item16>(item);
            reinterpret_cast<uint4*>(out)[i] =
                uint4{words.word[0], words.word[1], words.word[2], words.word[3]};
            return;
#endif
        }
    }
    store(out, i, item);
}

// What a sink may have to know of input and tile.
struct SinkPlace {
    std::int64_t n;
    int selected_in_tile;
    bool stays;  // the tile is kept whole, and goes where it is already
};

// kIsArrayOf<Item>: what is written are arrays of these. Then array<kPart>(position, count, place)
// is where `count` items of the part that begin at `position` go, from its beginning or, where
// kIsBackwards<kPart>, from its end.

// Selected items only.
template <class Out>
struct SelectedSink {
    static constexpr bool kKeepsRejects = false;
    template <class Item>
    static constexpr bool kIsArrayOf = std::is_same_v<Out, Item*>;
    template <int>
    static constexpr bool kIsBackwards = false;
    Out out;
    template <class Item>
    __device__ void put(int, std::int64_t position, const Item& item, const SinkPlace&) {
        store_item(out, position, item);
    }
    template <int>
    __device__ Out array(std::int64_t position, int, const SinkPlace&) {
        return out + position;
    }
};

// Rejected items from the end of the output backwards.
template <class Out>
struct ReversedSink {
    static constexpr bool kKeepsRejects = true;
    template <class Item>
    static constexpr bool kIsArrayOf = std::is_same_v<Out, Item*>;
    template <int kPart>
    static constexpr bool kIsBackwards = kPart > 0;
    Out out;
    template <class Item>
    __device__ void put(int part, std::int64_t position, const Item& item, const SinkPlace& place) {
        store_item(out, part == 0 ? position : place.n - 1 - position, item);
    }
    template <int kPart>
    __device__ Out array(std::int64_t position, int count, const SinkPlace& place) {
        return out + (kPart == 0 ? position : place.n - position - count);
    }
};

// Rejected items in order behind the selected ones. How many of these there are stands in memory,
// or, with a null pointer, the tile is all there is.
template <class Out>
struct StableSink {
    static constexpr bool kKeepsRejects = true;
    template <class Item>
    static constexpr bool kIsArrayOf = std::is_same_v<Out, Item*>;
    template <int>
    static constexpr bool kIsBackwards = false;
    Out out;
    const Word* selected;
    template <class Item>
    __device__ void put(int part, std::int64_t position, const Item& item, const SinkPlace& place) {
        store_item(out, part > 0 ? position + all_selected(place) : position, item);
    }
    template <int kPart>
    __device__ Out array(std::int64_t position, int, const SinkPlace& place) {
        return out + (kPart > 0 ? position + all_selected(place) : position);
    }

  private:
    __device__ std::int64_t all_selected(const SinkPlace& place) const {
        return selected != nullptr ? static_cast<std::int64_t>(*selected)
                                   : std::int64_t{place.selected_in_tile};
    }
};

// An output for each of three parts.
template <class First, class Second, class Unselected>
struct ThreeWaySink {
    static constexpr bool kKeepsRejects = true;
    template <class Item>
    static constexpr bool kIsArrayOf = std::is_same_v<First, Item*>&&
        std::is_same_v<Second, Item*>&& std::is_same_v<Unselected, Item*>;
    template <int>
    static constexpr bool kIsBackwards = false;
    First first;
    Second second;
    Unselected unselected;
    template <class Item>
    __device__ void put(int part, std::int64_t position, const Item& item, const SinkPlace&) {
        if (part == 0) {
            store_item(first, position, item);
        } else if (part == 1) {
            store_item(second, position, item);
        } else {
            store_item(unselected, position, item);
        }
    }
    template <int kPart>
    __device__ First array(std::int64_t position, int, const SinkPlace&) {
        if constexpr (kPart == 0) {
            return first + position;
        } else if constexpr (kPart == 1) {
            return second + position;
        } else {
            return unselected + position;
        }
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

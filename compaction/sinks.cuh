// SPDX-License-Identifier: Apache-2.0
//
// Where the items of a part go. put(part, position, item, place): `position` counts the items of
// the same part before this one in the whole input; the last part is that of the rejected items.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/three_kernel_scan_kernels.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// What a sink may have to know of input and tile.
struct SinkPlace {
    std::int64_t n;
    int selected_in_tile;
    bool stays;  // the tile is kept whole, and goes where it is already
};

// Selected items only.
template <class Out>
struct SelectedSink {
    static constexpr bool kKeepsRejects = false;
    Out out;
    template <class Item>
    __device__ void put(int, std::int64_t position, const Item& item, const SinkPlace&) {
        store(out, position, item);
    }
};

// Rejected items from the end of the output backwards.
template <class Out>
struct ReversedSink {
    static constexpr bool kKeepsRejects = true;
    Out out;
    template <class Item>
    __device__ void put(int part, std::int64_t position, const Item& item, const SinkPlace& place) {
        store(out, part == 0 ? position : place.n - 1 - position, item);
    }
};

// Rejected items in order behind the selected ones. How many of these there are stands in memory,
// or, with a null pointer, the tile is all there is.
template <class Out>
struct StableSink {
    static constexpr bool kKeepsRejects = true;
    Out out;
    const Word* selected;
    template <class Item>
    __device__ void put(int part, std::int64_t position, const Item& item, const SinkPlace& place) {
        if (part > 0) {
            position += selected != nullptr ? static_cast<std::int64_t>(*selected)
                                            : std::int64_t{place.selected_in_tile};
        }
        store(out, position, item);
    }
};

// An output for each of three parts.
template <class First, class Second, class Unselected>
struct ThreeWaySink {
    static constexpr bool kKeepsRejects = true;
    First first;
    Second second;
    Unselected unselected;
    template <class Item>
    __device__ void put(int part, std::int64_t position, const Item& item, const SinkPlace&) {
        if (part == 0) {
            store(first, position, item);
        } else if (part == 1) {
            store(second, position, item);
        } else {
            store(unselected, position, item);
        }
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

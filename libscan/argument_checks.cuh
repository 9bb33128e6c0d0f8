// SPDX-License-Identifier: Apache-2.0
//
// The contracts of device-wide functions, checked on the host before anything is launched. Only
// pointers can be checked; of an iterator nothing is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <limits>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN

namespace detail {

// A number of items of any integral type as a signed 64-bit one. False where it is negative or has
// no place there.
template <class NumItems>
[[nodiscard]] bool to_item_count(NumItems num_items, std::int64_t& count) {
    static_assert(std::is_integral_v<NumItems>, "num_items must have an integral type");
    if constexpr (std::is_signed_v<NumItems>) {
        if (num_items < 0) return false;
    }
    // (Also __int128, where the standard library counts it as integral.)
    if constexpr (sizeof(NumItems) >= sizeof(std::int64_t)) {
        if (num_items > static_cast<NumItems>(std::numeric_limits<std::int64_t>::max()))
            return false;
    }
    count = static_cast<std::int64_t>(num_items);
    return true;
}

// A range of memory, as numbers: pointers into different objects may not be compared.
struct ByteRange {
    std::uintptr_t begin = 0;
    std::size_t size = 0;
    bool known = false;  // false for an iterator
};

// The bytes of `count` > 0 elements from `iterator` on. False where that is a null pointer, one
// that is not aligned to its elements (a GPU would fault), or a range beyond the end of the address
// space.
template <class Iterator>
[[nodiscard]] bool to_byte_range(Iterator iterator, std::int64_t count, ByteRange& range) {
    if constexpr (std::is_pointer_v<Iterator>) {
        constexpr std::size_t kSize = sizeof(std::remove_pointer_t<Iterator>);
        if (iterator == nullptr) return false;
        range.begin = reinterpret_cast<std::uintptr_t>(iterator);
        range.known = true;
        if (range.begin % alignof(std::remove_pointer_t<Iterator>) != 0) return false;
        if (static_cast<std::uint64_t>(count) > (UINTPTR_MAX - range.begin) / kSize) return false;
        range.size = static_cast<std::size_t>(count) * kSize;
    }
    return true;
}

inline bool overlap(const ByteRange& a, const ByteRange& b) {
    if (!a.known || !b.known) return false;
    // By distance: the end of a range that claims too many bytes would wrap around.
    return a.begin < b.begin ? b.begin - a.begin < a.size : a.begin - b.begin < b.size;
}

// Input and output of a scan of `count` elements, and its temporary storage: no null pointer, and
// no overlap but one: the output may be the input itself, element on element.
template <class In, class Out>
[[nodiscard]] cudaError_t check_buffers(In in, Out out, std::int64_t count,
                                        const void* temp_storage, std::size_t temp_storage_bytes) {
    if (count == 0) return cudaSuccess;
    ByteRange input, output;
    if (!to_byte_range(in, count, input) || !to_byte_range(out, count, output)) {
        return cudaErrorInvalidValue;
    }
    const bool in_place = input.begin == output.begin && input.size == output.size;
    if (!in_place && overlap(input, output)) return cudaErrorInvalidValue;
    const ByteRange temp{reinterpret_cast<std::uintptr_t>(temp_storage), temp_storage_bytes, true};
    if (overlap(input, temp) || overlap(output, temp)) return cudaErrorInvalidValue;
    return cudaSuccess;
}

}  // namespace detail

LIBSCAN_NAMESPACE_END

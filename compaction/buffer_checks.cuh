// SPDX-License-Identifier: Apache-2.0
//
// The contract of compactions about their buffers, checked on the host before anything is launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/argument_checks.cuh>
#include <libscan/config.cuh>
#include <libscan/type_traits.cuh>
#include <type_traits>
#include <utility>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Collects what a compaction of n items reads and writes, and then says whether that is allowed.
//
// Of an output whose length only the kernel will find out, the first element is all that is sure to
// be written, so this much is checked: that it is not inside of anything else. No buffer may be
// written that is also read, but an output may begin where an input begins, with elements of the
// same size, if it was told so.
class BufferChecks {
  public:
    explicit BufferChecks(std::int64_t n) : n_(n) {}

    // A sequence of n elements that is read. Its number is for allowing outputs in place of it.
    template <class In>
    unsigned reads(In in) {
        return add(in, n_, inputs_, input_count_);
    }
    // One that is written, of n elements or at most so many. `in_place_of`: the numbers of inputs
    // that it may coincide with.
    template <class Out>
    void writes_all(Out out, unsigned in_place_of = 0) {
        in_place_of_[output_count_] = in_place_of;
        add(out, n_, outputs_, output_count_);
    }
    template <class Out>
    void writes_some(Out out, unsigned in_place_of = 0) {
        in_place_of_[output_count_] = in_place_of;
        add(out, n_ > 0 ? 1 : 0, outputs_, output_count_);
    }
    // The `count` counts, which are written for n == 0, too.
    template <class NumSelected>
    void counts(NumSelected num_selected, std::int64_t count) {
        in_place_of_[output_count_] = 0;
        add(num_selected, count, outputs_, output_count_);
    }

    [[nodiscard]] cudaError_t check(const void* temp, std::size_t temp_bytes) const {
        if (bad_) return cudaErrorInvalidValue;
        const ByteRange storage{reinterpret_cast<std::uintptr_t>(temp), temp_bytes, true};
        for (int i = 0; i < input_count_; ++i) {
            if (overlap(inputs_[i].range, storage)) return cudaErrorInvalidValue;
        }
        for (int o = 0; o < output_count_; ++o) {
            const Buffer& out = outputs_[o];
            if (overlap(out.range, storage)) return cudaErrorInvalidValue;
            for (int i = 0; i < input_count_; ++i) {
                const bool in_place = (in_place_of_[o] >> i & 1u) != 0 &&
                                      inputs_[i].range.begin == out.range.begin &&
                                      inputs_[i].element == out.element;
                if (!in_place && overlap(inputs_[i].range, out.range)) return cudaErrorInvalidValue;
            }
            for (int other = 0; other < o; ++other) {
                if (overlap(outputs_[other].range, out.range)) return cudaErrorInvalidValue;
            }
        }
        return cudaSuccess;
    }

  private:
    struct Buffer {
        ByteRange range;
        std::size_t element = 0;
    };
    static constexpr int kMost = 4;

    template <class Iterator>
    unsigned add(Iterator iterator, std::int64_t count, Buffer (&buffers)[kMost], int& used) {
        Buffer& buffer = buffers[used];
        if constexpr (std::is_pointer_v<Iterator>) {
            buffer.element = sizeof(std::remove_pointer_t<Iterator>);
        }
        if (count > 0 && !to_byte_range(iterator, count, buffer.range)) bad_ = true;
        return 1u << used++;
    }

    std::int64_t n_;
    bool bad_ = false;
    Buffer inputs_[kMost], outputs_[kMost];
    unsigned in_place_of_[kMost] = {};
    int input_count_ = 0, output_count_ = 0;
};

template <class T, class = void>
inline constexpr bool kHasEquality = false;
template <class T>
inline constexpr bool kHasEquality<T, std::void_t<decltype(static_cast<bool>(
                                          std::declval<const T&>() == std::declval<const T&>()))>> =
    true;

// Of pointers, and of iterators of one type, it can be told whether they begin at one place.
template <class In, class Out>
inline constexpr bool kComparable = (std::is_pointer_v<In> && std::is_pointer_v<Out>) ||
                                    (std::is_same_v<In, Out> && kHasEquality<In>);

// True where output and input are known to be one array, of one type.
template <class In, class Out>
bool is_same_array(const In& in, const Out& out) {
    if constexpr (kComparable<In, Out> && std::is_same_v<IteratorValue<In>, IteratorValue<Out>>) {
        return in == out;
    } else {
        (void)in, (void)out;
        return false;
    }
}

// False where output and input are known not to be one array.
template <class In, class Out>
bool may_be_same_array(const In& in, const Out& out) {
    if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>) {
        return static_cast<const volatile void*>(in) == static_cast<const volatile void*>(out);
    } else {
        return !kComparable<In, Out> || is_same_array(in, out);
    }
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

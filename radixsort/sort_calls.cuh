// SPDX-License-Identifier: Apache-2.0
//
// From the arguments of the public sorts to the sort itself: which kernel serves which types, and
// what happens to the two buffers of a DoubleBuffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/argument_checks.cuh>
#include <libscan/config.cuh>
#include <libscan/scan_options.cuh>
#include <libscan/type_traits.cuh>
#include <radixsort/double_buffer.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/radix_sort.cuh>
#include <radixsort/radix_sort_policy.cuh>
#include <radixsort/segmented_radix_sort.cuh>
#include <radixsort/sort_items.cuh>
#include <radixsort/sort_options.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// ---- Types -------------------------------------------------------------------------------------

// A decomposer, and not a bit or a stream that stands at its place in another overload.
template <class T>
using IfDecomposer = std::enable_if_t<std::is_class_v<T> && !std::is_same_v<T, SortOptions>>;

template <template <class> class Buffer, class T>
using IfDoubleBuffer = std::enable_if_t<kIsDoubleBuffer<Buffer<T>, T>>;

// Values come from an array, or else from an iterator of any kind; such is also a pointer to a
// class that is derived from Value, and so has another size.
template <class ValuesIn, class Value>
inline constexpr bool kIsArrayOfValues =
    std::is_convertible_v<ValuesIn, const Value*> &&
    (!std::is_pointer_v<ValuesIn> ||
     std::is_same_v<std::remove_cv_t<std::remove_pointer_t<ValuesIn>>, Value>);
template <class ValuesIn, class Value>
using ValueSource = std::conditional_t<kIsArrayOfValues<ValuesIn, Value>, const Value*, ValuesIn>;

template <class KeyT, class Decomposer>
using SortKey = typename std::conditional_t<std::is_same_v<Decomposer, NoDecomposer>,
                                            CanonicalKey<KeyT>, TypeIs<KeyT>>::Type;

// Which bits are looked at, and in which direction.
struct SortBits {
    bool descending;
    int begin_bit;
    int end_bit;
    bool up_to_highest;  // in place of end_bit
};

inline SortBits some_bits(bool descending, int begin_bit, int end_bit) {
    return {descending, begin_bit, end_bit, false};
}
inline SortBits all_bits(bool descending) { return {descending, 0, 0, true}; }
inline SortBits bits_of(bool descending, const SortOptions& options) {
    return {descending, options.begin_bit, options.end_bit,
            options.end_bit == SortOptions::kAllBits};
}

template <class KeyT, class Decomposer>
KeyOrder<SortKey<KeyT, Decomposer>, Decomposer> make_order(const Decomposer& decompose,
                                                           const SortBits& bits) {
    using Order = KeyOrder<SortKey<KeyT, Decomposer>, Decomposer>;
    constexpr bool kIsSigned = key_kind<KeyT>() == KeyKind::kSigned;
    static_assert(key_kind<SortKey<KeyT, Decomposer>>() != KeyKind::kSigned,
                  "the sign bit is turned over by the order, and not a second time by the key");
    return Order(decompose, kIsSigned, bits.descending, bits.begin_bit,
                 bits.up_to_highest ? Order::kBits : bits.end_bit);
}

// ---- Arguments ---------------------------------------------------------------------------------

// Input and output.
template <class KeyT, class Value, class ValuesIn>
struct InAndOut {
    static constexpr bool kTwoBuffers = false;
    using KeyType = KeyT;
    using ValueType = Value;
    using ValuesInType = ValuesIn;

    const KeyT* keys_in;
    KeyT* keys_out;
    ValuesIn values_in;
    Value* values_out;

    template <class Key>
    SortArrays<Key, Value, ValuesIn> arrays() const {
        return {reinterpret_cast<const Key*>(keys_in),
                values_in,
                {reinterpret_cast<Key*>(keys_out), nullptr},
                {values_out, nullptr}};
    }
    bool is_valid() const { return true; }
    void show(int) const {}
};

// Two buffers. Values: a double buffer, too, or NoValues.
template <class KeyT, class Keys, class Value, class Values>
struct TwoBuffers {
    static constexpr bool kTwoBuffers = true;
    using KeyType = KeyT;
    using ValueType = Value;
    using ValuesInType =
        std::conditional_t<std::is_same_v<Value, NoValues>, NoValues, const Value*>;

    Keys& keys;
    Values& values;

    template <class Key>
    SortArrays<Key, Value, ValuesInType> arrays() const {
        Key* const current = reinterpret_cast<Key*>(keys.d_buffers[keys.selector]);
        Key* const other = reinterpret_cast<Key*>(keys.d_buffers[keys.selector ^ 1]);
        SortArrays<Key, Value, ValuesInType> arrays{current, {}, {other, current}, {}};
        if constexpr (!std::is_same_v<Value, NoValues>) {
            arrays.values[0] = values.d_buffers[values.selector ^ 1];
            arrays.values[1] = values.d_buffers[values.selector];
            arrays.values_in = arrays.values[1];
        }
        return arrays;
    }
    // A selector is nothing else than the number of a buffer.
    bool is_valid() const { return (keys.selector & ~1) == 0 && (values.selector & ~1) == 0; }
    // Number 1 is what was the other buffer.
    void show(int result) const {
        if (result != 1) return;
        keys.selector ^= 1;
        if constexpr (!std::is_same_v<Value, NoValues>) values.selector ^= 1;
    }
};

template <class KeyT>
InAndOut<KeyT, NoValues, NoValues> keys_of(const KeyT* in, KeyT* out) {
    return {in, out, {}, nullptr};
}
template <class KeyT, class ValuesIn, class ValueT>
InAndOut<KeyT, ValueT, ValueSource<ValuesIn, ValueT>> pairs_of(const KeyT* in, KeyT* out,
                                                               ValuesIn values_in,
                                                               ValueT* values_out) {
    return {in, out, values_in, values_out};
}
template <class KeyT, template <class> class Buffer>
TwoBuffers<KeyT, Buffer<KeyT>, NoValues, Buffer<KeyT>> keys_of(Buffer<KeyT>& keys) {
    return {keys, keys};
}
template <class KeyT, class ValueT, template <class> class Buffer,
          template <class> class ValueBuffer>
TwoBuffers<KeyT, Buffer<KeyT>, ValueT, ValueBuffer<ValueT>> pairs_of(Buffer<KeyT>& keys,
                                                                     ValueBuffer<ValueT>& values) {
    return {keys, values};
}

// ---- Calls -------------------------------------------------------------------------------------

template <class Items, class Decomposer>
struct SortTypes {
    using Key = SortKey<typename Items::KeyType, Decomposer>;
    using Value = typename Items::ValueType;
    static constexpr std::size_t kValueSize = std::is_same_v<Value, NoValues> ? 0 : sizeof(Value);
    using Tuning = DefaultRadixTuning<sizeof(Key), kValueSize>;
    using Hopper = HopperRadixTuning<sizeof(Key), kValueSize>;

    template <class SomeTuning>
    using Sort = RadixSort<SomeTuning, Key, Decomposer, Value, typename Items::ValuesInType>;
};

// A two-phase sort by the kernels of a tuning.
template <class Tuning, class Items, class NumItems, class Decomposer>
[[nodiscard]] cudaError_t sort_items(void* temp, std::size_t& temp_bytes, const Items& items,
                                     NumItems num_items, const SortBits& bits,
                                     const Decomposer& decompose, cudaStream_t stream) {
    using Types = SortTypes<Items, Decomposer>;
    std::int64_t n = 0;
    if (!to_item_count(num_items, n) || !items.is_valid()) return cudaErrorInvalidValue;
    int result = 0;
    const cudaError_t error = Types::template Sort<Tuning>::run(
        temp, temp_bytes, items.template arrays<typename Types::Key>(), n,
        make_order<typename Items::KeyType>(decompose, bits), Items::kTwoBuffers, result, stream);
    if (error == cudaSuccess) items.show(result);
    return error;
}

// A two-phase sort by the kernels for the device.
template <class Items, class NumItems, class Decomposer>
[[nodiscard]] cudaError_t sort_items(void* temp, std::size_t& temp_bytes, const Items& items,
                                     NumItems num_items, const SortBits& bits,
                                     const Decomposer& decompose, cudaStream_t stream) {
    using Types = SortTypes<Items, Decomposer>;
    if constexpr (kNewestArchitecture >= 900 && kOldestArchitecture < 900) {
        bool hopper = false;
        const cudaError_t error =
            Types::template Sort<typename Types::Hopper>::is_in_code_for_device(hopper);
        if (error != cudaSuccess) return error;
        if (hopper) {
            return sort_items<typename Types::Hopper>(temp, temp_bytes, items, num_items, bits,
                                                      decompose, stream);
        }
    }
    using Tuning = std::conditional_t<kOldestArchitecture >= 900, typename Types::Hopper,
                                      typename Types::Tuning>;
    return sort_items<Tuning>(temp, temp_bytes, items, num_items, bits, decompose, stream);
}

// A two-phase sort of segments.
template <class Tuning = void, class Items, class NumItems, class NumSegments, class Begins,
          class Ends>
[[nodiscard]] cudaError_t sort_segments(void* temp, std::size_t& temp_bytes, const Items& items,
                                        NumItems num_items, NumSegments num_segments, Begins begins,
                                        Ends ends, const SortBits& bits, cudaStream_t stream) {
    using Types = SortTypes<Items, NoDecomposer>;
    using Key = typename Types::Key;
    using Chosen = std::conditional_t<std::is_void_v<Tuning>, typename Types::Tuning, Tuning>;
    using Sort = SegmentedRadixSort<Chosen, Key, NoDecomposer, typename Items::ValueType,
                                    typename Items::ValuesInType>;
    std::int64_t n = 0, segments = 0;
    if (!to_item_count(num_items, n) || !to_item_count(num_segments, segments) || !items.is_valid())
        return cudaErrorInvalidValue;
    int result = 0;
    const cudaError_t error =
        Sort::run(temp, temp_bytes, items.template arrays<Key>(), n, segments, begins, ends,
                  make_order<typename Items::KeyType>(NoDecomposer{}, bits), Items::kTwoBuffers,
                  result, stream);
    if (error == cudaSuccess) items.show(result);
    return error;
}

// The same in one call.
template <class Items, class NumItems, class Decomposer = NoDecomposer>
[[nodiscard]] cudaError_t sort_items(const Items& items, NumItems num_items, bool descending,
                                     const SortOptions& options, const Decomposer& decompose = {}) {
    return with_stream_storage(options.stream, [&](void* temp, std::size_t& bytes) {
        return sort_items(temp, bytes, items, num_items, bits_of(descending, options), decompose,
                          options.stream);
    });
}
template <class Items, class NumItems, class NumSegments, class Begins, class Ends>
[[nodiscard]] cudaError_t sort_segments(const Items& items, NumItems num_items,
                                        NumSegments num_segments, Begins begins, Ends ends,
                                        bool descending, const SortOptions& options) {
    return with_stream_storage(options.stream, [&](void* temp, std::size_t& bytes) {
        return sort_segments(temp, bytes, items, num_items, num_segments, begins, ends,
                             bits_of(descending, options), options.stream);
    });
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

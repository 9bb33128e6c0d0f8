// SPDX-License-Identifier: Apache-2.0
//
// What a scan by key reads: keys and values. A head is the first element of a run of equal keys.
#pragma once

#include <cstdint>
#include <iterator>
#include <libscan/config.cuh>
#include <libscan/keyed_chunk.cuh>
#include <libscan/scan_input.cuh>
#include <libscan/segmented.cuh>
#include <libscan/type_traits.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// What an iterator that is only indexed has to name.
template <class Value>
struct IndexedIterator {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Value;
    using difference_type = std::int64_t;
    using pointer = void;
    using reference = Value;
};

// As an iterator, (value, head) pairs. Init: what is combined with every exclusive result, or
// NoStart for an inclusive scan.
template <class T, class Keys, class Values, class Equality, class Init>
struct KeyedInput : IndexedIterator<Segmented<T>> {
    Keys keys;
    Values values;
    mutable Equality equal;
    Init init;

    __host__ __device__ KeyedInput(Keys k, Values v, Equality e, Init i)
        : keys(k), values(v), equal(e), init(i) {}
    __device__ Segmented<T> operator[](std::int64_t i) const {
        return {static_cast<T>(values[i]), is_head(keys, equal, i)};
    }
};

template <class T, class Keys, class Values, class Equality, class Init>
struct ScanInput<KeyedInput<T, Keys, Values, Equality, Init>, Segmented<T>> {
  private:
    using In = KeyedInput<T, Keys, Values, Equality, Init>;
    using Key = IteratorValue<Keys>;
    using Item = RegisterItem<Values, T>;

  public:
    static constexpr std::size_t kItemBytes = sizeof(Key) + sizeof(Item);
    static constexpr bool kBulk = kKeysInRegisters<Keys> && ScanInput<Values, T>::kBulk;
    // As many as run at once; of bytes, which make the look-ahead scan's warps slow, any number.
    static constexpr int kTilesForRegisters = sizeof(Key) <= 2 && sizeof(Item) <= 2 ? 1 << 20
                                              : sizeof(T) <= 4                      ? 2
                                                                                    : 1;
    static auto bulk(const In& in) {
        using Bulk = KeyedInput<T, const Key*, const Item*, Equality, Init>;
        return Bulk(in.keys, in.values, in.equal, in.init);
    }

    template <class Tuning>
    static constexpr ScanPolicy policy() {
        return Tuning::keyed_policy(sizeof(Key), sizeof(Item), sizeof(T));
    }
    static constexpr bool kIsSmall = false;

    template <class Op, int kRows, bool kInclusive>
    using Chunk = KeyedChunk<In, Item, T, Op, kRows, kInclusive>;
    static constexpr int kRowItems = kWarpSize * keyed_lane_items(sizeof(Key), sizeof(Item));
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

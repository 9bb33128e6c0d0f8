// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of the single-pass scan have to know of an input: which chunk reads it, and the
// shape of its tiles. This is that of an iterator; a scan by key has its own (keyed_input.cuh).
#pragma once

#include <cstddef>
#include <libscan/config.cuh>
#include <libscan/scan_chunk.cuh>
#include <libscan/scan_policy.cuh>
#include <libscan/type_traits.cuh>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// What an element of the input is in registers: itself, or at once an accumulator where it cannot
// be copied as bytes.
template <class In, class Acc>
using RegisterItem = std::conditional_t<std::is_trivially_copyable_v<IteratorValue<In>> &&
                                            std::is_default_constructible_v<IteratorValue<In>> &&
                                            sizeof(IteratorValue<In>) <= kMaxRegisterBytes,
                                        IteratorValue<In>, Acc>;

template <class In, class Acc>
struct ScanInput {
    using Item = RegisterItem<In, Acc>;
    static constexpr std::size_t kItemBytes = sizeof(Item);  // that a tile holds of an element
    // Input that bulk copies can fetch, and as what the look-ahead scan takes it; and up to how
    // many tiles a multiprocessor the other structure is faster: as long as all tiles run at once.
    static constexpr bool kBulk = kIsArray<In> && std::is_same_v<Item, IteratorValue<In>>;
    static constexpr int kTilesForRegisters = 2;
    static auto bulk(In in) { return static_cast<const Item*>(in); }

    template <class Tuning>
    static constexpr ScanPolicy policy() {
        return Tuning::policy(sizeof(Item), sizeof(Acc));
    }
    // Items so small that few of them make tiles of their own, of so many rows.
    static constexpr bool kIsSmall = sizeof(Item) <= 2;

    template <class Op, int kRows, bool kInclusive>
    using Chunk = ScanChunk<Item, Acc, Op, kRows, kInclusive>;
    static constexpr int kRowItems = kWarpSize * VectorRow<Item>::kItems;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

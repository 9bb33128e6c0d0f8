// SPDX-License-Identifier: Apache-2.0
//
// The temporary storage of a compaction: the words that its tiles share, and what else it needs.
#pragma once

#include <compaction/tile_counts.cuh>
#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/operators.cuh>
#include <libscan/temp_storage.cuh>
#include <limits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class State>
class CompactionTemp {
    using States = CompactionStates<State>;
    static constexpr std::size_t kTicketBytes = 16, kEach = sizeof(State);

  public:
    // For `tiles` tiles, in as much storage as `planned`, at least as many, would take. False where
    // the size does not fit a size_t. One tile needs no storage.
    [[nodiscard]] bool plan(std::int64_t tiles, std::int64_t planned, std::size_t extra = 0) {
        sizes_[1] = extra;
        if (planned <= 1) return true;
        constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
        if (static_cast<std::uint64_t>(planned) > kMost / (2 * kEach) - 1024) return false;
        tiles_ = even(tiles);
        sizes_[0] = bytes(planned);
        cleared_ = bytes(tiles);
        return true;
    }
    [[nodiscard]] cudaError_t alias(void* temp, std::size_t& temp_bytes) {
        return alias_temp_storage(temp, temp_bytes, sizes_, parts_);
    }
    States states() const {
        char* const tiles = static_cast<char*>(parts_[0]) + kTicketBytes;
        return States{ticket(), TileStates<State>(tiles, nullptr),
                      reinterpret_cast<Word*>(tiles + tiles_ * kEach)};
    }
    // Enqueues the clearing of the words.
    [[nodiscard]] cudaError_t clear(cudaStream_t stream) const {
        return cudaMemsetAsync(parts_[0], 0, cleared_, stream);
    }
    // A word of what is cleared, for the caller, and its own part.
    Word* spare_word() const { return ticket() + 1; }
    void* extra() const { return parts_[1]; }

  private:
    Word* ticket() const { return static_cast<Word*>(parts_[0]); }
    static std::size_t even(std::int64_t tiles) {
        return static_cast<std::size_t>(tiles + tiles % 2);
    }
    static std::size_t bytes(std::int64_t tiles) {
        const std::int64_t groups = ceil_div<std::int64_t>(tiles, States::kGroup);
        return kTicketBytes + (even(tiles) + even(groups)) * kEach;
    }

    std::size_t tiles_ = 0;
    std::size_t cleared_ = 0;
    std::size_t sizes_[2] = {};
    void* parts_[2] = {};
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

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
    // False where the size does not fit a size_t. One tile needs no storage.
    [[nodiscard]] bool plan(std::int64_t tiles, std::size_t extra = 0) {
        sizes_[1] = extra;
        if (tiles <= 1) return true;
        tiles_ = static_cast<std::uint64_t>(tiles) + tiles % 2;
        const std::uint64_t groups = ceil_div<std::uint64_t>(tiles_, States::kGroup);
        if (tiles_ + groups > (std::numeric_limits<std::size_t>::max() - 1024) / kEach)
            return false;
        sizes_[0] = kTicketBytes + static_cast<std::size_t>(tiles_ + groups) * kEach;
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
        return cudaMemsetAsync(parts_[0], 0, sizes_[0], stream);
    }
    // A word of what is cleared, for the caller, and its own part.
    Word* spare_word() const { return ticket() + 1; }
    void* extra() const { return parts_[1]; }

  private:
    Word* ticket() const { return static_cast<Word*>(parts_[0]); }

    std::uint64_t tiles_ = 0;
    std::size_t sizes_[2] = {};
    void* parts_[2] = {};
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// The temporary storage of kernels whose tiles look back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>
#include <libscan/temp_storage.cuh>
#include <libscan/tile_windows.cuh>
#include <limits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// The temporary storage: ticket, aggregates, boundaries, all zero when the kernel begins; then the
// values of those that are too large to be published in words; then what else the caller needs. 16
// bytes for about every 10,000 elements of 4 bytes.
template <class Acc>
class ScanStorage {
    using States = LookBackStates<Acc>;
    using Values = TileStates<Acc>;
    static constexpr std::size_t kTicketBytes = 16;

  public:
    // False where the size does not fit a size_t. One tile needs no storage.
    [[nodiscard]] bool plan(std::int64_t tiles, std::size_t extra = 0) {
        sizes_[2] = extra;
        if (tiles <= 1) return true;
        aggregates_ = States::aggregate_count(static_cast<std::uint64_t>(tiles));
        const std::uint64_t values =
            aggregates_ + States::boundary_count(static_cast<std::uint64_t>(tiles));
        constexpr std::size_t kEach = Values::kClearedBytes + Values::kValueBytes;
        if (values > (std::numeric_limits<std::size_t>::max() - 1024) / kEach) return false;
        sizes_[0] = kTicketBytes + (values * Values::kClearedBytes + 15) / 16 * 16;
        sizes_[1] = values * Values::kValueBytes;
        return true;
    }
    [[nodiscard]] cudaError_t alias(void* temp, std::size_t& temp_bytes) {
        return alias_temp_storage(temp, temp_bytes, sizes_, parts_);
    }
    std::size_t cleared() const { return sizes_[0]; }
    // A word of what is cleared, for the caller, and its own part.
    Word* spare_word() const { return static_cast<Word*>(parts_[0]) + 1; }
    void* extra() const { return parts_[2]; }
    States states() const {
        char* const flags = static_cast<char*>(parts_[0]) + kTicketBytes;
        char* const data = static_cast<char*>(parts_[1]);
        return States{static_cast<Word*>(parts_[0]), Values(flags, data),
                      Values(flags + aggregates_ * Values::kClearedBytes,
                             data ? data + aggregates_ * Values::kValueBytes : nullptr)};
    }

  private:
    std::uint64_t aggregates_ = 0;
    std::size_t sizes_[3] = {};
    void* parts_[3] = {};
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
//
// Host side of pipelined_pass.cuh: on which devices its kernel runs, how large its tiles are, and
// the launches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_traits.cuh>
#include <libscan/hopper_scan.cuh>
#include <radixsort/key_order.cuh>
#include <radixsort/pipelined_pass.cuh>
#include <radixsort/sort_items.cuh>
#include <radixsort/sort_plan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class Tuning, class Key, class Decomposer, class Value, class ValuesIn>
class PipelinedPassLaunch {
    static constexpr RadixSortPolicy kPolicy = Tuning::kPolicy;
    using Pass = PipelinedPass<Tuning, Key, Decomposer, Value, ValuesIn>;
    static constexpr int kStep = Pass::kAhead;  // rows come in so many

  public:
    static constexpr bool kPossible = kNewestArchitecture >= 900 && kPolicy.pass_items > 0 &&
                                      alignof(Key) <= 16 &&
                                      (std::is_same_v<Value, NoValues> || alignof(Value) <= 16);

    static auto kernel() {
        return &pipelined_pass_kernel<Tuning, Key, Decomposer, Value, ValuesIn>;
    }

    // Whether the device can have it. (A tuning for such devices is only asked for on them.)
    [[nodiscard]] static cudaError_t usable(const DeviceTraits& device, bool& answer) {
        static AnswerOfDevice known;
        answer = Tuning::kArchitecture >= 900;
        if (answer) return cudaSuccess;
        if (!kPossible || device.architecture < 900) return cudaSuccess;
        return has_hopper_code(known, device, kernel(), answer);
    }

    // The tiles for n items: as large as shared memory allows, but where that leaves blocks without
    // one, as small as gives each block one.
    explicit PipelinedPassLaunch(const DeviceTraits& device)
        : blocks_(std::max(1, device.multiprocessors) * kPolicy.pass_blocks) {
        const std::size_t room = static_cast<std::size_t>(device.shared_kilobytes) * 1024;
        most_rows_ = kPolicy.pass_items / kStep * kStep;
        while (most_rows_ > kStep && Pass::shared_bytes(most_rows_) > room) most_rows_ -= kStep;
    }
    [[nodiscard]] int rows(std::int64_t n) const {
        const std::int64_t row = std::int64_t(blocks_) * Pass::kWorkers * kStep;
        return static_cast<int>(std::min<std::int64_t>(ceil_div(n, row) * kStep, most_rows_));
    }
    // Items of the largest tile.
    [[nodiscard]] std::int64_t tile() const { return std::int64_t(Pass::kWorkers) * most_rows_; }
    // Items of one tile for each block.
    [[nodiscard]] std::int64_t all_at_once() const { return blocks_ * tile(); }
    // At least as many tiles as n items have; does not fall as n grows.
    [[nodiscard]] std::int64_t most_tiles(std::int64_t n) const {
        return std::min(ceil_div(n, std::int64_t(Pass::kWorkers) * kStep),
                        std::max<std::int64_t>(blocks_, ceil_div(n, tile())));
    }
    // Words of the look-back for so many tiles: with two levels up to one tile a block.
    [[nodiscard]] std::size_t look_back_words(std::int64_t tiles, int digits, int passes) const {
        const std::int64_t most = std::min<std::int64_t>(tiles, blocks_);
        return std::max(GroupedLookBack::words(most, digits, passes),
                        static_cast<std::size_t>(tiles) * static_cast<std::size_t>(digits));
    }

    [[nodiscard]] cudaError_t launch_pass(const SortArrays<Key, Value, ValuesIn>& arrays,
                                          const KeyOrder<Key, Decomposer>& order,
                                          const SortState& state, int pass, int portion,
                                          std::int64_t first, std::int64_t n, int rows,
                                          cudaStream_t stream) const {
        const std::int64_t tiles = ceil_div(n, std::int64_t(Pass::kWorkers) * rows);
        cudaLaunchAttribute dependent = dependent_launch();
        const LaunchShape shape{
            dim3(static_cast<unsigned>(std::min<std::int64_t>(tiles, blocks_))),
            Pass::kThreads,
            Pass::shared_bytes(rows),
            stream,
            &dependent,
            state.portions == 1 ? 1u : 0u};  // else a memset stands in front of it
        return launch(
            kernel(), shape, arrays, order, state,
            PipelinedPassPlace{pass, portion, first, n, rows, static_cast<unsigned>(tiles)});
    }

  private:
    int blocks_;
    int most_rows_;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

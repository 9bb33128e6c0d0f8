// SPDX-License-Identifier: Apache-2.0
//
// Host side of the single-pass scan: storage, checks, choice of the kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <libscan/argument_checks.cuh>
#include <libscan/config.cuh>
#include <libscan/device_scan_kernels.cuh>
#include <libscan/device_traits.cuh>
#include <libscan/hopper_scan.cuh>
#include <libscan/register_scan.cuh>
#include <libscan/scan_input.cuh>
#include <libscan/scan_policy.cuh>
#include <libscan/temp_storage.cuh>
#include <libscan/three_kernel_scan.cuh>
#include <libscan/wide_accumulator.cuh>
#include <limits>
#include <type_traits>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// The temporary storage: ticket, aggregates, boundaries, all zero when the kernel begins; then the
// values of those that are too large to be published in words. 16 bytes for about every 10,000
// elements of 4 bytes.
template <class Acc>
class ScanStorage {
    using States = LookBackStates<Acc>;
    using Values = TileStates<Acc>;
    static constexpr std::size_t kTicketBytes = 16;

  public:
    // False where the size does not fit a size_t. One tile needs no storage.
    [[nodiscard]] bool plan(std::int64_t tiles) {
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
    States states() const {
        char* const flags = static_cast<char*>(parts_[0]) + kTicketBytes;
        char* const data = static_cast<char*>(parts_[1]);
        return States{static_cast<Word*>(parts_[0]), Values(flags, data),
                      Values(flags + aggregates_ * Values::kClearedBytes,
                             data ? data + aggregates_ * Values::kValueBytes : nullptr)};
    }

  private:
    std::uint64_t aggregates_ = 0;
    std::size_t sizes_[2] = {};
    void* parts_[2] = {};
};

template <class Acc, class Tuning = ScanTuning>
struct SinglePassScan {
    // Scans n elements from `start`. Temporary storage is cleared before each launch that uses it,
    // so one that was aborted leaves nothing behind that matters.
    template <bool kInclusive, class In, class Out, class Op, class Start>
    [[nodiscard]] static cudaError_t run(void* temp, std::size_t& temp_bytes, In in, Out out,
                                         std::int64_t n, Op op, Start start, cudaStream_t stream) {
        if constexpr (kIsNarrow<Acc>) {
            using Wide = SinglePassScan<WideAccumulator<Acc>, Tuning>;
            return Wide::template run<kInclusive>(temp, temp_bytes, in, out, n, WideOp<Acc, Op>{op},
                                                  wide_start<Acc>(start), stream);
        } else {
            if constexpr (kFewIsSpecial<In>) {
                if (n <= kFewSmallItems) {
                    using Few = SinglePassScan<Acc, FewRowsTuning<Tuning>>;
                    return Few::template run<kInclusive>(temp, temp_bytes, in, out, n, op, start,
                                                         stream);
                }
            }
            constexpr int kTile = tile_items<In>();
            const std::int64_t tiles = ceil_div(n, static_cast<std::int64_t>(kTile));
            ScanStorage<Acc> storage;
            if (!storage.plan(std::max(tiles, least_tiles<In>()))) return cudaErrorInvalidValue;
            cudaError_t error = storage.alias(temp, temp_bytes);
            if (error != cudaSuccess || temp == nullptr) return error;
            error = check_buffers(in, out, n, temp, temp_bytes);
            if (error != cudaSuccess || n == 0) return error;
            if constexpr (kLookahead<In>) {
                bool done = false;
                error =
                    run_lookahead<kInclusive>(in, out, n, op, start, storage, tiles, stream, done);
                if (error != cudaSuccess || done) return error;
            }
            if constexpr (kInRegisters) {
                return run_registers<kInclusive>(in, out, n, op, start, storage, tiles, stream);
            } else {
                return run_shared<kInclusive>(in, out, n, op, start, storage, tiles, stream);
            }
        }
    }

  private:
    template <class, class>
    friend struct SinglePassScan;

    template <class In>
    using Input = ScanInput<In, Acc>;
    static constexpr bool kInRegisters = sizeof(Acc) <= kMaxRegisterBytes;
    static constexpr SharedScanPolicy kShared = shared_scan_policy(sizeof(Acc));

    static constexpr bool kHopper =
        kNewestArchitecture >= 900 && Tuning::kStructure != ScanStructure::registers;
    template <class In>
    static constexpr bool kLookahead = kHopper&& kInRegisters&& Input<In>::kBulk;

    template <class In>
    static constexpr bool kFewIsSpecial =
        kInRegisters&& Input<In>::kIsSmall&& Tuning::kStructure ==
        ScanStructure::automatic&& Input<In>::template policy<Tuning>().rows > kFewRows;
    // So that the size of the storage never falls as n grows.
    template <class In>
    static constexpr std::int64_t least_tiles() {
        if constexpr (kFewIsSpecial<In>) {
            using Few = SinglePassScan<Acc, FewRowsTuning<Tuning>>;
            return ceil_div(kFewSmallItems, std::int64_t{Few::template tile_items<In>()});
        } else {
            return 0;
        }
    }

    template <class In>
    static constexpr ScanPolicy policy() {
        return Input<In>::template policy<Tuning>();
    }
    template <class In>
    static constexpr int tile_items() {
        if constexpr (kInRegisters) {
            return policy<In>().warps * policy<In>().rows * Input<In>::kRowItems;
        } else {
            return kShared.tile;
        }
    }

    // More tiles than a cluster has, if the device can; else `done` is false.
    template <bool kInclusive, class In, class Out, class Op, class Start>
    [[nodiscard]] static cudaError_t run_lookahead(In in, Out out, std::int64_t n, Op op,
                                                   Start start, const ScanStorage<Acc>& storage,
                                                   std::int64_t tiles, cudaStream_t stream,
                                                   bool& done) {
        using Bulk = decltype(Input<In>::bulk(in));
        using Launch = LookaheadLaunch<Tuning, kInclusive, Bulk, Out, Acc, Op, Start>;
        constexpr bool kAlways = Tuning::kStructure == ScanStructure::lookahead;
        if (tiles <= (kAlways ? 1 : kClusterTiles) ||
            tiles >= std::numeric_limits<std::int32_t>::max())
            return cudaSuccess;
        DeviceTraits device;
        cudaError_t error = device_traits(device);
        if (error != cudaSuccess) return error;
        if (!kAlways &&
            tiles <= std::int64_t{Input<In>::kTilesForRegisters} * device.multiprocessors)
            return cudaSuccess;
        error = Launch::usable(device, done);
        if (error != cudaSuccess || !done) return error;
        return Launch::launch_scan(Input<In>::bulk(in), out, n, op, start, storage.states(),
                                   storage.cleared(), device, stream);
    }

    // A block for every tile: all of them in one cluster, or by look-back.
    template <bool kInclusive, class In, class Out, class Op, class Start>
    [[nodiscard]] static cudaError_t run_registers(In in, Out out, std::int64_t n, Op op,
                                                   Start start, const ScanStorage<Acc>& storage,
                                                   std::int64_t tiles, cudaStream_t stream) {
        constexpr ScanPolicy kPolicy = policy<In>();
        constexpr int kThreads = kPolicy.warps * kWarpSize;
        const auto kernel =
            &register_scan_kernel<kPolicy.warps, kPolicy.rows, kInclusive, In, Out, Acc, Op, Start>;
        if (tiles == 1) {
            return launch(kernel, dim3(1), kThreads, 0, stream, in, out, n, op, start,
                          LookBackStates<Acc>{}, Exchange::none);
        }
        if constexpr (kHopper) {
            static AnswerOfDevice known;
            int most = 1;
            if (tiles <= kClusterTiles) {
                DeviceTraits device;
                cudaError_t error = device_traits(device);
                if (error == cudaSuccess && device.architecture >= 900)
                    error = known.get(device, most, [kernel](int& blocks) {
                        return largest_cluster(kernel, kThreads, blocks);
                    });
                if (error != cudaSuccess) return error;
            }
            if (tiles <= most) {
                // Each time, as limits of shared memory: a reset after a fault can take them away.
                if (tiles > kPortableClusterBlocks) {
                    const cudaError_t error = allow_large_clusters(kernel);
                    if (error != cudaSuccess) return error;
                }
                cudaLaunchAttribute cluster = cluster_of(static_cast<int>(tiles));
                const LaunchShape shape{
                    dim3(static_cast<unsigned>(tiles)), kThreads, 0, stream, &cluster, 1};
                return launch(kernel, shape, in, out, n, op, start, LookBackStates<Acc>{},
                              Exchange::cluster);
            }
        }
        dim3 grid;
        cudaError_t error = begin_look_back(storage, tiles, stream, grid);
        if (error != cudaSuccess) return error;
        return launch(kernel, grid, kThreads, 0, stream, in, out, n, op, start, storage.states(),
                      Exchange::look_back);
    }

    // The same with tiles in shared memory, for large values.
    template <bool kInclusive, class In, class Out, class Op, class Start>
    [[nodiscard]] static cudaError_t run_shared(In in, Out out, std::int64_t n, Op op, Start start,
                                                const ScanStorage<Acc>& storage, std::int64_t tiles,
                                                cudaStream_t stream) {
        const auto kernel = &single_pass_scan_kernel<kShared.threads, kShared.tile, kInclusive, In,
                                                     Out, Acc, Op, Start>;
        constexpr std::size_t kBytes =
            sizeof(SinglePassStorage<Acc, kShared.threads, kShared.tile>);
        if (tiles == 1) {
            return launch(kernel, dim3(1), kShared.threads, kBytes, stream, in, out, n, op, start,
                          LookBackStates<Acc>{}, true);
        }
        dim3 grid;
        const cudaError_t error = begin_look_back(storage, tiles, stream, grid);
        if (error != cudaSuccess) return error;
        return launch(kernel, grid, kShared.threads, kBytes, stream, in, out, n, op, start,
                      storage.states(), false);
    }

    // Clears the states, and says how many blocks to launch.
    [[nodiscard]] static cudaError_t begin_look_back(const ScanStorage<Acc>& storage,
                                                     std::int64_t tiles, cudaStream_t stream,
                                                     dim3& grid) {
        const TileGrid blocks = tile_grid(tiles);
        if (!blocks.fits) return cudaErrorInvalidValue;
        grid = dim3(static_cast<unsigned>(blocks.x), static_cast<unsigned>(blocks.y));
        return cudaMemsetAsync(storage.states().ticket, 0, storage.cleared(), stream);
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

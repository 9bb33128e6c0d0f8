// SPDX-License-Identifier: Apache-2.0
//
// Single-pass scan for compute capability 9.0: persistent blocks whose warps have one role each.
//
//   loader      whenever a stage of the ring is free: takes a tile by ticket, bulk-copies it there
//   reducers    fold the tile's chunks as soon as it has landed
//   publisher   folds the chunk totals and publishes the tile's aggregate at once
//   gatherer    makes the tile's prefix out of the aggregates of all tiles before it
//   scanners    one chunk each: scan it in registers, wait for the prefix, write
//
// Aggregates run ahead of the scan by as many tiles as the ring holds, so the prefix of a tile is
// there, nearly always, when its scanners ask for it. No prefix is passed from block to block: a
// block adds up aggregates itself, so there is no serial chain through the blocks.
//
// Progress. Consider the lowest tile whose aggregate is not published yet. A running block holds
// its ticket, and has a stage for it: it is loaded, reduced and published without waiting for
// anybody. So all aggregates come in the end, and with them all prefixes, however many blocks are
// resident and in whatever order they start.
//
// The order of combination is that of scan_chunk.cuh within a tile and of tile_windows.cuh between
// tiles; register_scan.cuh has the same, so the two give the same bits.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/hopper.cuh>
#include <libscan/lookahead_prefix.cuh>
#include <libscan/register_scan.cuh>
#include <libscan/scan_input.cuh>
#include <libscan/scan_policy.cuh>
#include <libscan/scan_start.cuh>
#include <libscan/tile_stage.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

template <class In, class Out, class Acc, class Op, class Start>
struct LookaheadArguments {
    In in;
    Out out;
    std::int64_t n;
    unsigned tiles;
    Op op;
    Start start;
    LookBackStates<Acc> states;
};

template <class Tuning, bool kInclusive, class In, class Out, class Acc, class Op, class Start>
class LookaheadScan {
    using Input = ScanInput<In, Acc>;
    static constexpr ScanPolicy kPolicy = Input::template policy<Tuning>();
    static constexpr int kChunks = kPolicy.warps, kReducers = kPolicy.reduce_warps;
    static constexpr int kStages = kPolicy.stages;
    using Chunk = typename Input::template Chunk<Op, kPolicy.rows, kInclusive>;
    using Stage = TileStage<In, kChunks, Chunk>;
    using Arguments = LookaheadArguments<In, Out, Acc, Op, Start>;
    static_assert(kChunks <= kWarpSize, "one lane for each chunk of a tile");

    // The small things of a tile live longer than its data, which are given up as soon as they are
    // in registers, while the scanners still wait for the prefix. One slot more than stages is
    // enough.
    static constexpr int kSlots = kStages + 1;
    static constexpr unsigned kNoTile = ~0u;

  public:
    static constexpr int kTile = kChunks * Chunk::kItems;
    static constexpr int kRingBytes = kStages * Stage::kBytes;
    static constexpr int kThreads = (kChunks + kReducers + 3) * kWarpSize;

    struct Shared {
        Mbarrier full[kStages], empty[kStages];   // data have landed; all have read them
        Mbarrier reduced[kSlots], ready[kSlots];  // chunk totals are there; prefixes are there
        shared_array<unsigned, kSlots> tile;
        ChunkSums<Acc> chunks[kSlots];
        shared_array<Acc, kSlots> prefix;  // of the tile; none for tile 0 without a start
    };

    __device__ __forceinline__ LookaheadScan(const Arguments& a, Shared& s, char* ring)
        : args_(a),
          s_(s),
          ring_(ring),
          op_(a.op),
          lane_(static_cast<int>(threadIdx.x) % kWarpSize),
          stage_(a.in) {}

    __device__ __forceinline__ void run() {
        if (threadIdx.x == 0) {
            for (int i = 0; i < kStages; ++i) {
                s_.full[i].init(1);
                s_.empty[i].init(kChunks + kReducers + 2);
            }
            for (int i = 0; i < kSlots; ++i) {
                s_.reduced[i].init(kReducers);
                s_.ready[i].init(2);
            }
            Mbarrier::fence_init();
        }
        __syncthreads();
        const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
        if (warp < kChunks) {
            scan(warp);
        } else if (warp < kChunks + kReducers) {
            reduce(warp - kChunks);
        } else if (warp == kChunks + kReducers) {
            load();
        } else if (warp == kChunks + kReducers + 1) {
            publish();
        } else {
            gather();
        }
    }

  private:
    // Where a role is in the ring: stage, slot, and the parities of their barriers.
    struct Place {
        int stage = 0, slot = 0;
        unsigned stage_parity = 0, slot_parity = 0;
        __device__ __forceinline__ void advance() {
            if (++stage == kStages) {
                stage = 0;
                stage_parity ^= 1;
            }
            if (++slot == kSlots) {
                slot = 0;
                slot_parity ^= 1;
            }
        }
    };

    __device__ __forceinline__ int items_of(unsigned tile) const {
        const std::int64_t rest = args_.n - static_cast<std::int64_t>(tile) * kTile;
        return rest < kTile ? static_cast<int>(rest) : kTile;
    }
    __device__ __forceinline__ char* data(const Place& p) const {
        return ring_ + p.stage * Stage::kBytes;
    }
    // Waits for the next tile and says which; false at the end.
    __device__ __forceinline__ bool next_tile(const Place& p, unsigned& tile) {
        s_.full[p.stage].wait(p.stage_parity);
        tile = s_.tile[p.slot];
        return tile != kNoTile;
    }
    // The same for a role that does not look at the data. It frees the stage all the same: if the
    // stage were filled again before all have seen that it was full, they would wait for ever.
    __device__ __forceinline__ bool next_tile_without_data(const Place& p, unsigned& tile) {
        const bool more = next_tile(p, tile);
        if (more) arrive(s_.empty[p.stage]);
        return more;
    }
    // For the warp.
    __device__ __forceinline__ void arrive(Mbarrier& b) {
        __syncwarp();
        if (lane_ == 0) b.arrive();
    }

    // ---- Loader

    __device__ __forceinline__ void load() {
        wait_for_previous_kernel();  // it clears the states
        // A block that starts early could take as many tiles as its ring holds, and leave none for
        // others: where there are no more than that, each takes its share. (Together they take
        // all.)
        const unsigned share = ceil_div(args_.tiles, gridDim.x);
        unsigned left = share <= kStages ? share : ~0u;
        bool first_round = true;
        for (Place p;; p.advance()) {
            if (p.stage == 0 && p.stage_parity == 1) first_round = false;
            // A ticket without a stage for it would keep all later tiles waiting.
            if (!first_round) s_.empty[p.stage].wait(p.stage_parity ^ 1);
            const unsigned tile = left-- > 0 ? take_ticket() : args_.tiles;
            const bool end = tile >= args_.tiles;
            if (lane_ == 0) s_.tile[p.slot] = end ? kNoTile : tile;
            if (end) {
                arrive(s_.full[p.stage]);
                return;
            }
            stage_.fill(args_.in, args_.n, tile, items_of(tile), data(p), s_.full[p.stage], lane_);
        }
    }
    __device__ __forceinline__ unsigned take_ticket() {
        unsigned ticket = 0;
        if (lane_ == 0) ticket = static_cast<unsigned>(atomicAdd(args_.states.ticket, Word(1)));
        return __shfl_sync(~0u, ticket, 0);
    }
    // ---- Reducers

    __device__ __forceinline__ void reduce(int first) {
        unsigned tile;
        for (Place p; next_tile(p, tile); p.advance()) {
            const int items = items_of(tile);
            char* const stage = data(p);
            for (int c = first; c * Chunk::kItems < items; c += kReducers) {
                const int count = items - c * Chunk::kItems;
                Chunk chunk(op_, 0, args_.in);
                const Acc total = stage_.reduce(chunk, stage, tile, c, count);
                if (lane_ == 0) s_.chunks[p.slot].total[c] = total;
            }
            __syncwarp();
            if (lane_ == 0) {
                s_.reduced[p.slot].arrive();
                s_.empty[p.stage].arrive();
            }
        }
    }

    // ---- Publisher

    __device__ __forceinline__ void publish() {
        wait_for_previous_kernel();
        unsigned tile;
        for (Place p; next_tile_without_data(p, tile); p.advance()) {
            s_.reduced[p.slot].wait(p.slot_parity);
            const int chunks = ceil_div(items_of(tile), Chunk::kItems);
            const Acc aggregate = scan_chunk_sums(s_.chunks[p.slot], chunks, op_);
            if (lane_ == 0) args_.states.aggregates.publish(tile, aggregate);
            arrive(s_.ready[p.slot]);
        }
    }

    // ---- Gatherer

    __device__ __forceinline__ void gather() {
        wait_for_previous_kernel();
        Prefix<Acc> start{};
        if constexpr (!kIsNoStart<Start>) start = {start_value<Acc>(args_.start), true};
        LookaheadPrefix<Acc, Op> prefix(args_.states, op_, start);
        unsigned tile;
        for (Place p; next_tile_without_data(p, tile); p.advance()) {
            const Acc before = prefix.of(tile);
            if (lane_ == 0) s_.prefix[p.slot] = before;
            arrive(s_.ready[p.slot]);
        }
    }

    // ---- Scanners

    __device__ __forceinline__ void scan(int warp) {
        unsigned tile;
        for (Place p; next_tile(p, tile); p.advance()) {
            const int rest = items_of(tile) - warp * Chunk::kItems;
            if (rest <= 0) {
                arrive(s_.empty[p.stage]);
                continue;
            }
            Chunk chunk(op_, static_cast<std::uint32_t>(args_.n >> 62), args_.in);
            stage_.load(chunk, data(p), tile, warp);
            if (rest >= Chunk::kItems) {
                finish<true>(chunk, p, tile, warp, Chunk::kItems);
            } else {
                finish<false>(chunk, p, tile, warp, rest);
            }
        }
    }
    template <bool kFull>
    __device__ __forceinline__ void finish(Chunk& chunk, const Place& p, unsigned tile, int warp,
                                           int count) {
        chunk.template scan_lanes<kFull>(count);
        arrive(s_.empty[p.stage]);  // the data are in registers
        chunk.template prepare<kFull>(count);
        s_.ready[p.slot].wait(p.slot_parity);
        Prefix<Acc> before{Acc(), !kIsNoStart<Start> || tile > 0};
        if (before.exists) before.value = s_.prefix[p.slot];
        if (warp > 0) {
            const Acc in_front = s_.chunks[p.slot].prefix[warp];
            before.add(op_, in_front);
        }
        chunk.template emit<kFull, !kIsNoStart<Start>>(
            args_.out, static_cast<std::int64_t>(tile) * kTile + warp * Chunk::kItems,
            before.exists, before.value, count);
    }

    const Arguments& args_;
    Shared& s_;
    char* ring_;
    Op op_;
    int lane_;
    Stage stage_;
};

template <class Tuning, bool kInclusive, class In, class Out, class Acc, class Op, class Start>
__global__ void __launch_bounds__(
    LookaheadScan<Tuning, kInclusive, In, Out, Acc, Op, Start>::kThreads, 1)
    lookahead_scan_kernel(
        const __grid_constant__ LookaheadArguments<In, Out, Acc, Op, Start> arguments) {
#if LIBSCAN_HOPPER_CODE
    using Scan = LookaheadScan<Tuning, kInclusive, In, Out, Acc, Op, Start>;
    LIBSCAN_SHARED(shared, typename Scan::Shared);
    Scan(arguments, shared, dynamic_shared<char>()).run();
#endif
}

// Clears the states; the scan, launched as dependent behind it, may start at once and waits itself.
template <class T = Vector16>
__global__ void __launch_bounds__(512) clear_states_kernel(T* states, unsigned count) {
#if LIBSCAN_HOPPER_CODE
    let_dependents_start();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        states[i] = T{};
    }
#endif
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

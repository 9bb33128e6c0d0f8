// SPDX-License-Identifier: Apache-2.0
//
// Single-pass scan for sm_90: persistent blocks whose warps have one role each.
//
//   loader     takes a tile by ticket whenever a stage of the ring is free, and bulk-copies it
//   there reducers   fold the tile's chunks as soon as it has landed publisher  folds the chunk
//   totals and publishes the tile's aggregate at once gatherer   makes the tile's prefix out of the
//   aggregates of all tiles before it scanners   one chunk each: scan it in registers, wait for the
//   prefix, write
//
// Aggregates run ahead of the scan by as many tiles as the ring holds, so the prefix of a tile is
// there, nearly always, when its scanners ask for it. No prefix is ever waited for: a block adds up
// aggregates itself, so there is no serial chain through the blocks.
//
// Progress. Consider the lowest tile whose aggregate is not published yet. A running block holds
// its ticket. If the tile is in the ring, it is loaded, reduced and published without waiting for
// anybody. If it waits for a stage, the stage belongs to an earlier tile of the same block, and
// that tile needs the aggregates of still earlier tiles alone, which are all published. So the
// lowest tile always advances, however many blocks are resident, in whatever order they start.
//
// Order. Tiles are grouped in windows of 128 at fixed indices. The prefix of tile t is
//   ((start + window 0) + window 1) + ... + (tiles of t's window before t)
// and within a window every lane folds 4 tiles from left to right, and a warp scan the lanes. It
// depends on t alone, not on the grid, the tickets or the number of multiprocessors, so the result
// is the same to the bit in every run.
#pragma once

#include "scan_chunk.cuh"

namespace lab {

template <int kScanWarpsP, int kReduceWarpsP, int kRowsP, int kStagesP, bool kKeepInputP = false>
struct LookaheadPolicy {
    static constexpr int kScanWarps = kScanWarpsP;  // chunks of a tile, at most 32
    static constexpr int kReduceWarps = kReduceWarpsP;
    static constexpr int kRows = kRowsP;      // of a chunk
    static constexpr int kStages = kStagesP;  // of the ring
    // Input lines are the last that L2 gives up, so that it writes results back at once and in
    // order.
    static constexpr bool kKeepInput = kKeepInputP;
    static constexpr int kThreads = (kScanWarps + kReduceWarps + 3) * kWarp;
};

struct NoStart {
    static constexpr bool kExists = false;
};
template <class T>
struct StartValue {
    static constexpr bool kExists = true;
    T value;
    __device__ T get() const { return value; }
};

template <class In, class Out, class Op, class Start>
struct LookaheadArguments {
    const In* in;
    Out* out;
    unsigned long long items;
    unsigned tiles;
    char* temp;  // LookaheadTemp
    Op op;
    Start start;
};

// Ticket, tile states, window states (the prefix at the window's first tile), all zero at the
// start.
template <class Acc>
struct LookaheadTemp {
    // Tiles of a window that a lane folds; states of several words take too many registers for
    // four.
    static constexpr int kPerLane = TileStates<Acc>::kWords == 1 ? 4 : 2;
    static constexpr int kWindow = kPerLane * kWarp;
    static constexpr size_t kTicketBytes = 128;

    // States of tiles are read four at a time.
    static __host__ __device__ size_t tile_states(size_t tiles) {
        return (tiles + kPerLane - 1) / kPerLane * kPerLane;
    }

    static __host__ __device__ size_t bytes(size_t tiles) {
        const size_t states = tile_states(tiles) + (tiles + kWindow - 1) / kWindow;
        return kTicketBytes + (states * TileStates<Acc>::kBytes + 15) / 16 * 16;
    }
    __device__ static Ticket ticket(char* temp) { return Ticket(temp); }
    __device__ static TileStates<Acc> tiles(char* temp) {
        return TileStates<Acc>(temp + kTicketBytes);
    }
    __device__ static TileStates<Acc> windows(char* temp, size_t tiles) {
        return TileStates<Acc>(temp + kTicketBytes + tile_states(tiles) * TileStates<Acc>::kBytes);
    }
};

// Folds the first `size` tiles of a window, in all lanes; value(i) is tile i of the calling lane.
template <class Acc, class Value, class Op>
__device__ __forceinline__ Acc fold_window(Value value, int size, Op op, int lane) {
    constexpr int kPerLane = LookaheadTemp<Acc>::kPerLane;
    Acc sum = value(0);
#pragma unroll
    for (int i = 1; i < kPerLane; ++i) {
        sum = combine_if(lane * kPerLane + i < size, op, sum, value(i), sum);
    }
    const int lanes = (size + kPerLane - 1) / kPerLane;
    return shuffle(warp_inclusive_scan(sum, op, lane, lanes), (lanes - 1) & (kWarp - 1));
}

template <class Policy, class In, class Out, class Acc, class Op, class Start, bool kInclusive>
class Lookahead {
  public:
    using Arguments = LookaheadArguments<In, Out, Op, Start>;
    using ChunkType = Chunk<In, Out, Acc, Op, Policy::kRows, kInclusive>;
    using Temp = LookaheadTemp<Acc>;

    static_assert(kInclusive || Start::kExists, "an exclusive scan needs an initial value");
    static_assert(Policy::kScanWarps <= kWarp, "one lane for each chunk of a tile");

    static constexpr int kChunks = Policy::kScanWarps;
    static constexpr int kChunkItems = ChunkType::kItems;
    static constexpr int kChunkBytes = kChunkItems * static_cast<int>(sizeof(In));
    static constexpr int kTileItems = kChunks * kChunkItems;
    static constexpr int kStages = Policy::kStages;
    // A tile starts at the offset, modulo 16, that it has in global memory: up to 15 bytes more.
    static constexpr size_t kStageBytes = (kTileItems * sizeof(In) + 15) / 16 * 16 + 32;
    static constexpr size_t kRingBytes = kStages * kStageBytes;

    // The small things of a tile live longer than its data: data are given up as soon as they are
    // in registers, while the scanners still wait for the prefix. One slot more than stages is
    // enough.
    static constexpr int kSlots = kStages + 1;

    struct Shared {
        Mbarrier full[kStages], empty[kStages];
        Mbarrier reduced[kSlots], ready[kSlots];
        SharedArray<unsigned, kSlots> tile;
        SharedArray<Acc, kSlots * kWarp> chunk_total;
        SharedArray<Acc, kSlots * kWarp> chunk_prefix;  // within the tile; none for chunk 0
        SharedArray<Acc, kSlots> prefix;  // of the tile; none for tile 0 without start
    };

    __device__ Lookahead(const Arguments& a, Shared& s, char* ring)
        : args_(a),
          s_(s),
          ring_(ring),
          lane_(threadIdx.x % kWarp),
          shift_(static_cast<int>(reinterpret_cast<uintptr_t>(a.in) % 16)) {}

    __device__ __forceinline__ void run() {
        if (threadIdx.x == 0) {
            for (int i = 0; i < kStages; ++i) {
                s_.full[i].init(1);
                s_.empty[i].init(kChunks + Policy::kReduceWarps);
            }
            for (int i = 0; i < kSlots; ++i) {
                s_.reduced[i].init(Policy::kReduceWarps);
                s_.ready[i].init(2);
            }
            Mbarrier::fence_init();
        }
        __syncthreads();
        const int warp = threadIdx.x / kWarp;
        if (warp < kChunks) {
            scan(warp);
        } else if (warp < kChunks + Policy::kReduceWarps) {
            reduce(warp - kChunks);
        } else if (warp == kChunks + Policy::kReduceWarps) {
            load();
        } else if (warp == kChunks + Policy::kReduceWarps + 1) {
            publish();
        } else {
            gather();
        }
    }

  private:
    static constexpr unsigned kNoTile = ~0u;

    // Where a role is in the ring: stage, slot, and the parities of their barriers.
    struct Place {
        int stage = 0, slot = 0;
        unsigned stage_parity = 0, slot_parity = 0;
        __device__ __forceinline__ void advance() {
            if (++stage == kStages) stage = 0, stage_parity ^= 1;
            if (++slot == kSlots) slot = 0, slot_parity ^= 1;
        }
    };

    __device__ __forceinline__ int items_of(unsigned tile) const {
        const unsigned long long rest =
            args_.items - static_cast<unsigned long long>(tile) * kTileItems;
        return rest < kTileItems ? static_cast<int>(rest) : kTileItems;
    }
    // Waits for the next tile and says which; false at the end.
    __device__ __forceinline__ bool next_tile(const Place& p, unsigned& tile) {
        s_.full[p.stage].wait(p.stage_parity);
        tile = s_.tile.get(p.slot);
        return tile != kNoTile;
    }
    __device__ __forceinline__ void arrive(Mbarrier& b) {
        __syncwarp();
        if (lane_ == 0) b.arrive();
    }

    __device__ __forceinline__ void load() {
        wait_for_previous_kernel();  // which clears the temporary storage
        const Ticket ticket = Temp::ticket(args_.temp);
        bool first_round = true;
        for (Place p;; p.advance()) {
            if (p.stage == 0 && p.stage_parity == 1) first_round = false;
            if (!first_round) s_.empty[p.stage].wait(p.stage_parity ^ 1);
            const unsigned next = take(ticket);
            const bool end = next >= args_.tiles;
            if (lane_ == 0) s_.tile.set(p.slot, end ? kNoTile : next);
            if (end) {
                arrive(s_.full[p.stage]);
                return;
            }
            copy_tile(next, p.stage);
        }
    }
    __device__ __forceinline__ unsigned take(const Ticket& ticket) {
        unsigned t = 0;
        if (lane_ == 0) t = ticket.take();
        return __shfl_sync(kAllLanes, t, 0);
    }
    // Bulk copies move multiples of 16 aligned bytes: the ends of a tile that do not fit go one by
    // one, so that nothing outside the tile is ever read.
    __device__ __forceinline__ void copy_tile(unsigned tile, int stage) {
        const char* from = reinterpret_cast<const char*>(args_.in) +
                           static_cast<unsigned long long>(tile) * (kTileItems * sizeof(In));
        char* to = ring_ + stage * kStageBytes;
        const int bytes = items_of(tile) * static_cast<int>(sizeof(In));
        const int begin = shift_, end = shift_ + bytes;  // in the stage
        const int wide_begin = (begin + 15) & ~15, wide_end = end & ~15;
        from -= shift_;
        if (begin % 16 != 0 || end % 16 != 0) {
            const int head_end = min(wide_begin, end), tail_begin = max(wide_end, head_end);
            const int i = lane_ < 16 ? begin + lane_ : tail_begin + lane_ - 16;
            if (i < (lane_ < 16 ? head_end : end)) to[i] = from[i];
            fence_for_bulk();
        }
        if (bytes % kChunkBytes != 0) {
            // A ragged chunk is read in whole rows all the same: clear what is behind its end.
            const int chunk_end = begin + (bytes + kChunkBytes - 1) / kChunkBytes * kChunkBytes;
            const int aligned = (end + 15) & ~15;
            if (end + lane_ < aligned) to[end + lane_] = 0;
            for (int at = aligned + 16 * lane_; at < chunk_end; at += 16 * kWarp) {
                *reinterpret_cast<uint4*>(to + at) = uint4{0, 0, 0, 0};
            }
            fence_for_bulk();
        }
        __syncwarp();
        if (lane_ == 0) {
            const uint32_t wide = wide_end > wide_begin ? wide_end - wide_begin : 0;
            s_.full[stage].arrive_expecting(wide);
            if (wide > 0) {
                bulk_load<Policy::kKeepInput>(to + wide_begin, from + wide_begin, wide,
                                              s_.full[stage]);
            }
        }
    }

    __device__ __forceinline__ void reduce(int first) {
        unsigned tile;
        for (Place p; next_tile(p, tile); p.advance()) {
            const int count = items_of(tile);
            const char* stage = ring_ + p.stage * kStageBytes;
            for (int c = first; c < kChunks; c += Policy::kReduceWarps) {
                reduce_chunk(stage, p.slot, c, count - c * kChunkItems);
            }
            __syncwarp();
            if (lane_ == 0) {
                s_.reduced[p.slot].arrive();
                s_.empty[p.stage].arrive();
            }
        }
    }

    __device__ __forceinline__ void reduce_chunk(const char* stage, int slot, int c, int count) {
        const char* from = stage + c * kChunkBytes;
        if (count <= 0) return;
        ChunkType chunk;
        chunk.load_shared(from, shift_, lane_);
        const Acc total = count >= kChunkItems
                              ? chunk.template reduce<true>(args_.op, kChunkItems, lane_)
                              : chunk.template reduce<false>(args_.op, count, lane_);
        if (lane_ == 0) s_.chunk_total.set(slot * kWarp + c, total);
    }

    __device__ __forceinline__ void publish() {
        wait_for_previous_kernel();
        const TileStates<Acc> states = Temp::tiles(args_.temp);
        unsigned tile;
        for (Place p; next_tile(p, tile); p.advance()) {
            const int chunks = (items_of(tile) + kChunkItems - 1) / kChunkItems;
            s_.reduced[p.slot].wait(p.slot_parity);
            Acc sum;
            if (lane_ < chunks) sum = s_.chunk_total.get(p.slot * kWarp + lane_);
            sum = warp_inclusive_scan(sum, args_.op, lane_, chunks);
            if (lane_ == chunks - 1) states.store(tile, sum);
            if (lane_ < chunks - 1) s_.chunk_prefix.set(p.slot * kWarp + lane_ + 1, sum);
            arrive(s_.ready[p.slot]);
        }
    }

    __device__ __forceinline__ void gather() {
        wait_for_previous_kernel();
        unsigned window = 0, tile;  // `carry` is what comes before the window
        bool has = Start::kExists;
        Acc carry;
        if constexpr (Start::kExists) carry = static_cast<Acc>(args_.start.get());
        for (Place p; next_tile(p, tile); p.advance()) {
            const Acc prefix = prefix_of(tile, window, carry, has);
            if (lane_ == 0) s_.prefix.set(p.slot, prefix);
            arrive(s_.ready[p.slot]);
        }
    }
    // Moves (window, carry, has) to the tile's window and returns what comes before the tile.
    __device__ __forceinline__ Acc prefix_of(unsigned tile, unsigned& window, Acc& carry,
                                             bool& has) {
        // Windows that are read together: 132 blocks are 1.03 windows of 128, 2.06 of 64.
        constexpr int kBatch = Temp::kPerLane == 4 ? 2 : 3;
        constexpr unsigned kFar = 4;  // windows behind which a published prefix is looked for
        constexpr int kPerLane = Temp::kPerLane;
        const TileStates<Acc> states = Temp::tiles(args_.temp);
        const TileStates<Acc> windows = Temp::windows(args_.temp, args_.tiles);
        const unsigned target = tile / Temp::kWindow;
        const int before = static_cast<int>(tile % Temp::kWindow);  // of its own window, before it
        const Op& op = args_.op;
        for (;;) {
            if (target - window > kFar) skip_ahead(windows, target, window, carry, has);
            const int full = static_cast<int>(min(target - window, unsigned{kBatch}));
            const bool last = target - window < kBatch;
            // Entry j < full: window + j as a whole. Entry `full`, if last: the tile's own window.
            typename TileStates<Acc>::Raw raw[kBatch][kPerLane];
            int needed[kBatch];
#pragma unroll
            for (int j = 0; j < kBatch; ++j) {
                needed[j] = entry_size(j, full, last, before) - lane_ * kPerLane;
#pragma unroll
                for (int i = 0; i < kPerLane; ++i) raw[j][i].set_missing();
            }
            bool waiting;
            do {
#pragma unroll
                for (int j = 0; j < kBatch; ++j) {
                    states.poll(size_t{window + j} * Temp::kWindow + lane_ * kPerLane, raw[j],
                                needed[j]);
                }
                waiting = false;
#pragma unroll
                for (int j = 0; j < kBatch; ++j) {
#pragma unroll
                    for (int i = 0; i < kPerLane; ++i) {
                        waiting = waiting || (i < needed[j] && !raw[j][i].there());
                    }
                }
            } while (__any_sync(kAllLanes, waiting));
            Acc sum[kBatch];
#pragma unroll
            for (int j = 0; j < kBatch; ++j) {
                sum[j] = fold_window<Acc>([&](int i) { return raw[j][i].value(); },
                                          entry_size(j, full, last, before), op, lane_);
            }
            Acc prefix = carry;
#pragma unroll
            for (int j = 0; j < kBatch; ++j) {
                if (entry_size(j, full, last, before) > 0) {
                    if (has) {
                        prefix = static_cast<Acc>(op(prefix, sum[j]));
                    } else {
                        prefix = sum[j];
                    }
                    if (j < full) has = true;
                }
                if (j < full) carry = prefix;
            }
            window += full;
            if (last) {
                // The same value whoever computes it; the block that owns the tile writes it down.
                if (before == 0 && window > 0 && lane_ == 0) windows.store(window, carry);
                return prefix;
            }
        }
    }
    static __device__ __forceinline__ int entry_size(int j, int full, bool last, int before) {
        return j < full ? Temp::kWindow : (last && j == full ? before : 0);
    }
    // Far behind (the block started late, or held one tile for long): go on from the latest window
    // prefix that is already there. Never waits.
    __device__ __forceinline__ void skip_ahead(const TileStates<Acc>& windows, unsigned target,
                                               unsigned& window, Acc& carry, bool& has) {
        typename TileStates<Acc>::Raw raw[1];
        raw[0].set_missing();
        const unsigned w = target - static_cast<unsigned>(lane_);
        const bool ahead = target - window > static_cast<unsigned>(lane_);
        windows.poll(ahead ? w : target, raw, ahead ? 1 : 0);
        const bool there = ahead && raw[0].there();
        const unsigned mask = __ballot_sync(kAllLanes, there);
        if (mask == 0) return;
        const int best = __ffs(static_cast<int>(mask)) - 1;
        carry = shuffle(raw[0].value(), best);
        window = target - static_cast<unsigned>(best);
        has = true;
    }

    __device__ __forceinline__ void scan(int warp) {
        const int out_shift = static_cast<int>(reinterpret_cast<uintptr_t>(args_.out) % 16);
        unsigned tile;
        for (Place p; next_tile(p, tile); p.advance()) {
            const int rest = items_of(tile) - warp * kChunkItems;
            const char* from = ring_ + p.stage * kStageBytes + warp * kChunkBytes;
            Out* out =
                args_.out + static_cast<unsigned long long>(tile) * kTileItems + warp * kChunkItems;
            if (rest <= 0) {
                arrive(s_.empty[p.stage]);
                continue;
            }
            ChunkType chunk;
            chunk.zero = static_cast<uint32_t>(args_.items >> 62);
            chunk.load_shared(from, shift_, lane_);
            if (rest >= kChunkItems) {
                finish<true>(chunk, p, tile, warp, out, out_shift, kChunkItems);
            } else {
                finish<false>(chunk, p, tile, warp, out, out_shift, rest);
            }
        }
    }
    template <bool kFull>
    __device__ __forceinline__ void finish(ChunkType& chunk, const Place& p, unsigned tile,
                                           int warp, Out* out, int out_shift, int count) {
        chunk.template scan_lanes<kFull>(args_.op, count, lane_);
        arrive(s_.empty[p.stage]);  // the data are in registers
        chunk.template prepare<kFull>(count);
        s_.ready[p.slot].wait(p.slot_parity);
        const bool tile_start = Start::kExists || tile > 0;
        Acc start;
        if (tile_start) start = s_.prefix.get(p.slot);
        if (warp > 0) {
            const Acc in_tile = s_.chunk_prefix.get(p.slot * kWarp + warp);
            if (tile_start) {
                start = static_cast<Acc>(args_.op(start, in_tile));
            } else {
                start = in_tile;
            }
        }
        chunk.template emit<kFull, Start::kExists>(out, out_shift, tile_start || warp > 0, start,
                                                   args_.op, count, lane_);
    }

    const Arguments& args_;
    Shared& s_;
    char* ring_;
    int lane_;
    int shift_;
};

template <class Policy, class In, class Out, class Acc, class Op, class Start, bool kInclusive>
__global__ void __launch_bounds__(Policy::kThreads, 1)
    lookahead_kernel(const __grid_constant__ LookaheadArguments<In, Out, Op, Start> args) {
    using Scan = Lookahead<Policy, In, Out, Acc, Op, Start, kInclusive>;
    extern __shared__ __align__(128) unsigned char dynamic[];
    __shared__ typename Scan::Shared shared;
    Scan(args, shared, reinterpret_cast<char*>(dynamic)).run();
}

// Clears the temporary storage; the scan, launched behind it, may start at once and waits by
// itself.
static __global__ void __launch_bounds__(512) clear_kernel(uint4* words, unsigned count) {
    let_dependents_start();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        words[i] = uint4{0, 0, 0, 0};
    }
}

enum class Clear { kMemset, kDependentLaunch };

template <class Policy, bool kInclusive, class Acc, class In, class Out, class Op, class Start>
struct LookaheadScan {
    using Scan = Lookahead<Policy, In, Out, Acc, Op, Start, kInclusive>;

    static size_t temp_bytes(unsigned long long n) {
        return LookaheadTemp<Acc>::bytes((n + Scan::kTileItems - 1) / Scan::kTileItems);
    }
    // temp: 16-byte aligned, temp_bytes(n). max_blocks: multiprocessors, or fewer or more.
    static cudaError_t launch(void* temp, const In* in, Out* out, unsigned long long n, Op op,
                              Start start, unsigned max_blocks, Clear clear, cudaStream_t stream) {
        const unsigned tiles = static_cast<unsigned>((n + Scan::kTileItems - 1) / Scan::kTileItems);
        const auto kernel = lookahead_kernel<Policy, In, Out, Acc, Op, Start, kInclusive>;
        static const cudaError_t raised =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(Scan::kRingBytes));
        if (raised != cudaSuccess) return raised;
        const size_t bytes = temp_bytes(n);
        cudaError_t error;
        if (clear == Clear::kMemset) {
            error = cudaMemsetAsync(temp, 0, bytes, stream);
        } else {
            const unsigned words = static_cast<unsigned>(bytes / 16);
            cudaLaunchConfig_t c{};
            c.gridDim = dim3(min((words + 511) / 512, 64u));
            c.blockDim = dim3(512);
            c.stream = stream;
            error = cudaLaunchKernelEx(&c, clear_kernel, static_cast<uint4*>(temp), words);
        }
        if (error != cudaSuccess) return error;
        cudaLaunchAttribute attribute{};
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t c{};
        c.gridDim = dim3(min(tiles, max_blocks));
        c.blockDim = dim3(Policy::kThreads);
        c.dynamicSmemBytes = Scan::kRingBytes;
        c.stream = stream;
        c.attrs = &attribute;
        c.numAttrs = clear == Clear::kDependentLaunch ? 1 : 0;
        return cudaLaunchKernelEx(&c, kernel,
                                  LookaheadArguments<In, Out, Op, Start>{
                                      in, out, n, tiles, static_cast<char*>(temp), op, start});
    }
};

}  // namespace lab

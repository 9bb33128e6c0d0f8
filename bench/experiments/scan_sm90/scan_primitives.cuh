// SPDX-License-Identifier: Apache-2.0
//
// What the single-pass scans stand on: shuffles of any type, rows of 16 bytes in registers, tile
// states, the ticket, and Hopper's mbarriers and bulk copies. All inline PTX of the scans is here.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace lab {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// ---- Shuffles of any trivially copyable type
// -----------------------------------------------------
template <class T, class Move>
__device__ __forceinline__ T move_words(const T& value, Move move) {
    constexpr int kWords = (sizeof(T) + 3) / 4;
    unsigned words[kWords];
    words[kWords - 1] = 0;
    std::memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = move(words[i]);
    T result;
    std::memcpy(&result, words, sizeof(T));
    return result;
}
template <class T>
__device__ __forceinline__ T shuffle_up(const T& v, int d) {
    return move_words(v, [d](unsigned w) { return __shfl_up_sync(kAllLanes, w, d); });
}
template <class T>
__device__ __forceinline__ T shuffle_down(const T& v, int d) {
    return move_words(v, [d](unsigned w) { return __shfl_down_sync(kAllLanes, w, d); });
}
template <class T>
__device__ __forceinline__ T shuffle(const T& v, int lane) {
    return move_words(v, [lane](unsigned w) { return __shfl_sync(kAllLanes, w, lane); });
}

// Operators that are known to be harmless whatever they are given (sums, maxima of numbers). They
// may be evaluated and the result dropped. All others are called behind a branch only, and with
// 8-byte values the compiler keeps those branches, so that the chains of several rows no longer
// overlap.
template <class Op>
struct IsPlain : std::false_type {};

// cond ? op(a, b) : otherwise
template <class T, class Op>
__device__ __forceinline__ T combine_if(bool cond, Op op, const T& a, const T& b,
                                        const T& otherwise) {
    if constexpr (IsPlain<Op>::value && std::is_arithmetic<T>::value) {
        const T result = static_cast<T>(op(a, b));
        return cond ? result : otherwise;
    } else {
        if (cond) return static_cast<T>(op(a, b));
        return otherwise;
    }
}

// Inclusive scan over lanes 0 .. valid-1 (Hillis-Steele). Lanes beyond get values that nobody
// reads, and the operator never sees them. The tree of lane l depends on l alone, not on `valid`.
template <class T, class Op>
__device__ __forceinline__ T warp_inclusive_scan(T v, Op op, int lane, int valid = kWarp) {
#pragma unroll
    for (int d = 1; d < kWarp; d *= 2) {
        const T left = shuffle_up(v, d);
        v = combine_if(lane >= d && lane < valid, op, left, v, v);
    }
    return v;
}

// Reduces kRows rows of 32 lane values each, and the row totals from left to right; result in all
// lanes. The tree of a row is that of lane 31 in warp_inclusive_scan. While the number of rows is
// even, a step halves it: even lanes go on with the first half of the rows, odd lanes with the
// second. So four rows take 10 shuffles and not 20.
template <int kRows, class T, class Op>
__device__ __forceinline__ T reduce_rows(T (&v)[kRows], Op op, int lane) {
    constexpr int kEven = kRows % 8 == 0 ? 3 : kRows % 4 == 0 ? 2 : kRows % 2 == 0 ? 1 : 0;
#pragma unroll
    for (int step = 0; step < 5; ++step) {
        const int d = 1 << step;
        const bool upper = (lane & d) != 0;
        const int rows = kRows >> (step < kEven ? step : kEven);
        const int left = step < kEven ? rows / 2 : rows;
#pragma unroll
        for (int r = 0; r < left; ++r) {
            T own = v[r], send = v[r];
            if (step < kEven) {
                own = upper ? v[r + left] : v[r];
                send = upper ? v[r] : v[r + left];
            }
            const T other =
                move_words(send, [d](unsigned w) { return __shfl_xor_sync(kAllLanes, w, d); });
            const T a = upper ? other : own, b = upper ? own : other;
            v[r] = static_cast<T>(op(a, b));
        }
    }
    T sum;
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
        int at = 0, r = row, half = kRows;
#pragma unroll
        for (int i = 0; i < kEven; ++i) {
            half /= 2;
            if (r >= half) {
                at |= 1 << i;
                r -= half;
            }
        }
        const T total = kEven == 0 ? v[r] : shuffle(v[r], at);
        sum = row == 0 ? total : static_cast<T>(op(sum, total));
    }
    return sum;
}

// ---- One lane's part of a row: 16 bytes where whole items fit in them, else one item
// ---------------
template <class T, bool kPacked = (16 % sizeof(T) == 0)>
struct Row;

template <class T>
struct Row<T, true> {
    static constexpr int kItems = 16 / static_cast<int>(sizeof(T));
    uint32_t w[4];

    __device__ __forceinline__ T get(int i) const {
        T result;
        if constexpr (sizeof(T) >= 4) {
            std::memcpy(&result, &w[i * (sizeof(T) / 4)], sizeof(T));
        } else {
            const uint32_t word = w[i * sizeof(T) / 4] >> (8 * sizeof(T) * (i % (4 / sizeof(T))));
            std::memcpy(&result, &word, sizeof(T));
        }
        return result;
    }
    __device__ __forceinline__ void set(int i, const T& value) {
        if constexpr (sizeof(T) >= 4) {
            std::memcpy(&w[i * (sizeof(T) / 4)], &value, sizeof(T));
        } else {
            uint32_t word = 0;
            std::memcpy(&word, &value, sizeof(T));
            put_word(i, word);
        }
    }
    // get and set with the conversions of an accumulator type: one instruction where both are
    // integers. A `zero` that the compiler does not know makes it unpack again where it would hold
    // all items.
    template <class Acc>
    static constexpr bool kByPermute =
        sizeof(T) < 4 &&
        sizeof(Acc) == 4 && std::is_integral<T>::value&& std::is_integral<Acc>::value;

    template <class Acc>
    __device__ __forceinline__ Acc get_as(int i, uint32_t zero = 0) const {
        if constexpr (kByPermute<Acc>) {
            const uint32_t word = w[i * sizeof(T) / 4];
            const unsigned at = static_cast<unsigned>(i * sizeof(T) % 4);
            const unsigned top = at + sizeof(T) - 1;
            // A selector of 4 to 7 is a byte of the second operand, 0; with bit 3, copies of a
            // sign.
            const unsigned rest = std::is_signed<T>::value ? (8 | top) : 4;
            const unsigned second = sizeof(T) == 2 ? top : rest;
            // (__byte_perm would mask the sign bits of the selector.)
            uint32_t result;
            asm("prmt.b32 %0, %1, %2, %3;"
                : "=r"(result)
                : "r"(word), "r"(zero), "r"(at | second << 4 | rest << 8 | rest << 12));
            return static_cast<Acc>(result);
        } else {
            return static_cast<Acc>(get(i));
        }
    }
    template <class Acc>
    __device__ __forceinline__ void set_as(int i, const Acc& value) {
        if constexpr (kByPermute<Acc>) {
            put_word(i, static_cast<uint32_t>(value));
        } else {
            set(i, static_cast<T>(value));
        }
    }
    // Ascending i only: the first item of a word makes the word.
    __device__ __forceinline__ void put_word(int i, uint32_t value) {
        uint32_t& to = w[i * sizeof(T) / 4];
        const int place = i % (4 / sizeof(T));
        if (place == 0) {
            to = value;
        } else if constexpr (sizeof(T) == 2) {
            to = __byte_perm(to, value, 0x5410);
        } else {
            to = __byte_perm(to, value, place == 1 ? 0x3240 : place == 2 ? 0x3410 : 0x4210);
        }
    }
    // Keeps the items packed: without it the compiler unpacks small items once and holds them all.
    __device__ __forceinline__ void keep_packed() {
        if constexpr (sizeof(T) < 4) {
#pragma unroll
            for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(w[i]));
        }
    }
};

template <class T>
struct Row<T, false> {
    static constexpr int kItems = 1;
    T value;
    __device__ __forceinline__ T get(int) const { return value; }
    __device__ __forceinline__ void set(int, const T& v) { value = v; }
    template <class Acc>
    __device__ __forceinline__ Acc get_as(int, uint32_t = 0) const {
        return static_cast<Acc>(value);
    }
    template <class Acc>
    __device__ __forceinline__ void set_as(int, const Acc& v) {
        value = static_cast<T>(v);
    }
    __device__ __forceinline__ void keep_packed() {}
};

__device__ __forceinline__ uint4 load_shared16(const void* p) {
    return *static_cast<const uint4*>(p);
}

// Bytes shift .. shift+15 of the 32 bytes a, b; shift is the same in all lanes.
__device__ __forceinline__ void funnel(uint32_t (&r)[4], const uint32_t (&a)[4],
                                       const uint32_t (&b)[4], int shift) {
    uint32_t w[8] = {a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
    if (shift & 8) {
#pragma unroll
        for (int i = 0; i < 6; ++i) w[i] = w[i + 2];
    }
    if (shift & 4) {
#pragma unroll
        for (int i = 0; i < 5; ++i) w[i] = w[i + 1];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) r[i] = __funnelshift_r(w[i], w[i + 1], 8 * (shift & 3));
}

// ---- Tile states: a value that is either not there yet or complete
// ---------------------------------- A state is one or more words that the GPU reads and writes
// whole, each with its own flag, so no fence is needed and a value of several words cannot tear: it
// is there when every word is. All bits zero means "not there". Values up to 4 bytes: 8-byte words
// (value, flag). Larger ones: 16-byte words of 12 bytes of value and a flag.
template <bool kShort>
struct WordOf {
    using Type = uint64_t;
};
template <>
struct WordOf<false> {
    using Type = unsigned __int128;
};

template <class T>
class TileStates {
  public:
    static constexpr bool kShort = sizeof(T) <= 4;
    static constexpr int kWords = kShort ? 1 : static_cast<int>((sizeof(T) + 11) / 12);
    static constexpr size_t kBytes = kShort ? 8 : 16 * kWords;  // of one state

    __host__ __device__ explicit TileStates(void* memory) : memory_(static_cast<char*>(memory)) {}

    __device__ __forceinline__ void store(size_t index, const T& value) const {
        char* p = memory_ + index * kBytes;
        if constexpr (kShort) {
            uint32_t bits = 0;
            std::memcpy(&bits, &value, sizeof(T));
            asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p),
                         "l"(uint64_t{1} << 32 | bits)
                         : "memory");
        } else {
            uint32_t bits[3 * kWords] = {};
            std::memcpy(bits, &value, sizeof(T));
#pragma unroll
            for (int i = 0; i < kWords; ++i) {
                const uint64_t low = uint64_t{bits[3 * i + 1]} << 32 | bits[3 * i];
                const uint64_t high = uint64_t{1} << 32 | bits[3 * i + 2];
                asm volatile(
                    "{ .reg .b128 w; mov.b128 w, {%1, %2}; st.relaxed.gpu.global.b128 [%0], w; }" ::
                        "l"(p + 16 * i),
                    "l"(low), "l"(high)
                    : "memory");
            }
        }
    }

    // What a poll reads: look at it only after all loads of the poll have been issued, else they
    // wait for each other.
    struct Raw {
        using Word = typename WordOf<kShort>::Type;
        Word word[kWords];

        __device__ __forceinline__ void set_missing() {
#pragma unroll
            for (int i = 0; i < kWords; ++i) word[i] = 0;
        }
        __device__ __forceinline__ bool there() const {
            bool all = true;
#pragma unroll
            for (int i = 0; i < kWords; ++i) {
                all = all && static_cast<uint32_t>(word[i] >> (8 * sizeof(Word) - 32)) != 0;
            }
            return all;
        }
        __device__ __forceinline__ T value() const {
            uint32_t bits[kShort ? 1 : 3 * kWords];
            if constexpr (kShort) {
                bits[0] = static_cast<uint32_t>(word[0]);
            } else {
#pragma unroll
                for (int i = 0; i < kWords; ++i) {
                    bits[3 * i] = static_cast<uint32_t>(word[i]);
                    bits[3 * i + 1] = static_cast<uint32_t>(word[i] >> 32);
                    bits[3 * i + 2] = static_cast<uint32_t>(word[i] >> 64);
                }
            }
            T result;
            std::memcpy(&result, bits, sizeof(T));
            return result;
        }
    };

    // Reads states index .. index + kCount - 1 again as long as one of the first `needed` is
    // missing; index is a multiple of kCount, a power of two. The predicate is part of the
    // instruction: with a branch around it, each load of a poll would wait for the one before.
    template <int kCount>
    __device__ __forceinline__ void poll(size_t index, Raw (&raw)[kCount], int needed) const {
        const char* p = memory_ + index * kBytes;
        if constexpr (kShort && kCount % 2 == 0) {
#pragma unroll
            for (int i = 0; i < kCount; i += 2) {
                const int missing =
                    (i < needed && !raw[i].there()) || (i + 1 < needed && !raw[i + 1].there());
                asm volatile(
                    "{ .reg .pred m; setp.ne.b32 m, %3, 0;\n"
                    "@m ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2]; }"
                    : "+l"(raw[i].word[0]), "+l"(raw[i + 1].word[0])
                    : "l"(p + i * kBytes), "r"(missing)
                    : "memory");
            }
        } else {
#pragma unroll
            for (int i = 0; i < kCount; ++i) poll_one(p + i * kBytes, raw[i], i < needed);
        }
    }

    static __device__ __forceinline__ void poll_one(const char* p, Raw& raw, bool needed) {
        const int missing = needed && !raw.there();
        if constexpr (kShort) {
            asm volatile(
                "{ .reg .pred m; setp.ne.b32 m, %2, 0;\n"
                "@m ld.relaxed.gpu.global.u64 %0, [%1]; }"
                : "+l"(raw.word[0])
                : "l"(p), "r"(missing)
                : "memory");
        } else {
#pragma unroll
            for (int i = 0; i < kWords; ++i) {
                // A 128-bit operand: unpacked inside the asm, the load would be waited for at once.
                asm volatile(
                    "{ .reg .pred m; setp.ne.b32 m, %2, 0;\n"
                    "@m ld.relaxed.gpu.global.b128 %0, [%1]; }"
                    : "+q"(raw.word[i])
                    : "l"(p + 16 * i), "r"(missing)
                    : "memory");
            }
        }
    }

  private:
    char* memory_;
};

// ---- Ticket: hands out 0, 1, 2, ... to whoever asks
// ------------------------------------------------
class Ticket {
  public:
    __host__ __device__ explicit Ticket(void* memory) : next_(static_cast<unsigned*>(memory)) {}
    __device__ __forceinline__ unsigned take() const { return atomicAdd(next_, 1u); }

  private:
    unsigned* next_;
};

// ---- Programmatic dependent launch
// -----------------------------------------------------------------
__device__ __forceinline__ void let_dependents_start() {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
__device__ __forceinline__ void wait_for_previous_kernel() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

// ---- Shared memory: barriers and bulk copies (sm_90)
// -------------------------------------------------
__device__ __forceinline__ uint32_t shared_address(const void* p) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

class Mbarrier {
  public:
    __device__ __forceinline__ void init(uint32_t arrivals) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&word_)),
                     "r"(arrivals)
                     : "memory");
    }
    __device__ __forceinline__ void arrive() {
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(&word_))
                     : "memory");
    }
    // Arrives and says that `bytes` bytes of bulk copies must land before the phase ends.
    __device__ __forceinline__ void arrive_expecting(uint32_t bytes) {
        asm volatile(
            "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&word_)),
            "r"(bytes)
            : "memory");
    }
    __device__ __forceinline__ void wait(uint32_t parity) {
        asm volatile(
            "{ .reg .pred done;\n"
            "again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
            "@!done bra again; }" ::"r"(shared_address(&word_)),
            "r"(parity)
            : "memory");
    }
    // To be called by the thread that ran init, before the block's barrier.
    static __device__ __forceinline__ void fence_init() {
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }

  private:
    uint64_t word_;
};

// Copies bytes (a multiple of 16, addresses too) to shared memory; completes on the barrier.
template <bool kKeep>
__device__ __forceinline__ void bulk_load(void* to, const void* from, uint32_t bytes, Mbarrier& b) {
    if constexpr (kKeep) {
        uint64_t policy;
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
            "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to)),
            "l"(from), "r"(bytes), "r"(shared_address(&b)), "l"(policy)
            : "memory");
    } else {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
            "l"(from), "r"(bytes), "r"(shared_address(&b))
            : "memory");
    }
}
// Ordinary writes to shared memory before it, bulk copies into the same bytes after it.
__device__ __forceinline__ void fence_for_bulk() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// ---- Clusters
// ----------------------------------------------------------------------------------------
__device__ __forceinline__ void cluster_arrive() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// Writes one word to the same place of block `rank` of the cluster.
__device__ __forceinline__ void cluster_store(const void* own, unsigned rank, uint32_t value) {
    asm volatile(
        "{ .reg .b32 a; mapa.shared::cluster.u32 a, %0, %1; st.shared::cluster.u32 [a], %2; }" ::
            "r"(shared_address(own)),
        "r"(rank), "r"(value)
        : "memory");
}

// N elements in shared memory, raw since shared variables may have no constructors.
template <class T, int N>
class SharedArray {
  public:
    __device__ __forceinline__ T get(int i) const { return reinterpret_cast<const T*>(bytes_)[i]; }
    __device__ __forceinline__ void set(int i, T v) { reinterpret_cast<T*>(bytes_)[i] = v; }
    __device__ __forceinline__ const void* address(int i) const { return bytes_ + i * sizeof(T); }

  private:
    alignas(T) unsigned char bytes_[sizeof(T) * N];
};

}  // namespace lab

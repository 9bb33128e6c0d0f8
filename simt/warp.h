// SPDX-License-Identifier: Apache-2.0
// Barriers and warp collectives under their CUDA names.
#pragma once

#include "rendezvous.h"

namespace simt {

// ---- operations on the operands of all lanes in `mask` -----------------------------------------

SIMT_NOTSAN inline void copy_bytes(void* to, const void* from, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
}

// `Source` maps (lane, argument, width) to the lane whose value it gets. The value of a lane that
// does not take part is undefined in CUDA: here it is a poison pattern.
template <class Source>
SIMT_NOTSAN void shuffle(Warp& w, uint32_t mask) {
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t i = uint32_t(__builtin_ctz(m));
        Lane& l = w.lanes[i];
        const uint32_t source = Source::of(i, l.arg, l.width);
        if (mask >> source & 1)
            copy_bytes(l.out, w.lanes[source].in, l.size);
        else
            for (uint32_t k = 0; k < l.size; ++k)
                static_cast<unsigned char*>(l.out)[k] = kSharedPoison;
    }
}
struct SourceIndex {
    static uint32_t of(uint32_t i, uint32_t a, uint32_t w) {
        return (i & ~(w - 1)) | (a & (w - 1));
    }
};
struct SourceUp {
    static uint32_t of(uint32_t i, uint32_t a, uint32_t w) { return (i & (w - 1)) < a ? i : i - a; }
};
struct SourceDown {
    static uint32_t of(uint32_t i, uint32_t a, uint32_t w) {
        return a >= w || (i & (w - 1)) + a >= w ? i : i + a;
    }
};
struct SourceXor {
    static uint32_t of(uint32_t i, uint32_t a, uint32_t w) {
        const uint32_t source = i ^ a;  // segments before one's own may be read, later ones not
        return source >= (i & ~(w - 1)) + w ? i : source & 31;
    }
};

SIMT_NOTSAN inline void ballot(Warp& w, uint32_t mask) {
    uint32_t votes = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        const Lane& l = w.lanes[__builtin_ctz(m)];
        votes |= l.arg << l.lane;
    }
    for (uint32_t m = mask; m; m &= m - 1)
        *static_cast<uint32_t*>(w.lanes[__builtin_ctz(m)].out) = votes;
}

template <class T>
SIMT_NOTSAN void match_any(Warp& w, uint32_t mask) {
    for (uint32_t m = mask; m; m &= m - 1) {
        const Lane& l = w.lanes[__builtin_ctz(m)];
        uint32_t peers = 0;
        for (uint32_t q = mask; q; q &= q - 1) {
            const Lane& other = w.lanes[__builtin_ctz(q)];
            // By bits, as the hardware compares: NaN matches itself, -0 does not match +0.
            const bool same = __builtin_memcmp(other.in, l.in, sizeof(T)) == 0;
            peers |= uint32_t(same) << other.lane;
        }
        *static_cast<uint32_t*>(l.out) = peers;
    }
}

template <class T, class Op>
SIMT_NOTSAN void reduce(Warp& w, uint32_t mask) {
    T r = *static_cast<const T*>(w.lanes[__builtin_ctz(mask)].in);
    for (uint32_t m = mask & (mask - 1); m; m &= m - 1)
        r = Op::of(r, *static_cast<const T*>(w.lanes[__builtin_ctz(m)].in));
    for (uint32_t m = mask; m; m &= m - 1) *static_cast<T*>(w.lanes[__builtin_ctz(m)].out) = r;
}
struct ReduceAdd {
    template <class T>
    SIMT_NOTSAN static T of(T a, T b) {
        return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
    }
};
struct ReduceMin {
    template <class T>
    SIMT_NOTSAN static T of(T a, T b) {
        return b < a ? b : a;
    }
};
struct ReduceMax {
    template <class T>
    SIMT_NOTSAN static T of(T a, T b) {
        return a < b ? b : a;
    }
};
struct ReduceAnd {
    SIMT_NOTSAN static unsigned of(unsigned a, unsigned b) { return a & b; }
};
struct ReduceOr {
    SIMT_NOTSAN static unsigned of(unsigned a, unsigned b) { return a | b; }
};
struct ReduceXor {
    SIMT_NOTSAN static unsigned of(unsigned a, unsigned b) { return a ^ b; }
};

// ---- from one lane's side ----------------------------------------------------------------------

template <class Source, class T>
SIMT_FAST T shuffle_sync(const char* name, unsigned mask, T v, unsigned arg, int width, Site site) {
    static_assert(std::is_arithmetic<T>::value && sizeof(T) >= 4,
                  "CUDA shuffles 4 and 8-byte arithmetic types");
    if (__builtin_expect(width < 1 || width > 32 || (width & (width - 1)), 0))
        this_worker().fail("a shuffle whose width is not a power of two up to 32", site);
    T r;
    // The hardware looks at five bits of the distance or index.
    collective(name, &shuffle<Source>, mask, &v, &r, sizeof(T), arg & 31, unsigned(width), site);
    return r;
}

SIMT_FAST unsigned ballot_sync(const char* name, unsigned mask, bool vote, Site site) {
    unsigned r = 0;
    collective(name, &ballot, mask, nullptr, &r, 4, vote, 32, site);
    return r;
}

template <class T>
SIMT_FAST unsigned match_sync(const char* name, unsigned mask, T v, Site site) {
    static_assert(std::is_arithmetic<T>::value && sizeof(T) >= 4,
                  "CUDA matches 4 and 8-byte arithmetic types");
    unsigned r = 0;
    collective(name, &match_any<T>, mask, &v, &r, sizeof(T), 0, 32, site);
    return r;
}

template <class Op, class T>
SIMT_FAST T reduce_sync(const char* name, unsigned mask, T v, Site site) {
    T r;
    collective(name, &reduce<T, Op>, mask, &v, &r, sizeof(T), 0, 32, site);
    return r;
}

enum class Vote { kCount, kAnd, kOr };
SIMT_NOTSAN inline int barrier_vote(int v, Vote vote, Site site) {
    Block& b = *self->warp->block;
    int& a = b.barrier_accumulator;
    if (!b.arrived) a = vote == Vote::kAnd;
    a = vote == Vote::kCount ? a + (v != 0) : vote == Vote::kAnd ? (a && v) : (a || v);
    block_barrier(site);
    return b.barrier_result;
}

}  // namespace simt

SIMT_FAST void __syncthreads(SIMT_SITE) { simt::block_barrier(SIMT_HERE); }
SIMT_FAST int __syncthreads_count(int v, SIMT_SITE) {
    return simt::barrier_vote(v, simt::Vote::kCount, SIMT_HERE);
}
SIMT_FAST int __syncthreads_and(int v, SIMT_SITE) {
    return simt::barrier_vote(v, simt::Vote::kAnd, SIMT_HERE);
}
SIMT_FAST int __syncthreads_or(int v, SIMT_SITE) {
    return simt::barrier_vote(v, simt::Vote::kOr, SIMT_HERE);
}
SIMT_FAST void __syncwarp(unsigned mask = ~0u, SIMT_SITE) {
    simt::collective("__syncwarp", nullptr, mask, nullptr, nullptr, 0, 0, 32, SIMT_HERE);
}
template <class T>
SIMT_FAST T __shfl_sync(unsigned mask, T v, int source, int width = 32, SIMT_SITE) {
    return simt::shuffle_sync<simt::SourceIndex>("__shfl_sync", mask, v, unsigned(source), width,
                                                 SIMT_HERE);
}
template <class T>
SIMT_FAST T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, SIMT_SITE) {
    return simt::shuffle_sync<simt::SourceUp>("__shfl_up_sync", mask, v, delta, width, SIMT_HERE);
}
template <class T>
SIMT_FAST T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, SIMT_SITE) {
    return simt::shuffle_sync<simt::SourceDown>("__shfl_down_sync", mask, v, delta, width,
                                                SIMT_HERE);
}
template <class T>
SIMT_FAST T __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32, SIMT_SITE) {
    return simt::shuffle_sync<simt::SourceXor>("__shfl_xor_sync", mask, v, unsigned(lanes), width,
                                               SIMT_HERE);
}
SIMT_FAST unsigned __ballot_sync(unsigned mask, int predicate, SIMT_SITE) {
    return simt::ballot_sync("__ballot_sync", mask, predicate != 0, SIMT_HERE);
}
SIMT_FAST int __any_sync(unsigned mask, int predicate, SIMT_SITE) {
    return simt::ballot_sync("__any_sync", mask, predicate != 0, SIMT_HERE) != 0;
}
SIMT_FAST int __all_sync(unsigned mask, int predicate, SIMT_SITE) {
    return simt::ballot_sync("__all_sync", mask, predicate == 0, SIMT_HERE) == 0;
}
SIMT_FAST unsigned __activemask(SIMT_SITE) { return simt::active_mask(SIMT_HERE); }
template <class T>
SIMT_FAST unsigned __match_any_sync(unsigned mask, T v, SIMT_SITE) {
    return simt::match_sync("__match_any_sync", mask, v, SIMT_HERE);
}
template <class T>
SIMT_FAST unsigned __match_all_sync(unsigned mask, T v, int* predicate, SIMT_SITE) {
    const unsigned live = mask & simt::self->warp->live;
    const bool all = simt::match_sync("__match_all_sync", mask, v, SIMT_HERE) == live;
    *predicate = all;
    return all ? mask : 0;
}

// clang-format off
#define SIMT_REDUCE(NAME, OP, T)                                               \
    SIMT_FAST T NAME(unsigned mask, T v, SIMT_SITE) {                          \
        return simt::reduce_sync<simt::OP>(#NAME, mask, v, SIMT_HERE);         \
    }
// clang-format on
SIMT_REDUCE(__reduce_add_sync, ReduceAdd, unsigned)
SIMT_REDUCE(__reduce_add_sync, ReduceAdd, int)
SIMT_REDUCE(__reduce_min_sync, ReduceMin, unsigned)
SIMT_REDUCE(__reduce_min_sync, ReduceMin, int)
SIMT_REDUCE(__reduce_max_sync, ReduceMax, unsigned)
SIMT_REDUCE(__reduce_max_sync, ReduceMax, int)
SIMT_REDUCE(__reduce_and_sync, ReduceAnd, unsigned)
SIMT_REDUCE(__reduce_or_sync, ReduceOr, unsigned)
SIMT_REDUCE(__reduce_xor_sync, ReduceXor, unsigned)
#undef SIMT_REDUCE

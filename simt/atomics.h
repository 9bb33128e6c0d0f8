// SPDX-License-Identifier: Apache-2.0
// Atomics on global and shared memory, and fences. Each is a point where the schedule may switch
// lanes; one that finds nothing to change counts as a poll, so spin loops give way.
//
// Atomics are atomic among the workers, with the memory order asked for; CUDA's relaxed orders are
// not weakened further (docs/simt.md).
#pragma once

#include <algorithm>

#include "shared.h"

namespace simt {

enum class MemoryOrder { kRelaxed, kAcquire, kRelease, kAcqRel, kSeqCst };

SIMT_FAST void see_atomic(const void* p, size_t size, Site site, Access kind = Access::kAtomic) {
    if (__builtin_expect(instrumented, 0)) instrument(p, size, kind, site);
}

template <class T>
T atomic_load(T* p, MemoryOrder order, Site site) {
    poll(site);
    see_atomic(p, sizeof(T), site, Access::kAtomicLoad);
    T v;
    switch (order) {
        case MemoryOrder::kRelaxed:
            __atomic_load(p, &v, __ATOMIC_RELAXED);
            break;
        case MemoryOrder::kAcquire:
            __atomic_load(p, &v, __ATOMIC_ACQUIRE);
            break;
        default:
            __atomic_load(p, &v, __ATOMIC_SEQ_CST);
    }
    return v;
}

template <class T>
void atomic_store(T* p, T v, MemoryOrder order, Site site) {
    maybe_preempt(2);
    see_atomic(p, sizeof(T), site, Access::kAtomicStore);
    switch (order) {
        case MemoryOrder::kRelaxed:
            __atomic_store(p, &v, __ATOMIC_RELAXED);
            break;
        case MemoryOrder::kRelease:
            __atomic_store(p, &v, __ATOMIC_RELEASE);
            break;
        default:
            __atomic_store(p, &v, __ATOMIC_SEQ_CST);
    }
    note_progress();
    maybe_preempt(2);
}

template <class T>
bool compare_exchange(T* p, T* expected, T desired, MemoryOrder order, Site site) {
    maybe_preempt(2);
    see_atomic(p, sizeof(T), site);
    const bool done = order == MemoryOrder::kRelaxed
                          ? __atomic_compare_exchange(p, expected, &desired, false,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)
                          : __atomic_compare_exchange(p, expected, &desired, false,
                                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (done)
        note_progress();
    else
        poll(site);
    return done;
}

// Replaces *p by f(*p) and returns the old value.
template <class T, class F>
T atomic_update(T* p, F f, MemoryOrder order, Site site) {
    maybe_preempt(2);
    see_atomic(p, sizeof(T), site);
    T old, next;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    bool done = false;
    while (!done) {
        next = f(old);
        done = order == MemoryOrder::kRelaxed
                   ? __atomic_compare_exchange(p, &old, &next, true, __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED)
                   : __atomic_compare_exchange(p, &old, &next, true, __ATOMIC_SEQ_CST,
                                               __ATOMIC_SEQ_CST);
    }
    if (std::memcmp(&old, &next, sizeof(T)) != 0)
        note_progress();
    else
        poll(site);
    return old;
}

// CUDA's overload sets: one template for each name, open to the types that CUDA has.
using ull = unsigned long long;
template <class T, class... Ts>
constexpr bool is_one_of = (std::is_same<T, Ts>::value || ...);
template <class T, class U, class... Ts>
using if_one_of = std::enable_if_t<is_one_of<T, Ts...> && std::is_convertible<U, T>::value, T>;

// Signed sums wrap on the GPU.
template <class T>
T wrapping_add(T a, T b) {
    if constexpr (std::is_integral<T>::value) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    } else {
        return a + b;
    }
}

}  // namespace simt

// clang-format off
#define SIMT_ATOMIC(NAME, TYPES, ...)                                                    \
    template <class T, class U>                                                           \
    simt::if_one_of<T, U, SIMT_TYPES TYPES> NAME(T* p, U value, SIMT_SITE) {              \
        const T v = static_cast<T>(value);                                                \
        return simt::atomic_update(p, [v](T old) -> T { __VA_ARGS__ },                    \
                                   simt::MemoryOrder::kRelaxed, SIMT_HERE);               \
    }
#define SIMT_TYPES(...) __VA_ARGS__
SIMT_ATOMIC(atomicAdd, (int, unsigned, simt::ull), return simt::wrapping_add(old, v);)
SIMT_ATOMIC(atomicSub, (int, unsigned), return simt::wrapping_add(old, static_cast<T>(0 - static_cast<unsigned>(v)));)
SIMT_ATOMIC(atomicAnd, (int, unsigned, simt::ull), return old & v;)
SIMT_ATOMIC(atomicOr, (int, unsigned, simt::ull), return old | v;)
SIMT_ATOMIC(atomicXor, (int, unsigned, simt::ull), return old ^ v;)
SIMT_ATOMIC(atomicMin, (int, unsigned, long long, simt::ull), return std::min(old, v);)
SIMT_ATOMIC(atomicMax, (int, unsigned, long long, simt::ull), return std::max(old, v);)
SIMT_ATOMIC(atomicExch, (int, unsigned, simt::ull), (void)old; return v;)
#undef SIMT_TYPES
#undef SIMT_ATOMIC
// clang-format on

template <class T, class U, class V>
simt::if_one_of<T, U, unsigned short, int, unsigned, simt::ull> atomicCAS(T* p, U expected,
                                                                          V desired, SIMT_SITE) {
    T e = static_cast<T>(expected);
    simt::compare_exchange(p, &e, static_cast<T>(desired), simt::MemoryOrder::kRelaxed, SIMT_HERE);
    return e;
}
inline float atomicAdd(float* p, float v, SIMT_SITE) {
    return simt::atomic_update(
        p, [v](float old) { return old + v; }, simt::MemoryOrder::kRelaxed, SIMT_HERE);
}
inline double atomicAdd(double* p, double v, SIMT_SITE) {
    return simt::atomic_update(
        p, [v](double old) { return old + v; }, simt::MemoryOrder::kRelaxed, SIMT_HERE);
}
inline float atomicExch(float* p, float v, SIMT_SITE) {
    return simt::atomic_update(
        p, [v](float) { return v; }, simt::MemoryOrder::kRelaxed, SIMT_HERE);
}
inline unsigned atomicInc(unsigned* p, unsigned v, SIMT_SITE) {
    return simt::atomic_update(
        p, [v](unsigned old) { return old >= v ? 0 : old + 1; }, simt::MemoryOrder::kRelaxed,
        SIMT_HERE);
}
inline unsigned atomicDec(unsigned* p, unsigned v, SIMT_SITE) {
    return simt::atomic_update(
        p, [v](unsigned old) { return old == 0 || old > v ? v : old - 1; },
        simt::MemoryOrder::kRelaxed, SIMT_HERE);
}

namespace simt {
// By itself, since ThreadSanitizer would take the executor's own resetting of it for a race.
SIMT_FAST void note_fence() {
    if (self) self->fenced = true;
}
}  // namespace simt

inline void __threadfence() {
    simt::note_fence();
#if SIMT_TSAN
    // It does not know fences: an update of one word orders the threads that fence, and more than
    // that.
    static int word;
    __atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
    simt::maybe_preempt(2);
}
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_cluster() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }
inline void __nanosleep(unsigned, SIMT_SITE) { simt::poll(SIMT_HERE); }

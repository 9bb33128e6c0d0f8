// SPDX-License-Identifier: Apache-2.0
//
// Words in global memory that blocks of a running grid exchange, at device scope. For a GPU they
// are single PTX instructions, so that no header of libcu++ is needed; elsewhere cuda::atomic_ref.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>

#if !defined(__CUDACC__)
#include <cuda/atomic>
#endif

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

using Word = unsigned long long;  // 64 bits, the type that atomicAdd takes

#if defined(__CUDACC__)

__device__ inline Word load_relaxed(const Word* p) {
    Word value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}
__device__ inline void store_relaxed(Word* p, Word value) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
}
// Takes the next ticket; for lane 0 of a warp. An atomicAdd(p, 1) becomes one of the whole warp,
// and its result is waited for at once: here the operand is one that the compiler takes for
// different in every lane.
__device__ inline Word take_ticket(Word* p) {
    Word ticket;
    asm volatile(
        "{ .reg .u32 lane; .reg .u64 one;\n"
        "mov.u32 lane, %laneid; cvt.u64.u32 one, lane; add.u64 one, one, 1;\n"
        "atom.relaxed.gpu.global.add.u64 %0, [%1], one; }"
        : "=l"(ticket)
        : "l"(p)
        : "memory");
    return ticket;
}
// Two words at once, 16-byte aligned; each of them is whole, the pair need not be.
__device__ inline void store_relaxed2(Word* p, Word a, Word b) {
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(a), "l"(b)
                 : "memory");
}
// Loads only if `wanted`, else leaves the values as they are. The predicate is part of the
// instruction: behind a branch, each of several loads would wait for the one before.
__device__ inline void load_relaxed_if(bool wanted, const Word* p, Word& value) {
    asm volatile(
        "{ .reg .pred wanted; setp.ne.b32 wanted, %2, 0;\n"
        "@wanted ld.relaxed.gpu.global.u64 %0, [%1]; }"
        : "+l"(value)
        : "l"(p), "r"(static_cast<int>(wanted))
        : "memory");
}
__device__ inline void load_relaxed2_if(bool wanted, const Word* p, Word& a, Word& b) {
    asm volatile(
        "{ .reg .pred wanted; setp.ne.b32 wanted, %3, 0;\n"
        "@wanted ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2]; }"
        : "+l"(a), "+l"(b)
        : "l"(p), "r"(static_cast<int>(wanted))
        : "memory");
}
__device__ inline unsigned load_relaxed(const unsigned* p) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
__device__ inline void store_relaxed(unsigned* p, unsigned value) {
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}
__device__ inline unsigned load_acquire(const unsigned* p) {
    unsigned value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
__device__ inline void store_release(unsigned* p, unsigned value) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

#else

template <class T>
using DeviceRef = cuda::atomic_ref<T, cuda::thread_scope_device>;

inline Word load_relaxed(const Word* p) {
    return DeviceRef<Word>(const_cast<Word&>(*p)).load(cuda::memory_order_relaxed);
}
inline void store_relaxed(Word* p, Word value) {
    DeviceRef<Word>(*p).store(value, cuda::memory_order_relaxed);
}
inline Word take_ticket(Word* p) {
    return DeviceRef<Word>(*p).fetch_add(1, cuda::memory_order_relaxed);
}
inline void store_relaxed2(Word* p, Word a, Word b) {
    store_relaxed(p, a);
    store_relaxed(p + 1, b);
}
inline void load_relaxed_if(bool wanted, const Word* p, Word& value) {
    if (wanted) value = load_relaxed(p);
}
inline void load_relaxed2_if(bool wanted, const Word* p, Word& a, Word& b) {
    if (!wanted) return;
    a = load_relaxed(p);
    b = load_relaxed(p + 1);
}
inline unsigned load_relaxed(const unsigned* p) {
    return DeviceRef<unsigned>(const_cast<unsigned&>(*p)).load(cuda::memory_order_relaxed);
}
inline void store_relaxed(unsigned* p, unsigned value) {
    DeviceRef<unsigned>(*p).store(value, cuda::memory_order_relaxed);
}
inline unsigned load_acquire(const unsigned* p) {
    return DeviceRef<unsigned>(const_cast<unsigned&>(*p)).load(cuda::memory_order_acquire);
}
inline void store_release(unsigned* p, unsigned value) {
    DeviceRef<unsigned>(*p).store(value, cuda::memory_order_release);
}

#endif

// A pointer to global memory from its address. The compiler is told which memory it is: a store
// through a pointer that could also be one to shared memory holds up the loads from there after it.
template <class T>
__device__ T* global_pointer(Word address) {
#if defined(__CUDA_ARCH__)
    return static_cast<T*>(__cvta_global_to_generic(address));
#else
    return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
#endif
}

}  // namespace detail
LIBSCAN_NAMESPACE_END

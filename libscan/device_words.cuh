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
__device__ inline Word load_acquire(const Word* p) {
    Word value;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}
__device__ inline void store_release(Word* p, Word value) {
    asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
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
inline Word load_acquire(const Word* p) {
    return DeviceRef<Word>(const_cast<Word&>(*p)).load(cuda::memory_order_acquire);
}
inline void store_release(Word* p, Word value) {
    DeviceRef<Word>(*p).store(value, cuda::memory_order_release);
}
inline unsigned load_acquire(const unsigned* p) {
    return DeviceRef<unsigned>(const_cast<unsigned&>(*p)).load(cuda::memory_order_acquire);
}
inline void store_release(unsigned* p, unsigned value) {
    DeviceRef<unsigned>(*p).store(value, cuda::memory_order_release);
}

#endif

}  // namespace detail
LIBSCAN_NAMESPACE_END

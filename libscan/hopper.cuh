// SPDX-License-Identifier: Apache-2.0
//
// What only GPUs from compute capability 9.0 have: barriers in shared memory that count arrivals
// and bytes, bulk copies that complete on them, and dependent launches. (PTX ISA: mbarrier,
// cp.async.bulk, griddepcontrol.) On the CPU back end simt has the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>

// 1 where code for this instruction set is being generated, or none yet; kernels that use this file
// have an empty body elsewhere.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define LIBSCAN_HOPPER_CODE 0
#else
#define LIBSCAN_HOPPER_CODE 1
#endif

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

#if defined(__CUDACC__)

__device__ inline std::uint32_t shared_address(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// A barrier in shared memory. A phase ends when all arrivals, and all bytes that were announced,
// have come; phases have parities 0, 1, 0, ...
class Mbarrier {
  public:
    // By one thread, which then calls fence_init before the block's barrier.
    __device__ void init(unsigned arrivals) {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(&word_)),
                     "r"(arrivals)
                     : "memory");
    }
    static __device__ void fence_init() {
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __device__ void arrive() {
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(&word_))
                     : "memory");
    }
    // Arrives, and announces `bytes` bytes of bulk copies to the present phase.
    __device__ void arrive_expecting(unsigned bytes) {
        asm volatile(
            "mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&word_)),
            "r"(bytes)
            : "memory");
    }
    // Waits for the end of the phase with this parity.
    __device__ void wait(unsigned parity) {
        asm volatile(
            "{ .reg .pred done;\n"
            "again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
            "@!done bra again; }" ::"r"(shared_address(&word_)),
            "r"(parity)
            : "memory");
    }

  private:
    std::uint64_t word_;
};

// Copies bytes from global to shared memory; addresses and size are multiples of 16. Completes on
// the barrier. The lines read are the last that the L2 cache gives up: it then writes results back
// early and in order, which the memory likes (4% of the whole scan on an H200).
__device__ inline void bulk_load(void* to, const void* from, unsigned bytes, Mbarrier& barrier) {
    std::uint64_t keep;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(&barrier)), "l"(keep)
        : "memory");
}
// Brings the lines of an array, without what is outside of whole vectors, to the L2 cache.
__device__ inline void bulk_prefetch(const void* from, std::size_t bytes) {
    const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(from) + 15) / 16 * 16;
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(from) + bytes) / 16 * 16;
    if (begin < end) {
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin),
                     "r"(static_cast<unsigned>(end - begin))
                     : "memory");
    }
}
// Orders ordinary accesses to shared memory before bulk copies into the same bytes.
__device__ inline void fence_for_bulk() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// A kernel that was launched as dependent may start before the one in front of it has ended.
__device__ inline void let_dependents_start() {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
__device__ inline void wait_for_previous_kernel() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

#else

inline void bulk_prefetch(const void*, std::size_t) {}
inline void let_dependents_start() {}
inline void wait_for_previous_kernel() {}

#endif

}  // namespace detail
LIBSCAN_NAMESPACE_END

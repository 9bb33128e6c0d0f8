// SPDX-License-Identifier: Apache-2.0
// Pure copy through the ring: what the memory system gives to each way of moving bytes.
#include "bench_common.h"
#include "scan_primitives.cuh"
using namespace lab;
__device__ __forceinline__ uint64_t pol(int kind) {
    uint64_t p;
    if (kind == 1)
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(p));
    else if (kind == 2)
        asm volatile("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(p));
    else if (kind == 3)
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(p));
    else
        asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(p));
    return p;
}
__device__ __forceinline__ void bulk_store(void* to, const void* from, uint32_t bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void bulk_store_hint(void* to, const void* from, uint32_t bytes,
                                                uint64_t p) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(to),
        "r"(shared_address(from)), "r"(bytes), "l"(p)
        : "memory");
}
// ST: 0 st.cs, 1 st, 2 bulk, 3 bulk evict_first, 4 st evict_first policy, 5 st.wt, 6 st
// evict_last... LD: 0 none 1 evict_first 2 evict_unchanged
template <int W, int K, int S, int ST, int LD, int OB, bool TK>
__global__ void __launch_bounds__((W + 1) * 32, OB)
    flow(const char* in, char* out, unsigned tiles, unsigned* tick) {
    constexpr int kBytes = W * K * 512;
    extern __shared__ __align__(128) char ring[];
    __shared__ Mbarrier full[S], empty[S];
    __shared__ volatile unsigned tile[S + 1];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < S; ++i) {
            full[i].init(1);
            empty[i].init(ST == 2 || ST == 3 ? 1 : W);
        }
        Mbarrier::fence_init();
    }
    __syncthreads();
    unsigned G = gridDim.x;
    auto next = [&](int i, unsigned t) {
        if (!TK) return t + G;
        (void)i;
        return atomicAdd(tick, 1u);
    };
    if (warp == W) {
        if (lane == 0) {
            int i = 0;
            for (unsigned t = TK ? atomicAdd(tick, 1u) : blockIdx.x;; t = next(i, t), ++i) {
                int s = i % S;
                if (i >= S) empty[s].wait((i / S - 1) & 1);
                tile[i % (S + 1)] = t;
                if (t >= tiles) {
                    full[s].arrive();
                    break;
                }
                full[s].arrive_expecting(kBytes);
                const char* f = in + size_t(t) * kBytes;
                if (LD == 0)
                    bulk_load(ring + s * kBytes, f, kBytes, full[s]);
                else
                    asm volatile(
                        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::"
                        "cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(
                            shared_address(ring + s * kBytes)),
                        "l"(f), "r"(kBytes), "r"(shared_address(&full[s])), "l"(pol(LD))
                        : "memory");
            }
        }
    } else if (ST == 2 || ST == 3) {
        if (threadIdx.x == 0) {
            int i = 0;
            uint64_t p = pol(1);
            for (;; ++i) {
                int s = i % S;
                full[s].wait((i / S) & 1);
                unsigned t = tile[i % (S + 1)];
                if (t >= tiles) break;
                if (ST == 2)
                    bulk_store(out + size_t(t) * kBytes, ring + s * kBytes, kBytes);
                else
                    bulk_store_hint(out + size_t(t) * kBytes, ring + s * kBytes, kBytes, p);
                asm volatile("cp.async.bulk.commit_group;" ::: "memory");
                asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
                if (i > 0) empty[(i - 1) % S].arrive();
            }
            asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        }
    } else {
        int i = 0;
        uint64_t p = pol(ST == 6 ? 3 : 1);
        for (;; ++i) {
            int s = i % S;
            full[s].wait((i / S) & 1);
            unsigned t = tile[i % (S + 1)];
            if (t >= tiles) break;
            const uint4* f = (const uint4*)(ring + s * kBytes) + warp * K * 32 + lane;
            uint4 v[K];
#pragma unroll
            for (int k = 0; k < K; ++k) v[k] = f[k * 32];
            __syncwarp();
            if (lane == 0) empty[s].arrive();
            uint4* o = (uint4*)(out + size_t(t) * kBytes) + warp * K * 32 + lane;
#pragma unroll
            for (int k = 0; k < K; ++k) {
                if (ST == 0)
                    __stcs(o + k * 32, v[k]);
                else if (ST == 1)
                    o[k * 32] = v[k];
                else if (ST == 5)
                    __stwt(o + k * 32, v[k]);
                else
                    asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1,%2,%3,%4}, %5;" ::"l"(
                                     o + k * 32),
                                 "r"(v[k].x), "r"(v[k].y), "r"(v[k].z), "r"(v[k].w), "l"(p)
                                 : "memory");
            }
        }
    }
}
template <int U, int ST>
__global__ void plain(const uint4* in, uint4* out,
                      size_t n) {  // n in uint4, block covers U*blockDim
    size_t b = blockIdx.x * size_t(blockDim.x) * U + threadIdx.x;
    uint4 v[U];
#pragma unroll
    for (int k = 0; k < U; ++k) v[k] = in[b + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < U; ++k)
        if (ST)
            out[b + k * blockDim.x] = v[k];
        else
            __stcs(out + b + k * blockDim.x, v[k]);
}
static char *in, *out;
static unsigned* tick;
static const size_t kN[] = {size_t(1) << 26, size_t(1) << 30};
template <int W, int K, int S, int ST, int LD, int OB = 1, bool TK = true>
void go() {
    constexpr int kBytes = W * K * 512;
    auto k = flow<W, K, S, ST, LD, OB, TK>;
    CK(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, S * kBytes));
    printf("W%-2d K%d S%-2d tileKB %2d store %d load %d blocks/SM %d ticket %d ring %3d KB:", W, K,
           S, kBytes / 1024, ST, LD, OB, TK, S * kBytes / 1024);
    for (size_t n : kN) {
        unsigned tiles = n / kBytes;
        printf(" %.2f", timeit([&] {
                            if (TK) cudaMemsetAsync(tick, 0, 4);
                            k<<<132 * OB, (W + 1) * 32, S * kBytes>>>(in, out, tiles, tick);
                        }).median);
    }
    printf("\n");
    fflush(stdout);
}
template <int U, int ST>
void pl(int t) {
    printf("plain U%d st%d threads %d:", U, ST, t);
    for (size_t n : kN)
        printf(" %.2f", timeit([&] {
                            plain<U, ST><<<n / 16 / U / t, t>>>((uint4*)in, (uint4*)out, n / 16);
                        }).median);
    printf("\n");
}
int main() {
    CK(cudaMalloc(&in, size_t(1) << 30));
    CK(cudaMalloc(&out, size_t(1) << 30));
    fill_kernel<u32><<<4096, 256>>>((u32*)in, size_t(1) << 28);
    printf("memcpy:");
    for (size_t n : kN)
        printf(" %.2f",
               timeit([&] { cudaMemcpyAsync(out, in, n, cudaMemcpyDeviceToDevice); }).median);
    printf("\n");
    CK(cudaMalloc(&tick, 4));
    pl<1, 0>(256);
    pl<1, 0>(512);
    pl<1, 0>(1024);
    pl<2, 0>(256);
    pl<2, 0>(512);
    go<16, 4, 6, 0, 0, 1, false>();
    go<16, 4, 6, 0, 0>();
    go<16, 4, 6, 1, 0>();
    go<16, 4, 6, 2, 0>();
    go<16, 4, 6, 0, 3>();
    go<16, 4, 4, 0, 0>();
    go<16, 4, 3, 0, 0>();
    go<16, 4, 2, 0, 0>();
    go<8, 4, 12, 0, 0>();
    go<8, 4, 6, 0, 0>();
    go<8, 4, 4, 0, 0>();
    go<8, 4, 3, 0, 0>();
    go<8, 4, 2, 0, 0>();
    go<16, 1, 24, 0, 0>();
    go<16, 1, 12, 0, 0>();
    go<16, 1, 8, 0, 0>();
    go<16, 1, 6, 0, 0>();
    go<16, 1, 4, 0, 0>();
    go<16, 1, 4, 2, 0>();
    go<16, 1, 8, 2, 0>();
    go<16, 1, 8, 1, 0>();
    go<24, 4, 4, 0, 0>();
    go<24, 4, 3, 0, 0>();
    go<24, 4, 2, 0, 0>();
    go<24, 1, 8, 0, 0>();
    go<24, 1, 16, 0, 0>();
    go<8, 1, 8, 0, 0>();
    go<8, 1, 12, 0, 0>();
    go<8, 1, 16, 0, 0>();
    go<8, 1, 24, 0, 0>();
    go<16, 1, 8, 0, 3>();
    go<16, 1, 8, 1, 3>();
    go<16, 1, 8, 0, 1>();
}

// SPDX-License-Identifier: Apache-2.0
// u32 exclusive sum: policies, ways of clearing, and the small kernel.
#include "bench_common.h"
#include "scan_small.cuh"
using namespace lab;
static Buffers B;
static float g_copy[16], g_cub[16];
static const size_t kN[] = {size_t(1) << 18, size_t(1) << 20, 10000000,
                            size_t(1) << 24, 100000000,       size_t(1) << 28};
using S0 = StartValue<u32>;
template <class P>
void look(const char* what) {
    using L = LookaheadScan<P, false, u32, u32, u32, Plus, S0>;
    for (int clear = 0; clear < 2; ++clear) {
        printf("%-10s W%-2d R%d K%d S%-2d tileKB %2d clear %d:", what, P::kScanWarps,
               P::kReduceWarps, P::kRows, P::kStages, int(L::Scan::kTileItems * 4 / 1024), clear);
        for (int i = 0; i < 6; ++i) {
            size_t n = kN[i];
            auto f = [&] {
                CK(L::launch(B.temp, (u32*)B.in, (u32*)B.out, n, Plus{}, S0{0}, 132,
                             clear ? Clear::kDependentLaunch : Clear::kMemset, 0));
            };
            CK(cudaMemset(B.out, 0xff, n * 4));
            f();
            u64 bad = count_bad<u32>(B, (u32*)B.out, n);
            Stat s = timeit(f);
            printf(" %s%.2f (%.3f %.2f)", bad ? "BAD " : "", s.median, g_copy[i] / s.median,
                   g_cub[i] / s.median);
        }
        printf("\n");
        fflush(stdout);
    }
}
template <class P>
void small() {
    using S = SmallScan<P, false, u32, u32, u32, Plus, S0>;
    for (int mb = 1; mb <= 16; mb *= 2) {
        printf("small W%-2d K%d T%d blocks<=%2d:", P::kScanWarps, P::kRows, P::kTilesPerBlock, mb);
        for (int lg = 8; lg <= 20; lg += (lg == 8 ? 2 : lg < 14 ? 2 : 1)) {
            int n = 1 << lg;
            if (n > S::max_items(mb)) continue;
            auto f = [&] { CK(S::launch((u32*)B.in, (u32*)B.out, n, Plus{}, S0{0}, mb, 0)); };
            CK(cudaMemset(B.out, 0xff, n * 4));
            f();
            u64 bad = count_bad<u32>(B, (u32*)B.out, n);
            Stat s = timeit(f);
            printf(" 2^%d %s%.2f", lg, bad ? "BAD " : "", s.median);
        }
        printf("\n");
        fflush(stdout);
    }
}
__global__ void null_kernel() {}
__global__ void gridid_kernel(u64* p) {
    u64 v;
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(v));
    if (threadIdx.x == 0) p[blockIdx.x] = v;
}
int main(int argc, char** argv) {
    size_t N = size_t(1) << 28;
    B.temp_bytes = 64 << 20;
    CK(cudaMalloc(&B.in, N * 4));
    CK(cudaMalloc(&B.out, N * 4));
    CK(cudaMalloc(&B.ref, N * 4));
    CK(cudaMalloc(&B.temp, B.temp_bytes));
    CK(cudaMalloc(&B.scratch, 4096));
    fill_kernel<u32><<<4096, 256>>>((u32*)B.in, N);
    cub_scan<u32>(kPlus, B.temp, B.temp_bytes, (u32*)B.in, (u32*)B.ref, (int)N);
    CK(cudaDeviceSynchronize());
    printf("null kernel %.2f us, two %.2f; memset 4 KB + null %.2f\n",
           timeit([] { null_kernel<<<1, 32>>>(); }).median, timeit([] {
                                                                null_kernel<<<1, 32>>>();
                                                                null_kernel<<<1, 32>>>();
                                                            }).median,
           timeit([] {
               cudaMemsetAsync(B.temp, 0, 4096);
               null_kernel<<<1, 32>>>();
           }).median);
    printf("copy/cub:");
    for (int i = 0; i < 6; ++i) {
        size_t n = kN[i];
        g_copy[i] =
            timeit([&] { cudaMemcpyAsync(B.out, B.in, n * 4, cudaMemcpyDeviceToDevice); }).median;
        g_cub[i] = timeit([&] {
                       cub_scan<u32>(kPlus, B.temp, B.temp_bytes, (u32*)B.in, (u32*)B.out, (int)n);
                   }).median;
        printf(" n=%zu %.2f / %.2f", n, g_copy[i], g_cub[i]);
    }
    printf("\nsmall cub:");
    for (int lg = 8; lg <= 20; lg += (lg == 8 ? 2 : lg < 14 ? 2 : 1))
        printf(" 2^%d %.2f", lg, timeit([&] {
                                     cub_scan<u32>(kPlus, B.temp, B.temp_bytes, (u32*)B.in,
                                                   (u32*)B.out, 1 << lg);
                                 }).median);
    printf("\n");
    fflush(stdout);
    look<LookaheadPolicy<20, 8, 4, 5, true>>("40");
    look<LookaheadPolicy<20, 5, 4, 5, true>>("40");
    look<LookaheadPolicy<20, 8, 4, 4, true>>("40");
    look<LookaheadPolicy<20, 8, 4, 5>>("40 nokeep");
    look<LookaheadPolicy<22, 6, 4, 5, true>>("44");
    look<LookaheadPolicy<18, 9, 4, 6, true>>("36");
    look<LookaheadPolicy<18, 6, 4, 6, true>>("36");
    look<LookaheadPolicy<14, 7, 4, 8, true>>("28");
    look<LookaheadPolicy<14, 14, 4, 8, true>>("28");
    look<LookaheadPolicy<28, 1, 2, 8, true>>("28");
    look<LookaheadPolicy<13, 13, 4, 8, true>>("26");
    look<LookaheadPolicy<10, 10, 4, 11, true>>("20");
    look<LookaheadPolicy<20, 8, 3, 7, true>>("30");
    look<LookaheadPolicy<22, 6, 3, 6, true>>("33");
    look<LookaheadPolicy<12, 12, 6, 6, true>>("36");
    look<LookaheadPolicy<14, 7, 6, 5, true>>("42");
    look<LookaheadPolicy<14, 7, 5, 6, true>>("35");
    look<LookaheadPolicy<20, 8, 4, 5, true>>("40 again");
}

// SPDX-License-Identifier: Apache-2.0
// The same bits in every run: random floats (sums that depend on the order), 24 grids, both ways of
// clearing, by turns.
#include "bench_common.h"
#include "scan_small.cuh"
using namespace lab;
template <class T>
__global__ void noise(T* p, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        p[i] = static_cast<T>((static_cast<double>(mix(i) >> 11) / (1ull << 53) - 0.5) *
                              (1 << (mix(i + 5) % 20)));
}
template <class T, class P>
void run(const char* name, size_t n) {
    T *in, *out;
    char* temp;
    u64* h;
    CK(cudaMalloc(&in, n * sizeof(T)));
    CK(cudaMalloc(&out, n * sizeof(T)));
    CK(cudaMalloc(&temp, 16 << 20));
    CK(cudaMalloc(&h, 8));
    noise<T><<<1024, 256>>>(in, n);
    using L = LookaheadScan<P, false, T, T, T, Plus, StartValue<T>>;
    using S =
        SmallScan<SmallPolicy<P::kScanWarps, P::kRows, 1>, false, T, T, T, Plus, StartValue<T>>;
    const unsigned grids[] = {1, 2, 3, 7, 31, 64, 100, 131, 132, 133, 264, 500};
    u64 first = 0;
    int same = 0, all = 0;
    bool has = false;
    auto note = [&] {
        CK(cudaMemset(h, 0, 8));
        hash_kernel<<<512, 256>>>((u32*)out, n * sizeof(T) / 4, h);
        u64 v;
        CK(cudaMemcpy(&v, h, 8, cudaMemcpyDeviceToHost));
        if (!has) first = v, has = true;
        same += v == first;
        ++all;
    };
    for (int r = 0; r < 24; ++r) {
        CK(cudaMemset(out, 0xff, n * sizeof(T)));
        CK(L::launch(temp, in, out, n, Plus{}, StartValue<T>{T(0.1)}, grids[r % 12],
                     r & 1 ? Clear::kMemset : Clear::kDependentLaunch, 0));
        note();
    }
    int s = 0;
    if (n <= (size_t)S::max_items(16))
        for (int b = 1; b <= 16; b *= 2)
            if (n <= (size_t)S::max_items(b)) {
                CK(cudaMemset(out, 0xff, n * sizeof(T)));
                CK(S::launch(in, out, (int)n, Plus{}, StartValue<T>{T(0.1)}, b, 0));
                int before = same;
                note();
                s += same > before;
            }
    printf("determinism %s n=%zu: %d of %d runs equal (%d of them the small kernel), hash %llx\n",
           name, n, same, all, s, first);
    cudaFree(in);
    cudaFree(out);
    cudaFree(temp);
    cudaFree(h);
}
int main() {
    run<f32, LookaheadPolicy<14, 7, 6, 5, true>>("f32", 1000003);
    run<f32, LookaheadPolicy<14, 7, 6, 5, true>>("f32", 20000001);
    run<f32, LookaheadPolicy<14, 7, 6, 5, true>>("f32", 160001);
    run<f64, LookaheadPolicy<10, 5, 8, 5, true>>("f64", 1000003);
    run<f64, LookaheadPolicy<10, 5, 8, 5, true>>("f64", 70001);
}

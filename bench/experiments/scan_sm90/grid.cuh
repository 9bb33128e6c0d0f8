// SPDX-License-Identifier: Apache-2.0
// One type: copy, CUB, the small kernel and the look-ahead kernel for every n, checked and timed.
#include "bench_common.h"
#include "scan_small.cuh"
namespace lab {
template <>
struct IsPlus<Plus> : std::true_type {};
template <>
struct IsPlain<Plus> : std::true_type {};
template <>
struct IsPlain<Max> : std::true_type {};
}  // namespace lab
using namespace lab;
static const size_t kSizes[] = {1 << 10, 1 << 14,  1 << 16, 1 << 17,   1 << 18, 1 << 19,
                                1 << 20, 10000000, 1 << 24, 100000000, 1 << 28};
template <class T, class Op>
struct AccOf {
    using Type = T;
};
template <>
struct AccOf<u8, Plus> {
    using Type = u32;
};
template <>
struct AccOf<u16, Plus> {
    using Type = u32;
};
template <>
struct AccOf<u8, Max> {
    using Type = u32;
};
template <>
struct AccOf<u16, Max> {
    using Type = u32;
};
template <class T, class Op, class Policy, class Small>
void cells(OpKind kind, const Buffers& B, FILE* csv, const float* copy, float* cub, bool first) {
    using Acc = typename AccOf<T, Op>::Type;
    constexpr bool kInc = !std::is_same<Op, Plus>::value;
    using Start = std::conditional_t<kInc, NoStart, StartValue<Acc>>;
    Start start{};
    using L = LookaheadScan<Policy, kInc, Acc, T, T, Op, Start>;
    using S = SmallScan<Small, kInc, Acc, T, T, Op, Start>;
    const char* opname = kind == kPlus ? "plus" : kind == kMax ? "max" : "custom";
    for (int i = 0; i < 11; ++i) {
        size_t n = kSizes[i];
        g_reps = n >= 100000000 ? 24 : 50;
        cub_scan<T>(kind, B.temp, B.temp_bytes, (T*)B.in, (T*)B.ref, (int)n);
        CK(cudaDeviceSynchronize());
        if (first)
            cub[i] = timeit([&] {
                         cub_scan<T>(kind, B.temp, B.temp_bytes, (T*)B.in, (T*)B.ref, (int)n);
                     }).median;
        float small = 0, look[2];
        u64 bad = 0;
        if (n <= (size_t)S::max_items(16)) {
            auto f = [&] { CK(S::launch((T*)B.in, (T*)B.out, (int)n, Op{}, start, 16, 0)); };
            CK(cudaMemset(B.out, 0xff, n * sizeof(T)));
            f();
            bad += count_bad<T>(B, (T*)B.out, n);
            small = timeit(f).median;
        }
        for (int c = 0; c < 2; ++c) {
            auto f = [&] {
                CK(L::launch(B.temp, (T*)B.in, (T*)B.out, n, Op{}, start, 132,
                             c ? Clear::kDependentLaunch : Clear::kMemset, 0));
            };
            CK(cudaMemset(B.out, 0xff, n * sizeof(T)));
            f();
            bad += count_bad<T>(B, (T*)B.out, n);
            look[c] = timeit(f).median;
        }
        float best = std::min(look[0], look[1]);
        if (small > 0) best = std::min(best, small);
        printf(
            "%-4s %-6s %9zu copy %7.2f cub %7.2f small %6.2f look %7.2f dep %7.2f  of copy %.3f  "
            "over cub %.2f%s\n",
            NameOf<T>::value, opname, n, copy[i], cub[i], small, look[0], look[1], copy[i] / best,
            cub[i] / best, bad ? "  BAD" : "");
        fprintf(csv, "%s,%s,%zu,%d-%d-%d-%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.4f,%.4f,%llu\n",
                NameOf<T>::value, opname, n, Policy::kScanWarps, Policy::kReduceWarps,
                Policy::kRows, Policy::kStages, copy[i], cub[i], small, look[0], look[1],
                copy[i] / best, cub[i] / best, bad);
    }
    fflush(stdout);
    fflush(csv);
}
template <class T>
void copies(const Buffers& B, float* copy) {
    for (int i = 0; i < 11; ++i) {
        g_reps = 30;
        copy[i] = timeit([&] {
                      cudaMemcpyAsync(B.out, B.in, kSizes[i] * sizeof(T), cudaMemcpyDeviceToDevice);
                  }).median;
    }
}
#define GRID(T) void grid_##T(const Buffers& B, FILE* csv)

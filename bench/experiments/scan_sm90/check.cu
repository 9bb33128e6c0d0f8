// SPDX-License-Identifier: Apache-2.0
// Correctness of both kernels: every type size, operator kind, alignment, raggedness, grid; serial
// scan on the CPU.
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
struct Affine {
    u32 a, b;
};  // x -> a x + b, composed left to right: associative, not commutative
struct Compose {
    __host__ __device__ Affine operator()(const Affine& f, const Affine& g) const {
        return {f.a * g.a, f.b * g.a + g.b};
    }
};
struct Affine3 {
    u32 a, b, c;
};  // 12 bytes
struct Compose3 {
    __host__ __device__ Affine3 operator()(const Affine3& f, const Affine3& g) const {
        return {f.a * g.a, f.b * g.a + g.b, f.c + g.c};
    }
};
struct Affine6 {
    u32 a, b, c, d, e, f;
};  // 24 bytes
struct Compose6 {
    __host__ __device__ Affine6 operator()(const Affine6& f, const Affine6& g) const {
        return {f.a * g.a, f.b * g.a + g.b, f.c + g.c, g.d, f.e, max(f.f, g.f)};
    }
};
struct Affine4 {
    u32 a, b, c, d;
};  // 16 bytes, alignment 4
struct Compose4 {
    __host__ __device__ Affine4 operator()(const Affine4& f, const Affine4& g) const {
        return {f.a * g.a, f.b * g.a + g.b, f.c, g.d};
    }
};
struct Interval {
    u32 lo, hi;
};  // joins touching intervals; counts calls whose ends do not meet
__device__ u64 g_bad_calls;
struct Join {
    __host__ __device__ Interval operator()(const Interval& x, const Interval& y) const {
#ifdef __CUDA_ARCH__
        if (x.hi != y.lo) atomicAdd(&g_bad_calls, 1ull);
#endif
        return {x.lo, y.hi};
    }
};
struct Last {
    template <class A>
    __host__ __device__ A operator()(const A&, const A& b) const {
        return b;
    }
};
template <class T>
struct Gen {
    static T of(uint64_t i) { return Make<T>::of(i); }
};
template <>
struct Gen<Affine> {
    static Affine of(uint64_t i) { return {u32(mix(i)) | 1, u32(mix(i + 9))}; }
};
template <>
struct Gen<Affine3> {
    static Affine3 of(uint64_t i) { return {u32(mix(i)) | 1, u32(mix(i + 9)), u32(i)}; }
};
template <>
struct Gen<Affine4> {
    static Affine4 of(uint64_t i) { return {u32(mix(i)) | 1, u32(mix(i + 9)), u32(i), u32(i) ^ 5}; }
};
template <>
struct Gen<Affine6> {
    static Affine6 of(uint64_t i) {
        return {u32(mix(i)) | 1, u32(mix(i + 9)), u32(i), u32(i) ^ 5, u32(i) + 3, u32(mix(i + 4))};
    }
};
template <>
struct Gen<Interval> {
    static Interval of(uint64_t i) { return {u32(i), u32(i + 1)}; }
};
static Buffers B;
static int g_fail = 0, g_cases = 0;
template <class Policy, class SPolicy, bool kInclusive, bool kStart, class In, class Out, class Acc,
          class Op>
void check(const char* name, std::vector<size_t> sizes, Acc init, bool small_too) {
    using Start = std::conditional_t<kStart, StartValue<Acc>, NoStart>;
    Start start{};
    if constexpr (kStart) start.value = init;
    const int step_in = sizeof(In) < 16 ? alignof(In) : 4;
    (void)step_in;
    size_t nmax = *std::max_element(sizes.begin(), sizes.end());
    std::vector<In> in(nmax);
    std::vector<Out> want(nmax), got;
    for (size_t i = 0; i < nmax; ++i) in[i] = Gen<In>::of(i);
    {
        Acc x = init;
        bool has = kStart;
        Op op;
        for (size_t i = 0; i < nmax; ++i) {
            if (!kInclusive) want[i] = (Out)x;
            x = has ? (Acc)op(x, (Acc)in[i]) : (Acc)in[i];
            has = true;
            if (kInclusive) want[i] = (Out)x;
        }
    }
    const int tile = Lookahead<Policy, In, Out, Acc, Op, Start, kInclusive>::kTileItems;
    using LS = LookaheadScan<Policy, kInclusive, Acc, In, Out, Op, Start>;
    using SS = SmallScan<SPolicy, kInclusive, Acc, In, Out, Op, Start>;
    int variant = 0;
    for (size_t n : sizes)
        for (int mode = 0; mode < 6; ++mode) {
            // mode: 0 aligned, 1 in +1, 2 out +1, 3 both by different, 4 in place, 5 small kernel
            // (aligned / shifted by turns)
            ++variant;
            int oi = (mode == 1 || mode == 3) ? 1 + variant % 3 : 0,
                oo = mode == 2   ? 1 + variant % 3
                     : mode == 3 ? 2 - variant % 2
                                 : 0;
            if (mode == 4 && (sizeof(In) != sizeof(Out))) continue;
            if (mode == 4) oi = oo = variant % 2;
            if (mode == 5) {
                if (!small_too || n > (size_t)SS::max_items(16)) continue;
                oi = variant % 2;
                oo = variant % 3;
            }
            static const unsigned grids[] = {1, 2, 5, 132, 400};
            unsigned grid = grids[variant % 5];
            if (grid < 5 && n > 3000000) grid = 132;
            In* din = (In*)B.in + 64 + oi;
            Out* dout = mode == 4 ? (Out*)din : (Out*)B.out + 64 + oo;
            CK(cudaMemset(B.out, 0xA5, (nmax + 200) * sizeof(Out)));
            CK(cudaMemset(B.in, 0x5A, (nmax + 200) * sizeof(In)));
            CK(cudaMemset(B.temp, 0xFF, LS::temp_bytes(n)));
            CK(cudaMemcpy(din, in.data(), n * sizeof(In), cudaMemcpyHostToDevice));
            cudaError_t e =
                mode == 5 ? SS::launch(din, dout, (int)n, Op{}, start, 1 << (variant % 5), 0)
                          : LS::launch(B.temp, din, dout, n, Op{}, start, grid,
                                       variant % 2 ? Clear::kMemset : Clear::kDependentLaunch, 0);
            if (mode == 5 && n > (size_t)SS::max_items(1 << (variant % 5))) {
                cudaGetLastError();
                CK(SS::launch(din, dout, (int)n, Op{}, start, 16, 0));
            } else
                CK(e);
            cudaError_t se = cudaDeviceSynchronize();
            if (se != cudaSuccess) {
                printf("FAULT %s n=%zu mode=%d grid=%u: %s\n", name, n, mode, grid,
                       cudaGetErrorString(se));
                fflush(stdout);
                exit(1);
            }
            std::vector<unsigned char> raw((n + 200) * sizeof(Out));
            const char* base = mode == 4 ? B.in : B.out;
            const unsigned char pad = mode == 4 ? 0x5A : 0xA5;
            CK(cudaMemcpy(raw.data(), base, raw.size(), cudaMemcpyDeviceToHost));
            size_t lo = (const char*)dout - base, hi = lo + n * sizeof(Out), bad = 0, first = 0,
                   guards = 0;
            for (size_t i = 0; i < raw.size(); ++i)
                if ((i < lo || i >= hi) && raw[i] != pad) ++guards;
            for (size_t i = 0; i < n; ++i)
                if (memcmp(&raw[lo + i * sizeof(Out)], &want[i], sizeof(Out))) {
                    if (!bad++) first = i;
                }
            ++g_cases;
            if (bad || guards) {
                ++g_fail;
                if (g_fail < 40) {
                    printf(
                        "BAD %s n=%zu mode=%d oi=%d oo=%d grid=%u bad=%zu first=%zu (tile %d) "
                        "guards=%zu\n",
                        name, n, mode, oi, oo, grid, bad, first, tile, guards);
                    fflush(stdout);
                }
            }
        }
}
static std::vector<size_t> sizes_for(size_t tile) {
    return {1,
            2,
            3,
            31,
            33,
            127,
            1000,
            tile / 2 - 1,
            tile - 1,
            tile,
            tile + 1,
            3 * tile + 7,
            16 * tile,
            31 * tile + 5,
            33 * tile + 1,
            100 * tile + 3,
            700 * tile - 2};
}
int main() {
    B.temp_bytes = 64 << 20;
    CK(cudaMalloc(&B.in, 512 << 20));
    CK(cudaMalloc(&B.out, 512 << 20));
    CK(cudaMalloc(&B.temp, B.temp_bytes));
    using P = LookaheadPolicy<6, 2, 2, 3>;
    using S = SmallPolicy<6, 2, 2>;  // small tiles: many windows at small n
    auto tile = [](size_t size) { return 6 * 2 * 32 * (16 % size == 0 ? 16 / size : 1); };
    check<P, S, false, true, u32, u32, u32, Plus>("u32 exclusive", sizes_for(tile(4)), 7u, true);
    check<P, S, true, false, u32, u32, u32, Max>("u32 inclusive max", sizes_for(tile(4)), 0u, true);
    check<P, S, false, true, u8, u8, u32, Plus>("u8 exclusive", sizes_for(tile(1)), 3u, true);
    check<P, S, true, false, int8_t, int, int, Plus>("s8 into int", sizes_for(tile(1)), 0, true);
    check<P, S, false, true, int16_t, int, int, Plus>("s16 into int", sizes_for(tile(2)), 9, true);
    check<P, S, false, true, int8_t, int8_t, int, Plus>("s8", sizes_for(tile(1)), 9, true);
    check<P, S, true, false, u8, u8, u8, Max>("u8 max", sizes_for(tile(1)), u8(0), true);
    check<P, S, true, false, u16, u16, u32, Plus>("u16 inclusive", sizes_for(tile(2)), 0u, true);
    check<P, S, false, true, u64, u64, u64, Plus>("u64 exclusive", sizes_for(tile(8)), u64(5),
                                                  true);
    check<P, S, false, true, u32, u64, u64, Plus>("u32 into u64", sizes_for(tile(4)), u64(5) << 33,
                                                  true);
    check<P, S, true, false, u64, u32, u64, Plus>("u64 into u32", sizes_for(tile(8)), u64(5), true);
    check<P, S, true, false, f32, f32, f32, Plus>("f32 inclusive", sizes_for(tile(4)), 0.f, true);
    check<P, S, true, false, Affine, Affine, Affine, Compose>("affine 8 B", sizes_for(tile(8)),
                                                              Affine{}, true);
    check<P, S, false, true, Affine3, Affine3, Affine3, Compose3>(
        "affine 12 B", sizes_for(tile(12)), Affine3{3, 4, 5}, true);
    check<P, S, true, false, Affine4, Affine4, Affine4, Compose4>(
        "affine 16 B", sizes_for(tile(16)), Affine4{}, true);
    check<P, S, true, false, Affine6, Affine6, Affine6, Compose6>(
        "affine 24 B", sizes_for(tile(24)), Affine6{}, true);
    check<P, S, true, false, Interval, Interval, Interval, Join>(
        "interval join", sizes_for(tile(8)), Interval{}, true);
    check<P, S, true, false, u32, u32, u32, Last>("last", sizes_for(tile(4)), 0u, true);
    u64 calls = 0;
    CK(cudaMemcpyFromSymbol(&calls, g_bad_calls, 8));
    printf("check: %d cases, %d failed; calls on invented values: %llu\n", g_cases, g_fail, calls);
    return g_fail != 0;
}

// SPDX-License-Identifier: Apache-2.0
// Warp collectives and barrier votes against their definition in the CUDA C++ Programming Guide.
// The same bodies run on a GPU.
#include <cmath>
#include <cstdint>

#include "support.cuh"

using simt_test::DeviceArray;
using simt_test::run;

namespace {

constexpr unsigned kAll = ~0u;

template <class T>
__global__ void shuffles(T* out, unsigned delta, int width) {
    const T v = static_cast<T>(100 + threadIdx.x);
    const unsigned n = blockDim.x;
    const unsigned t = threadIdx.x;
    out[t] = __shfl_sync(kAll, v, static_cast<int>(delta), width);
    out[n + t] = __shfl_up_sync(kAll, v, delta, width);
    out[2 * n + t] = __shfl_down_sync(kAll, v, delta, width);
    out[3 * n + t] = __shfl_xor_sync(kAll, v, static_cast<int>(delta), width);
}

template <class T>
void check_shuffles() {
    constexpr unsigned kThreads = 96;
    for (int width = 1; width <= 32; width *= 2)
        for (unsigned delta = 0; delta < 32; ++delta) {
            SCOPED_TRACE("width " + std::to_string(width) + " delta " + std::to_string(delta));
            DeviceArray<T> out(4 * kThreads, T(-1));
            ASSERT_EQ(run(&shuffles<T>, 1, kThreads, 0, out.get(), delta, width), cudaSuccess);
            const std::vector<T>& got = out.read();
            const unsigned w = static_cast<unsigned>(width);
            for (unsigned t = 0; t < kThreads; ++t) {
                const unsigned lane = t % 32, base = t - lane, segment = lane / w * w;
                auto value = [&](unsigned source) { return static_cast<T>(100 + base + source); };
                ASSERT_EQ(got[t], value(segment + delta % w)) << t;
                ASSERT_EQ(got[kThreads + t], value(lane - segment < delta ? lane : lane - delta))
                    << t;
                ASSERT_EQ(got[2 * kThreads + t],
                          value(lane - segment + delta >= w ? lane : lane + delta))
                    << t;
                const unsigned x = lane ^ (delta % 32);
                ASSERT_EQ(got[3 * kThreads + t], value(x >= segment + w ? lane : x)) << t;
            }
        }
}

TEST(Collectives, ShuffleInt) { check_shuffles<int>(); }
TEST(Collectives, ShuffleUnsigned) { check_shuffles<unsigned>(); }
TEST(Collectives, ShuffleLongLong) { check_shuffles<long long>(); }
TEST(Collectives, ShuffleFloat) { check_shuffles<float>(); }
TEST(Collectives, ShuffleDouble) { check_shuffles<double>(); }

// Lanes in `mask` take part, each group of its own with its own mask.
__global__ void partial_masks(unsigned mask, unsigned* out) {
    const unsigned lane = threadIdx.x;
    const unsigned mine = mask >> lane & 1 ? mask : ~mask;
    unsigned* to = out + 8 * lane;
    to[0] = __ballot_sync(mine, lane % 3 == 0);
    to[1] = static_cast<unsigned>(__any_sync(mine, lane == 5));
    to[2] = static_cast<unsigned>(__all_sync(mine, lane != 5));
    to[3] = __match_any_sync(mine, lane / 4);
    int all = 7;
    to[4] = __match_all_sync(mine, 42, &all);
    to[5] = static_cast<unsigned>(all);
    to[6] = __match_all_sync(mine, lane, &all);
    to[7] = static_cast<unsigned>(all);
    __syncwarp(mine);
}

TEST(Collectives, PartialMasks) {
    for (const unsigned mask : {0xFFFFFFFFu, 0x0000FFFFu, 0x55555555u, 0x80000001u, 0x12345678u}) {
        SCOPED_TRACE(mask);
        DeviceArray<unsigned> out(8 * 32, 99);
        ASSERT_EQ(run(&partial_masks, 1, 32, 0, mask, out.get()), cudaSuccess);
        const std::vector<unsigned>& got = out.read();
        for (unsigned lane = 0; lane < 32; ++lane) {
            const unsigned mine = mask >> lane & 1 ? mask : ~mask;
            unsigned thirds = 0, peers = 0;
            for (unsigned k = 0; k < 32; ++k) {
                thirds |= (k % 3 == 0 ? 1u : 0u) << k;
                peers |= (k / 4 == lane / 4 ? 1u : 0u) << k;
            }
            const unsigned* g = &got[8 * lane];
            const bool one_lane = (mine & (mine - 1)) == 0;
            EXPECT_EQ(g[0], thirds & mine) << lane;
            EXPECT_EQ(g[1] != 0, (mine >> 5 & 1) != 0) << lane;
            EXPECT_EQ(g[2] != 0, (mine >> 5 & 1) == 0) << lane;
            EXPECT_EQ(g[3], peers & mine) << lane;
            EXPECT_EQ(g[4], mine) << lane;
            EXPECT_EQ(g[5], 1u) << lane;
            EXPECT_EQ(g[6], one_lane ? mine : 0u) << lane;
            EXPECT_EQ(g[7], one_lane ? 1u : 0u) << lane;
        }
    }
}

__global__ void match_bits(const float* in, unsigned* out) {
    out[threadIdx.x] = __match_any_sync(kAll, in[threadIdx.x]);
}

// A match compares bits: NaN equals itself, -0 differs from +0.
TEST(Collectives, MatchComparesBits) {
    DeviceArray<float> in(32, 1.0f);
    std::vector<float> v(32, 1.0f);
    v[3] = v[9] = std::nanf("");
    v[4] = 0.0f;
    v[5] = -0.0f;
    ASSERT_EQ(cudaMemcpy(in.get(), v.data(), 128, cudaMemcpyHostToDevice), cudaSuccess);
    DeviceArray<unsigned> out(32);
    ASSERT_EQ(run(&match_bits, 1, 32, 0, in.get(), out.get()), cudaSuccess);
    const std::vector<unsigned>& got = out.read();
    EXPECT_EQ(got[3], 1u << 3 | 1u << 9);
    EXPECT_EQ(got[4], 1u << 4);
    EXPECT_EQ(got[5], 1u << 5);
    EXPECT_EQ(got[0], ~(1u << 3 | 1u << 9 | 1u << 4 | 1u << 5));
}

__global__ void reductions(unsigned mask, unsigned* out, int* compiled) {
#if defined(SIMT_VERSION) || __CUDA_ARCH__ >= 800
    const unsigned lane = threadIdx.x;
    if (lane == 0) *compiled = 1;
    if (!(mask >> lane & 1)) return;
    const unsigned u = lane * 0x9E3779B9u;
    const int i = static_cast<int>(u);
    unsigned* to = out + 8 * lane;
    to[0] = __reduce_add_sync(mask, u);
    to[1] = static_cast<unsigned>(__reduce_add_sync(mask, i));
    to[2] = __reduce_min_sync(mask, u);
    to[3] = static_cast<unsigned>(__reduce_min_sync(mask, i));
    to[4] = static_cast<unsigned>(__reduce_max_sync(mask, i));
    to[5] = __reduce_and_sync(mask, u);
    to[6] = __reduce_or_sync(mask, u);
    to[7] = __reduce_xor_sync(mask, u) + __reduce_max_sync(mask, u);
#else
    if (threadIdx.x == 0) *compiled = 0;
    (void)mask, (void)out;
#endif
}

// Before sm_80 there is no such instruction, and nothing to test.
TEST(Collectives, Reductions) {
    for (const unsigned mask : {0xFFFFFFFFu, 0x0000FFF0u, 0x55555555u, 0x80000000u}) {
        SCOPED_TRACE(mask);
        DeviceArray<unsigned> out(8 * 32, 99);
        DeviceArray<int> compiled(1, -1);
        ASSERT_EQ(run(&reductions, 1, 32, 0, mask, out.get(), compiled.get()), cudaSuccess);
        if (compiled.read()[0] == 0) return;
        unsigned add = 0, low = ~0u, high = 0, both = ~0u, any = 0, odd = 0;
        int smin = INT32_MAX, smax = INT32_MIN;
        for (unsigned k = 0; k < 32; ++k)
            if (mask >> k & 1) {
                const unsigned u = k * 0x9E3779B9u;
                const int i = static_cast<int>(u);
                add += u, both &= u, any |= u, odd ^= u;
                low = u < low ? u : low, high = u > high ? u : high;
                smin = i < smin ? i : smin, smax = i > smax ? i : smax;
            }
        const std::vector<unsigned>& got = out.read();
        for (unsigned lane = 0; lane < 32; ++lane) {
            const unsigned* g = &got[8 * lane];
            if (!(mask >> lane & 1)) {
                EXPECT_EQ(g[0], 99u);
                continue;
            }
            EXPECT_EQ(g[0], add);
            EXPECT_EQ(g[1], add);
            EXPECT_EQ(g[2], low);
            EXPECT_EQ(static_cast<int>(g[3]), smin);
            EXPECT_EQ(static_cast<int>(g[4]), smax);
            EXPECT_EQ(g[5], both);
            EXPECT_EQ(g[6], any);
            EXPECT_EQ(g[7], odd + high);
        }
    }
}

__global__ void active_masks(unsigned* out) {
    if (threadIdx.x % 2 == 0)
        out[threadIdx.x] = __activemask();
    else
        out[threadIdx.x] = __activemask();
}

// What __activemask gives depends on the schedule; it must hold the caller and nobody of the other
// branch.
TEST(Collectives, ActiveMask) {
    DeviceArray<unsigned> out(64);
    ASSERT_EQ(run(&active_masks, 1, 64, 0, out.get()), cudaSuccess);
    const std::vector<unsigned>& got = out.read();
    for (unsigned t = 0; t < 64; ++t) {
        EXPECT_TRUE(got[t] >> (t % 32) & 1) << t;
        EXPECT_EQ(got[t] & (t % 2 == 0 ? 0xAAAAAAAAu : 0x55555555u), 0u) << t;
    }
}

__global__ void votes(int* out) {
    const int t = static_cast<int>(threadIdx.x);
    if (t >= 70) return;  // a thread that has ended no longer counts
    int* to = out + 6 * t;
    to[0] = __syncthreads_count(t % 2);
    to[1] = __syncthreads_and(t < 70);
    to[2] = __syncthreads_and(t != 33);
    to[3] = __syncthreads_or(t == 69);
    to[4] = __syncthreads_or(0);
    to[5] = __syncthreads_count(1);
}

TEST(Collectives, BarrierVotes) {
    DeviceArray<int> out(6 * 96, -1);
    ASSERT_EQ(run(&votes, 1, 96, 0, out.get()), cudaSuccess);
    const std::vector<int>& got = out.read();
    for (int t = 0; t < 70; ++t) {
        const int* g = &got[static_cast<size_t>(6 * t)];
        EXPECT_EQ(g[0], 35);
        EXPECT_NE(g[1], 0);
        EXPECT_EQ(g[2], 0);
        EXPECT_NE(g[3], 0);
        EXPECT_EQ(g[4], 0);
        EXPECT_EQ(g[5], 70);
    }
}

// 48 threads: the second warp has 16 lanes, and the full mask means those.
__global__ void partial_warp(unsigned* out) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned mask = threadIdx.x < 32 ? kAll : 0xFFFFu;
    unsigned sum = 1;
    for (unsigned d = 1; d < 32; d *= 2) {
        const unsigned other = __shfl_up_sync(mask, sum, d);
        if (lane >= d) sum += other;
    }
    out[threadIdx.x] = sum;
}

TEST(Collectives, PartialWarp) {
    DeviceArray<unsigned> out(48);
    ASSERT_EQ(run(&partial_warp, 1, 48, 0, out.get()), cudaSuccess);
    const std::vector<unsigned>& got = out.read();
    for (unsigned t = 0; t < 48; ++t) EXPECT_EQ(got[t], t % 32 + 1);
}

__global__ void indices(uint3* out) {
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    uint3* to = out + 2 * (static_cast<size_t>(b) * threads + t);
    to[0] = blockIdx;
    __syncthreads();
    to[1] = threadIdx;
}

TEST(Collectives, IndicesInThreeDimensions) {
    const dim3 grid(3, 2, 2), block(5, 4, 3);
    DeviceArray<uint3> out(2 * 12 * 60);
    ASSERT_EQ(run(&indices, grid, block, 0, out.get()), cudaSuccess);
    const std::vector<uint3>& got = out.read();
    for (unsigned i = 0; i < 12 * 60; ++i) {
        const unsigned b = i / 60, t = i % 60;
        EXPECT_EQ(got[2 * i].x, b % 3);
        EXPECT_EQ(got[2 * i].y, b / 3 % 2);
        EXPECT_EQ(got[2 * i].z, b / 6);
        EXPECT_EQ(got[2 * i + 1].x, t % 5);
        EXPECT_EQ(got[2 * i + 1].y, t / 5 % 4);
        EXPECT_EQ(got[2 * i + 1].z, t / 20);
    }
}

__global__ void bits(unsigned* out, unsigned long long* wide) {
    const unsigned x = 0x00F0A512u + threadIdx.x * 0x01010101u;
    const unsigned long long y = static_cast<unsigned long long>(x) << 17 | threadIdx.x;
    unsigned* to = out + 13 * threadIdx.x;
    to[0] = static_cast<unsigned>(__popc(x));
    to[1] = static_cast<unsigned>(__popcll(y));
    to[2] = static_cast<unsigned>(__ffs(static_cast<int>(x)));
    to[3] = static_cast<unsigned>(__ffsll(static_cast<long long>(y)));
    to[4] = static_cast<unsigned>(__clz(static_cast<int>(x)));
    to[5] = static_cast<unsigned>(__clzll(static_cast<long long>(y)));
    to[6] = __brev(x);
    to[7] = __funnelshift_l(x, ~x, threadIdx.x) ^ __funnelshift_r(x, ~x, threadIdx.x + 3);
    to[8] = __byte_perm(x, ~x, 0x1000u * (threadIdx.x % 16) + 0x0C62u);
    const unsigned z = x * 0x9E3779B9u;
    to[9] = __dp4a(x, z, 0xFFFFFFF0u);
    to[10] = static_cast<unsigned>(__dp4a(static_cast<int>(x), static_cast<int>(z), 0x7FFFFFF0));
    to[11] = __dp4a(make_uchar4(255, 2, 3, 200), make_uchar4(255, 5, 6, 7), x);
    to[12] = static_cast<unsigned>(
        __dp4a(make_char4(-128, 2, -3, 100), make_char4(-128, 5, 6, 7), static_cast<int>(x)));
    wide[threadIdx.x] = __brevll(y);
}

TEST(Collectives, BitIntrinsics) {
    DeviceArray<unsigned> out(13 * 64);
    DeviceArray<unsigned long long> wide(64);
    ASSERT_EQ(run(&bits, 1, 64, 0, out.get(), wide.get()), cudaSuccess);
    const std::vector<unsigned>& got = out.read();
    const std::vector<unsigned long long>& got_wide = wide.read();
    for (unsigned t = 0; t < 64; ++t) {
        const unsigned x = 0x00F0A512u + t * 0x01010101u;
        const unsigned long long y = static_cast<unsigned long long>(x) << 17 | t;
        unsigned ones = 0, wide_ones = 0, first = 0, wide_first = 0, last = 0, wide_last = 0;
        unsigned reversed = 0;
        unsigned long long wide_reversed = 0;
        for (unsigned k = 0; k < 64; ++k) {
            if (k < 32 && x >> k & 1) {
                ++ones, last = k + 1, reversed |= 1u << (31 - k);
                if (!first) first = k + 1;
            }
            if (y >> k & 1) {
                ++wide_ones, wide_last = k + 1, wide_reversed |= 1ull << (63 - k);
                if (!wide_first) wide_first = k + 1;
            }
        }
        auto window = [&](unsigned shift) {  // 32 bits of {~x, x} from `shift`
            return static_cast<unsigned>((static_cast<unsigned long long>(~x) << 32 | x) >> shift);
        };
        const unsigned* g = &got[13 * t];
        EXPECT_EQ(g[0], ones);
        EXPECT_EQ(g[1], wide_ones);
        EXPECT_EQ(g[2], first);
        EXPECT_EQ(g[3], wide_first);
        EXPECT_EQ(g[4], 32 - last);
        EXPECT_EQ(g[5], 64 - wide_last);
        EXPECT_EQ(g[6], reversed);
        EXPECT_EQ(g[7], window(32 - t % 32) ^ window((t + 3) % 32)) << t;
        unsigned permuted = 0;
        const unsigned selector = 0x1000u * (t % 16) + 0x0C62u;
        for (unsigned k = 0; k < 4; ++k) {
            const unsigned s = selector >> (4 * k) & 7;
            const unsigned byte = ((s & 4 ? ~x : x) >> (8 * (s & 3))) & 0xFF;
            permuted |= byte << (8 * k);
        }
        EXPECT_EQ(g[8], permuted) << t;
        unsigned dot = 0xFFFFFFF0u, signed_dot = 0x7FFFFFF0u;
        for (unsigned k = 0; k < 32; k += 8) {
            const unsigned a = x >> k & 0xFF, b = x * 0x9E3779B9u >> k & 0xFF;
            dot += a * b;
            signed_dot += (a - (a > 127 ? 256 : 0)) * (b - (b > 127 ? 256 : 0));
        }
        EXPECT_EQ(g[9], dot) << t;
        EXPECT_EQ(g[10], signed_dot) << t;
        EXPECT_EQ(g[11], x + 255 * 255 + 10 + 18 + 1400);
        EXPECT_EQ(g[12], x + 128 * 128 + 10 - 18 + 700);
        EXPECT_EQ(got_wide[t], wide_reversed);
    }
}

}  // namespace

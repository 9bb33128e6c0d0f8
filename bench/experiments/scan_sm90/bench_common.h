// SPDX-License-Identifier: Apache-2.0
// Shared by the bench's translation units.
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CK(x)                                                                     \
    do {                                                                          \
        cudaError_t e_ = (x);                                                     \
        if (e_ != cudaSuccess) {                                                  \
            printf("ERR %s %s:%d\n", cudaGetErrorString(e_), __FILE__, __LINE__); \
            fflush(stdout);                                                       \
            exit(1);                                                              \
        }                                                                         \
    } while (0)
using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;
struct V16 {
    u64 a, b;
};
__host__ __device__ inline V16 operator+(V16 x, V16 y) { return {x.a + y.a, x.b + y.b}; }
__host__ __device__ inline bool operator==(V16 x, V16 y) { return x.a == y.a && x.b == y.b; }
struct Plus {
    template <class A>
    __host__ __device__ __forceinline__ auto operator()(const A& a, const A& b) const {
        return a + b;
    }
};
struct Max {
    template <class A>
    __host__ __device__ __forceinline__ A operator()(const A& a, const A& b) const {
        return a < b ? b : a;
    }
};
struct Custom {
    template <class A>
    __host__ __device__ __forceinline__ A operator()(const A& a, const A& b) const {
        return static_cast<A>(a + b);
    }
};
template <class T>
struct NameOf;
#define NAME(T)                                  \
    template <>                                  \
    struct NameOf<T> {                           \
        static constexpr const char* value = #T; \
    };
NAME(u8)
NAME(u16) NAME(u32) NAME(u64) NAME(f32) NAME(f64) NAME(V16) enum OpKind {
    kPlus,
    kMax,
    kCustom
};
// In cub_ref.cu: exclusive sum, inclusive max, inclusive custom.
template <class T>
void cub_scan(OpKind op, void* temp, size_t temp_bytes, const T* in, T* out, int n);
struct Stat {
    float median, min;
};
inline int g_reps = 40;
template <class F>
Stat timeit(F f) {
    static cudaEvent_t a, b;
    static bool made = false;
    if (!made) {
        CK(cudaEventCreate(&a));
        CK(cudaEventCreate(&b));
        made = true;
    }
    f();
    f();
    CK(cudaDeviceSynchronize());
    std::vector<float> v;
    for (int i = 0; i < g_reps; ++i) {
        CK(cudaEventRecord(a));
        f();
        CK(cudaEventRecord(b));
        CK(cudaEventSynchronize(b));
        float m;
        CK(cudaEventElapsedTime(&m, a, b));
        v.push_back(m * 1e3f);
    }
    CK(cudaGetLastError());
    std::sort(v.begin(), v.end());
    return {v[v.size() / 2], v[0]};
}
__host__ __device__ inline uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}
template <class T>
struct Make {
    static __host__ __device__ T of(uint64_t i) { return static_cast<T>(mix(i) & 255); }
};
template <>
struct Make<u16> {
    static __host__ __device__ u16 of(uint64_t i) { return static_cast<u16>(mix(i)); }
};
template <>
struct Make<f32> {
    static __host__ __device__ f32 of(uint64_t i) {
        return static_cast<f32>(static_cast<int>(mix(i) % 3) - 1);
    }
};
template <>
struct Make<f64> {
    static __host__ __device__ f64 of(uint64_t i) {
        return static_cast<f64>(static_cast<int>(mix(i) % 3) - 1);
    }
};
template <>
struct Make<V16> {
    static __host__ __device__ V16 of(uint64_t i) { return {mix(i) & 255, mix(i + 77)}; }
};
template <class T>
__global__ void fill_kernel(T* p, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        p[i] = Make<T>::of(i);
}
template <class T>
__global__ void diff_kernel(const T* a, const T* b, size_t n, u64* bad) {
    u64 c = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        c += !(a[i] == b[i]);
    if (c) atomicAdd(bad, c);
}
static __global__ void hash_kernel(const u32* a, size_t n, u64* h) {
    u64 c = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        c += mix(a[i] + (i << 32));
    atomicAdd(h, c);
}
struct Buffers {
    char *in, *out, *ref, *temp;
    u64* scratch;
    size_t temp_bytes;
};
template <class T>
u64 count_bad(const Buffers& b, const T* x, size_t n) {
    CK(cudaMemset(b.scratch, 0, 8));
    diff_kernel<T><<<1024, 256>>>(x, (const T*)b.ref, n, b.scratch);
    u64 r;
    CK(cudaMemcpy(&r, b.scratch, 8, cudaMemcpyDeviceToHost));
    return r;
}

// SPDX-License-Identifier: Apache-2.0
//
// The only file of the library that knows of its two back ends. The same kernels are compiled by
// nvcc as CUDA, for a GPU, and by a plain C++ compiler on simt, which runs the threads of a block
// as fibers on the CPU. (simt's directory `shim` then stands in front of the CUDA headers and
// defines SIMT_VERSION.) What differs between the two: how shared memory is declared, and the name
// of the inner namespace.
#pragma once

#include <cuda_runtime.h>
#include <libscan/version.h>

#include <cstddef>
#include <utility>

// ---- The namespace ----
//
// Everything lives in libscan::<tag>, an inline namespace, so that user code just says libscan. The
// tag names back end, version and GPU architectures: objects that were compiled differently may be
// linked into one program, and no template of one replaces its namesake of the other.
#define LIBSCAN_DETAIL_JOIN_RAW(a, b) a##_##b
#define LIBSCAN_DETAIL_JOIN(a, b) LIBSCAN_DETAIL_JOIN_RAW(a, b)
#define LIBSCAN_DETAIL_VERSIONED(backend)                                                        \
    LIBSCAN_DETAIL_JOIN(LIBSCAN_DETAIL_JOIN(LIBSCAN_DETAIL_JOIN(backend, LIBSCAN_VERSION_MAJOR), \
                                            LIBSCAN_VERSION_MINOR),                              \
                        LIBSCAN_VERSION_PATCH)

#if defined(SIMT_VERSION)
#define LIBSCAN_DETAIL_TAG LIBSCAN_DETAIL_VERSIONED(simt)
#elif defined(__CUDA_ARCH_LIST__)
// nvcc lists the architectures with commas (750,900): joined by underscores here, up to sixteen.
#define LIBSCAN_DETAIL_JOIN1(a) a
#define LIBSCAN_DETAIL_JOIN2(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN1(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN3(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN2(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN4(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN3(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN5(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN4(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN6(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN5(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN7(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN6(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN8(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN7(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN9(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN8(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN10(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN9(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN11(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN10(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN12(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN11(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN13(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN12(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN14(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN13(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN15(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN14(__VA_ARGS__))
#define LIBSCAN_DETAIL_JOIN16(a, ...) LIBSCAN_DETAIL_JOIN(a, LIBSCAN_DETAIL_JOIN15(__VA_ARGS__))
#define LIBSCAN_DETAIL_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, \
                            picked, ...)                                                           \
    picked
#define LIBSCAN_DETAIL_JOIN_ALL(...)                                                         \
    LIBSCAN_DETAIL_PICK(__VA_ARGS__, LIBSCAN_DETAIL_JOIN16, LIBSCAN_DETAIL_JOIN15,           \
                        LIBSCAN_DETAIL_JOIN14, LIBSCAN_DETAIL_JOIN13, LIBSCAN_DETAIL_JOIN12, \
                        LIBSCAN_DETAIL_JOIN11, LIBSCAN_DETAIL_JOIN10, LIBSCAN_DETAIL_JOIN9,  \
                        LIBSCAN_DETAIL_JOIN8, LIBSCAN_DETAIL_JOIN7, LIBSCAN_DETAIL_JOIN6,    \
                        LIBSCAN_DETAIL_JOIN5, LIBSCAN_DETAIL_JOIN4, LIBSCAN_DETAIL_JOIN3,    \
                        LIBSCAN_DETAIL_JOIN2, LIBSCAN_DETAIL_JOIN1, )                        \
    (__VA_ARGS__)
#define LIBSCAN_DETAIL_TAG \
    LIBSCAN_DETAIL_JOIN(LIBSCAN_DETAIL_VERSIONED(cuda), LIBSCAN_DETAIL_JOIN_ALL(__CUDA_ARCH_LIST__))
#else
#define LIBSCAN_DETAIL_TAG LIBSCAN_DETAIL_VERSIONED(cuda)
#endif

#define LIBSCAN_NAMESPACE_BEGIN \
    namespace libscan {         \
    inline namespace LIBSCAN_DETAIL_TAG {
#define LIBSCAN_NAMESPACE_END \
    }                         \
    }

// ---- Shared memory ----
//
// LIBSCAN_SHARED(name, type): declares `name`, a variable of the block in static shared memory. The
// type may contain commas. Use shared_array for whatever threads exchange: simt checks every access
// to it for races, uninitialised reads and bounds, and counts its bank requests.
#if defined(SIMT_VERSION)
#define LIBSCAN_SHARED(name, ...) SIMT_SHARED(name, __VA_ARGS__)
#else
#define LIBSCAN_SHARED(name, ...) \
    __shared__ typename ::libscan::detail::TypeIs<__VA_ARGS__>::Type name
#endif

// A device function that reads global memory around what it needs, of which others may be writing
// the rest: ThreadSanitizer does not follow it.
#if defined(SIMT_VERSION)
#define LIBSCAN_READS_AROUND SIMT_NOTSAN inline
#else
#define LIBSCAN_READS_AROUND __device__ __forceinline__
#endif

LIBSCAN_NAMESPACE_BEGIN

namespace detail {
template <class T>
struct TypeIs {
    using Type = T;
};
}  // namespace detail

#if defined(SIMT_VERSION)

using simt::dynamic_shared;
using simt::shared_array;

namespace detail {

using simt::bulk_load;
using simt::fence_for_bulk;
using simt::Mbarrier;
using simt::shared_at;

// The kernels here are for whatever GPU is modelled, and that may change.
inline constexpr int kNewestArchitecture = 900, kOldestArchitecture = 750;
inline constexpr bool kDeviceIsConstant = false;

template <class... Params>
[[nodiscard]] cudaError_t clusters_fit(void (*)(Params...), const cudaLaunchConfig_t&, bool& fit) {
    fit = true;
    return cudaSuccess;
}

}  // namespace detail

#else

// N elements of T in shared memory. Elements are read into a local (`const T x = s[i];`) and
// written whole (`s[i] = x;`): that is all that the checked array of the CPU back end offers. The
// storage is raw because shared variables may not have constructors; T is trivially copyable.
template <class T, int N>
class shared_array {
  public:
    __device__ T& operator[](int i) { return reinterpret_cast<T*>(bytes_)[i]; }
    __device__ const T& operator[](int i) const { return reinterpret_cast<const T*>(bytes_)[i]; }
    __device__ T* data() { return reinterpret_cast<T*>(bytes_); }

  private:
    alignas(T) unsigned char bytes_[sizeof(T) * N];
};

namespace detail {

// A T in shared memory that is otherwise used as bytes; read and written as an element of a
// shared_array.
template <class T>
__device__ T& shared_at(void* address) {
    return *static_cast<T*>(address);
}

// The newest architecture that this source is being compiled for, times 10; 0 where that is
// unknown.
constexpr int newest_architecture() {
    int newest = 0;
#if defined(__CUDA_ARCH_LIST__)
    for (const int architecture : {__CUDA_ARCH_LIST__})
        if (architecture > newest) newest = architecture;
#endif
    return newest;
}
inline constexpr int kNewestArchitecture = newest_architecture();

// And the oldest; 0 where that is unknown.
constexpr int oldest_architecture() {
    int oldest = newest_architecture();
#if defined(__CUDA_ARCH_LIST__)
    for (const int architecture : {__CUDA_ARCH_LIST__})
        if (architecture < oldest) oldest = architecture;
#endif
    return oldest;
}
inline constexpr int kOldestArchitecture = oldest_architecture();
inline constexpr bool kDeviceIsConstant = true;

// Whether the device has room for a cluster of this launch.
template <class... Params>
[[nodiscard]] cudaError_t clusters_fit(void (*kernel)(Params...), const cudaLaunchConfig_t& config,
                                       bool& fit) {
    int clusters = 0;
    const cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
    fit = clusters > 0;
    return error;
}

}  // namespace detail

// The block's dynamic shared memory, aligned as T is, and at least to 16 bytes. (All declarations
// of one extern array have one alignment, so types that want more have an array of their own, and
// the other kernels pay nothing for them.)
template <class T>
__device__ T* dynamic_shared() {
    static_assert(alignof(T) <= 128, "dynamic shared memory is aligned to at most 128 bytes");
    if constexpr (alignof(T) <= 16) {
        extern __shared__ __align__(16) unsigned char libscan_dynamic_shared_bytes[];
        return reinterpret_cast<T*>(libscan_dynamic_shared_bytes);
    } else {
        extern __shared__ __align__(128) unsigned char libscan_dynamic_shared_lines[];
        return reinterpret_cast<T*>(libscan_dynamic_shared_lines);
    }
}

#endif

// ---- Launches ----

// How a kernel is launched. Blocks have one dimension.
struct LaunchShape {
    dim3 grid;
    int threads = 0;                       // of a block
    std::size_t dynamic_shared_bytes = 0;  // of a block
    cudaStream_t stream = nullptr;
    cudaLaunchAttribute* attributes = nullptr;
    unsigned attribute_count = 0;
};

namespace detail {

// cudaFuncSetAttribute, which however clears an error that somebody has left for cudaGetLastError.
// Where there is one, the driver is asked directly: its attributes have the same numbers.
template <class... Params>
[[nodiscard]] cudaError_t set_attribute(void (*kernel)(Params...), cudaFuncAttribute attribute,
                                        int value) {
#if defined(__CUDACC__)
    if (cudaPeekAtLastError() != cudaSuccess) {
        void* entry = nullptr;
        cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
        cudaError_t error = cudaGetDriverEntryPointByVersion("cuFuncSetAttribute", &entry, 9000,
                                                             cudaEnableDefault, &found);
#else
        cudaError_t error =
            cudaGetDriverEntryPoint("cuFuncSetAttribute", &entry, cudaEnableDefault, &found);
#endif
        if (error != cudaSuccess) return error;
        cudaFunction_t function = nullptr;
        error = cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(kernel));
        if (error != cudaSuccess) return error;
        if (found != cudaDriverEntryPointSuccess) return cudaErrorNotSupported;
        const auto set = reinterpret_cast<int (*)(cudaFunction_t, int, int)>(entry);
        return set(function, attribute, value) == 0 ? cudaSuccess : cudaErrorInvalidValue;
    }
#endif
    return cudaFuncSetAttribute(kernel, attribute, value);
}

// Every kernel may have 48 KB of dynamic shared memory; more has to be allowed.
template <class... Params>
[[nodiscard]] cudaError_t allow_dynamic_shared(void (*kernel)(Params...), std::size_t bytes) {
    constexpr std::size_t kAlwaysAllowed = 48 * 1024;
    if (bytes <= kAlwaysAllowed) return cudaSuccess;
    return set_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(bytes));
}

}  // namespace detail

// Launches `kernel`. Above the 48 KB of dynamic shared memory that every kernel may have, the
// kernel's limit is raised first. The arguments are converted to the kernel's parameter types.
//
// Returns the error of this launch alone: cudaErrorInvalidValue where the device cannot give a
// block that much shared memory, and whatever the runtime says otherwise. An error that an earlier
// call of the caller has left for cudaGetLastError is neither returned nor cleared. A fault of the
// running kernel shows up later, as with any launch.
template <class... Params, class... Args>
[[nodiscard]] cudaError_t launch(void (*kernel)(Params...), const LaunchShape& shape,
                                 Args&&... args) {
    static_assert(sizeof...(Params) == sizeof...(Args), "one argument for each kernel parameter");
    const cudaError_t error = detail::allow_dynamic_shared(kernel, shape.dynamic_shared_bytes);
    if (error != cudaSuccess) return error;
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = dim3(static_cast<unsigned>(shape.threads));
    config.dynamicSmemBytes = shape.dynamic_shared_bytes;
    config.stream = shape.stream;
    config.attrs = shape.attributes;
    config.numAttrs = shape.attribute_count;
    return cudaLaunchKernelEx(&config, kernel, static_cast<Params>(std::forward<Args>(args))...);
}

template <class... Params, class... Args>
[[nodiscard]] cudaError_t launch(void (*kernel)(Params...), dim3 grid, int threads,
                                 std::size_t dynamic_shared_bytes, cudaStream_t stream,
                                 Args&&... args) {
    return launch(kernel, LaunchShape{grid, threads, dynamic_shared_bytes, stream, nullptr, 0},
                  std::forward<Args>(args)...);
}

LIBSCAN_NAMESPACE_END

// Asks nvcc to unroll the next loop: `times` times, or altogether, so that arrays indexed in it can
// be registers. Nothing elsewhere.
#if defined(__CUDACC__)
#define LIBSCAN_DETAIL_PRAGMA(text) _Pragma(#text)
#define LIBSCAN_UNROLL(times) LIBSCAN_DETAIL_PRAGMA(unroll times)
#define LIBSCAN_UNROLL_ALL LIBSCAN_DETAIL_PRAGMA(unroll)
#else
#define LIBSCAN_UNROLL(times)
#define LIBSCAN_UNROLL_ALL
#endif

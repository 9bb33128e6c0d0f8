// SPDX-License-Identifier: Apache-2.0
// Copies and fills. Both ends are checked against the registry when the work runs, so a graph that
// outlives its memory is caught as well (it poisons the context with cudaErrorIllegalAddress, as a
// kernel would).
#pragma once

#include "runtime_memory.h"

enum cudaMemcpyKind : int {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

namespace simt {
namespace rt {

enum class Side { kHost, kDevice };

// Device memory: within one live allocation. Host memory: within one pinned allocation, or pageable
// memory that overlaps no allocation.
inline bool range_is(Side side, const void* p, size_t bytes) {
    std::shared_ptr<Allocation> beyond;
    const auto a = memory().find(p, &beyond);
    if (a) {
        const size_t offset = static_cast<size_t>(static_cast<const char*>(p) - a->base);
        const bool fits = bytes <= a->bytes - offset;
        return fits && (a->type == cudaMemoryTypeDevice) == (side == Side::kDevice);
    }
    if (side == Side::kDevice || !p) return false;
    const uintptr_t first = reinterpret_cast<uintptr_t>(p);
    if (bytes > UINTPTR_MAX - first) return false;
    return !beyond || first + bytes <= reinterpret_cast<uintptr_t>(beyond->base);
}

inline Side side_of(const void* p) {
    const auto a = memory().find(p);
    return a && a->type == cudaMemoryTypeDevice ? Side::kDevice : Side::kHost;
}

inline cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    Side to_side = Side::kHost, from_side = Side::kHost;
    if (kind == cudaMemcpyDefault) {
        to_side = side_of(to);
        from_side = side_of(from);
    } else {
        if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice)
            to_side = Side::kDevice;
        if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)
            from_side = Side::kDevice;
    }
    if (!range_is(to_side, to, bytes) || !range_is(from_side, from, bytes))
        return cudaErrorInvalidValue;
    const uintptr_t a = reinterpret_cast<uintptr_t>(to), b = reinterpret_cast<uintptr_t>(from);
    if (a < b + bytes && b < a + bytes) return cudaErrorInvalidValue;  // "may not overlap"
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}

inline bool valid_kind(cudaMemcpyKind kind) {
    return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

// Device memory or pinned host memory.
inline cudaError_t fill(void* to, int value, size_t bytes) {
    if (!range_is(Side::kDevice, to, bytes)) {
        const auto a = memory().find(to);
        if (!a || a->type != cudaMemoryTypeHost || !range_is(Side::kHost, to, bytes))
            return cudaErrorInvalidValue;
    }
    std::memset(to, value & 0xFF, bytes);
    return cudaSuccess;
}

}  // namespace rt
}  // namespace simt

// Ends that do not match `kind`, reach past an allocation or overlap (undefined in CUDA):
// cudaErrorInvalidValue. Zero bytes: nothing is checked but the kind.
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    using namespace simt::rt;
    return call("cudaMemcpy", [&] {
        if (!valid_kind(kind)) return cudaErrorInvalidMemcpyDirection;
        return run_synchronously([&] { return bytes ? copy(to, from, bytes, kind) : cudaSuccess; });
    });
}

// As cudaMemcpy, in stream order. A captured copy reads and writes when the graph is launched.
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream = nullptr) {
    using namespace simt::rt;
    return call("cudaMemcpyAsync", [&] {
        if (!valid_kind(kind)) return cudaErrorInvalidMemcpyDirection;
        return submit(stream, cudaGraphNodeTypeMemcpy,
                      [=] { return bytes ? copy(to, from, bytes, kind) : cudaSuccess; });
    });
}

// Sets each byte to the low byte of `value`.
inline cudaError_t cudaMemset(void* to, int value, size_t bytes) {
    using namespace simt::rt;
    return call("cudaMemset", [&] {
        return run_synchronously([&] { return bytes ? fill(to, value, bytes) : cudaSuccess; });
    });
}

inline cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes,
                                   cudaStream_t stream = nullptr) {
    using namespace simt::rt;
    return call("cudaMemsetAsync", [&] {
        return submit(stream, cudaGraphNodeTypeMemset,
                      [=] { return bytes ? fill(to, value, bytes) : cudaSuccess; });
    });
}

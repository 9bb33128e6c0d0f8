// SPDX-License-Identifier: Apache-2.0
// Memory of the CUDA runtime: a registry of what is allocated, against which every pointer that
// comes back is checked. Each allocation is one block of the host's heap (so AddressSanitizer's red
// zones hold at both ends, for kernels too), 256-byte aligned and filled with 0xCD.
#pragma once

#include <cstdlib>
#include <cstring>

#include "runtime_capture.h"
#include "runtime_device.h"

enum cudaMemoryType : int {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2
};

struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void* devicePointer;
    void* hostPointer;
};

enum : unsigned {
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4
};

namespace simt {
namespace rt {

constexpr int kMemoryPoison = 0xCD;
constexpr size_t kMemoryAlignment = 256;

struct Allocation {
    char* base = nullptr;
    size_t bytes = 0;
    cudaMemoryType type = cudaMemoryTypeDevice;
    bool stream_ordered = false;  // from cudaMallocAsync: outlives cudaDeviceReset

    Allocation() = default;
    Allocation(const Allocation&) = delete;
    Allocation& operator=(const Allocation&) = delete;
    ~Allocation() { std::free(base); }
    void poison() { std::memset(base, kMemoryPoison, bytes); }
};

// The memory that may be accessed now.
class Registry {
  public:
    // Null: there is not so much free memory.
    std::shared_ptr<Allocation> make(size_t bytes, cudaMemoryType type) {
        if (bytes > free_bytes()) return nullptr;
        auto a = std::make_shared<Allocation>();
        void* p = nullptr;
        if (posix_memalign(&p, kMemoryAlignment, bytes) != 0) return nullptr;
        a->base = static_cast<char*>(p);
        a->bytes = bytes;
        a->type = type;
        a->poison();
        return a;
    }

    void add(std::shared_ptr<Allocation> a) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (a->type == cudaMemoryTypeDevice) device_bytes_ += a->bytes;
        char* const base = a->base;
        live_.emplace(base, std::move(a));
    }

    // Takes the allocation that starts at `p` out; null where there is none that `accept` agrees
    // to.
    template <class Accept>
    std::shared_ptr<Allocation> remove(const void* p, Accept&& accept) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = live_.find(static_cast<const char*>(p));
        if (found == live_.end() || !accept(*found->second)) return nullptr;
        std::shared_ptr<Allocation> a = std::move(found->second);
        live_.erase(found);
        if (a->type == cudaMemoryTypeDevice) device_bytes_ -= a->bytes;
        return a;
    }

    // The allocation that holds the byte at `p`, or null. `*beyond`: the lowest one that starts
    // after `p`.
    std::shared_ptr<Allocation> find(const void* p,
                                     std::shared_ptr<Allocation>* beyond = nullptr) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        const char* at = static_cast<const char*>(p);
        auto next = live_.upper_bound(at);
        if (beyond && next != live_.end()) *beyond = next->second;
        if (next == live_.begin()) return nullptr;
        --next;
        const Allocation& a = *next->second;
        return std::less<const char*>()(at, a.base + a.bytes) ? next->second : nullptr;
    }

    // Frees all but stream-ordered allocations.
    void reset() {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto i = live_.begin(); i != live_.end();) {
            if (i->second->stream_ordered) {
                ++i;
                continue;
            }
            if (i->second->type == cudaMemoryTypeDevice) device_bytes_ -= i->second->bytes;
            i = live_.erase(i);
        }
    }

    size_t free_bytes() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        const size_t total = device_memory_bytes();
        return total > device_bytes_ ? total - device_bytes_ : 0;
    }

  private:
    mutable std::mutex mutex_;
    std::map<const char*, std::shared_ptr<Allocation>, std::less<>> live_;
    size_t device_bytes_ = 0;
};
inline Registry& memory() {
    static Registry& r = *new Registry;
    return r;
}

// The graph allocation among `list` that starts at `p`, or null.
inline std::shared_ptr<Allocation> find_allocation(
    const std::vector<std::shared_ptr<Allocation>>& list, const void* p) {
    for (const auto& a : list)
        if (a->base == p) return a;
    return nullptr;
}

// Allocation for the calls that capture does not see. Zero bytes: success and a null pointer, as in
// CUDA.
inline cudaError_t allocate(void** out, size_t bytes, cudaMemoryType type) {
    if (!out) return cudaErrorInvalidValue;
    const cudaError_t unsafe = refuse_unsafe();
    if (unsafe != cudaSuccess) return unsafe;
    if (!device_figures()) return cudaErrorNoDevice;
    *out = nullptr;
    if (bytes == 0) return cudaSuccess;
    auto a = memory().make(bytes, type);
    if (!a) return cudaErrorMemoryAllocation;
    *out = a->base;
    memory().add(std::move(a));
    return cudaSuccess;
}

inline cudaError_t release(void* p, cudaMemoryType type) {
    if (!p) return cudaSuccess;
    const cudaError_t unsafe = refuse_unsafe();
    if (unsafe != cudaSuccess) return unsafe;
    // Work of other host threads that may still use the memory ends first.
    const StreamOrder all_blocking_streams(*streams().legacy);
    const auto a = memory().remove(p, [&](const Allocation& x) { return x.type == type; });
    return a ? cudaSuccess : cudaErrorInvalidValue;
}

// Records an allocation node. The graph owns the memory; it may be accessed once the node has run.
inline cudaError_t record_allocation(Capture& c, const std::shared_ptr<Allocation>& a) {
    c.graph.allocations.push_back(a);
    return cudaSuccess;
}

// Records a free node: only of an allocation of the same graph, and only once.
inline cudaError_t record_free(Capture& c, const void* p) {
    const auto a = find_allocation(c.graph.allocations, p);
    if (!a || find_allocation(c.graph.freed, p)) return cudaErrorInvalidValue;
    c.graph.freed.push_back(a);
    return cudaSuccess;
}

}  // namespace rt
}  // namespace simt

inline cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    return simt::rt::call("cudaMalloc",
                          [&] { return simt::rt::allocate(pointer, bytes, cudaMemoryTypeDevice); });
}

// Frees what cudaMalloc, cudaMallocAsync or a graph allocated. Null: nothing. Any other pointer:
// cudaErrorInvalidValue.
inline cudaError_t cudaFree(void* pointer) {
    return simt::rt::call("cudaFree",
                          [&] { return simt::rt::release(pointer, cudaMemoryTypeDevice); });
}

// Host memory that the device may access. The flags change nothing here.
inline cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
    return simt::rt::call("cudaHostAlloc", [&] {
        if (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
            return cudaErrorInvalidValue;
        return simt::rt::allocate(pointer, bytes, cudaMemoryTypeHost);
    });
}
inline cudaError_t cudaMallocHost(void** pointer, size_t bytes, unsigned flags = 0) {
    return cudaHostAlloc(pointer, bytes, flags);
}

inline cudaError_t cudaFreeHost(void* pointer) {
    return simt::rt::call("cudaFreeHost",
                          [&] { return simt::rt::release(pointer, cudaMemoryTypeHost); });
}

// Allocates in stream order. The pointer is known at once; while the stream is captured the memory
// belongs to the graph and may be accessed only by what follows the node.
inline cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    using namespace simt::rt;
    return call("cudaMallocAsync", [&] {
        if (!pointer) return cudaErrorInvalidValue;
        if (!device_figures()) return cudaErrorNoDevice;
        *pointer = nullptr;
        std::shared_ptr<Allocation> a;
        if (bytes) {
            a = memory().make(bytes, cudaMemoryTypeDevice);
            if (!a) return cudaErrorMemoryAllocation;
            a->stream_ordered = true;
        }
        // The node holds no reference: otherwise the graph would own itself through its closures.
        const std::weak_ptr<Allocation> weak = a;
        const bool none = !a;
        const cudaError_t e = submit(
            stream, cudaGraphNodeTypeMemAlloc,
            [weak, none] {
                if (none) return cudaSuccess;
                const auto owned = weak.lock();
                owned->poison();
                memory().add(owned);
                return cudaSuccess;
            },
            [&](Capture& c) { return none ? cudaErrorInvalidValue : record_allocation(c, a); });
        if (e == cudaSuccess && a) *pointer = a->base;
        return e;
    });
}

// Frees in stream order. While the stream is captured, only allocations of the same graph can be
// freed.
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    using namespace simt::rt;
    return call("cudaFreeAsync", [&] {
        if (!pointer) return cudaErrorInvalidValue;
        return submit(
            stream, cudaGraphNodeTypeMemFree,
            [pointer] {
                const auto a = memory().remove(
                    pointer, [](const Allocation& x) { return x.type == cudaMemoryTypeDevice; });
                return a ? cudaSuccess : cudaErrorInvalidValue;
            },
            [&](Capture& c) { return record_free(c, pointer); });
    });
}

template <class T>
cudaError_t cudaMalloc(T** pointer, size_t bytes) {
    return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}
template <class T>
cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned flags) {
    return cudaHostAlloc(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned flags = 0) {
    return cudaMallocHost(reinterpret_cast<void**>(pointer), bytes, flags);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(reinterpret_cast<void**>(pointer), bytes, stream);
}

// Bytes of the modelled device's memory: free and in all.
inline cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
    return simt::rt::call("cudaMemGetInfo", [&] {
        if (free_bytes) *free_bytes = simt::rt::memory().free_bytes();
        if (total_bytes) *total_bytes = simt::rt::device_memory_bytes();
        return cudaSuccess;
    });
}

// Any pointer into an allocation counts, not only its start.
inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                            const void* pointer) {
    return simt::rt::call("cudaPointerGetAttributes", [&] {
        if (!attributes) return cudaErrorInvalidValue;
        void* const p = const_cast<void*>(pointer);
        const auto a = simt::rt::memory().find(pointer);
        if (!a)
            *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, p};
        else if (a->type == cudaMemoryTypeHost)
            *attributes = {cudaMemoryTypeHost, 0, p, p};
        else
            *attributes = {cudaMemoryTypeDevice, 0, p, nullptr};
        return cudaSuccess;
    });
}

// The address by which kernels reach pinned host memory: the same.
inline cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
    return simt::rt::call("cudaHostGetDevicePointer", [&] {
        const auto a = simt::rt::memory().find(host);
        if (!device || flags || !a || a->type != cudaMemoryTypeHost) return cudaErrorInvalidValue;
        *device = host;
        return cudaSuccess;
    });
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
    return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}

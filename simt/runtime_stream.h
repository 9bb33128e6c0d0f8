// SPDX-License-Identifier: Apache-2.0
// Streams of the CUDA runtime: creation, waiting, host functions.
#pragma once

#include "runtime_capture.h"

enum : unsigned { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
using cudaHostFn_t = void (*)(void* user_data);

namespace simt {
namespace rt {

constexpr int kLowestPriority = 0, kHighestPriority = -5;

inline cudaError_t create_stream(cudaStream_t* out, unsigned flags, int priority) {
    if (!out || (flags != cudaStreamDefault && flags != cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    auto s = std::make_shared<Stream>();
    s->flags = flags;
    s->priority = std::clamp(priority, kHighestPriority, kLowestPriority);
    *out = new_handle<cudaStream_t>();
    const Lock lock(streams().mutex);
    streams().by_handle.emplace(*out, std::move(s));
    return cudaSuccess;
}

// Waiting for a stream is checking that one may: its work is done.
inline cudaError_t wait_for_stream(cudaStream_t stream) {
    const Lock lock(streams().mutex);
    const auto s = find_stream(lock, stream);
    return s ? refuse_wait(lock, *s) : cudaErrorInvalidResourceHandle;
}

template <class F>
cudaError_t query_stream(const char* name, cudaStream_t stream, const void* out, F&& body) {
    return call(name, [&] {
        if (!out) return cudaErrorInvalidValue;
        const Lock lock(streams().mutex);
        const auto s = find_stream(lock, stream);
        if (!s) return cudaErrorInvalidResourceHandle;
        body(*s);
        return cudaSuccess;
    });
}

}  // namespace rt
}  // namespace simt

inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return simt::rt::call("cudaStreamCreate",
                          [&] { return simt::rt::create_stream(stream, cudaStreamDefault, 0); });
}

inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return simt::rt::call("cudaStreamCreateWithFlags",
                          [&] { return simt::rt::create_stream(stream, flags, 0); });
}

// Priorities outside cudaDeviceGetStreamPriorityRange are clamped. They change nothing here.
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags,
                                                int priority) {
    return simt::rt::call("cudaStreamCreateWithPriority",
                          [&] { return simt::rt::create_stream(stream, flags, priority); });
}

// Either pointer may be null.
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return simt::rt::call("cudaDeviceGetStreamPriorityRange", [&] {
        if (least) *least = simt::rt::kLowestPriority;
        if (greatest) *greatest = simt::rt::kHighestPriority;
        return cudaSuccess;
    });
}

// Not a stream whose capture it began: that is refused, and the capture is invalidated.
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    using namespace simt::rt;
    return call("cudaStreamDestroy", [&] {
        const Lock lock(streams().mutex);
        const auto s = find_stream(lock, stream);
        if (!streams().by_handle.count(stream)) return cudaErrorInvalidResourceHandle;
        if (s->capture && s->capture->origin == s.get()) {
            s->capture->invalidated = true;
            return cudaErrorStreamCaptureUnsupported;
        }
        streams().by_handle.erase(stream);
        return cudaSuccess;
    });
}

inline cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    return simt::rt::query_stream("cudaStreamGetFlags", stream, flags,
                                  [&](const simt::rt::Stream& s) { *flags = s.flags; });
}

inline cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return simt::rt::query_stream("cudaStreamGetPriority", stream, priority,
                                  [&](const simt::rt::Stream& s) { *priority = s.priority; });
}

inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return simt::rt::call("cudaStreamSynchronize",
                          [&] { return simt::rt::wait_for_stream(stream); });
}

// Never cudaErrorNotReady.
inline cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return simt::rt::call("cudaStreamQuery", [&] { return simt::rt::wait_for_stream(stream); });
}

// Refused, in every capture mode, while any stream is being captured.
inline cudaError_t cudaDeviceSynchronize() {
    using namespace simt::rt;
    return call("cudaDeviceSynchronize", [&] {
        const Lock lock(streams().mutex);
        cudaError_t e = cudaSuccess;
        for (const auto& c : open_captures(lock)) {
            c->invalidated = true;
            e = cudaErrorStreamCaptureUnsupported;
        }
        return e;
    });
}

// Calls fn(user_data) in stream order, on the calling host thread. CUDA calls inside fn return
// cudaErrorNotPermitted.
inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* user_data) {
    using namespace simt::rt;
    return call("cudaLaunchHostFunc", [&] {
        if (!fn) return cudaErrorInvalidValue;
        return submit(stream, cudaGraphNodeTypeHost, [fn, user_data] {
            struct Inside {
                Inside() { inside_host_function() = true; }
                ~Inside() { inside_host_function() = false; }
            } const inside;
            fn(user_data);
            return cudaSuccess;
        });
    });
}

// SPDX-License-Identifier: Apache-2.0
// Events of the CUDA runtime. An event that was recorded has happened: work is done when the call
// that submits it returns. Elapsed times are of the host's steady clock.
#pragma once

#include <chrono>

#include "runtime_capture.h"

using cudaEvent_t = struct CUevent_st*;

enum : unsigned { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum : unsigned { cudaEventWaitDefault = 0 };

namespace simt {
namespace rt {

struct Event {
    bool timing = true;
    bool recorded = false;  // outside capture
    bool captured = false;  // the last record was captured
    std::chrono::steady_clock::time_point when;
    std::weak_ptr<Capture> capture;
    std::vector<size_t> nodes;  // of the capture: what the event stands for
};

// Guarded by streams().mutex.
inline std::map<cudaEvent_t, Event>& events() {
    static auto& all = *new std::map<cudaEvent_t, Event>;
    return all;
}
inline Event* find_event(const Lock&, cudaEvent_t handle) {
    const auto found = events().find(handle);
    return found == events().end() ? nullptr : &found->second;
}

inline cudaError_t wait_for_event(cudaEvent_t event) {
    const Lock lock(streams().mutex);
    const Event* e = find_event(lock, event);
    if (!e) return cudaErrorInvalidResourceHandle;
    if (e->captured) {
        if (const auto c = e->capture.lock()) c->invalidated = true;
        return cudaErrorCapturedEvent;
    }
    return refuse_unsafe(lock);
}

// The stream's next work depends on captured nodes: it joins their capture, if it is not part of it
// yet.
inline cudaError_t join_capture(const Lock& lock, Stream& s, const Event& e) {
    const std::shared_ptr<Capture> c = e.capture.lock();
    if (!c || c->ended) return cudaErrorCapturedEvent;
    if (s.legacy) {
        c->invalidated = true;
        const cudaError_t implicit = refuse_implicit(lock, s);
        return implicit != cudaSuccess ? implicit : cudaErrorStreamCaptureUnsupported;
    }
    if (s.capture && s.capture != c) {
        s.capture->invalidated = c->invalidated = true;
        return cudaErrorStreamCaptureMerge;
    }
    if (c->invalidated) return cudaErrorStreamCaptureInvalidated;
    s.capture = c;
    c->blocking |= s.blocking();
    for (const size_t n : e.nodes)
        if (std::find(s.tail.begin(), s.tail.end(), n) == s.tail.end()) s.tail.push_back(n);
    return cudaSuccess;
}

}  // namespace rt
}  // namespace simt

inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    using namespace simt::rt;
    return call("cudaEventCreateWithFlags", [&] {
        if (!event || (flags & ~(cudaEventBlockingSync | cudaEventDisableTiming)))
            return cudaErrorInvalidValue;
        *event = new_handle<cudaEvent_t>();
        const Lock lock(streams().mutex);
        events()[*event].timing = !(flags & cudaEventDisableTiming);
        return cudaSuccess;
    });
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
    return cudaEventCreateWithFlags(event, flags);
}

inline cudaError_t cudaEventDestroy(cudaEvent_t event) {
    using namespace simt::rt;
    return call("cudaEventDestroy", [&] {
        const Lock lock(streams().mutex);
        return events().erase(event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
    using namespace simt::rt;
    return call("cudaEventRecord", [&] {
        std::shared_ptr<Stream> s;
        {
            const Lock lock(streams().mutex);
            Event* e = find_event(lock, event);
            s = find_stream(lock, stream);
            if (!e || !s) return cudaErrorInvalidResourceHandle;
            const cudaError_t implicit = refuse_implicit(lock, *s);
            if (implicit != cudaSuccess) return implicit;
            if (s->capture) {
                if (s->capture->invalidated) return cudaErrorStreamCaptureInvalidated;
                e->captured = true;
                e->capture = s->capture;
                e->nodes = s->tail;
                return cudaSuccess;
            }
        }
        const StreamOrder order(*s);  // after what other host threads are running in the stream
        const Lock lock(streams().mutex);
        Event* e = find_event(lock, event);
        if (!e) return cudaErrorInvalidResourceHandle;
        e->captured = false;
        e->recorded = true;
        e->when = std::chrono::steady_clock::now();
        return cudaSuccess;
    });
}

inline cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return simt::rt::call("cudaEventSynchronize", [&] { return simt::rt::wait_for_event(event); });
}

// Never cudaErrorNotReady.
inline cudaError_t cudaEventQuery(cudaEvent_t event) {
    return simt::rt::call("cudaEventQuery", [&] { return simt::rt::wait_for_event(event); });
}

// Milliseconds from start to end. cudaErrorInvalidResourceHandle where one was never recorded or
// has no timing.
inline cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
    using namespace simt::rt;
    return call("cudaEventElapsedTime", [&] {
        if (!ms) return cudaErrorInvalidValue;
        const Lock lock(streams().mutex);
        const Event* a = find_event(lock, start);
        const Event* b = find_event(lock, end);
        if (!a || !b || !a->timing || !b->timing) return cudaErrorInvalidResourceHandle;
        if (a->captured || b->captured) return cudaErrorCapturedEvent;
        if (!a->recorded || !b->recorded) return cudaErrorInvalidResourceHandle;
        *ms = std::chrono::duration<float, std::milli>(b->when - a->when).count();
        return cudaSuccess;
    });
}

// Work that is submitted to `stream` from now on follows what `event` stands for. An event that was
// recorded in a captured stream takes `stream` into the capture.
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                       unsigned flags = cudaEventWaitDefault) {
    using namespace simt::rt;
    return call("cudaStreamWaitEvent", [&] {
        if (flags != cudaEventWaitDefault) return cudaErrorInvalidValue;
        const Lock lock(streams().mutex);
        const auto s = find_stream(lock, stream);
        const Event* e = find_event(lock, event);
        if (!s || !e) return cudaErrorInvalidResourceHandle;
        if (e->captured) return join_capture(lock, *s, *e);
        const cudaError_t implicit = refuse_implicit(lock, *s);
        if (implicit != cudaSuccess) return implicit;
        if (!s->capture) return cudaSuccess;
        if (s->capture->invalidated) return cudaErrorStreamCaptureInvalidated;
        s->capture->invalidated = true;
        return cudaErrorStreamCaptureIsolation;
    });
}

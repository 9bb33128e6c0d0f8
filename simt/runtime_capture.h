// SPDX-License-Identifier: Apache-2.0
// Streams, and what they do with work: run it at once, or record it while they are captured.
//
// Work runs eagerly, in the call that submits it, on the calling host thread: a legal schedule of
// streams and events. Host threads with streams of their own run side by side (kernels one after
// another, as execute() takes one launch at a time); the legacy default stream waits for the
// blocking streams, and they wait for it, as on a GPU.
//
// Rules of capture: CUDA C++ Programming Guide, "Creating a Graph Using Stream Capture", and the
// comments on cudaStreamBeginCapture, cudaThreadExchangeStreamCaptureMode and cudaStreamIsCapturing
// in cuda_runtime_api.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime_error.h"

using cudaStream_t = struct CUstream_st*;
using cudaGraphNode_t = struct CUgraphNode_st*;

#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#error "stream 0 is the legacy default stream here; name cudaStreamPerThread instead"
#endif

enum cudaStreamCaptureMode : int {
    cudaStreamCaptureModeGlobal = 0,
    cudaStreamCaptureModeThreadLocal = 1,
    cudaStreamCaptureModeRelaxed = 2
};

enum cudaStreamCaptureStatus : int {
    cudaStreamCaptureStatusNone = 0,
    cudaStreamCaptureStatusActive = 1,
    cudaStreamCaptureStatusInvalidated = 2
};

enum cudaGraphNodeType : int {
    cudaGraphNodeTypeKernel = 0,
    cudaGraphNodeTypeMemcpy = 1,
    cudaGraphNodeTypeMemset = 2,
    cudaGraphNodeTypeHost = 3,
    cudaGraphNodeTypeGraph = 4,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree = 11
};

namespace simt {
namespace rt {

struct Allocation;  // runtime_memory.h

// Does one piece of work. An error other than cudaSuccess is the caller's own when the work runs at
// once, and poisons the context when a graph replays it.
using Work = std::function<cudaError_t()>;

struct Node {
    cudaGraphNode_t handle;
    cudaGraphNodeType type;
    Work work;
    std::vector<size_t> after;  // indices of the nodes it depends on, all smaller than its own
};

// Nodes in the order of capture, which respects the dependencies.
struct Graph {
    std::vector<Node> nodes;
    std::vector<std::shared_ptr<Allocation>> allocations;  // of its allocation nodes
    std::vector<std::shared_ptr<Allocation>> freed;        // by its free nodes
    bool has_memory_nodes() const { return !allocations.empty() || !freed.empty(); }
};

struct Stream;

struct Capture {
    uint64_t id = 0;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id owner;
    const Stream* origin = nullptr;
    bool blocking = false;  // one of its streams is a blocking stream
    bool invalidated = false;
    bool ended = false;
    Graph graph;
};

struct Stream {
    bool legacy = false;
    unsigned flags = 0;
    int priority = 0;
    std::mutex busy;  // held while work runs
    std::shared_ptr<Capture> capture;
    std::vector<size_t> tail;  // captured nodes that the next one depends on
    bool blocking() const { return !legacy && flags == 0; }
};

// Everything here is guarded by `mutex`, and so are captures and the capture state of streams and
// events.
struct Streams {
    std::mutex mutex;
    std::map<cudaStream_t, std::shared_ptr<Stream>> by_handle;
    std::vector<std::weak_ptr<Capture>> captures;
    uint64_t capture_count = 0;
    std::shared_ptr<Stream> legacy;
    std::shared_mutex
        legacy_order;  // not guarded: shared by blocking streams, taken alone by the legacy one
};
inline Streams& streams() {
    static Streams& s = [&]() -> Streams& {
        Streams& made = *new Streams;
        made.legacy = std::make_shared<Stream>();
        made.legacy->legacy = true;
        return made;
    }();
    return s;
}
using Lock = std::unique_lock<std::mutex>;

// Handles are numbers that are never used twice, so a stale or a wrong one is always recognised.
template <class Handle>
Handle new_handle() {
    static std::atomic<uintptr_t> last{0x10000};
    return reinterpret_cast<Handle>(last += 16);
}

inline cudaStreamCaptureMode& thread_capture_mode() {
    static thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    return mode;
}

// Null: no such stream. A stream whose capture was ended elsewhere leaves it here.
inline std::shared_ptr<Stream> find_stream(const Lock&, cudaStream_t handle) {
    if (handle == nullptr || handle == cudaStreamLegacy) return streams().legacy;
    std::shared_ptr<Stream> s;
    if (handle == cudaStreamPerThread) {
        static thread_local const std::shared_ptr<Stream> mine = std::make_shared<Stream>();
        s = mine;
    } else {
        const auto found = streams().by_handle.find(handle);
        if (found == streams().by_handle.end()) return nullptr;
        s = found->second;
    }
    if (s->capture && s->capture->ended) {
        s->capture.reset();
        s->tail.clear();
    }
    return s;
}

// Captures that have begun and not ended, the invalidated ones among them.
inline std::vector<std::shared_ptr<Capture>> open_captures(const Lock&) {
    std::vector<std::shared_ptr<Capture>> open;
    auto& all = streams().captures;
    for (size_t i = 0; i < all.size();) {
        std::shared_ptr<Capture> c = all[i].lock();
        if (c && !c->ended) {
            open.push_back(std::move(c));
            ++i;
        } else {
            all[i] = all.back();
            all.pop_back();
        }
    }
    return open;
}

// The legacy stream depends on all blocking streams, so it is unusable while one of them is
// captured.
inline cudaError_t refuse_implicit(const Lock& lock, const Stream& s, bool invalidate = true) {
    if (!s.legacy) return cudaSuccess;
    cudaError_t e = cudaSuccess;
    for (const auto& c : open_captures(lock))
        if (c->blocking) {
            if (invalidate) c->invalidated = true;
            e = cudaErrorStreamCaptureImplicit;
        }
    return e;
}

// For calls that capture does not see and that may therefore break it (allocation, waiting,
// queries).
inline cudaError_t refuse_unsafe(const Lock& lock) {
    const cudaStreamCaptureMode mine = thread_capture_mode();
    if (mine == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    cudaError_t e = cudaSuccess;
    for (const auto& c : open_captures(lock)) {
        const bool local = c->owner == std::this_thread::get_id();
        const bool conflict =
            local ? c->mode != cudaStreamCaptureModeRelaxed
                  : mine == cudaStreamCaptureModeGlobal && c->mode == cudaStreamCaptureModeGlobal;
        if (!conflict) continue;
        c->invalidated = true;
        e = cudaErrorStreamCaptureUnsupported;
    }
    return e;
}
inline cudaError_t refuse_unsafe() { return refuse_unsafe(Lock(streams().mutex)); }

// For waiting on, and asking about, the stream itself.
inline cudaError_t refuse_wait(const Lock& lock, const Stream& s) {
    if (s.capture) {
        s.capture->invalidated = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    const cudaError_t e = refuse_implicit(lock, s);
    return e != cudaSuccess ? e : refuse_unsafe(lock);
}

// Holds a stream, and what it waits for, while its work runs.
class StreamOrder {
  public:
    explicit StreamOrder(Stream& s) {
        if (s.legacy)
            alone_ = std::unique_lock<std::shared_mutex>(streams().legacy_order);
        else if (s.blocking())
            shared_ = std::shared_lock<std::shared_mutex>(streams().legacy_order);
        busy_ = Lock(s.busy);
    }

  private:
    std::unique_lock<std::shared_mutex> alone_;
    std::shared_lock<std::shared_mutex> shared_;
    Lock busy_;
};

// Adds a node to the capture that `s` belongs to. `s` is capturing.
inline void add_node(const Lock&, Stream& s, cudaGraphNodeType type, Work work) {
    auto& nodes = s.capture->graph.nodes;
    nodes.push_back({new_handle<cudaGraphNode_t>(), type, std::move(work), s.tail});
    s.tail.assign(1, nodes.size() - 1);
}

// Runs `work` in the stream, or records it while the stream is captured. `recorded(Capture&)` may
// refuse to record, and notes what the graph owns.
template <class Recorded>
cudaError_t submit(cudaStream_t handle, cudaGraphNodeType type, Work work, Recorded&& recorded) {
    std::shared_ptr<Stream> s;
    {
        const Lock lock(streams().mutex);
        s = find_stream(lock, handle);
        if (!s) return cudaErrorInvalidResourceHandle;
        const cudaError_t implicit = refuse_implicit(lock, *s);
        if (implicit != cudaSuccess) return implicit;
        if (s->capture) {
            if (s->capture->invalidated) return cudaErrorStreamCaptureInvalidated;
            const cudaError_t refused = recorded(*s->capture);
            if (refused == cudaSuccess) add_node(lock, *s, type, std::move(work));
            return refused;
        }
    }
    const StreamOrder order(*s);
    return work();
}
inline cudaError_t submit(cudaStream_t handle, cudaGraphNodeType type, Work work) {
    return submit(handle, type, std::move(work), [](Capture&) { return cudaSuccess; });
}

// For a call that is refused before it gets to its stream.
inline void invalidate_capture(cudaStream_t handle) {
    const Lock lock(streams().mutex);
    const auto s = find_stream(lock, handle);
    if (s && s->capture) s->capture->invalidated = true;
}

// Runs `work` in the legacy stream and waits: the synchronous calls, which capture cannot record.
inline cudaError_t run_synchronously(const Work& work) {
    std::shared_ptr<Stream> s;
    {
        const Lock lock(streams().mutex);
        s = streams().legacy;
        const cudaError_t refused = refuse_wait(lock, *s);
        if (refused != cudaSuccess) return refused;
    }
    const StreamOrder order(*s);
    return work();
}

}  // namespace rt
}  // namespace simt

// Changes how the calling host thread gets along with captures; `*mode` receives the mode that it
// had.
inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    return simt::rt::call("cudaThreadExchangeStreamCaptureMode", [&] {
        if (!mode || *mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
            return cudaErrorInvalidValue;
        std::swap(*mode, simt::rt::thread_capture_mode());
        return cudaSuccess;
    });
}

inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    using namespace simt::rt;
    return call("cudaStreamIsCapturing", [&] {
        if (!status) return cudaErrorInvalidValue;
        const Lock lock(streams().mutex);
        const auto s = find_stream(lock, stream);
        if (!s) return cudaErrorInvalidResourceHandle;
        const cudaError_t implicit = refuse_implicit(lock, *s, false);
        if (implicit != cudaSuccess) return implicit;
        *status = !s->capture               ? cudaStreamCaptureStatusNone
                  : s->capture->invalidated ? cudaStreamCaptureStatusInvalidated
                                            : cudaStreamCaptureStatusActive;
        return cudaSuccess;
    });
}

// `*id` is written only while the capture is active.
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                            unsigned long long* id = nullptr) {
    using namespace simt::rt;
    return call("cudaStreamGetCaptureInfo", [&] {
        const cudaError_t e = cudaStreamIsCapturing(stream, status);
        if (e != cudaSuccess || *status != cudaStreamCaptureStatusActive || !id) return e;
        const Lock lock(streams().mutex);
        const auto s = find_stream(lock, stream);
        if (s && s->capture) *id = s->capture->id;
        return cudaSuccess;
    });
}

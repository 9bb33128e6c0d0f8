// SPDX-License-Identifier: Apache-2.0
// Graphs: captured from streams, launched any number of times. A launch runs the nodes one after
// another: in the order of capture, or, when Config::seed is not 0, in a random order that respects
// the dependencies (which brings out a missing event). What a kernel node runs with was copied at
// capture.
#pragma once

#include "runtime_event.h"
#include "runtime_memory.h"

using cudaGraph_t = struct CUgraph_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;

enum cudaGraphInstantiateFlags : int { cudaGraphInstantiateFlagAutoFreeOnLaunch = 1 };

namespace simt {
namespace rt {

struct Exec {
    std::shared_ptr<const Graph> graph;
    bool auto_free = false;
    std::mutex busy;  // launches of one executable graph run one after another
    uint64_t launches = 0;
};

// Guarded by streams().mutex.
struct Graphs {
    std::map<cudaGraph_t, std::shared_ptr<const Graph>> graphs;
    std::map<cudaGraphExec_t, std::shared_ptr<Exec>> execs;
};
inline Graphs& graphs() {
    static Graphs& g = *new Graphs;
    return g;
}

// The order in which a launch runs the nodes.
inline std::vector<size_t> node_order(const Graph& g, uint64_t seed, uint64_t launch) {
    const size_t n = g.nodes.size();
    std::vector<size_t> order, ready, waits_for(n);
    std::vector<std::vector<size_t>> followers(n);
    for (size_t i = 0; i < n; ++i) {
        waits_for[i] = g.nodes[i].after.size();
        for (const size_t before : g.nodes[i].after) followers[before].push_back(i);
        if (!waits_for[i]) ready.push_back(i);
        if (!seed) order.push_back(i);
    }
    if (!seed) return order;
    Random random = random_from(seed, 3000 + launch);
    while (!ready.empty()) {
        std::swap(ready[random.below(static_cast<uint32_t>(ready.size()))], ready.back());
        const size_t next = ready.back();
        ready.pop_back();
        order.push_back(next);
        for (const size_t f : followers[next])
            if (--waits_for[f] == 0) ready.push_back(f);
    }
    return order;
}

// Runs the nodes. A node that fails poisons the context; those after it do not run.
inline void run_graph(const Graph& g, uint64_t launch) {
    for (const size_t i : node_order(g, config().seed, launch)) {
        const cudaError_t e = g.nodes[i].work();
        if (e != cudaSuccess)
            poison_context(
                cudaErrorIllegalAddress,
                "node " + std::to_string(i) +
                    " of a graph refers to memory that is not allocated, or not so much of it");
        if (sticky_error() != cudaSuccess) return;
    }
}

// Allocations that an earlier launch left behind: freed, or the launch is refused.
inline cudaError_t settle_allocations(const Exec& exec) {
    for (const auto& a : exec.graph->allocations) {
        if (memory().find(a->base) != a) continue;
        if (!exec.auto_free) return cudaErrorInvalidValue;
        memory().remove(a->base, [](const Allocation&) { return true; });
    }
    return cudaSuccess;
}

// Every captured node must be an ancestor of what the origin stream would wait for.
inline bool all_joined(const Graph& g, const std::vector<size_t>& tail) {
    std::vector<bool> reached(g.nodes.size());
    for (const size_t i : tail) reached[i] = true;
    for (size_t i = g.nodes.size(); i-- > 0;)
        if (reached[i])
            for (const size_t before : g.nodes[i].after) reached[before] = true;
    return std::find(reached.begin(), reached.end(), false) == reached.end();
}

}  // namespace rt
}  // namespace simt

// From now on work submitted to `stream` is recorded. The legacy stream cannot be captured.
inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
    using namespace simt::rt;
    return call("cudaStreamBeginCapture", [&] {
        if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
            return cudaErrorInvalidValue;
        const Lock lock(streams().mutex);
        const auto s = find_stream(lock, stream);
        if (!s) return cudaErrorInvalidResourceHandle;
        if (s->legacy) return cudaErrorStreamCaptureUnsupported;
        if (s->capture) return cudaErrorIllegalState;
        auto c = std::make_shared<Capture>();
        c->id = ++streams().capture_count;
        c->mode = mode;
        c->owner = std::this_thread::get_id();
        c->origin = s.get();
        c->blocking = s->blocking();
        streams().captures.push_back(c);
        s->capture = std::move(c);
        s->tail.clear();
        return cudaSuccess;
    });
}

// Ends the capture that began on `stream`. `*graph` is null unless the call succeeds; with a null
// `graph` what was captured is dropped. The capture is over in any case but these: another stream
// began it, or another host thread and the mode is not relaxed.
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    using namespace simt::rt;
    return call("cudaStreamEndCapture", [&] {
        if (graph) *graph = nullptr;
        const Lock lock(streams().mutex);
        const auto s = find_stream(lock, stream);
        if (!s) return cudaErrorInvalidResourceHandle;
        const std::shared_ptr<Capture> c = s->capture;
        if (!c) return cudaErrorIllegalState;
        if (c->origin != s.get()) {
            c->invalidated = true;
            return cudaErrorStreamCaptureUnmatched;
        }
        if (c->mode != cudaStreamCaptureModeRelaxed && c->owner != std::this_thread::get_id())
            return cudaErrorStreamCaptureWrongThread;
        const bool joined = all_joined(c->graph, s->tail);
        c->ended = true;  // and with it the capture of all streams that joined it
        s->capture.reset();
        s->tail.clear();
        if (c->invalidated) return cudaErrorStreamCaptureInvalidated;
        if (!joined) return cudaErrorStreamCaptureUnjoined;
        if (!graph) return cudaSuccess;
        *graph = new_handle<cudaGraph_t>();
        graphs().graphs.emplace(*graph, std::make_shared<const Graph>(std::move(c->graph)));
        return cudaSuccess;
    });
}

inline cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    using namespace simt::rt;
    return call("cudaGraphDestroy", [&] {
        const Lock lock(streams().mutex);
        return graphs().graphs.erase(graph) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

// `nodes` null: writes how many there are. Else writes up to *count handles, nulls after the last,
// and how many there were.
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    using namespace simt::rt;
    return call("cudaGraphGetNodes", [&] {
        const Lock lock(streams().mutex);
        const auto found = graphs().graphs.find(graph);
        if (!count || found == graphs().graphs.end()) return cudaErrorInvalidValue;
        const auto& all = found->second->nodes;
        if (nodes) {
            for (size_t i = 0; i < *count; ++i) nodes[i] = i < all.size() ? all[i].handle : nullptr;
            *count = std::min(*count, all.size());
        } else {
            *count = all.size();
        }
        return cudaSuccess;
    });
}

inline cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    using namespace simt::rt;
    return call("cudaGraphNodeGetType", [&] {
        if (!type) return cudaErrorInvalidValue;
        const Lock lock(streams().mutex);
        for (const auto& entry : graphs().graphs)
            for (const Node& n : entry.second->nodes)
                if (n.handle == node) {
                    *type = n.type;
                    return cudaSuccess;
                }
        return cudaErrorInvalidValue;
    });
}

// The graph may be destroyed afterwards. One with allocation nodes can have one executable graph at
// a time.
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                        unsigned long long flags = 0) {
    using namespace simt::rt;
    return call("cudaGraphInstantiate", [&] {
        const Lock lock(streams().mutex);
        const auto found = graphs().graphs.find(graph);
        if (!exec || found == graphs().graphs.end() ||
            (flags & ~1ull))  // cudaGraphInstantiateFlagAutoFreeOnLaunch is all there is
            return cudaErrorInvalidValue;
        if (found->second->has_memory_nodes())
            for (const auto& other : graphs().execs)
                if (other.second->graph == found->second) return cudaErrorNotSupported;
        auto made = std::make_shared<Exec>();
        made->graph = found->second;
        made->auto_free = flags != 0;
        *exec = new_handle<cudaGraphExec_t>();
        graphs().execs.emplace(*exec, std::move(made));
        return cudaSuccess;
    });
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                 unsigned long long flags = 0) {
    return cudaGraphInstantiate(exec, graph, flags);
}

inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    using namespace simt::rt;
    return call("cudaGraphExecDestroy", [&] {
        const Lock lock(streams().mutex);
        return graphs().execs.erase(exec) ? cudaSuccess : cudaErrorInvalidValue;
    });
}

// Runs the graph in `stream`. It cannot be captured (cudaErrorStreamCaptureUnsupported, and the
// capture is invalid). Allocations that an earlier launch left unfreed: cudaErrorInvalidValue,
// unless instantiated with cudaGraphInstantiateFlagAutoFreeOnLaunch.
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    using namespace simt::rt;
    return call("cudaGraphLaunch", [&] {
        std::shared_ptr<Exec> e;
        {
            const Lock lock(streams().mutex);
            const auto found = graphs().execs.find(exec);
            if (found == graphs().execs.end()) return cudaErrorInvalidValue;
            e = found->second;
        }
        const auto run = [e] {
            const std::lock_guard<std::mutex> one_launch(e->busy);
            const cudaError_t unsettled = settle_allocations(*e);
            if (unsettled == cudaSuccess) run_graph(*e->graph, ++e->launches);
            return unsettled;
        };
        return submit(stream, cudaGraphNodeTypeGraph, run, [](Capture& c) {
            c.invalidated = true;
            return cudaErrorStreamCaptureUnsupported;
        });
    });
}

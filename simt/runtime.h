// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime on a CPU: what a library of kernels and its tests use of it. A call, an
// enumerator or a field that is not listed here does not exist, so that its use does not compile;
// nothing pretends to work.
//
// Execution: all work is done when the call that submits it returns. That is a legal schedule of
// streams and events, and not the only one, so a forgotten synchronisation between streams, or
// between a stream and the host, goes unnoticed. (Within a launched graph, a seeded schedule
// permutes independent nodes.) Any host thread may call. A call from kernel code fails the kernel.
//
// Errors: as on a GPU. The last error is kept per host thread until cudaGetLastError, and a call
// that succeeds does not clear it. A kernel that faults makes every later call of the process
// return cudaErrorLaunchFailure until cudaDeviceReset; cudaGetErrorString says what happened,
// where.
//
// Memory: every pointer is checked against the registry of allocations. One of the wrong kind, past
// the end, or not (or no longer) allocated is cudaErrorInvalidValue. New memory is filled with
// 0xCD.
//
// Device: one GPU, whose figures follow Config::compute_capability and Config::multiprocessors.
//
// What exists, with cuda in front of each name. Streams are handles from StreamCreate, 0 (the same
// as cudaStreamLegacy) and cudaStreamPerThread.
//
// runtime_error.h: GetLastError, PeekAtLastError, GetErrorName, GetErrorString
//
// runtime_device.h: GetDeviceCount, GetDevice, SetDevice, GetDeviceProperties, DeviceGetAttribute,
// RuntimeGetVersion, DriverGetVersion
//
// runtime_capture.h: StreamIsCapturing, StreamGetCaptureInfo (status and id),
// ThreadExchangeStreamCaptureMode
//
// runtime_stream.h: StreamCreate, StreamCreateWithFlags, StreamCreateWithPriority, StreamDestroy,
// StreamGetFlags, StreamGetPriority, DeviceGetStreamPriorityRange, StreamSynchronize, StreamQuery,
// DeviceSynchronize, LaunchHostFunc
//
// runtime_event.h: EventCreate, EventCreateWithFlags, EventDestroy, EventRecord, EventSynchronize,
// EventQuery, EventElapsedTime, StreamWaitEvent
//
// runtime_memory.h: Malloc, Free, MallocHost, HostAlloc, FreeHost, HostGetDevicePointer,
// MallocAsync, FreeAsync, MemGetInfo, PointerGetAttributes
//
// runtime_copy.h: Memcpy, MemcpyAsync, Memset, MemsetAsync
//
// runtime_graph.h: StreamBeginCapture, StreamEndCapture, GraphInstantiate,
// GraphInstantiateWithFlags, GraphLaunch, GraphGetNodes, GraphNodeGetType, GraphDestroy,
// GraphExecDestroy
//
// runtime_launch.h: LaunchKernelEx, FuncSetAttribute, FuncGetAttributes,
// OccupancyMaxActiveBlocksPerMultiprocessor
//
// runtime.h: DeviceReset
#pragma once

#include "runtime_capture.h"
#include "runtime_copy.h"
#include "runtime_device.h"
#include "runtime_error.h"
#include "runtime_event.h"
#include "runtime_graph.h"
#include "runtime_launch.h"
#include "runtime_memory.h"
#include "runtime_stream.h"

// Ends the sticky error, destroys streams, events and executable graphs, ends captures, and frees
// all memory but that of cudaMallocAsync. No other host thread may be using the device.
inline cudaError_t cudaDeviceReset() {
    using namespace simt::rt;
    return context_free_call("cudaDeviceReset", [] {
        {
            const Lock lock(streams().mutex);
            for (const auto& c : open_captures(lock)) c->ended = true;
            streams().by_handle.clear();
            events().clear();
            graphs().execs.clear();
        }
        memory().reset();
        {
            const std::lock_guard<std::mutex> lock(kernels().mutex);
            kernels().max_dynamic_shared.clear();
            kernels().non_portable_cluster.clear();
        }
        thread_last_error() = cudaSuccess;
        context_error().code.store(cudaSuccess, std::memory_order_release);
        return cudaSuccess;
    });
}

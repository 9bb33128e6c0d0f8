// SPDX-License-Identifier: Apache-2.0
// Error codes of the CUDA runtime, and the two places where an error stays: the last error of a
// host thread, and the sticky error of the context.
//
// A kernel that faults poisons the context, as on a GPU: its launch returns cudaSuccess, and every
// later call that touches the context returns the error, on all host threads, until
// cudaDeviceReset(). cudaGetLastError does not clear it.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>

#include "executor.h"
#include "failure.h"

// Codes and texts are those of the CUDA runtime. Only the codes that this runtime returns exist,
// and two that programs name without receiving them: cudaErrorNotReady (all work is done when a
// call returns) and cudaErrorUnknown.
#define SIMT_CUDA_ERRORS(X)                                                                       \
    X(cudaSuccess, 0, "no error")                                                                 \
    X(cudaErrorInvalidValue, 1, "invalid argument")                                               \
    X(cudaErrorMemoryAllocation, 2, "out of memory")                                              \
    X(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")                         \
    X(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                   \
    X(cudaErrorInvalidDeviceFunction, 98, "invalid device function")                              \
    X(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")                               \
    X(cudaErrorInvalidDevice, 101, "invalid device ordinal")                                      \
    X(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")                             \
    X(cudaErrorIllegalState, 401, "the operation cannot be performed in the present state")       \
    X(cudaErrorNotReady, 600, "device not ready")                                                 \
    X(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")                   \
    X(cudaErrorLaunchFailure, 719, "unspecified launch failure")                                  \
    X(cudaErrorNotPermitted, 800, "operation not permitted")                                      \
    X(cudaErrorNotSupported, 801, "operation not supported")                                      \
    X(cudaErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing") \
    X(cudaErrorStreamCaptureInvalidated, 901,                                                     \
      "operation failed due to a previous error during capture")                                  \
    X(cudaErrorStreamCaptureMerge, 902,                                                           \
      "operation would result in a merge of separate capture sequences")                          \
    X(cudaErrorStreamCaptureUnmatched, 903,                                                       \
      "capture was not ended in the same stream as it began")                                     \
    X(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")                  \
    X(cudaErrorStreamCaptureIsolation, 905,                                                       \
      "dependency created on uncaptured work in another stream")                                  \
    X(cudaErrorStreamCaptureImplicit, 906,                                                        \
      "operation would make the legacy stream depend on a capturing blocking stream")             \
    X(cudaErrorCapturedEvent, 907,                                                                \
      "operation not permitted on an event last recorded in a capturing stream")                  \
    X(cudaErrorStreamCaptureWrongThread, 908,                                                     \
      "attempt to terminate a thread-local capture sequence from another thread")                 \
    X(cudaErrorInvalidClusterSize, 912,                                                           \
      "a kernel launch error has occurred due to cluster misconfiguration")                       \
    X(cudaErrorUnknown, 999, "unknown error")

enum cudaError : int {
#define SIMT_ENUMERATOR(name, code, text) name = code,
    SIMT_CUDA_ERRORS(SIMT_ENUMERATOR)
#undef SIMT_ENUMERATOR
};
using cudaError_t = cudaError;

namespace simt {
namespace rt {

struct ContextError {
    std::atomic<int> code{cudaSuccess};
    std::mutex mutex;
    // Texts of the faults so far. Only grows: cudaGetErrorString hands out pointers into it.
    std::deque<std::string> illegal_address, launch_failure;
};
// Never destroyed, so that destructors of static objects may still call the runtime.
inline ContextError& context_error() {
    static ContextError& e = *new ContextError;
    return e;
}

// The sticky error, or cudaSuccess.
inline cudaError_t sticky_error() {
    return static_cast<cudaError_t>(context_error().code.load(std::memory_order_acquire));
}

// Makes `code` (cudaErrorLaunchFailure or cudaErrorIllegalAddress) sticky. The first fault wins.
inline void poison_context(cudaError_t code, const std::string& detail) {
    ContextError& e = context_error();
    const std::lock_guard<std::mutex> lock(e.mutex);
    if (e.code.load(std::memory_order_relaxed) != cudaSuccess) return;
    if (code == cudaErrorIllegalAddress)
        e.illegal_address.push_back("an illegal memory access was encountered: " + detail);
    else
        e.launch_failure.push_back("unspecified launch failure: " + detail);
    e.code.store(code, std::memory_order_release);
}

inline cudaError_t& thread_last_error() {
    static thread_local cudaError_t e = cudaSuccess;
    return e;
}
inline bool& inside_host_function() {
    static thread_local bool inside = false;
    return inside;
}

// Keeps `e` for cudaGetLastError, unless it is cudaSuccess: a call that succeeds clears nothing.
inline cudaError_t record_error(cudaError_t e) {
    if (e != cudaSuccess) thread_last_error() = e;
    return e;
}

// Kernel code may not call the runtime: the kernel fails, with the name of the call.
inline void refuse_on_device(const char* call) {
    if (!on_device()) return;
    this_worker().fail(std::string(call) + " was called from kernel code");
}

// A runtime call that does not touch the context (queries of the device).
template <class F>
cudaError_t context_free_call(const char* name, F&& body) {
    refuse_on_device(name);
    if (inside_host_function()) return record_error(cudaErrorNotPermitted);
    return record_error(body());
}

// Any other runtime call: also refused while a sticky error stands. That one is not recorded, so
// that cudaDeviceReset ends it for all host threads.
template <class F>
cudaError_t call(const char* name, F&& body) {
    refuse_on_device(name);
    if (inside_host_function()) return record_error(cudaErrorNotPermitted);
    const cudaError_t sticky = sticky_error();
    return sticky != cudaSuccess ? sticky : record_error(body());
}

}  // namespace rt
}  // namespace simt

// Returns the last error of this host thread and clears it; the sticky error if there is one.
inline cudaError_t cudaGetLastError() {
    simt::rt::refuse_on_device("cudaGetLastError");
    const cudaError_t sticky = simt::rt::sticky_error();
    if (sticky != cudaSuccess) return sticky;
    const cudaError_t e = simt::rt::thread_last_error();
    simt::rt::thread_last_error() = cudaSuccess;
    return e;
}

// The same without clearing.
inline cudaError_t cudaPeekAtLastError() {
    simt::rt::refuse_on_device("cudaPeekAtLastError");
    const cudaError_t sticky = simt::rt::sticky_error();
    return sticky != cudaSuccess ? sticky : simt::rt::thread_last_error();
}

// The name of the enumerator; "unrecognized error code" for other values.
inline const char* cudaGetErrorName(cudaError_t error) {
    simt::rt::refuse_on_device("cudaGetErrorName");
    switch (error) {
#define SIMT_NAME(name, code, text) \
    case name:                      \
        return #name;
        SIMT_CUDA_ERRORS(SIMT_NAME)
#undef SIMT_NAME
    }
    return "unrecognized error code";
}

// CUDA's text. That of a fault goes on with what the executor found: message, file and line, block
// and thread of the latest one. Valid until the process ends.
inline const char* cudaGetErrorString(cudaError_t error) {
    simt::rt::refuse_on_device("cudaGetErrorString");
    if (error == cudaErrorLaunchFailure || error == cudaErrorIllegalAddress) {
        simt::rt::ContextError& e = simt::rt::context_error();
        const std::lock_guard<std::mutex> lock(e.mutex);
        const auto& texts = error == cudaErrorIllegalAddress ? e.illegal_address : e.launch_failure;
        if (!texts.empty()) return texts.back().c_str();
    }
    switch (error) {
#define SIMT_TEXT(name, code, text) \
    case name:                      \
        return text;
        SIMT_CUDA_ERRORS(SIMT_TEXT)
#undef SIMT_TEXT
    }
    return "unrecognized error code";
}

#undef SIMT_CUDA_ERRORS

// SPDX-License-Identifier: Apache-2.0
// Compiler and sanitizer glue of the executor.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SIMT_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIMT_TSAN 1
#endif
#endif

#if SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// ThreadSanitizer sees every fiber as a thread of its own. The executor's own bookkeeping is shared
// by the fibers of one OS thread on purpose, so it is left out of the instrumentation and is never
// inlined into instrumented kernel code.
#if SIMT_TSAN
#include <sanitizer/tsan_interface.h>
extern "C" {
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
void AnnotateIgnoreWritesBegin(const char*, int);
void AnnotateIgnoreWritesEnd(const char*, int);
}
#define SIMT_NOTSAN __attribute__((no_sanitize_thread))
// weak and not inline: g++ warns about inline with noinline, and both make one definition of many.
#define SIMT_FAST __attribute__((weak, noinline, no_sanitize_thread))
#else
#define SIMT_NOTSAN
#define SIMT_FAST inline __attribute__((always_inline))
#endif
#if SIMT_ASAN
#define SIMT_NOASAN __attribute__((no_sanitize_address))
#else
#define SIMT_NOASAN
#endif
#define SIMT_COLD __attribute__((noinline, cold))

namespace simt {

// Keeps ThreadSanitizer quiet about executor code that uses the standard library on a fiber. No
// fiber is left inside such a stretch, but by a failure, which calls abandon().
class Untracked {
  public:
    Untracked(const Untracked&) = delete;
    Untracked& operator=(const Untracked&) = delete;
#if SIMT_TSAN
    SIMT_NOTSAN Untracked() {
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
        ++depth_;
    }
    SIMT_NOTSAN ~Untracked() { end(); }
    SIMT_NOTSAN static void abandon() {
        while (depth_ > 0) end();
    }

  private:
    SIMT_NOTSAN static void end() {
        --depth_;
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    }
    static inline thread_local int depth_ = 0;
#else
    Untracked() {}
    ~Untracked() {}
    static void abandon() {}
#endif
};

}  // namespace simt

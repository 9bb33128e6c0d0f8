// SPDX-License-Identifier: Apache-2.0
// A fiber: a stack and the place where it stopped. Boost.Context switches the stacks;
// AddressSanitizer and ThreadSanitizer are told about each switch.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "platform.h"

namespace simt {

struct Fiber {
    boost::context::detail::fcontext_t place = nullptr;
    char* stack = nullptr;  // lowest address: first the canary, then the usable part
    size_t size = 0;
#if SIMT_ASAN
    void* fake_stack = nullptr;
#endif
#if SIMT_TSAN
    void* tsan = nullptr;
#endif
};

using FiberEntry = void (*)();

inline thread_local FiberEntry fiber_entry = nullptr;

// Written below the usable stack; found changed when the fiber ends, the stack was too small.
constexpr size_t kCanaryBytes = 256;
constexpr unsigned char kCanary = 0xA5;

// What jump_fcontext hands over on arrival: the fiber that was left, and where it stopped.
SIMT_FAST void fiber_arrived(boost::context::detail::transfer_t from) {
    static_cast<Fiber*>(from.data)->place = from.fctx;
}

SIMT_NOTSAN inline void fiber_start(boost::context::detail::transfer_t from) {
    fiber_arrived(from);
#if SIMT_ASAN
    __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
    fiber_entry();
    __builtin_unreachable();  // an entry function leaves by fiber_switch
}

// Sets `f` up to run `entry` from its start on the `size` bytes at `stack`.
SIMT_NOTSAN inline void fiber_make(Fiber& f, char* stack, size_t size, FiberEntry entry) {
    fiber_entry = entry;
    f.stack = stack;
    f.size = size;
    std::memset(stack, kCanary, kCanaryBytes);
    f.place = boost::context::detail::make_fcontext(stack + size, size, &fiber_start);
#if SIMT_ASAN
    f.fake_stack = nullptr;
#endif
#if SIMT_TSAN
    if (!f.tsan) f.tsan = __tsan_create_fiber(0);
#endif
}

SIMT_NOTSAN inline bool fiber_overflowed(const Fiber& f) {
    for (size_t i = 0; i < kCanaryBytes; i += 8) {
        uint64_t word;
        std::memcpy(&word, f.stack + i, 8);
        if (word != 0x0101010101010101ull * kCanary) return true;
    }
    return false;
}

// `last`: the fiber that is left will not be resumed.
SIMT_FAST void fiber_switch(Fiber& from, Fiber& to, [[maybe_unused]] bool last = false) {
#if SIMT_ASAN
    __sanitizer_start_switch_fiber(last ? nullptr : &from.fake_stack, to.stack, to.size);
#endif
#if SIMT_TSAN
    __tsan_switch_to_fiber(to.tsan, __tsan_switch_to_fiber_no_sync);
#endif
    fiber_arrived(boost::context::detail::jump_fcontext(to.place, &from));
#if SIMT_ASAN
    __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

}  // namespace simt

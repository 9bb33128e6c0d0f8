// SPDX-License-Identifier: Apache-2.0
// Settings of the executor: by program (simt::config()) or by environment.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include "platform.h"

namespace simt {

// Beside each field stands the environment variable that sets it at the first use.
struct Config {
    // SIMT_WORKERS: OS threads; 0 means one per core.
    unsigned workers = 0;
    // SIMT_RESIDENT: blocks in flight per worker; 0 means 4, or 4 to 48 drawn from the seed.
    unsigned resident = 0;
    // SIMT_SEED: 0 runs in order, any other number is a random schedule.
    uint64_t seed = 0;
    // SIMT_SHUFFLE: seeded schedules start the blocks in a random order.
    bool shuffle_blocks = true;
    // SIMT_CHECK: races and uninitialised reads of shared memory.
    bool check = false;
    // SIMT_COUNT: bank requests per access site.
    bool count = false;
    // SIMT_SPIN_LIMIT: so many polls of one worker without progress anywhere are a hang.
    uint64_t spin_limit = 50'000'000;
    // SIMT_STACK: bytes per GPU thread; 0 means 32 KiB (more under a sanitizer).
    size_t stack_bytes = 0;
    // SIMT_CC: compute capability of the modelled device: 75, 80, 86, 89 or 90.
    int compute_capability = 90;
    // SIMT_SMS: its multiprocessors.
    int multiprocessors = 4;
    // What is wrong with a variable; every launch then fails with this text.
    std::string error;
};

namespace detail {

template <class T>
void read_environment(Config& c, const char* name, T& field, uint64_t max) {
    const char* text = std::getenv(name);
    if (!text || !*text) return;
    char* end = nullptr;
    errno = 0;
    const unsigned long long v = std::strtoull(text, &end, 0);
    if (*end || errno || *text < '0' || *text > '9' || v > max) {
        c.error =
            std::string(name) + "=" + text + " is not a number from 0 to " + std::to_string(max);
        return;
    }
    field = static_cast<T>(v);
}

inline Config config_from_environment() {
    Config c;
    read_environment(c, "SIMT_WORKERS", c.workers, 256);
    read_environment(c, "SIMT_RESIDENT", c.resident, 256);
    read_environment(c, "SIMT_SEED", c.seed, ~uint64_t(0));
    read_environment(c, "SIMT_SHUFFLE", c.shuffle_blocks, 1);
    read_environment(c, "SIMT_CHECK", c.check, 1);
    read_environment(c, "SIMT_COUNT", c.count, 1);
    read_environment(c, "SIMT_SPIN_LIMIT", c.spin_limit, ~uint64_t(0));
    read_environment(c, "SIMT_STACK", c.stack_bytes, 64u << 20);
    read_environment(c, "SIMT_CC", c.compute_capability, 999);
    read_environment(c, "SIMT_SMS", c.multiprocessors, 4096);
    const int cc = c.compute_capability;
    if (cc != 75 && cc != 80 && cc != 86 && cc != 89 && cc != 90)
        c.error = "SIMT_CC=" + std::to_string(cc) + " is none of 75, 80, 86, 89, 90";
    if (c.multiprocessors < 1) c.error = "SIMT_SMS=0 is no device";
    return c;
}

}  // namespace detail

// The settings of the next launch. Not to be changed while a launch is running.
inline Config& config() {
    static Config c = detail::config_from_environment();
    return c;
}

inline unsigned worker_count(const Config& c) {
#if SIMT_TSAN
    (void)c;
    return 1;  // ThreadSanitizer follows the fibers of one OS thread only
#else
    if (c.workers) return c.workers;
    const unsigned n = std::thread::hardware_concurrency();
    return n ? n : 1;
#endif
}

inline size_t stack_bytes(const Config& c) {
#if SIMT_ASAN
    constexpr size_t kDefault = 128 << 10;
#elif SIMT_TSAN
    constexpr size_t kDefault = 64 << 10;
#else
    constexpr size_t kDefault = 32 << 10;
#endif
    constexpr size_t kLeast = 16 << 10;
    const size_t n = c.stack_bytes ? c.stack_bytes : kDefault;
    return ((n < kLeast ? kLeast : n) + 63) & ~size_t(63);
}

}  // namespace simt

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

// The environment variable that sets a field at the first use is named beside it.
struct Config {
    unsigned workers = 0;  // SIMT_WORKERS   OS threads; 0: one per core
    unsigned resident =
        0;  // SIMT_RESIDENT  blocks in flight per worker; 0: 4, or 4 to 48 drawn from the seed
    uint64_t seed = 0;           // SIMT_SEED      0: in order; otherwise a random schedule
    bool shuffle_blocks = true;  // SIMT_SHUFFLE   seeded only: blocks start in a random order
    bool check = false;          // SIMT_CHECK     races, uninitialised reads of shared memory
    bool count = false;          // SIMT_COUNT     bank requests per access site
    uint64_t spin_limit =
        50'000'000;          // SIMT_SPIN_LIMIT  polls of one worker without progress: a hang
    size_t stack_bytes = 0;  // SIMT_STACK     bytes per GPU thread; 0: 32 KiB (128 KiB under ASan)
    int compute_capability = 90;  // SIMT_CC        of the modelled device: 75, 80, 86, 89 or 90
    int multiprocessors = 4;      // SIMT_SMS       of the modelled device
    std::string error;            // a malformed variable; the next launch fails with this text
};

namespace detail {

template <class T>
void read_environment(Config& c, const char* name, T& field, uint64_t max) {
    const char* text = std::getenv(name);
    if (!text || !*text) return;
    char* end = nullptr;
    errno = 0;
    const unsigned long long v = std::strtoull(text, &end, 0);
    if (*end || errno || text[0] == '-' || v > max) {
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

// SPDX-License-Identifier: Apache-2.0
// What went wrong in a kernel, and where.
#pragma once

#include <mutex>
#include <string>

#include "types.h"

namespace simt {

// A place in kernel source. `function` is the enclosing function's name.
struct Site {
    const char* file = nullptr;
    int line = 0;
    const char* function = nullptr;
};

struct Failure {
    std::string message;  // one line, or one line and a list of who waits where
    std::string file;     // empty where no single line is to blame
    int line = 0;
    uint3 block{0, 0, 0}, thread{0, 0, 0};
};

namespace detail {
struct FailureRecord {
    std::mutex mutex;
    Failure last;
};
inline FailureRecord& failure_record() {
    static FailureRecord r;
    return r;
}
}  // namespace detail

// The failure of the last launch that failed in this process.
inline Failure last_failure() {
    std::lock_guard<std::mutex> lock(detail::failure_record().mutex);
    return detail::failure_record().last;
}

}  // namespace simt

// Default arguments that capture the caller's place; SIMT_HERE makes a Site of them.
#define SIMT_SITE                                                               \
    const char *simt_file = __builtin_FILE(), int simt_line = __builtin_LINE(), \
               const char *simt_function = __builtin_FUNCTION()
#define SIMT_HERE (::simt::Site{simt_file, simt_line, simt_function})

// SPDX-License-Identifier: Apache-2.0
#include "host_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace scan_report {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

std::uint64_t machine_memory() {
    std::ifstream info("/proc/meminfo");
    std::string name, unit;
    std::uint64_t kibibytes = 0;
    while (info >> name >> kibibytes) {
        if (name == "MemAvailable:") return kibibytes * 1024;
        std::getline(info, unit);
    }
    return kUnknown;
}

/// Limit less use of the control group that a container shows at the root of its file system.
std::uint64_t group_memory(const char* limit_file, const char* use_file) {
    std::uint64_t limit = 0, used = 0;
    // "max", and no file at all, mean no limit.
    if (!(std::ifstream(limit_file) >> limit) || !(std::ifstream(use_file) >> used))
        return kUnknown;
    return limit > used ? limit - used : 0;
}

}  // namespace

std::uint64_t available_host_memory() {
    return std::min({machine_memory(),
                     group_memory("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
                     group_memory("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                                  "/sys/fs/cgroup/memory/memory.usage_in_bytes")});
}

}  // namespace scan_report

// SPDX-License-Identifier: Apache-2.0
#include "workload.h"

namespace bench {

// Functions and not objects: other files add to them before main() begins, in an unknown order.
std::vector<Workload>& workloads() {
    static std::vector<Workload> all;
    return all;
}

std::vector<Contestant>& contestants() {
    static std::vector<Contestant> all;
    return all;
}

}  // namespace bench

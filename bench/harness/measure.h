// SPDX-License-Identifier: Apache-2.0
//
// Workloads and contestants as Google Benchmarks.
#pragma once

#include <cstdint>

#include "rig.h"

namespace bench {

struct Settings {
    bool cold = true;        // see Rig
    int repetitions = 3;     // of each benchmark, of which each is a mean of many calls
    double seconds = 0.005;  // of GPU time in a repetition, at least
};

/// Registers every workload that has contestants, at every size, each with a copy of as many bytes
/// (unless `copies` is false); named operation/type/n:size/contestant.
void register_benchmarks(const Settings& settings, bool copies, Rig& rig);

}  // namespace bench

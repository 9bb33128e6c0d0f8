// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <set>

#include "copy.h"

namespace bench {
namespace {

constexpr int kWarmUps = 3;

void measure(benchmark::State& state, const Workload& workload, const Contestant& contestant,
             std::int64_t n, Rig& rig) {
    std::string wrong = rig.prepare(workload, n);
    if (wrong.empty()) wrong = rig.verify(contestant);
    if (!wrong.empty()) {
        state.SkipWithError(wrong.c_str());
        return;
    }
    double seconds = 0;
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < kWarmUps && error == cudaSuccess; ++i)
        error = rig.timed_call(contestant, seconds);
    for (auto _ : state) {
        if (error == cudaSuccess) error = rig.timed_call(contestant, seconds);
        if (error != cudaSuccess) {
            state.SkipWithError(cudaGetErrorString(error));
            break;
        }
        state.SetIterationTime(seconds);
    }
    const double bytes = workload.moved_bytes * static_cast<double>(n);
    state.counters["bytes"] = bytes;
    state.counters["temp_bytes"] = static_cast<double>(rig.temp_bytes());
    state.counters["slots"] = static_cast<double>(rig.slots().count);
    state.SetBytesProcessed(
        static_cast<std::int64_t>(bytes * static_cast<double>(state.iterations())));
}

std::vector<const Contestant*> contestants_of(const Workload& workload) {
    std::vector<const Contestant*> found;
    for (const Contestant& contestant : contestants()) {
        if (contestant.workload == workload.name) found.push_back(&contestant);
    }
    // libscan first; files are linked in any order.
    std::sort(found.begin(), found.end(), [](const Contestant* a, const Contestant* b) {
        return std::pair(a->name != "libscan", a->name) < std::pair(b->name != "libscan", b->name);
    });
    return found;
}

// One for each number of bytes that an item moves, at the sizes of all that move as many.
void add_copies() {
    std::map<double, std::set<std::int64_t>> sizes;
    for (const Workload& workload : workloads()) {
        if (contestants_of(workload).empty()) continue;
        const double bytes = workload.copy_bytes > 0 ? workload.copy_bytes : workload.moved_bytes;
        sizes[bytes].insert(workload.sizes.begin(), workload.sizes.end());
    }
    for (const auto& [bytes, all] : sizes) {
        add_copy(bytes);
        workloads().back().sizes.assign(all.begin(), all.end());
    }
}

}  // namespace

void register_benchmarks(const Settings& settings, bool copies, Rig& rig) {
    if (copies) add_copies();  // from here on the lists stay as they are
    for (const Workload& workload : workloads()) {
        for (const std::int64_t n : workload.sizes) {
            // One after the other, so that they meet the GPU in the same state.
            for (const Contestant* contestant : contestants_of(workload)) {
                const std::string name =
                    workload.name + "/n:" + std::to_string(n) + "/" + contestant->name;
                benchmark::RegisterBenchmark(name.c_str(),
                                             [&workload, contestant, n, &rig](auto& state) {
                                                 measure(state, workload, *contestant, n, rig);
                                             })
                    ->UseManualTime()
                    ->Unit(benchmark::kMicrosecond)
                    ->MinTime(settings.seconds)
                    ->Repetitions(settings.repetitions)
                    ->DisplayAggregatesOnly(true);
            }
        }
    }
}

}  // namespace bench

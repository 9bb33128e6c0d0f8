// SPDX-License-Identifier: Apache-2.0
// Who waits where: the list that a deadlock or a hang is reported with.
#pragma once

#include <cstdio>

#include "mbarrier_state.h"
#include "worker.h"

namespace simt {

inline std::string Worker::who_waits() const {
    constexpr size_t kMaxText = 2000;
    std::string text;
    for (unsigned i = 0; i < resident_; ++i) {
        const Block& b = blocks_[i];
        if (!b.running) continue;
        for (uint32_t k = 0; k < b.warp_count; ++k) {
            const Warp& w = b.warps[k];
            auto list = [&](uint32_t lanes, const char* what) {
                while (lanes) {  // one line for the lanes that wait at the same place
                    const Lane& first = w.lanes[__builtin_ctz(lanes)];
                    uint32_t group = 0;
                    for (uint32_t m = lanes; m; m &= m - 1) {
                        const Lane& l = w.lanes[__builtin_ctz(m)];
                        if (l.site.line == first.site.line && l.site.file == first.site.file &&
                            l.mbarrier == first.mbarrier)
                            group |= 1u << l.lane;
                    }
                    lanes &= ~group;
                    if (text.size() > kMaxText) continue;
                    char line[512], phase[128] = "";
                    if (first.mbarrier) {
                        const Mbarriers::State& s = *b.mbarriers->find(first.mbarrier);
                        std::snprintf(phase, sizeof phase,
                                      " (its phase %u wants %u arrivals and %lld bytes)", s.phase,
                                      s.pending, static_cast<long long>(s.bytes));
                    }
                    std::snprintf(line, sizeof line,
                                  "\n  block (%u,%u,%u) warp %u lanes %08x %s%s at %s:%d",
                                  b.index.x, b.index.y, b.index.z, w.id, group,
                                  what         ? what
                                  : first.name ? first.name
                                               : "wait",
                                  phase, first.site.file ? first.site.file : "?", first.site.line);
                    text += line;
                }
            };
            list(w.at_barrier, "wait in __syncthreads");
            list(w.at_collective, nullptr);
            list(w.at_active, "wait in __activemask");
            list(w.at_cluster, "wait in the cluster barrier");
            list(w.at_mbarrier, "wait at an mbarrier");
            list(w.spun | w.ready, "poll or run, last seen");
        }
    }
    if (text.size() > kMaxText) text += "\n  ...";
    return text;
}

}  // namespace simt

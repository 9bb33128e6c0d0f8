// SPDX-License-Identifier: Apache-2.0
// The mbarriers of a block and its bulk copies under way (mbarrier.h).
#pragma once

#include "state.h"

namespace simt {

class Mbarrier;

struct Mbarriers {
    struct State {
        const Mbarrier* address;
        uint32_t expected;  // arrivals of a phase
        uint32_t pending;   // of the present phase
        int64_t bytes;      // announced and not yet copied
        uint32_t phase;     // number of the present one
    };
    struct Copy {
        void* to;
        const void* from;
        uint32_t size;
        const Mbarrier* barrier;
        Site site;
        uint32_t issuer;
    };
    std::vector<State> list;
    std::vector<Copy> copies;  // issued, not yet made

    State* find(const Mbarrier* b) {
        for (State& s : list)
            if (s.address == b) return &s;
        return nullptr;
    }
};

}  // namespace simt

// SPDX-License-Identifier: Apache-2.0
//
// What each pass of a sort does, decided on the device when the digits have been counted.
//
// A pass whose digit is the same for all items would move each item to where it is: it is left out.
// The host cannot know that without waiting, so it launches all passes, and the kernel of one that
// is left out returns at once. Which array a pass reads and which it writes then depends on the
// data as well, and stands in the plan:
//   - Sorting from input to output with one array between them, the last pass that does anything
//     writes the output, and the passes before it alternate. Where all are left out, one copies.
//   - With two buffers the passes alternate between them. The caller must be told, before anything
//     has run, which buffer will hold the result: the one that would without any pass left out. So
//     where an odd number of passes is left out, the first of these copies instead.
#pragma once

#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/device_words.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

enum class PassKind : int { kSort, kCopy, kNothing };

struct PassPlan {
    PassKind kind;
    int source;  // numbers of arrays, see SortArrays
    int target;
    int sorts_before;  // how many passes before this one sort
};

// The plan of one pass of up to 32, where bit p of `sorts` says whether pass p sorts: the same as
// below, without looking at the other passes one by one.
inline constexpr int kMostPassesAtOnce = 32;
__device__ inline PassPlan plan_pass(int pass, unsigned sorts, int passes, bool two_buffers) {
    const unsigned bit = 1u << pass, below = bit - 1;
    const unsigned left_out = ~sorts & (~0u >> (32 - passes));
    const bool copy = two_buffers ? __popc(left_out) % 2 != 0 : sorts == 0;
    const unsigned moves = copy ? sorts | (left_out & (0u - left_out)) : sorts;
    const int rest = __popc(moves & ~below & ~bit);  // that still move the items
    const int last = two_buffers && passes % 2 == 0 ? 2 : 1;
    const int target = rest % 2 == 0 ? last : 3 - last;
    PassPlan plan;
    plan.kind = (sorts & bit) != 0   ? PassKind::kSort
                : (moves & bit) != 0 ? PassKind::kCopy
                                     : PassKind::kNothing;
    plan.source = (moves & below) == 0 ? 0 : 3 - target;
    plan.target = target;
    plan.sorts_before = __popc(sorts & below);
    return plan;
}

// Turns the kinds (kSort, kNothing) of any number of passes into a plan: keys of more than 256 bits
// have more of them than plan_pass takes. One thread.
__device__ inline void plan_passes(PassPlan* plans, int passes, bool two_buffers) {
    int active = 0;
    for (int pass = 0; pass < passes; ++pass) active += plans[pass].kind == PassKind::kSort ? 1 : 0;
    bool copy = two_buffers ? (passes - active) % 2 != 0 : active == 0;
    int rest = active + (copy ? 1 : 0);  // that still have to move the items
    const int last = two_buffers && passes % 2 == 0 ? 2 : 1;
    int source = 0, sorts = 0;
    for (int pass = 0; pass < passes; ++pass) {
        PassPlan& plan = plans[pass];
        if (copy && plan.kind == PassKind::kNothing) {
            plan.kind = PassKind::kCopy;
            copy = false;
        }
        plan.sorts_before = sorts;
        if (plan.kind == PassKind::kNothing) continue;
        --rest;
        plan.source = source;
        plan.target = rest % 2 == 0 ? last : 3 - last;
        source = plan.target;
        if (plan.kind == PassKind::kSort) ++sorts;
    }
}

// The memory of a sort in flight; all of it is temporary storage.
struct SortState {
    // Cleared before the first launch.
    Word* finished;  // blocks of the histogram kernel
    Word* tickets;   // [pass][portion]: tiles handed out
    Word* counts;    // [pass][digit]
    unsigned* look_back;
    // Made on the device.
    Word* starts;  // [pass][portion][digit]: where the digit's first item of the portion goes
    PassPlan* plans;

    int passes;
    int portions;
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

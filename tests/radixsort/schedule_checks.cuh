// SPDX-License-Identifier: Apache-2.0
//
// Sorts whose tiles are tiny, so that a few hundred items exercise look-back, portions and the
// executor's checks. Shared by the quick tests and the long one.
#pragma once

#include "sort_support.cuh"

namespace sort_test {

// Every part is exercised by one of these: look-back over many tiles, items that do not fill a
// tile, several launches for a pass, digits found by votes, items read a second time.
using ManyTiles = TinyTuning<32, 1>;
using TwoWarps = TinyTuning<64, 2>;
using Portions = TinyTuning<64, 1, true, 3>;
using Votes = TinyTuning<32, 3, true, 0, libscan::DigitMatch::votes>;
using ReadTwice = TinyTuning<64, 2, false, 5, libscan::DigitMatch::votes>;

template <class Tuning, class KeyT, bool kPairs>
void check_schedules(int n, Shape shape, const Bits& bits, int seeds) {
    const auto keys = make_keys<KeyT>(n, shape, static_cast<std::uint64_t>(n));
    int form = n;  // each schedule has one direction and one form
    for_each_schedule(seeds, [&] {
        check_one_sort<Tuning, KeyT, kPairs>(keys, bits, form % 2 != 0, form / 2 % 2 != 0);
        ++form;
    });
}

}  // namespace sort_test

// SPDX-License-Identifier: Apache-2.0
#pragma once
template <int kSize>
using PolicyA = std::conditional_t<(kSize <= 8), LookaheadPolicy<14, 7, 6, 5, true>,
                                   LookaheadPolicy<10, 5, 8, 5, true>>;
template <int kSize>
using PolicyB =
    std::conditional_t<(kSize <= 2), LookaheadPolicy<20, 8, 4, 5, true>,
                       std::conditional_t<(kSize == 8), LookaheadPolicy<10, 5, 8, 5, true>,
                                          LookaheadPolicy<12, 6, 7, 5, true>>>;
template <int kSize>
using SmallA = SmallPolicy<16, 4, 2>;

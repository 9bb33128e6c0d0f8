// SPDX-License-Identifier: Apache-2.0
//
// Key and value types of the sort workloads, and the inputs' distributions.
#pragma once

#include <cstdint>

#include "../scan/elements.h"

namespace bench {

__extension__ typedef unsigned __int128 U128;

/// Each bit of a key is the AND of so many random bits: Thearling and Smith's way to keys of less
/// entropy ("An improved supercomputer sorting benchmark", 1992). Of 3 words a bit has 0.54 bits of
/// entropy, of 5 words 0.2.
enum class KeyOrder { kWords1, kWords3, kWords5, kEqual, kSorted };

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
//
// What each of the two shared libraries exports.
#pragma once

// Scans n ints, in device memory, on the default stream: exclusive sums to `sums`, inclusive sums
// by key to `by_key`. Returns a cudaError_t.
extern "C" int scan_in_library(const int* keys, const int* in, int* sums, int* by_key, long long n);

// SPDX-License-Identifier: Apache-2.0
// One of two shared libraries that use the same primitives.
#include "library.cuh"

long long even_items_a(const int* in, int* out, long long* count, int n) {
    return even_items(in, out, count, n);
}
long long unique_items_a(const int* in, int* out, long long* count, int n) {
    return unique_items(in, out, count, n);
}

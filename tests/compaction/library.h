// SPDX-License-Identifier: Apache-2.0
// What the two shared libraries of the test export: the even ones of n items, and the first ones of
// their runs. Both return the number of items; -1 after an error.
#pragma once

long long even_items_a(const int* in, int* out, long long* count, int n);
long long even_items_b(const int* in, int* out, long long* count, int n);
long long unique_items_a(const int* in, int* out, long long* count, int n);
long long unique_items_b(const int* in, int* out, long long* count, int n);

// SPDX-License-Identifier: Apache-2.0
// Compiled with and without libscan, to compare the two compile commands.
__global__ void probe_kernel(int* out) { *out = 0; }

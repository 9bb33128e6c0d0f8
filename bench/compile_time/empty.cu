// SPDX-License-Identifier: Apache-2.0
// What nvcc needs for nothing: one empty kernel.
__global__ void empty_kernel() {}

// SPDX-License-Identifier: Apache-2.0
// Two kernels that must not pass the spill gate: .ci/spill_gate first shows that it sees them.

// 1,024 threads leave 64 registers to each; 96 values are alive across the barrier.
__global__ void __launch_bounds__(1024) spills_registers(float* data) {
    constexpr int kValues = 96;
    float values[kValues];
#pragma unroll
    for (int i = 0; i < kValues; ++i) values[i] = data[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kValues; ++i) data[(kValues - i) * 1024 + threadIdx.x] = values[i];
}

// Registers cannot be indexed by a value that is known at run time only.
__global__ void has_stack_frame(int* data) {
    int values[16];
    for (int i = 0; i < 16; ++i) values[data[i] & 15] = i;
    data[threadIdx.x] = values[threadIdx.x & 15];
}

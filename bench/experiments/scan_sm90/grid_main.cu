// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "bench_common.h"
#define D(T) void grid_##T(const Buffers&, FILE*);
D(u8) D(u16) D(u32) D(u64) D(f32) D(f64) D(V16) int main(int argc, char** argv) {
    Buffers B;
    B.temp_bytes = 256 << 20;
    size_t bytes = size_t(1) << 32;
    CK(cudaMalloc(&B.in, bytes));
    CK(cudaMalloc(&B.out, bytes));
    CK(cudaMalloc(&B.ref, bytes));
    CK(cudaMalloc(&B.temp, B.temp_bytes));
    CK(cudaMalloc(&B.scratch, 64));
    FILE* csv = fopen(argv[1], "w");
    fprintf(csv,
            "type,op,n,policy,copy_us,cub_us,small_us,look_memset_us,look_dependent_us,of_copy,"
            "over_cub,bad\n");
    std::string which = argc > 2 ? argv[2] : "u8 u16 u32 u64 f32 f64 V16";
#define R(T) \
    if (which.find(#T) != std::string::npos) grid_##T(B, csv);
    R(u32) R(f32) R(u8) R(u16) R(u64) R(f64) R(V16) fclose(csv);
}

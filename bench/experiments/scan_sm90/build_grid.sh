#!/bin/bash
# One compiler at a time. Usage: build_grid.sh [types]
cd "$(dirname "$0")"
for t in ${@:-u32 f32 u8 u16 u64 f64 V16}; do
    nice -n 10 nvcc -std=c++17 -O3 -arch=sm_90 -Xptxas -v -c grid_$t.cu -o grid_$t.o > grid_$t.log 2>&1 || { grep error grid_$t.log; exit 1; }
    echo "$t: $(grep -c 'spill stores' grid_$t.log) kernels, with spills: $(grep 'spill stores' grid_$t.log | grep -vc ' 0 bytes spill stores') regs: $(grep -oE 'Used [0-9]+' grid_$t.log | grep -oE '[0-9]+' | sort -n | tr '\n' ' ')"
done
nice -n 10 nvcc -std=c++17 -O3 -arch=sm_90 grid_main.cu grid_*.o cub_ref.o -o grid && date

// SPDX-License-Identifier: Apache-2.0
// simt: runs CUDA kernels on a CPU.
//
// The same kernel source that nvcc compiles is compiled by g++ or clang++ with this header in the
// place of <cuda_runtime.h>. The threads of a block are fibers; blocks are interleaved on a few OS
// threads. So barriers, warp collectives, atomics and the CUDA runtime's calls mean what they mean
// on a GPU, and three modes look for faults: in order (fast), seeded (random schedules) and checked
// (races, uninitialised and out-of-bounds accesses of shared memory, divergence, deadlock), each
// naming line, block and thread.
//
// Modelled: the execution model. Not modelled: weak memory order (an atomic is at least as strong
// as written, plain accesses are seen at once by the lanes of the same worker), timing, caches, the
// number of registers. Details: docs/simt.md.
//
// What the shim lacks does not compile; nothing here succeeds without doing what it says.
#pragma once

#define SIMT_VERSION 100  // major * 10000 + minor * 100 + patch

#include "atomics.h"
#include "cluster.h"
#include "executor.h"
#include "intrinsics.h"
#include "mbarrier.h"
#include "runtime.h"
#include "types.h"
#include "warp.h"

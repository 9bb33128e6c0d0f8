// SPDX-License-Identifier: Apache-2.0
// Stands in for CUDA's header of this name where kernels run on a CPU.
#pragma once

#include <simt/simt.h>

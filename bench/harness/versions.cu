// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>

#include <cub/version.cuh>

#include "commit.h"  // written by the build
#include "versions.h"

namespace bench {

std::string cub_version() {
    return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
           std::to_string(CUB_SUBMINOR_VERSION);
}

std::string toolkit_version() {
    return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

std::string commit() { return LIBSCAN_BENCH_COMMIT; }

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
//
// CUB as a contestant. Included by cub_<type>.cu only, so that the types compile in parallel.
#pragma once

#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include "contestant.h"

namespace bench {

struct CubCompaction {
    static constexpr const char* kName = kCubName;
    using Select = cub::DeviceSelect;
    using Partition = cub::DevicePartition;
    using RunLengthEncode = cub::DeviceRunLengthEncode;
};

}  // namespace bench

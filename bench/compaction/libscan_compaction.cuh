// SPDX-License-Identifier: Apache-2.0
//
// libscan as a contestant. Included by libscan_<type>.cu only, so that the types compile in
// parallel.
#pragma once

#include <compaction/device_partition.cuh>
#include <compaction/device_run_length_encode.cuh>
#include <compaction/device_select.cuh>

#include "contestant.h"

namespace bench {

struct LibscanCompaction {
    static constexpr const char* kName = "libscan";
    using Select = libscan::DeviceSelect;
    using Partition = libscan::DevicePartition;
    using RunLengthEncode = libscan::DeviceRunLengthEncode;
};

}  // namespace bench

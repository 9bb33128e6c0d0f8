// SPDX-License-Identifier: Apache-2.0
//
// Options of select, partition and run-length encode.
#pragma once

#include <libscan/config.cuh>

LIBSCAN_NAMESPACE_BEGIN

// Where a partition in two puts the items that were not selected. The selected ones come first, in
// the order of the input, in either case.
enum class PartitionOrder {
    reversed,  // from the end of the output backwards, so in the reverse order: as CUB has it
    stable,    // behind the selected items, in the order of the input; looks at the input twice
};

struct CompactionOptions {
    cudaStream_t stream = nullptr;
    PartitionOrder order = PartitionOrder::reversed;  // of DevicePartition; others do not look
};

LIBSCAN_NAMESPACE_END

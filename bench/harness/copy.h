// SPDX-License-Identifier: Apache-2.0
//
// The device copy that every workload is measured against.
#pragma once

#include "workload.h"

namespace bench {

/// Name of the workload whose copy moves (reads and writes together) so many bytes for each item.
std::string copy_name(double moved_bytes);

/// Adds that workload, with the contestant "copy": cudaMemcpyAsync from device to device.
void add_copy(double moved_bytes);

}  // namespace bench

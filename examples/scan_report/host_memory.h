// SPDX-License-Identifier: Apache-2.0
// How much memory this process may still take. Linux grants more than it has, and ends the process
// when the memory is touched, so a size that cannot fit has to be refused before it is asked for.
#pragma once

#include <cstdint>

namespace scan_report {

/// Bytes that are free, or can be freed without swapping, within the limits of the machine and of
/// the process's control group; the largest value where the system does not say.
std::uint64_t available_host_memory();

}  // namespace scan_report

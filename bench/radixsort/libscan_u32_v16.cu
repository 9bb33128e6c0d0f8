// SPDX-License-Identifier: Apache-2.0
#include "libscan_sort.cuh"

namespace bench {
static const AddPairSort<LibscanSort, std::uint32_t, V16> sort("u32_v16");
}  // namespace bench

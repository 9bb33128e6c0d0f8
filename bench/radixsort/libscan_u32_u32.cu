// SPDX-License-Identifier: Apache-2.0
#include "libscan_sort.cuh"

namespace bench {
static const AddPairSort<LibscanSort, std::uint32_t, std::uint32_t> sort("u32_u32");
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "libscan_sort.cuh"

namespace bench {
static const AddKeySort<LibscanSort, std::uint32_t> sort("u32");
}  // namespace bench

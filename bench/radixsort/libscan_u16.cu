// SPDX-License-Identifier: Apache-2.0
#include "libscan_sort.cuh"

namespace bench {
static const AddKeySort<LibscanSort, std::uint16_t> sort("u16");
}  // namespace bench

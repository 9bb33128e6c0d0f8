// SPDX-License-Identifier: Apache-2.0
#include "libscan_sort.cuh"

namespace bench {
static const AddKeySort<LibscanSort, std::uint64_t> sort("u64");
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "libscan_sort.cuh"

namespace bench {
static const AddPairSort<LibscanSort, std::uint64_t, std::uint64_t> sort("u64_u64");
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include "libscan_sort.cuh"

namespace bench {
static const AddKeySort<LibscanSort, U128> sort("u128");
}  // namespace bench

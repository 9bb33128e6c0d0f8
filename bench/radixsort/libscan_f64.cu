// SPDX-License-Identifier: Apache-2.0
#include "libscan_sort.cuh"

namespace bench {
static const AddKeySort<LibscanSort, double> sort("f64");
}  // namespace bench

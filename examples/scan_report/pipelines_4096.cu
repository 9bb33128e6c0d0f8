// SPDX-License-Identifier: Apache-2.0
#include "pipelines.cuh"

SCAN_REPORT_INSTANTIATE(4096)

// SPDX-License-Identifier: Apache-2.0
//
// The list of compaction workloads; for each type in the order of AddCompactionWorkloads.
#include "workloads.cuh"

namespace bench {
namespace {

const AddCompactionWorkloads<std::uint8_t> u8("u8");
const AddCompactionWorkloads<std::uint32_t> u32("u32");
const AddCompactionWorkloads<std::uint64_t> u64("u64");
const AddCompactionWorkloads<V16> v16("v16");

}  // namespace
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
//
// The list of scan workloads, in the order in which they are reported.
#include "workloads.cuh"

namespace bench {
namespace {

template <class T>
struct AddScans {
    explicit AddScans(const std::string& type) {
        workloads().push_back(scan_workload<T>("exclusive_sum/" + type, SumInput<T>{}, Sum{}, T{}));
        workloads().push_back(scan_workload<T>("exclusive_max/" + type, MaxInput<T>{}, Max{}, T{}));
        workloads().push_back(scan_workload<T>("exclusive_custom/" + type, CustomInput<T>{},
                                               Custom<T>{}, custom_start<T>()));
    }
};

const AddScans<std::uint8_t> u8("u8");
const AddScans<std::uint16_t> u16("u16");
const AddScans<std::uint32_t> u32("u32");
const AddScans<std::uint64_t> u64("u64");
const AddScans<float> f32("f32");
const AddScans<double> f64("f64");
const AddScans<V16> v16("v16");
const AddWorkload u32_by_key(sum_by_key_workload<std::uint32_t>("exclusive_sum_by_key/u32"));
const AddWorkload f64_by_key(sum_by_key_workload<double>("exclusive_sum_by_key/f64"));

}  // namespace
}  // namespace bench

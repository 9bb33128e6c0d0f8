// SPDX-License-Identifier: Apache-2.0
//
// The list of sort workloads, in the order in which they are reported.
#include "workloads.cuh"

namespace bench {
namespace {

// All sizes up to the largest, or where the keys are not uniform a middle one and the largest.
std::vector<std::int64_t> sort_sizes(KeyOrder order, std::int64_t largest) {
    if (order != KeyOrder::kWords1) return {1 << 16, largest};
    std::vector<std::int64_t> sizes;
    for (const std::int64_t n :
         {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 10000000, 1 << 24})
        sizes.push_back(n);
    sizes.push_back(largest);
    return sizes;
}

constexpr std::int64_t kLargest = 1 << 28;
constexpr std::int64_t kLargestWide = 1 << 26;  // of items of 16 bytes or more

struct NamedOrder {
    KeyOrder order;
    const char* name;
};
constexpr NamedOrder kOrders[] = {{KeyOrder::kWords1, ""},
                                  {KeyOrder::kWords3, "_entropy_0.54"},
                                  {KeyOrder::kWords5, "_entropy_0.2"},
                                  {KeyOrder::kEqual, "_equal"},
                                  {KeyOrder::kSorted, "_sorted"}};

template <class Key>
struct AddKeySorts {
    explicit AddKeySorts(const std::string& type) {
        const std::int64_t largest = sizeof(Key) < 16 ? kLargest : kLargestWide;
        for (const NamedOrder& keys : kOrders) {
            workloads().push_back(
                sort_keys_workload<Key>(std::string("sort_keys") + keys.name + "/" + type,
                                        keys.order, sort_sizes(keys.order, largest)));
        }
    }
};

template <class Key, class Value>
struct AddPairSorts {
    explicit AddPairSorts(const std::string& types) {
        const std::int64_t largest = sizeof(Key) + sizeof(Value) < 16 ? kLargest : kLargestWide;
        for (const NamedOrder& keys : kOrders) {
            workloads().push_back(
                sort_pairs_workload<Key, Value>(std::string("sort_pairs") + keys.name + "/" + types,
                                                keys.order, sort_sizes(keys.order, largest)));
        }
    }
};

const AddKeySorts<std::uint8_t> u8("u8");
const AddKeySorts<std::uint16_t> u16("u16");
const AddKeySorts<std::uint32_t> u32("u32");
const AddKeySorts<std::uint64_t> u64("u64");
const AddKeySorts<float> f32("f32");
const AddKeySorts<double> f64("f64");
const AddKeySorts<U128> u128("u128");
const AddPairSorts<std::uint32_t, std::uint32_t> u32_u32("u32_u32");
const AddPairSorts<std::uint64_t, std::uint64_t> u64_u64("u64_u64");
const AddPairSorts<std::uint32_t, V16> u32_v16("u32_v16");

}  // namespace
}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
//
// cub 545, cccl 166: two shared libraries and the program itself use the same primitives, each with
// instantiations of its own, in one process.
#include "compaction_test.cuh"
#include "library.cuh"

namespace compaction_test {
namespace {

TEST(Libraries, TwoOfThemAndTheProgram) {
    const int n = 9001;
    const std::vector<int> in = make_runs<int>(n, 4);
    std::vector<int> even = serial_select(in, [&](std::size_t i) { return in[i] % 2 == 0; });
    std::vector<int> heads = in;
    heads.erase(std::unique(heads.begin(), heads.end()), heads.end());
    const long long even_count = static_cast<long long>(even.size());
    const long long head_count = static_cast<long long>(heads.size());
    even.resize(in.size(), static_cast<int>(0xa5a5a5a5u));
    heads.resize(in.size(), static_cast<int>(0xa5a5a5a5u));
    for (int round = 0; round < 2; ++round)
        for (const auto call : {even_items_a, even_items, even_items_b}) {
            DeviceArray<int> data(in), out(in.size());
            DeviceArray<long long> count(1);
            EXPECT_EQ(call(data.data(), out.data(), count.data(), n), even_count);
            EXPECT_TRUE(same(out.download(), even));
        }
    for (const auto call : {unique_items_b, unique_items_a, unique_items}) {
        DeviceArray<int> data(in), out(in.size());
        DeviceArray<long long> count(1);
        EXPECT_EQ(call(data.data(), out.data(), count.data(), n), head_count);
        EXPECT_TRUE(same(out.download(), heads));
    }
}

}  // namespace
}  // namespace compaction_test

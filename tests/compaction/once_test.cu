// SPDX-License-Identifier: Apache-2.0
//
// Predicates and equality operators are called once for each item, or pair of neighbours, and for
// nothing else.
#include <compaction/device_partition.cuh>
#include <compaction/device_run_length_encode.cuh>
#include <compaction/device_select.cuh>

#include "compaction_test.cuh"

namespace compaction_test {
namespace {

using libscan::DevicePartition;
using libscan::DeviceRunLengthEncode;
using libscan::DeviceSelect;

// An item that knows where it is, and who counts.
struct Watched {
    unsigned* calls;
    unsigned index, key;
    // Called for a pair of neighbours, in order.
    __device__ friend bool operator==(const Watched& a, const Watched& b) {
        atomicAdd(b.calls + b.index, a.index + 1 == b.index ? 1u : 1000u);
        return a.key == b.key;
    }
};

struct Odd {
    __device__ bool operator()(const Watched& item) const {
        atomicAdd(item.calls + item.index, 1u);
        return item.key % 2 != 0;
    }
};
struct SameKey {
    __device__ bool operator()(const Watched& a, const Watched& b) const { return a == b; }
};

class Once : public testing::TestWithParam<int> {
  protected:
    Once() : n_(GetParam()), calls_(std::vector<unsigned>(size())), count_(2) {
        Random random(3);
        for (unsigned i = 0; i < size(); ++i)
            items_.push_back(Watched{calls_.data(), i, static_cast<unsigned>(random.below(2))});
    }
    std::size_t size() const { return static_cast<std::size_t>(n_); }

    // How often each item must have been asked about.
    template <class Call, class Times>
    void expect(Call call, Times times) {
        DeviceArray<Watched> data(items_), out(size());
        std::vector<unsigned> expected, none(size());
        for (std::size_t i = 0; i < size(); ++i)
            expected.push_back(static_cast<unsigned>(times(i)));
        ASSERT_CUDA_OK(cudaMemcpy(calls_.data(), none.data(), size() * sizeof(unsigned),
                                  cudaMemcpyHostToDevice));
        ASSERT_CUDA_OK(call(data.data(), out.data(), count_.data()));
        EXPECT_TRUE(same(calls_.download(), expected));
    }
    static int once(std::size_t) { return 1; }
    static int once_a_pair(std::size_t i) { return i > 0; }

    int n_;
    DeviceArray<unsigned> calls_;
    DeviceArray<int> count_;
    std::vector<Watched> items_;
};

TEST_P(Once, Predicates) {
    expect([&](auto in, auto out, int* k) { return DeviceSelect::If(in, out, k, n_, Odd{}); },
           once);
    expect([&](auto in, auto, int* k) { return DeviceSelect::If(in, k, n_, Odd{}); }, once);
    expect([&](auto in, auto out,
               int* k) { return DeviceSelect::FlaggedIf(in, in, out, k, n_, Odd{}); },
           once);
    for (const auto order : {libscan::PartitionOrder::reversed, libscan::PartitionOrder::stable})
        expect(
            [&](auto in, auto out, int* k) {
                return DevicePartition::If(in, out, k, n_, Odd{}, {nullptr, order});
            },
            once);
    // The second predicate for what the first one leaves.
    DeviceArray<Watched> second(size()), third(size());
    expect(
        [&](auto in, auto out, int* k) {
            return DevicePartition::If(in, out, second.data(), third.data(), k, n_, Odd{}, Odd{});
        },
        [&](std::size_t i) { return items_[i].key % 2 != 0 ? 1 : 2; });
}

TEST_P(Once, Equality) {
    expect(
        [&](auto in, auto out, int* k) { return DeviceSelect::Unique(in, out, k, n_, SameKey{}); },
        once_a_pair);
    expect([&](auto in, auto, int* k) { return DeviceSelect::Unique(in, k, n_, SameKey{}); },
           once_a_pair);
    DeviceArray<int> numbers(std::vector<int>(size(), 1)), more(size());
    expect(
        [&](auto in, auto out, int* k) {
            return DeviceSelect::UniqueByKey(in, numbers.data(), out, more.data(), k, n_,
                                             SameKey{});
        },
        once_a_pair);
    expect([&](auto in, auto out,
               int* k) { return DeviceRunLengthEncode::Encode(in, out, more.data(), k, n_); },
           once_a_pair);
    expect(
        [&](auto in, auto, int* k) {
            return DeviceRunLengthEncode::NonTrivialRuns(in, more.data(), numbers.data(), k, n_);
        },
        once_a_pair);
}

// Around warps, tiles, and the last tile of several.
INSTANTIATE_TEST_SUITE_P(Sizes, Once, testing::Values(1, 31, 33, 1024, 1025, 5001));

}  // namespace
}  // namespace compaction_test

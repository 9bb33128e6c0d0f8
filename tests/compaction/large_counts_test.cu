// SPDX-License-Identifier: Apache-2.0
//
// cccl 747, 6641 and their kind: counts and positions beyond 32 bits. Nothing of that length is in
// memory: the input is computed, and each output element is compared with its closed form when it
// is written. The long test takes the real sizes on a GPU; otherwise the same forms at small ones.
#include <compaction/device_partition.cuh>
#include <compaction/device_run_length_encode.cuh>
#include <compaction/device_select.cuh>
#include <cstdlib>
#include <iterator>

#include "compaction_test.cuh"

namespace compaction_test {
namespace {

using libscan::DevicePartition;
using libscan::DeviceRunLengthEncode;
using libscan::DeviceSelect;
using Number = long long;

// Element i is form(i).
template <class Form>
struct ComputedInput {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Number;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Number;
    Form form;
    __host__ __device__ Number operator[](std::ptrdiff_t i) const { return form(i); }
};

// Write-only. Counts what is written, what differs from form(i), and what is beyond the end.
template <class Form>
struct CheckedOutput {
    using iterator_category = std::random_access_iterator_tag;
    using value_type = void;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = void;

    struct Slot {
        const CheckedOutput& to;
        std::ptrdiff_t i;
        __device__ void operator=(Number value) const {
            if (i >= to.end || to.form(i) != value) atomicAdd(to.tally + 1, 1ull);
            if (i == to.end - 1) atomicAdd(to.tally, 1ull);
        }
    };
    Form form;
    Number end;
    unsigned long long* tally;  // times that the last element was written, wrong elements
    __device__ Slot operator[](std::ptrdiff_t i) const { return {*this, i}; }
};

struct Linear {
    Number factor, offset, divisor;
    __host__ __device__ Number operator()(Number i) const {
        return (i * factor + offset) / divisor;
    }
};
constexpr Linear kIndex{1, 0, 1}, kTwice{2, 0, 1};

struct IsEven {
    __host__ __device__ bool operator()(Number value) const { return value % 2 == 0; }
};

// The even numbers below n, then the odd ones backwards.
struct EvenThenOdd {
    Number n;
    __host__ __device__ Number operator()(Number i) const {
        return i < (n + 1) / 2 ? 2 * i : 2 * (n - 1 - i) + 1;
    }
};

std::vector<Number> sizes() {
#if defined(SIMT_VERSION)
    constexpr bool kCanBeLarge = false;
#else
    constexpr bool kCanBeLarge = true;
#endif
    if (std::getenv("COMPACTION_LONG") == nullptr) return {1, 4095, kIsSlow ? 20000 : 100003};
    if (!kCanBeLarge) return {1 << 20, (1 << 21) + 5};
    return {(1ll << 31) - 745, (1ll << 31) - 1, 1ll << 31, (1ll << 32) + 5};
}

class Output {
  public:
    explicit Output(Number end) : end_(end), tally_(std::vector<unsigned long long>{0, 0}) {}
    template <class Form>
    CheckedOutput<Form> checks(Form form) {
        return {form, end_, tally_.data()};
    }
    testing::AssertionResult is_right() {
        const std::vector<unsigned long long> tally = tally_.download();
        if (tally[0] == (end_ > 0 ? 1u : 0u) && tally[1] == 0) return testing::AssertionSuccess();
        return testing::AssertionFailure() << tally[1] << " elements are wrong, the last of "
                                           << end_ << " was written " << tally[0] << " times";
    }

  private:
    Number end_;
    DeviceArray<unsigned long long> tally_;
};

// One tile, all of it selected, behind so many items, and a count.
template <class Task>
__global__ void write_far_tile(Task task, Number before, Number* count) {
    using Shape = typename Task::Shape;
    auto& shared = *libscan::dynamic_shared<typename Task::Shared>();
    for (int i = static_cast<int>(threadIdx.x); i < Shape::kTile; i += Shape::kThreads)
        shared.main[i] = before + i;
    __syncthreads();
    const auto selected = static_cast<libscan::detail::Word>(before);
    task.write(shared, before, Shape::kTile, {{Shape::kTile}}, {{selected}}, before + Shape::kTile);
    if (threadIdx.x == 0) libscan::detail::store_count<1>(count, 0, selected);
}

// The same on the CPU, which cannot go over so many.
TEST(LargeCounts, FarTile) {
    namespace lib = libscan::detail;
    using Shape = lib::TileShape<64, 2>;
    using Column = lib::Column<ComputedInput<Linear>, lib::SelectedSink<CheckedOutput<Linear>>>;
    using Task = lib::SelectTask<Shape, lib::IfCriterion<IsEven>, Column, lib::NoColumn, Number*>;
    for (const Number before : {(1ll << 31) - 7, 1ll << 31, (1ll << 32) - 7, (1ll << 32) + 5}) {
        SCOPED_TRACE(before);
        Output out(before + Shape::kTile);
        DeviceArray<Number> count(1);
        const Task task{{}, {{kIndex}, {out.checks(kIndex)}, false}, {}, count.data()};
        ASSERT_CUDA_OK(libscan::launch(write_far_tile<Task>, dim3(1), Shape::kThreads,
                                       sizeof(typename Task::Shared), cudaStream_t(nullptr), task,
                                       before, count.data()));
        EXPECT_TRUE(out.is_right());
        EXPECT_EQ(count.download()[0], before);
    }
}

template <class Call>
Number count_of(Call call) {
    DeviceArray<Number> count(1);
    EXPECT_CUDA_OK(call(count.data()));
    return count.download()[0];
}

TEST(LargeCounts, Select) {
    for (const Number n : sizes()) {
        SCOPED_TRACE(n);
        Output out((n + 1) / 2);
        EXPECT_EQ(count_of([&](Number* count) {
                      return DeviceSelect::If(ComputedInput<Linear>{kIndex}, out.checks(kTwice),
                                              count, n, IsEven{});
                  }),
                  (n + 1) / 2);
        EXPECT_TRUE(out.is_right());
    }
}

TEST(LargeCounts, Unique) {
    for (const Number n : sizes()) {
        SCOPED_TRACE(n);
        Output out((n + 2) / 3);
        EXPECT_EQ(count_of([&](Number* count) {
                      return DeviceSelect::Unique(ComputedInput<Linear>{{1, 0, 3}},
                                                  out.checks(kIndex), count, n);
                  }),
                  (n + 2) / 3);
        EXPECT_TRUE(out.is_right());
    }
}

TEST(LargeCounts, Partition) {
    for (const Number n : sizes()) {
        SCOPED_TRACE(n);
        Output out(n);
        EXPECT_EQ(count_of([&](Number* count) {
                      return DevicePartition::If(ComputedInput<Linear>{kIndex},
                                                 out.checks(EvenThenOdd{n}), count, n, IsEven{});
                  }),
                  (n + 1) / 2);
        EXPECT_TRUE(out.is_right());
    }
}

// Runs of 2, the first one of 1, and perhaps the last one.
struct OneThenTwo {
    Number n;
    __host__ __device__ Number operator()(Number i) const {
        return i == 0 || (i == n / 2 && n % 2 == 0) ? 1 : 2;
    }
};

TEST(LargeCounts, Encode) {
    for (const Number n : sizes()) {
        SCOPED_TRACE(n);
        const Number runs = n / 2 + 1;
        Output items(runs), lengths(runs);
        EXPECT_EQ(count_of([&](Number* count) {
                      return DeviceRunLengthEncode::Encode(ComputedInput<Linear>{{1, 1, 2}},
                                                           items.checks(kIndex),
                                                           lengths.checks(OneThenTwo{n}), count, n);
                  }),
                  runs);
        EXPECT_TRUE(items.is_right());
        EXPECT_TRUE(lengths.is_right());
    }
}

// 0 1 1 2 3 3 4 5 5: a run of 2 in every 3 items.
struct OneAndTwo {
    __host__ __device__ Number operator()(Number i) const { return i / 3 * 2 + (i % 3 != 0); }
};
struct Two {
    __host__ __device__ Number operator()(Number) const { return 2; }
};

TEST(LargeCounts, NonTrivialRuns) {
    for (const Number n : sizes()) {
        SCOPED_TRACE(n);
        Output offsets(n / 3), lengths(n / 3);
        EXPECT_EQ(count_of([&](Number* count) {
                      return DeviceRunLengthEncode::NonTrivialRuns(ComputedInput<OneAndTwo>{{}},
                                                                   offsets.checks(Linear{3, 1, 1}),
                                                                   lengths.checks(Two{}), count, n);
                  }),
                  n / 3);
        EXPECT_TRUE(offsets.is_right());
        EXPECT_TRUE(lengths.is_right());
    }
}

// A single run that is longer than 32 bits can tell.
TEST(LargeCounts, OneRun) {
    for (const Number n : sizes()) {
        if (n < 2) continue;
        SCOPED_TRACE(n);
        Output offsets(1), lengths(1);
        EXPECT_EQ(count_of([&](Number* count) {
                      return DeviceRunLengthEncode::NonTrivialRuns(
                          ComputedInput<Linear>{{0, 7, 1}}, offsets.checks(Linear{0, 0, 1}),
                          lengths.checks(Linear{0, n, 1}), count, n);
                  }),
                  1);
        EXPECT_TRUE(offsets.is_right());
        EXPECT_TRUE(lengths.is_right());
    }
}

}  // namespace
}  // namespace compaction_test

// SPDX-License-Identifier: Apache-2.0
//
// More elements than 32 bits can count (reports cub 584 and cupy 9841). The results have closed
// forms, and are checked on the device: in arrays where it has memory for them, and in any case by
// an output that compares what is written to it and keeps nothing. On the CPU the same with fewer.
#include <libscan/device_scan.cuh>

#include "../scan/test_iterators.cuh"
#include "../scan/test_types.cuh"

namespace scan_test {
namespace {

using libscan::DeviceScan;
using Counter = unsigned long long;

#if defined(SIMT_VERSION)
constexpr std::int64_t sized(std::int64_t, std::int64_t on_cpu) { return on_cpu; }
#else
constexpr std::int64_t sized(std::int64_t on_gpu, std::int64_t) { return on_gpu; }
#endif
constexpr std::int64_t kTwoTo32 = std::int64_t{1} << 32;

// ---- Sequences, as iterators, and what their scans are -----------------------------------------

struct ModThousand : IteratorTraits<std::uint32_t> {
    __host__ __device__ std::uint32_t operator[](std::int64_t i) const {
        return static_cast<std::uint32_t>(i % 1000);
    }
    // The sum before i, mod 2^32.
    struct Before {
        __host__ __device__ std::uint32_t operator()(std::int64_t i) const {
            const std::int64_t rest = i % 1000;
            return static_cast<std::uint32_t>(i / 1000 * 499500 + rest * (rest - 1) / 2);
        }
    };
};

// 1 at both ends, else 0.
struct OneAtTheEnds : IteratorTraits<std::int64_t> {
    std::int64_t count;
    explicit OneAtTheEnds(std::int64_t n) : count(n) {}
    __host__ __device__ std::int64_t operator[](std::int64_t i) const {
        return i == 0 || i == count - 1 ? 1 : 0;
    }
    struct Before {
        __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i > 0 ? 1 : 0; }
    };
};

struct Ones : IteratorTraits<std::uint32_t> {
    __host__ __device__ std::uint32_t operator[](std::int64_t) const { return 1; }
};
// The sum up to i of ones in runs of `longest`.
struct PlaceInRun {
    std::int64_t longest;
    __host__ __device__ std::uint32_t operator()(std::int64_t i) const {
        return static_cast<std::uint32_t>(i % longest + 1);
    }
};

// ---- Checks ------------------------------------------------------------------------------------

constexpr int kCounters = 1024;

// Compares what is written to element i with right(i), and counts: elements written and wrong ones,
// each in many counters, so that not all wait for one.
template <class Right>
struct ComparingOutput : IteratorTraits<void> {
    Counter* counters;
    Right right;
    struct Slot {
        const ComparingOutput& to;
        std::int64_t i;
        template <class T>
        __device__ void operator=(const T& value) const {
            Counter* const mine = to.counters + i / 32 % kCounters * 2;
            atomicAdd(mine, Counter{1});
            if (value != to.right(i)) atomicAdd(mine + 1, Counter{1});
        }
    };
    ComparingOutput(Counter* c, Right r) : counters(c), right(r) {}
    __device__ Slot operator[](std::int64_t i) const { return {*this, i}; }
};

class Counters {
  public:
    Counter* data() { return counters_.data(); }
    // So many elements have been written, and none is wrong.
    void expect_right(std::int64_t n) {
        Counter written = 0, wrong = 0;
        const std::vector<Counter> all = counters_.download();
        for (std::size_t i = 0; i < all.size(); i += 2) {
            written += all[i];
            wrong += all[i + 1];
        }
        EXPECT_EQ(written, static_cast<Counter>(n));
        EXPECT_EQ(wrong, 0u);
    }

  private:
    DeviceArray<Counter> counters_{std::vector<Counter>(2 * kCounters, 0)};
};

constexpr int kCopyThreads = 256;
constexpr std::int64_t kCopyItems = kCopyThreads * 64;  // of a block

template <class In, class Out>
__global__ void __launch_bounds__(kCopyThreads) copy_kernel(In in, Out out, std::int64_t n) {
    const std::int64_t first = blockIdx.x * kCopyItems;
    for (std::int64_t i = first + threadIdx.x; i < n && i < first + kCopyItems; i += kCopyThreads)
        out[i] = in[i];
}
template <class In, class Out>
void copy(In in, Out out, std::int64_t n) {
    ASSERT_CUDA_OK(libscan::launch(copy_kernel<In, Out>,
                                   dim3(static_cast<unsigned>((n + kCopyItems - 1) / kCopyItems)),
                                   kCopyThreads, 0, nullptr, in, out, n));
}

// Device memory without guards: there is a lot of it. Null where there is not so much.
template <class T>
class LargeArray {
  public:
    explicit LargeArray(std::int64_t count) {
        if (cudaMalloc(reinterpret_cast<void**>(&data_),
                       static_cast<std::size_t>(count) * sizeof(T)) != cudaSuccess) {
            (void)cudaGetLastError();
            data_ = nullptr;
        }
    }
    LargeArray(const LargeArray&) = delete;
    LargeArray& operator=(const LargeArray&) = delete;
    ~LargeArray() { EXPECT_CUDA_OK(cudaFree(data_)); }
    T* data() const { return data_; }

  private:
    T* data_ = nullptr;
};

// Exclusive sum in place in an array.
template <class T, class Sequence>
void expect_sums_in_memory(Sequence sequence, std::int64_t n) {
    LargeArray<T> data(n);
    if (data.data() == nullptr)
        GTEST_SKIP() << "the device has no " << n << " times " << sizeof(T) << " bytes of memory";
    copy(sequence, data.data(), n);
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveSum(temp, bytes, data.data(), n);
    }));
    Counters counters;
    copy(static_cast<const T*>(data.data()),
         ComparingOutput<typename Sequence::Before>(counters.data(), {}), n);
    counters.expect_right(n);
}

template <class Sequence>
void expect_sums_of_iterator(Sequence sequence, std::int64_t n) {
    Counters counters;
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveSum(
            temp, bytes, sequence, ComparingOutput<typename Sequence::Before>(counters.data(), {}),
            n);
    }));
    counters.expect_right(n);
}

// cub 584.
constexpr std::int64_t kThousands = sized(kTwoTo32 + 2000000, 3000000);
TEST(Large, ModThousandInMemory) {
    expect_sums_in_memory<std::uint32_t>(ModThousand{}, kThousands);
}
TEST(Large, ModThousandFromAnIterator) { expect_sums_of_iterator(ModThousand{}, kThousands); }
TEST(Large, ModThousandByThreeKernels) {
    Counters counters;
    libscan::ScanOptions options;
    options.strategy = libscan::ScanStrategy::three_kernel;
    ASSERT_CUDA_OK(DeviceScan::ExclusiveSum(
        ModThousand{}, ComparingOutput<ModThousand::Before>(counters.data(), {}), kThousands,
        options));
    counters.expect_right(kThousands);
}

// cupy 9841, whose sum is inclusive: that of element i is the exclusive one of i + 1.
constexpr std::int64_t kZeros = sized(kTwoTo32 + 1, 2000001);
TEST(Large, OneAtTheEndsInMemory) {
    expect_sums_in_memory<std::int64_t>(OneAtTheEnds(kZeros), kZeros);
}
struct UpToTheEnd {
    std::int64_t count;
    __host__ __device__ std::int64_t operator()(std::int64_t i) const {
        return i == count - 1 ? 2 : 1;
    }
};
TEST(Large, OneAtTheEndsInclusive) {
    LargeArray<std::int64_t> data(kZeros);
    if (data.data() == nullptr)
        GTEST_SKIP() << "the device has no " << kZeros << " times 8 bytes of memory";
    copy(OneAtTheEnds(kZeros), data.data(), kZeros);
    Counters counters;
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSum(
            temp, bytes, data.data(),
            ComparingOutput<UpToTheEnd>(counters.data(), UpToTheEnd{kZeros}), kZeros);
    }));
    counters.expect_right(kZeros);
}

TEST(Large, ByKeyOverRunsOfBillions) {
    constexpr std::int64_t kLongest = sized(3000000000, 900000);
    Counters counters;
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSumByKey(
            temp, bytes, KeysInRuns(kLongest), Ones{},
            ComparingOutput<PlaceInRun>(counters.data(), PlaceInRun{kLongest}), kThousands);
    }));
    counters.expect_right(kThousands);
}

}  // namespace
}  // namespace scan_test

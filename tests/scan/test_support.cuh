// SPDX-License-Identifier: Apache-2.0
//
// What the scan tests share: device memory between guards, random numbers from a seed, exact
// comparison that names the first wrong element, and the loop over schedules.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <libscan/config.cuh>
#include <string>
#include <vector>

namespace scan_test {

inline testing::AssertionResult succeeded(cudaError_t error) {
    if (error == cudaSuccess) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << cudaGetErrorName(error) << ": " << cudaGetErrorString(error);
}

#define EXPECT_CUDA_OK(call) EXPECT_TRUE(::scan_test::succeeded(call))
#define ASSERT_CUDA_OK(call) ASSERT_TRUE(::scan_test::succeeded(call))

// A kernel that fails leaves an error that all later calls return. The tests after it are not to
// blame.
class ResetAfterFailure : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo& info) override {
        if (info.result()->Failed()) (void)cudaDeviceReset();
    }
};
inline const bool kResetsAfterFailure = [] {
    testing::UnitTest::GetInstance()->listeners().Append(new ResetAfterFailure);
    return true;
}();

// splitmix64 (Sebastiano Vigna, public domain).
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }

  private:
    std::uint64_t state_;
};

// `count` elements in device memory, `shift` bytes behind an aligned address, between two guards.
// The elements begin as poison; the destructor fails the test if a guard has changed. The guards of
// two arrays differ, so that what was copied from one to the other shows.
template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(std::size_t count, std::size_t shift = 0)
        : count_(count),
          front_(kGuard + shift),
          guard_(next_guard()),
          raw_(front_ + count * sizeof(T) + kGuard, guard_) {
        std::fill_n(raw_.begin() + static_cast<std::ptrdiff_t>(front_), count * sizeof(T), kPoison);
        EXPECT_CUDA_OK(cudaMalloc(reinterpret_cast<void**>(&base_), raw_.size()));
        EXPECT_CUDA_OK(cudaMemcpy(base_, raw_.data(), raw_.size(), cudaMemcpyHostToDevice));
    }
    explicit DeviceArray(const std::vector<T>& values, std::size_t shift = 0)
        : DeviceArray(values.size(), shift) {
        if (values.empty()) return;
        EXPECT_CUDA_OK(
            cudaMemcpy(data(), values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    ~DeviceArray() {
        // Where a kernel has failed, nothing can be read any more; that has been reported by then.
        if (cudaMemcpy(raw_.data(), base_, raw_.size(), cudaMemcpyDeviceToHost) != cudaSuccess) {
            EXPECT_TRUE(testing::Test::HasFailure()) << "an array cannot be read back";
            (void)cudaFree(base_);
            return;
        }
        for (std::size_t i = 0; i < raw_.size(); ++i) {
            if (is_inside(i) || raw_[i] == guard_) continue;
            ADD_FAILURE() << "byte " << static_cast<std::ptrdiff_t>(i - front_)
                          << " of an array of " << count_ * sizeof(T) << " bytes was written";
            break;
        }
        EXPECT_CUDA_OK(cudaFree(base_));
    }

    T* data() { return reinterpret_cast<T*>(base_ + front_); }
    std::size_t size() const { return count_; }

    std::vector<T> download() {
        fetch();
        std::vector<T> values(count_);
        if (count_ > 0) std::memcpy(values.data(), raw_.data() + front_, count_ * sizeof(T));
        return values;
    }
    bool is_untouched() {
        fetch();
        for (std::size_t i = 0; i < raw_.size(); ++i) {
            if (raw_[i] != (is_inside(i) ? kPoison : guard_)) return false;
        }
        return true;
    }

  private:
    static constexpr std::size_t kGuard = 256;
    static constexpr unsigned char kPoison = 0xa5;

    static unsigned char next_guard() {
        static std::atomic<unsigned char> next{0x30};
        return next++;
    }
    bool is_inside(std::size_t i) const { return i >= front_ && i < front_ + count_ * sizeof(T); }
    void fetch() {
        EXPECT_CUDA_OK(cudaMemcpy(raw_.data(), base_, raw_.size(), cudaMemcpyDeviceToHost));
    }

    std::size_t count_;
    std::size_t front_;
    unsigned char guard_;
    std::vector<unsigned char> raw_;
    unsigned char* base_ = nullptr;
};

// The first difference, and how many there are. Elements below `first` are not compared.
template <class T>
testing::AssertionResult same(const std::vector<T>& actual, const std::vector<T>& expected,
                              std::size_t first = 0) {
    if (actual.size() != expected.size()) {
        return testing::AssertionFailure() << actual.size() << " elements, not " << expected.size();
    }
    std::size_t wrong = 0, where = 0;
    for (std::size_t i = expected.size(); i-- > first;) {
        if (actual[i] == expected[i]) continue;
        ++wrong;
        where = i;
    }
    if (wrong == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << wrong << " of " << expected.size() << " elements are wrong, first element " << where
           << ": " << testing::PrintToString(actual[where]) << ", not "
           << testing::PrintToString(expected[where]);
}

// ThreadSanitizer makes everything about a hundred times slower, and AddressSanitizer, whose build
// is not optimised, ten times: they get fewer schedules and no large arrays. ThreadSanitizer also
// follows 8,128 threads at most, and gets fewer blocks in flight.
#if defined(__SANITIZE_THREAD__)
#define SCAN_TEST_IS_SLOW
inline constexpr bool kIsSlow = true, kHasFewFibers = true;
#elif defined(__SANITIZE_ADDRESS__)
#define SCAN_TEST_IS_SLOW
inline constexpr bool kIsSlow = true, kHasFewFibers = false;
#else
inline constexpr bool kIsSlow = false, kHasFewFibers = false;
#endif

inline constexpr int kSeeds = kIsSlow ? 2 : 20;

// Runs `body` under every schedule: on the CPU in order and then in `seeds` random orders, all of
// them with the checks on and with one worker, so that a seed repeats the schedule exactly; once on
// a GPU, which has its own. Stops at the first schedule that fails and names its seed.
template <class Body>
void for_each_schedule(int seeds, Body body) {
#if defined(SIMT_VERSION)
    const simt::Config before = simt::config();
    for (int seed = 0; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("SIMT_WORKERS=1 SIMT_CHECK=1 SIMT_SEED=" + std::to_string(seed));
        simt::config().seed = static_cast<std::uint64_t>(seed);
        simt::config().workers = 1;
        if (kHasFewFibers) simt::config().resident = 4;
        simt::config().check = true;
        body();
    }
    simt::config() = before;
#else
    (void)seeds;
    body();
#endif
}

// Calls a device-wide function in its two phases, with storage of exactly the size it asks for, one
// byte behind an aligned address: so it loses the most to alignment, and nothing is left over.
template <class Call>
cudaError_t two_phase(Call call) {
    std::size_t bytes = 0;
    const cudaError_t error = call(nullptr, bytes);
    if (error != cudaSuccess) return error;
    EXPECT_GT(bytes, 0u);
    DeviceArray<unsigned char> temp(bytes, 1);
    return call(temp.data(), bytes);
}

// Serial scans, in the same order of operands.
template <class T, class Acc, class Op>
std::vector<Acc> exclusive_scan(const std::vector<T>& in, Op op, Acc start) {
    std::vector<Acc> out;
    out.reserve(in.size());
    for (const T& value : in) {
        out.push_back(start);
        start = static_cast<Acc>(op(start, static_cast<Acc>(value)));
    }
    return out;
}
template <class Acc, class T, class Op>
std::vector<Acc> inclusive_scan(const std::vector<T>& in, Op op) {
    std::vector<Acc> out;
    out.reserve(in.size());
    for (const T& value : in) {
        const Acc element = static_cast<Acc>(value);
        out.push_back(out.empty() ? element : static_cast<Acc>(op(out.back(), element)));
    }
    return out;
}

}  // namespace scan_test

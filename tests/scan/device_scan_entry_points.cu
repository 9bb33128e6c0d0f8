// SPDX-License-Identifier: Apache-2.0
//
// Every entry point of DeviceScan, in all its forms, against a serial scan.
#include <iterator>
#include <libscan/device_scan.cuh>

#include "test_types.cuh"

namespace scan_test {
namespace {

using libscan::DeviceScan;
using libscan::Plus;
using libscan::ScanOptions;
using libscan::ScanStrategy;

struct Larger {
    template <class T>
    __host__ __device__ T operator()(const T& a, const T& b) const {
        return a < b ? b : a;
    }
};

constexpr int kSizes[] = {0, 1, 2, 31, 4095, 4096, 4097, 20000, kIsSlow ? 40000 : 200001};

template <class T>
class EntryPoints : public testing::Test {};
using Types = testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                             std::int32_t, std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(EntryPoints, Types);

TYPED_TEST(EntryPoints, Sums) {
    using T = TypeParam;
    using Acc = libscan::SumAccumulator<T, T>;
    for (const int n : kSizes) {
        SCOPED_TRACE(n);
        const std::vector<T> in = random_elements<T>(static_cast<std::size_t>(n), 1);
        const auto narrowed = [](const std::vector<Acc>& wide) {
            return std::vector<T>(wide.begin(), wide.end());
        };
        const std::vector<T> exclusive = narrowed(exclusive_scan(in, Plus{}, Acc(0)));
        const std::vector<T> inclusive = narrowed(inclusive_scan<Acc>(in, Plus{}));
        DeviceArray<T> data(in), out(in.size());
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::ExclusiveSum(temp, bytes, data.data(), out.data(), n);
        }));
        ASSERT_TRUE(same(out.download(), exclusive));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveSum(temp, bytes, data.data(), out.data(), n);
        }));
        ASSERT_TRUE(same(out.download(), inclusive));
        ASSERT_TRUE(same(data.download(), in));  // the input is only read
        // The strategies differ in what they are compiled to: a narrow and a wide type will do.
        if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, double>) {
            for (const auto strategy : {ScanStrategy::single_pass, ScanStrategy::three_kernel}) {
                ScanOptions options;
                options.strategy = strategy;
                DeviceArray<T> other(in.size());
                ASSERT_CUDA_OK(DeviceScan::ExclusiveSum(data.data(), other.data(), n, options));
                ASSERT_TRUE(same(other.download(), exclusive));
                ASSERT_CUDA_OK(DeviceScan::InclusiveSum(data.data(), other.data(), n, options));
                ASSERT_TRUE(same(other.download(), inclusive));
            }
        }
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::ExclusiveSum(temp, bytes, data.data(), n);
        }));
        ASSERT_TRUE(same(data.download(), exclusive));
    }
}

TEST(EntryPoint, ScansWithAnOperator) {
    for (const int n : kSizes) {
        SCOPED_TRACE(n);
        const std::vector<int> in = random_elements<int>(static_cast<std::size_t>(n), 2);
        std::vector<int> with_start = exclusive_scan(in, Larger{}, -1);
        std::vector<int> inclusive = inclusive_scan<int>(in, Larger{});
        std::vector<int> inclusive_from;
        for (const int v : inclusive) inclusive_from.push_back(Larger{}(1, v));
        DeviceArray<int> data(in), out(in.size());
        const ScanOptions three{nullptr, libscan::Determinism::everywhere,
                                ScanStrategy::three_kernel};
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::ExclusiveScan(temp, bytes, data.data(), out.data(), Larger{}, -1, n);
        }));
        ASSERT_TRUE(same(out.download(), with_start));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveScan(temp, bytes, data.data(), out.data(), Larger{}, n);
        }));
        ASSERT_TRUE(same(out.download(), inclusive));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveScanInit(temp, bytes, data.data(), out.data(), Larger{}, 1,
                                                 n);
        }));
        ASSERT_TRUE(same(out.download(), inclusive_from));
        for (const ScanOptions& options : {ScanOptions{}, three}) {
            ASSERT_CUDA_OK(
                DeviceScan::ExclusiveScan(data.data(), out.data(), Larger{}, -1, n, options));
            ASSERT_TRUE(same(out.download(), with_start));
            ASSERT_CUDA_OK(
                DeviceScan::InclusiveScan(data.data(), out.data(), Larger{}, n, options));
            ASSERT_TRUE(same(out.download(), inclusive));
            ASSERT_CUDA_OK(
                DeviceScan::InclusiveScanInit(data.data(), out.data(), Larger{}, 1, n, options));
            ASSERT_TRUE(same(out.download(), inclusive_from));
        }
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveScan(temp, bytes, data.data(), Larger{}, n);
        }));
        ASSERT_TRUE(same(data.download(), inclusive));
        DeviceArray<int> again(in);
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::ExclusiveScan(temp, bytes, again.data(), Larger{}, -1, n);
        }));
        ASSERT_TRUE(same(again.download(), with_start));
    }
}

// The initial value is what stands in memory when the kernel runs, not when the call is made.
TEST(EntryPoint, FutureValue) {
    for (const int n : {1, 100, 9000}) {
        const std::vector<int> in = random_elements<int>(static_cast<std::size_t>(n), 3);
        DeviceArray<int> data(in), out(in.size()), last(std::vector<int>{0});
        cudaStream_t stream;
        ASSERT_CUDA_OK(cudaStreamCreate(&stream));
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        std::size_t bytes = 0;
        const libscan::FutureValue<int> future(last.data());
        ASSERT_CUDA_OK(
            DeviceScan::ExclusiveScan(nullptr, bytes, data.data(), out.data(), Plus{}, future, n));
        DeviceArray<unsigned char> temp(bytes);
        ASSERT_CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        ASSERT_CUDA_OK(DeviceScan::ExclusiveScan(temp.data(), bytes, data.data(), out.data(),
                                                 Plus{}, future, n, stream));
        ASSERT_CUDA_OK(cudaStreamEndCapture(stream, &graph));
        ASSERT_CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
        for (const int start : {0, 41, -7, 41, 1000}) {
            ASSERT_CUDA_OK(cudaMemcpy(last.data(), &start, sizeof start, cudaMemcpyHostToDevice));
            ASSERT_CUDA_OK(cudaGraphLaunch(exec, stream));
            ASSERT_CUDA_OK(cudaStreamSynchronize(stream));
            ASSERT_TRUE(same(out.download(), exclusive_scan(in, Plus{}, start)));
        }
        ASSERT_CUDA_OK(cudaGraphExecDestroy(exec));
        ASSERT_CUDA_OK(cudaGraphDestroy(graph));
        ASSERT_CUDA_OK(cudaStreamDestroy(stream));
        ScanOptions options;
        options.strategy = ScanStrategy::three_kernel;
        ASSERT_CUDA_OK(
            DeviceScan::InclusiveScanInit(data.data(), out.data(), Plus{}, future, n, options));
        std::vector<int> expected = inclusive_scan<int>(in, Plus{});
        for (int& v : expected) v += 1000;
        ASSERT_TRUE(same(out.download(), expected));
    }
}

// ---- By key -------------------------------------------------------------------------------------

struct SameTens {
    __host__ __device__ bool operator()(int a, int b) const { return a / 10 == b / 10; }
};

template <class T, class Op, class Equality>
std::vector<T> serial_by_key(const std::vector<int>& keys, const std::vector<T>& in, Op op,
                             Equality equal, bool inclusive, T init) {
    std::vector<T> out;
    T run{};
    for (std::size_t i = 0; i < in.size(); ++i) {
        const bool head = i == 0 || !equal(keys[i - 1], keys[i]);
        if (inclusive) {
            run = head ? in[i] : op(run, in[i]);
            out.push_back(run);
        } else {
            out.push_back(head ? init : op(init, run));
            run = head ? in[i] : op(run, in[i]);
        }
    }
    return out;
}

TEST(EntryPoint, ByKey) {
    for (const int n : {0, 1, 2, 2047, 2048, 2049, 41000}) {
        for (const int longest : {1, 4, 37, 5000, 100000}) {
            SCOPED_TRACE(testing::Message() << n << " elements, runs up to " << longest);
            Random random(static_cast<std::uint64_t>(n + longest));
            std::vector<int> keys;
            for (int key = 0; keys.size() < static_cast<std::size_t>(n); key += 1 + random.below(3))
                keys.insert(keys.end(), static_cast<std::size_t>(1 + random.below(longest)), key);
            keys.resize(static_cast<std::size_t>(n));
            const std::vector<int> in = random_elements<int>(keys.size(), 4);
            DeviceArray<int> device_keys(keys), data(in), out(in.size());
            const auto check = [&](const std::vector<int>& expected, auto call) {
                ASSERT_CUDA_OK(two_phase(call));
                ASSERT_TRUE(same(out.download(), expected));
                ASSERT_TRUE(same(device_keys.download(), keys));
                ASSERT_TRUE(same(data.download(), in));
            };
            check(serial_by_key(keys, in, Plus{}, libscan::Equal{}, false, 0),
                  [&](void* temp, std::size_t& bytes) {
                      return DeviceScan::ExclusiveSumByKey(temp, bytes, device_keys.data(),
                                                           data.data(), out.data(), n);
                  });
            check(serial_by_key(keys, in, Plus{}, SameTens{}, true, 0),
                  [&](void* temp, std::size_t& bytes) {
                      return DeviceScan::InclusiveSumByKey(temp, bytes, device_keys.data(),
                                                           data.data(), out.data(), n, SameTens{});
                  });
            check(serial_by_key(keys, in, Larger{}, libscan::Equal{}, false, 1),
                  [&](void* temp, std::size_t& bytes) {
                      return DeviceScan::ExclusiveScanByKey(
                          temp, bytes, device_keys.data(), data.data(), out.data(), Larger{}, 1, n);
                  });
            check(serial_by_key(keys, in, Larger{}, SameTens{}, true, 0), [&](void* temp,
                                                                              std::size_t& bytes) {
                return DeviceScan::InclusiveScanByKey(temp, bytes, device_keys.data(), data.data(),
                                                      out.data(), Larger{}, n, SameTens{});
            });
            // Values in place.
            DeviceArray<int> both(in);
            ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
                return DeviceScan::InclusiveSumByKey(temp, bytes, device_keys.data(), both.data(),
                                                     both.data(), n);
            }));
            ASSERT_TRUE(
                same(both.download(), serial_by_key(keys, in, Plus{}, libscan::Equal{}, true, 0)));
        }
    }
}

}  // namespace
}  // namespace scan_test

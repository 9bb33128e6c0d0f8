// SPDX-License-Identifier: Apache-2.0
//
// DeviceScan over types: of num_items, and of initial values that are converted or read on the
// device.
#include <libscan/device_scan.cuh>

#include "test_types.cuh"

namespace scan_test {
namespace {

using libscan::DeviceScan;
using libscan::Equal;
using libscan::FutureValue;
using libscan::Plus;
using libscan::ScanOptions;

// ---- num_items ---------------------------------------------------------------------------------

template <class NumItems>
void expect_num_items(NumItems n) {
    const std::size_t size = static_cast<std::size_t>(n);
    const std::vector<int> in = random_elements<int>(size, 1), keys = keys_in_runs(size, 9, 2);
    DeviceArray<int> device_keys(keys), data(in), out(size);
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveSum(temp, bytes, data.data(), out.data(), n);
    }));
    ASSERT_TRUE(same(out.download(), exclusive_scan(in, Plus{}, 0)));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSumByKey(temp, bytes, device_keys.data(), data.data(),
                                             out.data(), n);
    }));
    ASSERT_TRUE(same(out.download(), serial_by_key(keys, in, Plus{}, Equal{}, true, 0)));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveScan(temp, bytes, data.data(), out.data(), Plus{}, 3, n);
    }));
    ASSERT_TRUE(same(out.download(), exclusive_scan(in, Plus{}, 3)));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveScan(temp, bytes, data.data(), Plus{}, n);
    }));
    ASSERT_TRUE(same(data.download(), inclusive_scan<int>(in, Plus{})));
    // With CUB's template arguments in its order, and 0 for a stream.
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::InclusiveSumByKey<int*, int*, int*, Equal, NumItems>(
            temp, bytes, device_keys.data(), data.data(), out.data(), n);
    }));
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveScan(temp, bytes, data.data(), Plus{}, 3, n, 0);
    }));
}

TEST(NumItems, OfEveryIntegralType) {
    expect_num_items<char>(127);
    expect_num_items<signed char>(127);
    expect_num_items<unsigned char>(255);
    expect_num_items<short>(32767);
    expect_num_items<unsigned short>(65535);
    expect_num_items<int>(5000);
    expect_num_items<unsigned>(5000);
    expect_num_items<long>(5000);
    expect_num_items<unsigned long>(5000);
    expect_num_items<long long>(5000);
    expect_num_items<unsigned long long>(5000);
    // What is not a number of items that can be is refused in its own type.
    std::size_t bytes = 0;
    int* const none = nullptr;
    EXPECT_EQ(DeviceScan::ExclusiveSum(nullptr, bytes, none, none, static_cast<signed char>(-1)),
              cudaErrorInvalidValue);
    EXPECT_EQ(DeviceScan::ExclusiveSum(nullptr, bytes, none, none, static_cast<short>(-300)),
              cudaErrorInvalidValue);
    EXPECT_EQ(DeviceScan::ExclusiveSum(nullptr, bytes, none, none, ~0ull), cudaErrorInvalidValue);
    EXPECT_EQ(bytes, 0u);
}

// ---- Initial values ----------------------------------------------------------------------------

// Scans accumulate in the type of op(init, element), and convert to the output at the end.
// kAll: by every function; else by one.
template <class Element, class Init, class Out, bool kAll = false>
void expect_converted(Init init) {
    using Acc = decltype(init + Element());
    std::vector<Element> in;
    std::vector<int> keys;
    for (int i = 0; i < 9000; ++i) {
        in.push_back(static_cast<Element>(i % 5));
        keys.push_back(i / 1000);
    }
    const auto converted = [](const std::vector<Acc>& wide) {
        std::vector<Out> narrow;
        for (const Acc& v : wide) narrow.push_back(static_cast<Out>(v));
        return narrow;
    };
    const Acc start = static_cast<Acc>(init);
    const std::vector<Acc> exclusive = exclusive_scan(in, Plus{}, start);
    std::vector<Acc> inclusive(exclusive.begin() + 1, exclusive.end());
    inclusive.push_back(exclusive.back() + static_cast<Acc>(in.back()));
    std::vector<Acc> by_key;
    for (std::size_t i = 0; i < in.size(); ++i)
        by_key.push_back(i % 1000 == 0 ? start : by_key[i - 1] + static_cast<Acc>(in[i - 1]));

    DeviceArray<Element> data(in);
    DeviceArray<int> device_keys(keys);
    DeviceArray<Out> out(in.size());
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return DeviceScan::ExclusiveScan(temp, bytes, data.data(), out.data(), Plus{}, init,
                                         in.size());
    }));
    ASSERT_TRUE(same(out.download(), converted(exclusive)));
    if constexpr (kAll) {
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveScanInit(temp, bytes, data.data(), out.data(), Plus{}, init,
                                                 in.size());
        }));
        ASSERT_TRUE(same(out.download(), converted(inclusive)));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::ExclusiveScanByKey(temp, bytes, device_keys.data(), data.data(),
                                                  out.data(), Plus{}, init, in.size());
        }));
        ASSERT_TRUE(same(out.download(), converted(by_key)));
    }
}

TEST(InitialValue, WiderThanTheElements) {
    expect_converted<std::int32_t, std::int64_t, std::int64_t>(std::int64_t{1} << 40);
}
TEST(InitialValue, NarrowerThanTheElements) { expect_converted<double, int, double>(3); }
TEST(InitialValue, FractionsLastUntilTheOutput) {  // -0.75 would be 0 in an int
    expect_converted<std::int32_t, double, std::int32_t, true>(-0.75);
}

// The initial value is what stands in memory when the kernel runs, not when the call is made.
TEST(InitialValue, InFutureInEachPlace) {
    for (const int n : {1, 100, 9000}) {
        const std::size_t size = static_cast<std::size_t>(n);
        const std::vector<int> in = random_elements<int>(size, 3), keys = keys_in_runs(size, 50, 4);
        DeviceArray<int> data(in), device_keys(keys), in_place(size), out(size), init_out(size),
            by_key(size), one_call(size), start(std::vector<int>{0});
        const FutureValue<int> future(start.data());
        cudaStream_t stream;
        cudaGraph_t graph;
        cudaGraphExec_t replay;
        ASSERT_CUDA_OK(cudaStreamCreate(&stream));
        DeviceArray<unsigned char> temp(1 << 20);
        std::size_t bytes = temp.size();
        ScanOptions options;
        options.stream = stream;
        options.strategy = libscan::ScanStrategy::three_kernel;

        ASSERT_CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        EXPECT_CUDA_OK(cudaMemcpyAsync(in_place.data(), data.data(), size * sizeof(int),
                                       cudaMemcpyDeviceToDevice, stream));
        EXPECT_CUDA_OK(DeviceScan::ExclusiveScan(temp.data(), bytes, data.data(), out.data(),
                                                 Plus{}, future, n, stream));
        EXPECT_CUDA_OK(DeviceScan::ExclusiveScan(temp.data(), bytes, in_place.data(), Plus{},
                                                 future, n, stream));
        EXPECT_CUDA_OK(DeviceScan::InclusiveScanInit(temp.data(), bytes, data.data(),
                                                     init_out.data(), Plus{}, future, n, stream));
        EXPECT_CUDA_OK(DeviceScan::ExclusiveScanByKey(temp.data(), bytes, device_keys.data(),
                                                      data.data(), by_key.data(), Plus{}, future, n,
                                                      Equal{}, stream));
        EXPECT_CUDA_OK(DeviceScan::InclusiveScanInit(data.data(), one_call.data(), Plus{}, future,
                                                     n, options));
        ASSERT_CUDA_OK(cudaStreamEndCapture(stream, &graph));
        ASSERT_CUDA_OK(cudaGraphInstantiate(&replay, graph, 0));
        for (const int value : {0, 41, -7, 41, 1000}) {
            ASSERT_CUDA_OK(cudaMemcpy(start.data(), &value, sizeof value, cudaMemcpyHostToDevice));
            ASSERT_CUDA_OK(cudaGraphLaunch(replay, stream));
            ASSERT_CUDA_OK(cudaStreamSynchronize(stream));
            const std::vector<int> exclusive = exclusive_scan(in, Plus{}, value);
            std::vector<int> inclusive = inclusive_scan<int>(in, Plus{});
            for (int& v : inclusive) v += value;
            ASSERT_TRUE(same(out.download(), exclusive));
            ASSERT_TRUE(same(in_place.download(), exclusive));
            ASSERT_TRUE(same(init_out.download(), inclusive));
            ASSERT_TRUE(same(one_call.download(), inclusive));
            ASSERT_TRUE(
                same(by_key.download(), serial_by_key(keys, in, Plus{}, Equal{}, false, value)));
        }
        ASSERT_CUDA_OK(cudaGraphExecDestroy(replay));
        ASSERT_CUDA_OK(cudaGraphDestroy(graph));
        ASSERT_CUDA_OK(cudaStreamDestroy(stream));
    }
}

}  // namespace
}  // namespace scan_test

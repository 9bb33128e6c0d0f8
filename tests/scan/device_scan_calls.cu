// SPDX-License-Identifier: Apache-2.0
//
// Every entry point of DeviceScan, in all its forms, against a serial scan.
#include <thread>

#include "device_scan_calls.cuh"

namespace scan_test {
namespace {

#if defined(SCAN_TEST_IS_SLOW)
constexpr int kSizes[] = {0, 1, 12000}, kLongestRuns[] = {37};
#else
constexpr int kSizes[] = {0, 1, 2, 31, 4095, 4096, 4097, 20000, 200001};
constexpr int kLongestRuns[] = {1, 37, 100000};
#endif

// Sixteen host threads, each with its own stream, make the first call of everything at once (report
// cccl 10570). First in the file, so that it is the first call.
TEST(EntryPoint, EveryFirstCallBySixteenThreadsAtOnce) {
    constexpr std::size_t kCount = kIsSlow ? 9000 : 20000;
    const std::vector<int> keys = keys_in_runs(kCount, 700, 5),
                           in = random_elements<int>(kCount, 6);
    const std::vector<ScanCall> calls = make_scan_calls();
    std::vector<std::vector<int>> expected;
    for (const ScanCall& call : calls) expected.push_back(call.expected(keys, in));
    const auto first_wrong = [&]() -> std::string {
        cudaStream_t stream;
        if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
            return "no stream";
        std::string wrong;
        DeviceArray<int> device_keys(keys), data(in), out(kCount);
        DeviceArray<unsigned char> temp(1 << 14);
        for (std::size_t i = 0; i < calls.size() && wrong.empty(); i += kIsSlow ? 9 : 1) {
            // What is scanned in place has to be put there first.
            std::size_t bytes = temp.size();
            if (cudaMemcpyAsync(out.data(), data.data(), kCount * sizeof(int),
                                cudaMemcpyDeviceToDevice, stream) != cudaSuccess ||
                calls[i].run({temp.data(), bytes, device_keys.data(), data.data(), out.data(),
                              static_cast<long long>(kCount), stream}) != cudaSuccess ||
                cudaStreamSynchronize(stream) != cudaSuccess || out.download() != expected[i])
                wrong = calls[i].name;
        }
        if (cudaStreamDestroy(stream) != cudaSuccess && wrong.empty()) wrong = "the stream's end";
        return wrong;
    };
    std::vector<std::string> wrong(16, "not run");
    std::vector<std::thread> threads;
    for (std::string& of_thread : wrong) threads.emplace_back([&] { of_thread = first_wrong(); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<std::string>(16));
}

// One call on fresh output, between guards; what is only read is left alone.
void check_call(const ScanCall& call, const std::vector<int>& keys, const std::vector<int>& in) {
    const long long n = static_cast<long long>(in.size());
    SCOPED_TRACE(describe(call, n));
    DeviceArray<int> device_keys(keys), data(in);
    const std::vector<int> before =
        call.form == Form::kInPlace ? in : std::vector<int>(in.size(), -77);
    DeviceArray<int> out(before);
    const auto run = [&](void* temp, std::size_t& bytes) {
        return call.run({temp, bytes, device_keys.data(), data.data(), out.data(), n});
    };
    if (call.form == Form::kOneCall) {
        std::size_t unused = 0;
        ASSERT_CUDA_OK(run(nullptr, unused));
    } else {
        ASSERT_CUDA_OK(two_phase(run));
    }
    ASSERT_TRUE(same(out.download(), call.expected(keys, in)));
    ASSERT_TRUE(same(device_keys.download(), keys));
    ASSERT_TRUE(same(data.download(), in));
}

TEST(EntryPoint, EveryCallAtEverySize) {
    for (const int n : kSizes) {
        for (const int longest : kLongestRuns) {
            SCOPED_TRACE(testing::Message() << "runs of up to " << longest);
            const std::size_t size = static_cast<std::size_t>(n);
            const std::vector<int> keys = keys_in_runs(size, longest, size);
            const std::vector<int> in = random_elements<int>(size, 2);
            for (const ScanCall& call : make_scan_calls()) {
                if (!call.by_key && longest != kLongestRuns[0]) continue;
                check_call(call, keys, in);
                if (HasFatalFailure()) return;
            }
        }
    }
}

TEST(EntryPoint, EveryCallInRandomSchedules) {
    constexpr std::size_t kCount = kIsSlow ? 9000 : 30000;  // a tile of each kind, or some
    const std::vector<int> keys = keys_in_runs(kCount, 3000, 1),
                           in = random_elements<int>(kCount, 3);
    for_each_schedule(kIsSlow ? 1 : 3, [&] {
        for (const ScanCall& call : make_scan_calls()) {
            check_call(call, keys, in);
            if (HasFatalFailure()) return;
        }
    });
}

}  // namespace
}  // namespace scan_test

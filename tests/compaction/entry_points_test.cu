// SPDX-License-Identifier: Apache-2.0
//
// Every entry point, in all its forms, against the serial result: all kinds of selections and runs,
// sizes around warps and tiles; in stream capture; and from many host threads at once.
#include <cstdlib>
#include <libscan/hopper_scan.cuh>
#include <thread>

#include "compaction_test.cuh"

namespace compaction_test {
namespace {

constexpr int kSizes[] = {0, 1, 2, 31, 32, 33, 255, 256, 1023, 4095, 4096, 4097, 20000};

// ThreadSanitizer gets a share of the combinations: the schedules test is what it is there for.
bool is_left_out(std::size_t i) { return kIsSlow && i % 5 != 0; }

testing::AssertionResult is_right(const EntryPoint& entry, const std::vector<Item>& in,
                                  const std::vector<std::uint8_t>& flags) {
    Arrays arrays(in, flags);
    const cudaError_t error = call(entry, arrays.buffers());
    if (error != cudaSuccess) {
        return testing::AssertionFailure() << entry.name << ": " << cudaGetErrorString(error);
    }
    return arrays.has(entry, entry.serial(in, flags), in, flags);
}

TEST(EntryPoints, AllSelections) {
    std::size_t number = 0;
    for (const Selection& selection : kSelections)
        for (const EntryPoint& entry : entry_points()) {
            if (entry.one_call || is_left_out(number++)) continue;
            SCOPED_TRACE(selection.name);
            const std::vector<std::uint8_t> flags = make_flags(kIsSlow ? 5000 : 10007, selection);
            ASSERT_TRUE(is_right(entry, make_mixed(flags, 3), flags));
        }
}

TEST(EntryPoints, AllSizes) {
    std::size_t number = 0;
    for (const int n : kSizes)
        for (const EntryPoint& entry : entry_points()) {
            if (is_left_out(number++)) continue;
            SCOPED_TRACE(n);
            const std::vector<std::uint8_t> flags =
                make_flags(static_cast<std::size_t>(n), {"", 50, 1});
            ASSERT_TRUE(is_right(entry, make_mixed(flags, 4), flags));
        }
}

// More than one launch without states goes over.
TEST(EntryPoints, ManyItems) {
    if (kIsSlow) GTEST_SKIP() << "small tiles are many tiles, too (schedules_test.cu)";
    const std::vector<std::uint8_t> flags = make_flags(250007, {"", 50, 3});
    const std::vector<Item> items = make_mixed(flags, 4);
    for (const EntryPoint& entry : entry_points()) {
        if (entry.one_call) continue;
        ASSERT_TRUE(is_right(entry, items, flags));
    }
}

TEST(EntryPoints, RunsOfAllLengths) {
    std::size_t number = 0;
    for (const int longest : {1, 2, 3, 40, 3000, 100000})
        for (const EntryPoint& entry : entry_points()) {
            if (entry.one_call || entry.has_flags || is_left_out(number++)) continue;
            SCOPED_TRACE(longest);
            const std::vector<Item> in = make_runs<Item>(kIsSlow ? 9000 : 30011, longest);
            ASSERT_TRUE(is_right(entry, in, std::vector<std::uint8_t>(in.size(), 1)));
        }
}

// cccl 1782: in place, again and again, with the same result. The long test has 2^24 items.
TEST(EntryPoints, InPlaceAgainAndAgain) {
    const bool is_long = std::getenv("COMPACTION_LONG") != nullptr;
#if defined(SIMT_VERSION)
    const std::size_t n = is_long ? 1 << 20 : kIsSlow ? 5000 : 1 << 15;
    const int runs = is_long ? 10 : 2;
#else
    const std::size_t n = is_long ? 1 << 24 : 1 << 20;
    const int runs = is_long ? 50 : 5;
#endif
    for (const int percent : {0, 50, 100}) {
        const std::vector<std::uint8_t> flags = make_flags(n, {"", percent, 1});
        // 100%: all items differ from their neighbours; 0%: none does.
        const std::vector<Item> in = percent == 0     ? std::vector<Item>(n, 8)
                                     : percent == 100 ? make_items<Item>(flags)
                                                      : make_mixed(flags, 2);
        for (const EntryPoint& entry : entry_points()) {
            if (!entry.in_place || entry.one_call) continue;
            SCOPED_TRACE(testing::Message() << percent << "%");
            const Results expected = entry.serial(in, flags);
            for (int run = 0; run < runs; ++run) {
                Arrays arrays(in, flags);
                ASSERT_CUDA_OK(call(entry, arrays.buffers()));
                ASSERT_TRUE(arrays.has(entry, expected, in, flags)) << "run " << run;
            }
        }
    }
}

// Up to eight tiles are one cluster where the GPU has them, and nothing is to be cleared. All these
// entry points have tiles of 3072 or of 4096 items.
constexpr std::size_t kOneLaunch = 8 * 3072, kTwoLaunches = 8 * 4096 + 1;

// Compiled as the kernels are: for clusters or, as PTX of an older architecture, without them.
__global__ void like_others_kernel() {}

TEST(EntryPoints, FewItemsAreOneLaunch) {
    cudaDeviceProp device{};
    ASSERT_CUDA_OK(cudaGetDeviceProperties(&device, 0));
    bool hopper_code = false;
    ASSERT_CUDA_OK(libscan::detail::has_hopper_code(&like_others_kernel, hopper_code));
    if (device.major < 9 || !hopper_code) GTEST_SKIP() << "no clusters";
    const std::vector<std::uint8_t> flags = make_flags(kTwoLaunches, {"", 50, 3});
    for (const std::size_t n : {kOneLaunch, kTwoLaunches}) {
        const std::vector<std::uint8_t> some(flags.begin(), flags.begin() + static_cast<long>(n));
        const std::vector<Item> in = make_mixed(some, 5);
        for (const EntryPoint& entry : entry_points()) {
            if (entry.one_call || entry.name.find("stable") != std::string::npos) continue;
            SCOPED_TRACE(testing::Message() << entry.name << ", " << n);
            cudaStream_t stream = nullptr;
            ASSERT_CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            Arrays arrays(in, some, stream);
            std::size_t bytes = 0, nodes = 0;
            ASSERT_CUDA_OK(entry.call(nullptr, bytes, arrays.buffers()));
            DeviceArray<std::uint8_t> temp(bytes);
            cudaGraph_t graph = nullptr;
            ASSERT_CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
            ASSERT_CUDA_OK(entry.call(temp.data(), bytes, arrays.buffers()));
            ASSERT_CUDA_OK(cudaStreamEndCapture(stream, &graph));
            ASSERT_CUDA_OK(cudaGraphGetNodes(graph, nullptr, &nodes));
            EXPECT_EQ(nodes, n == kOneLaunch ? 1u : 2u);
            ASSERT_CUDA_OK(cudaGraphDestroy(graph));
            ASSERT_CUDA_OK(cudaStreamDestroy(stream));
        }
    }
}

TEST(EntryPoints, OnBothSidesOfACluster) {
    const std::vector<std::uint8_t> flags = make_flags(kTwoLaunches, {"", 50, 3});
    for (const std::size_t n : {kOneLaunch, kOneLaunch + 1, kTwoLaunches - 1, kTwoLaunches}) {
        const std::vector<std::uint8_t> some(flags.begin(), flags.begin() + static_cast<long>(n));
        const std::vector<Item> in = make_mixed(some, 5);
        std::size_t number = 0;
        for (const EntryPoint& entry : entry_points()) {
            if (entry.one_call || is_left_out(number++)) continue;
            SCOPED_TRACE(n);
            ASSERT_TRUE(is_right(entry, in, some));
        }
    }
}

// cccl 321, 5661: nothing in a call waits, so it can be captured; what is cleared before the
// kernel is cleared in every replay.
TEST(EntryPoints, CapturedAndReplayed) {
    std::size_t number = 0;
    for (const std::size_t n : {std::size_t(100), std::size_t(kIsSlow ? 5000 : 9001)})
        for (const EntryPoint& entry : entry_points()) {
            if (is_left_out(number++)) continue;
            SCOPED_TRACE(entry.name);
            const std::vector<std::uint8_t> flags = make_flags(n, {"", 50, 3});
            const std::vector<Item> in = make_mixed(flags, 5);
            const Results expected = entry.serial(in, flags);
            cudaStream_t stream = nullptr;
            cudaGraph_t graph = nullptr;
            cudaGraphExec_t executable = nullptr;
            ASSERT_CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            Arrays arrays(in, flags, stream);
            const Buffers buffers = arrays.buffers();
            std::size_t bytes = 1;
            if (!entry.one_call) {
                ASSERT_CUDA_OK(entry.call(nullptr, bytes, buffers));
            }
            DeviceArray<unsigned char> temp(bytes);
            ASSERT_CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
            ASSERT_CUDA_OK(entry.call(temp.data(), bytes, buffers));
            ASSERT_CUDA_OK(cudaStreamEndCapture(stream, &graph));
            ASSERT_CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
            for (int replay = 0; replay < 5; ++replay) {
                ASSERT_CUDA_OK(
                    cudaMemcpy(buffers.in, in.data(), n * sizeof(Item), cudaMemcpyHostToDevice));
                ASSERT_CUDA_OK(cudaGraphLaunch(executable, stream));
                ASSERT_CUDA_OK(cudaStreamSynchronize(stream));
                ASSERT_TRUE(arrays.has(entry, expected, in, flags)) << "replay " << replay;
            }
            ASSERT_CUDA_OK(cudaGraphExecDestroy(executable));
            ASSERT_CUDA_OK(cudaGraphDestroy(graph));
            ASSERT_CUDA_OK(cudaStreamDestroy(stream));
        }
}

// cccl 10570: the first call of each thread, all at once.
TEST(EntryPoints, SixteenThreadsAtOnce) {
    constexpr int kThreads = 16;
    const std::vector<std::uint8_t> flags = make_flags(kIsSlow ? 5000 : 20000, {"", 50, 2});
    const std::vector<Item> in = make_mixed(flags, 4);
    std::vector<std::thread> threads;
    std::vector<std::string> wrong(kThreads);
    for (std::size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            cudaStream_t stream = nullptr;
            if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
                wrong[t] = "no stream";
                return;
            }
            for (std::size_t e = t; e < entry_points().size(); e += kIsSlow ? kThreads : 5) {
                const EntryPoint& entry = entry_points()[e];
                Arrays arrays(in, flags, stream);
                if (call(entry, arrays.buffers()) != cudaSuccess ||
                    cudaStreamSynchronize(stream) != cudaSuccess ||
                    !arrays.has(entry, entry.serial(in, flags), in, flags)) {
                    wrong[t] = entry.name;
                }
            }
            (void)cudaStreamDestroy(stream);
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<std::string>(kThreads));
}

}  // namespace
}  // namespace compaction_test

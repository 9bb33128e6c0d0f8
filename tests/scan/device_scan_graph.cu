// SPDX-License-Identifier: Apache-2.0
//
// Every entry point of DeviceScan inside stream capture (reports cccl 321 and 5661): the graph is
// replayed with output and temporary storage poisoned in between, and once with another input.
#include "device_scan_calls.cuh"

namespace scan_test {
namespace {

class Graph : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_CUDA_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    void TearDown() override { EXPECT_CUDA_OK(cudaStreamDestroy(stream_)); }

    void expect_replays(const ScanCall& call, std::size_t n) {
        SCOPED_TRACE(describe(call, static_cast<long long>(n)));
        const std::vector<int> keys = keys_in_runs(n, 900, 3), in = random_elements<int>(n, 4),
                               other = random_elements<int>(n, 5);
        DeviceArray<int> device_keys(keys), data(in), out(n);
        std::size_t bytes = 0;
        const auto run = [&](void* temp) {
            return call.run({temp, bytes, device_keys.data(), data.data(), out.data(),
                             static_cast<long long>(n), stream_});
        };
        if (call.form != Form::kOneCall) {
            ASSERT_CUDA_OK(run(nullptr));
        }
        DeviceArray<unsigned char> temp(bytes);

        cudaGraph_t graph = nullptr;
        cudaGraphExec_t replay = nullptr;
        ASSERT_CUDA_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
        // What is scanned in place has to be put there first.
        const cudaError_t copied = call.form == Form::kInPlace
                                       ? cudaMemcpyAsync(out.data(), data.data(), n * sizeof(int),
                                                         cudaMemcpyDeviceToDevice, stream_)
                                       : cudaSuccess;
        const cudaError_t scanned = run(call.form == Form::kOneCall ? nullptr : temp.data());
        ASSERT_CUDA_OK(cudaStreamEndCapture(stream_, &graph));
        ASSERT_CUDA_OK(copied);
        ASSERT_CUDA_OK(scanned);
        EXPECT_TRUE(out.is_untouched()) << "it ran while it was captured";
        ASSERT_CUDA_OK(cudaGraphInstantiate(&replay, graph, 0));
        for (int time = 0; time < (kIsSlow ? 2 : n > 100000 ? 3 : 5); ++time) {
            const std::vector<int>& now = time % 2 == 1 ? other : in;
            ASSERT_CUDA_OK(
                cudaMemcpy(data.data(), now.data(), n * sizeof(int), cudaMemcpyHostToDevice));
            ASSERT_CUDA_OK(cudaMemset(out.data(), 0xee - time, n * sizeof(int)));
            ASSERT_CUDA_OK(cudaMemset(temp.data(), 0xff, bytes));
            ASSERT_CUDA_OK(cudaDeviceSynchronize());
            ASSERT_CUDA_OK(cudaGraphLaunch(replay, stream_));
            ASSERT_CUDA_OK(cudaStreamSynchronize(stream_));
            ASSERT_TRUE(same(out.download(), call.expected(keys, now))) << "replay " << time;
        }
        EXPECT_CUDA_OK(cudaGraphExecDestroy(replay));
        EXPECT_CUDA_OK(cudaGraphDestroy(graph));
    }

    cudaStream_t stream_ = nullptr;
};

// One tile, a few, and many.
TEST_F(Graph, OfEveryCallIsReplayed) {
    for (const std::size_t n : {700, 12000, 200000}) {
        if (kIsSlow && n != 12000) continue;
        for (const ScanCall& call : make_scan_calls()) {
            expect_replays(call, n);
            if (HasFatalFailure()) return;
        }
    }
}

}  // namespace
}  // namespace scan_test

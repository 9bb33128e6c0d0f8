// SPDX-License-Identifier: Apache-2.0
//
// The contract of the three-kernel scan: temporary storage, arguments that are refused, and the
// error state of the caller.
#include <libscan/three_kernel_scan.cuh>
#include <limits>

#include "block_scan_test.cuh"

namespace scan_test {
namespace {

using Scan32 = libscan::ThreeKernelScan<libscan::BlockWarpShuffle, 32, 32>;

template <class T>
std::size_t size_for(std::int64_t n) {
    std::size_t bytes = 0;
    const T* in = nullptr;
    T* out = nullptr;
    EXPECT_CUDA_OK(Scan32::ExclusiveSum(nullptr, bytes, in, out, n));
    return bytes;
}

TEST(ThreeKernelStorage, SizeNeverFallsAndIsNeverZero) {
    std::size_t before = 1;
    for (std::int64_t n = 0; n <= 1000000; n += n < 3000 ? 1 : 97) {
        const std::size_t bytes = size_for<std::uint8_t>(n);
        ASSERT_GE(bytes, before) << n << " elements";
        before = bytes;
    }
    for (int shift = 20; shift < 62; ++shift) {
        for (const std::int64_t n : {(std::int64_t{1} << shift) - 1, std::int64_t{1} << shift}) {
            const std::size_t bytes = size_for<double>(n);
            ASSERT_GE(bytes, before) << n << " elements";
            before = bytes;
        }
    }
}

TEST(ThreeKernelStorage, AnyAlignmentAndNotAByteMoreOrLess) {
    const std::vector<double> in = random_elements<double>(1025, 6);  // three levels
    const std::size_t needed = size_for<double>(1025);
    DeviceArray<double> device_in(in);
    for (std::size_t offset = 0; offset < 16; ++offset) {
        DeviceArray<double> out(in.size());
        DeviceArray<unsigned char> temp(needed, offset);
        std::size_t bytes = needed - 1;
        EXPECT_EQ(Scan32::ExclusiveSum(temp.data(), bytes, device_in.data(), out.data(), in.size()),
                  cudaErrorInvalidValue);
        EXPECT_TRUE(temp.is_untouched());
        EXPECT_TRUE(out.is_untouched());
        bytes = needed;
        ASSERT_CUDA_OK(
            Scan32::ExclusiveSum(temp.data(), bytes, device_in.data(), out.data(), in.size()));
        EXPECT_EQ(bytes, needed);
        ASSERT_TRUE(same(out.download(), exclusive_scan(in, libscan::Plus{}, 0.0)));
    }
}

TEST(ThreeKernelStorage, NoElements) {
    float* const nothing = nullptr;
    std::size_t bytes = 0;
    ASSERT_CUDA_OK(Scan32::InclusiveSum(nullptr, bytes, nothing, nothing, 0));
    ASSERT_GT(bytes, 0u);
    DeviceArray<unsigned char> temp(bytes);
    DeviceArray<float> in(4), out(4);
    EXPECT_CUDA_OK(Scan32::ExclusiveSum(temp.data(), bytes, nothing, nothing, 0));
    EXPECT_CUDA_OK(Scan32::InclusiveSum(temp.data(), bytes, in.data(), out.data(), 0u));
    EXPECT_CUDA_OK(
        Scan32::ExclusiveScan(temp.data(), bytes, in.data(), out.data(), libscan::Plus{}, 1.0f, 0));
    EXPECT_CUDA_OK(
        Scan32::InclusiveScan(temp.data(), bytes, in.data(), out.data(), libscan::Plus{}, 0));
    EXPECT_CUDA_OK(cudaDeviceSynchronize());
    EXPECT_TRUE(temp.is_untouched());
    EXPECT_TRUE(out.is_untouched());
}

// Each is refused with cudaErrorInvalidValue, by all four scans, and nothing is written.
class ThreeKernelRefuses : public testing::Test {
  protected:
    static constexpr int kCount = 300;

    template <class In, class Out, class NumItems>
    void expect_refusal(In in, Out out, NumItems n, unsigned char* temp, std::size_t bytes) {
        using libscan::Plus;
        EXPECT_EQ(Scan32::ExclusiveSum(temp, bytes, in, out, n), cudaErrorInvalidValue);
        EXPECT_EQ(Scan32::InclusiveSum(temp, bytes, in, out, n), cudaErrorInvalidValue);
        EXPECT_EQ(Scan32::ExclusiveScan(temp, bytes, in, out, Plus{}, 0, n), cudaErrorInvalidValue);
        EXPECT_EQ(Scan32::InclusiveScan(temp, bytes, in, out, Plus{}, n), cudaErrorInvalidValue);
        EXPECT_CUDA_OK(cudaPeekAtLastError());
        EXPECT_CUDA_OK(cudaDeviceSynchronize());
        EXPECT_TRUE(data_.is_untouched());
        EXPECT_TRUE(out_.is_untouched());
        EXPECT_TRUE(temp_.is_untouched());
    }

    DeviceArray<int> data_{2 * kCount}, out_{kCount};
    DeviceArray<unsigned char> temp_{16384};
};

TEST_F(ThreeKernelRefuses, NullPointers) {
    int* const null = nullptr;
    expect_refusal(null, out_.data(), kCount, temp_.data(), temp_.size());
    expect_refusal(data_.data(), null, kCount, temp_.data(), temp_.size());
    expect_refusal(null, null, 1, temp_.data(), temp_.size());
}

TEST_F(ThreeKernelRefuses, CountsThatAreNone) {
    int* const in = data_.data();
    expect_refusal(in, out_.data(), -1, temp_.data(), temp_.size());
    expect_refusal(in, out_.data(), std::numeric_limits<std::int64_t>::min(), temp_.data(),
                   temp_.size());
    expect_refusal(in, out_.data(), std::numeric_limits<std::uint64_t>::max(), temp_.data(),
                   temp_.size());
    expect_refusal(in, out_.data(), std::numeric_limits<std::int64_t>::max(), temp_.data(),
                   temp_.size());
    std::size_t bytes = 17;
    EXPECT_EQ(Scan32::ExclusiveSum(nullptr, bytes, in, in, -1), cudaErrorInvalidValue);
    EXPECT_EQ(bytes, 17u);
}

TEST_F(ThreeKernelRefuses, OverlapInPart) {
    int* const in = data_.data();
    expect_refusal(in, in + 1, kCount, temp_.data(), temp_.size());
    expect_refusal(in + 1, in, kCount, temp_.data(), temp_.size());
    expect_refusal(in, in + kCount - 1, kCount, temp_.data(), temp_.size());
    // Begin together, but with elements of different sizes.
    expect_refusal(in, reinterpret_cast<std::int64_t*>(in), kCount, temp_.data(), temp_.size());
    expect_refusal(reinterpret_cast<std::uint8_t*>(in), in, kCount, temp_.data(), temp_.size());
}

TEST_F(ThreeKernelRefuses, OverlapWithTheStorage) {
    auto* const bytes = reinterpret_cast<unsigned char*>(data_.data());
    expect_refusal(data_.data(), out_.data(), 10, bytes + 36, 2 * kCount * sizeof(int) - 36);
    expect_refusal(out_.data(), data_.data(), 10, bytes, 2 * kCount * sizeof(int));
}

TEST(ThreeKernelAliasing, NeighboursAreNoOverlap) {
    const std::vector<int> in(300, 1);
    std::vector<int> all(in);
    all.resize(600, -1);
    DeviceArray<int> data(all);
    ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
        return Scan32::InclusiveSum(temp, bytes, data.data(), data.data() + 300, 300);
    }));
    for (int i = 0; i < 300; ++i) all[static_cast<std::size_t>(300 + i)] = i + 1;
    EXPECT_TRUE(same(data.download(), all));
}

TEST(ThreeKernelErrors, AnOlderErrorOfTheCallerStaysWhereItIs) {
    const std::vector<int> in(300, 1);
    DeviceArray<int> device_in(in), out(in.size()), refused(in.size());
    DeviceArray<unsigned char> temp(size_for<int>(300));
    std::size_t bytes = temp.size();
    ASSERT_NE(cudaSetDevice(-1), cudaSuccess);
    const cudaError_t stale = cudaPeekAtLastError();
    ASSERT_NE(stale, cudaSuccess);
    EXPECT_CUDA_OK(Scan32::InclusiveSum(temp.data(), bytes, device_in.data(), out.data(), 300));
    EXPECT_EQ(cudaPeekAtLastError(), stale);
    // Nor is it lost where the call itself is refused.
    EXPECT_EQ(Scan32::InclusiveSum(temp.data(), bytes, device_in.data(), out.data(), -1),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), stale);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_TRUE(same(out.download(), inclusive_scan<int>(in, libscan::Plus{})));
}

// Nothing in a scan waits or allocates, so it can be captured into a graph.
TEST(ThreeKernelStreams, CapturedAndReplayed) {
    const std::size_t n = 1500;
    DeviceArray<int> in(n), out(n);
    DeviceArray<unsigned char> temp(size_for<int>(static_cast<std::int64_t>(n)));
    std::size_t bytes = temp.size();
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    ASSERT_CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    ASSERT_CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    ASSERT_CUDA_OK(Scan32::InclusiveSum(temp.data(), bytes, in.data(), out.data(), n, stream));
    ASSERT_CUDA_OK(cudaStreamEndCapture(stream, &graph));
    EXPECT_TRUE(out.is_untouched());
    ASSERT_CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const std::vector<int> values = random_elements<int>(n, seed);
        ASSERT_CUDA_OK(
            cudaMemcpy(in.data(), values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        ASSERT_CUDA_OK(cudaGraphLaunch(executable, stream));
        ASSERT_CUDA_OK(cudaStreamSynchronize(stream));
        ASSERT_TRUE(same(out.download(), inclusive_scan<int>(values, libscan::Plus{})));
    }
    EXPECT_CUDA_OK(cudaGraphExecDestroy(executable));
    EXPECT_CUDA_OK(cudaGraphDestroy(graph));
    EXPECT_CUDA_OK(cudaStreamDestroy(stream));
}

// A tile of 256 KiB fits no device: the error of the first launch comes back, and nothing was
// written.
TEST(ThreeKernelErrors, ATileThatDoesNotFitTheDevice) {
    using Large = libscan::ThreeKernelScan<libscan::BlockHillisSteele, 1024, 8192>;
    const std::vector<Matrix> in = random_elements<Matrix>(9000, 1);
    DeviceArray<Matrix> device_in(in), out(in.size());
    EXPECT_NE(two_phase([&](void* temp, std::size_t& bytes) {
                  return Large::InclusiveScan(temp, bytes, device_in.data(), out.data(), Multiply{},
                                              in.size());
              }),
              cudaSuccess);
    (void)cudaGetLastError();
    EXPECT_CUDA_OK(cudaDeviceSynchronize());
    EXPECT_TRUE(out.is_untouched());
}

}  // namespace
}  // namespace scan_test

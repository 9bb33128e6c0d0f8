// SPDX-License-Identifier: Apache-2.0
//
// DeviceScan with accumulators of 4 KB. (In a file of its own: nothing takes nvcc longer.)
#include <libscan/device_scan.cuh>

#include "test_types.cuh"

namespace scan_test {
namespace {

using libscan::DeviceScan;

// 4 KB: in words of an even number sums, in the others the last value.
struct Page {
    std::uint32_t words[1024];
    friend bool operator==(const Page& a, const Page& b) {
        return std::memcmp(&a, &b, sizeof a) == 0;
    }
};
struct AddPages {
    __host__ __device__ Page operator()(const Page& a, const Page& b) const {
        Page r;
        for (int i = 0; i < 1024; i += 2) {
            r.words[i] = a.words[i] + b.words[i];
            r.words[i + 1] = b.words[i + 1];
        }
        return r;
    }
};

TEST(LargeAccumulator, Pages) {
#if defined(SIMT_VERSION)
    const simt::Config before = simt::config();
    simt::config().stack_bytes = 1 << 20;  // of a thread: it holds several pages
#endif
    int device = 0, most = 0;
    ASSERT_CUDA_OK(cudaGetDevice(&device));
    ASSERT_CUDA_OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    // Two windows of tiles.
    for (const std::size_t n : {1, 32, 33, kIsSlow ? 100 : 1100}) {
        SCOPED_TRACE(n);
        Random random(n);
        std::vector<Page> in(n);
        for (Page& page : in)
            for (std::uint32_t& word : page.words) word = static_cast<std::uint32_t>(random.next());
        DeviceArray<Page> data(in), out(n);
        const cudaError_t error = two_phase([&](void* temp, std::size_t& bytes) {
            return DeviceScan::InclusiveScan(temp, bytes, data.data(), out.data(), AddPages{}, n);
        });
        if (most < 33 * 4096) {  // 32 pages do not fit such a device, and it says so
            EXPECT_EQ(error, cudaErrorInvalidValue);
            EXPECT_TRUE(out.is_untouched());
            continue;
        }
        ASSERT_CUDA_OK(error);
        ASSERT_TRUE(same(out.download(), inclusive_scan<Page>(in, AddPages{})));
    }
#if defined(SIMT_VERSION)
    simt::config() = before;
#endif
}

}  // namespace
}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
//
// Two shared libraries that use the same scans of the same types, in one process (reports cub 545,
// cccl 166): one is linked, the other is loaded when the program runs, and the program itself is a
// third user.
#include <dlfcn.h>

#include <libscan/device_scan.cuh>
#include <thread>

#include "../test_types.cuh"
#include "in_library.h"

namespace scan_test {
namespace {

using ScanInLibrary = decltype(&scan_in_library);

class TwoLibraries : public testing::Test {
  protected:
    void SetUp() override {
        library_ = dlopen(LOADED_LIBRARY, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library_, nullptr) << dlerror();
        loaded_ = reinterpret_cast<ScanInLibrary>(dlsym(library_, "scan_in_library"));
        ASSERT_NE(loaded_, nullptr) << dlerror();
        ASSERT_NE(loaded_, linked_) << "there is one library, not two";
    }

    static void expect_right(ScanInLibrary scan, std::size_t n) {
        const std::vector<int> in = random_elements<int>(n, n), keys = keys_in_runs(n, 500, n);
        DeviceArray<int> device_keys(keys), data(in), sums(n), by_key(n);
        ASSERT_EQ(scan(device_keys.data(), data.data(), sums.data(), by_key.data(),
                       static_cast<long long>(n)),
                  cudaSuccess);
        ASSERT_TRUE(same(sums.download(), exclusive_scan(in, libscan::Plus{}, 0)));
        ASSERT_TRUE(same(by_key.download(),
                         serial_by_key(keys, in, libscan::Plus{}, libscan::Equal{}, true, 0)));
    }
    static void expect_right_here(std::size_t n) {
        const std::vector<int> in = random_elements<int>(n, n);
        DeviceArray<int> data(in);
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return libscan::DeviceScan::ExclusiveSum(temp, bytes,
                                                     static_cast<const int*>(data.data()),
                                                     data.data(), static_cast<long long>(n));
        }));
        ASSERT_TRUE(same(data.download(), exclusive_scan(in, libscan::Plus{}, 0)));
    }

    void* library_ = nullptr;  // stays loaded: kernels of a library that goes away are no subject
    ScanInLibrary linked_ = &scan_in_library, loaded_ = nullptr;
};

TEST_F(TwoLibraries, InTurn) {
    for (const std::size_t n : {1, 1000, 30000, 150000}) {
        SCOPED_TRACE(n);
        for (int time = 0; time < 2; ++time) {
            expect_right(loaded_, n);
            expect_right_here(n);
            expect_right(linked_, n);
        }
    }
}

TEST_F(TwoLibraries, AtOnce) {
    std::thread linked([&] { expect_right(linked_, 140000); });
    std::thread loaded([&] { expect_right(loaded_, 150000); });
    expect_right_here(130000);
    linked.join();
    loaded.join();
}

}  // namespace
}  // namespace scan_test

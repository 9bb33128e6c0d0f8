// SPDX-License-Identifier: Apache-2.0
//
// Every entry point of DeviceScan, in all its forms, against a serial scan.
#include "device_scan_calls.cuh"

namespace scan_test {
namespace {

constexpr int kSizes[] = {0, 1, 2, 31, 4095, 4096, 4097, 20000, kIsSlow ? 40000 : 200001};

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
        for (const int longest : {1, 37, 100000}) {
            SCOPED_TRACE(testing::Message() << "runs of up to " << longest);
            const std::size_t size = static_cast<std::size_t>(n);
            const std::vector<int> keys = keys_in_runs(size, longest, size);
            const std::vector<int> in = random_elements<int>(size, 2);
            for (const ScanCall& call : make_scan_calls()) {
                if (!call.by_key && longest > 1) continue;
                check_call(call, keys, in);
                if (HasFatalFailure()) return;
            }
        }
    }
}

TEST(EntryPoint, EveryCallInRandomSchedules) {
    const std::vector<int> keys = keys_in_runs(9000, 3000, 1), in = random_elements<int>(9000, 3);
    for_each_schedule(kIsSlow ? 1 : 3, [&] {
        for (const ScanCall& call : make_scan_calls()) {
            check_call(call, keys, in);
            if (HasFatalFailure()) return;
        }
    });
}

}  // namespace
}  // namespace scan_test

// SPDX-License-Identifier: Apache-2.0
// The whole way from a scan to its row of the report, with scans that are wrong on purpose.
// "Device" arrays are written by copies from the host, so nothing here depends on the library's
// kernels.
#include <gtest/gtest.h>

#include "examples/scan_report/checked_scan.h"
#include "examples/scan_report/gpu_timing.h"
#include "examples/scan_report/report_text.h"

using namespace scan_report;

namespace {

constexpr int kTile = 1024;

/// A scan that computes its outputs on the host by `outputs(input)`.
template <class T, class Outputs>
ScanFunction<T> host_scan(Outputs outputs) {
    return [outputs](void* temp, std::size_t& temp_bytes, T* in, T* out, std::int64_t n) {
        if (temp == nullptr) {
            temp_bytes = 1;
            return cudaSuccess;
        }
        std::vector<T> input(static_cast<std::size_t>(n));
        const std::size_t bytes = input.size() * sizeof(T);
        cudaError_t status = cudaMemcpy(input.data(), in, bytes, cudaMemcpyDeviceToHost);
        if (status != cudaSuccess) return status;
        const std::vector<T> output = outputs(input);
        return cudaMemcpy(out, output.data(), bytes, cudaMemcpyHostToDevice);
    };
}

std::vector<float> right_outputs(const std::vector<float>& input) {
    std::vector<float> output;
    float sum = 0;
    for (const float x : input) {
        output.push_back(sum);
        sum += x;
    }
    return output;
}

std::vector<float> ones(std::size_t n) { return std::vector<float>(n, 1.0f); }

Row row_of(const ScanFunction<float>& scan, std::size_t n = 5000) {
    ScanData<float> data(ones(n));
    return checked_scan<float>(data, "a scan", scan, kTile, {true, 0});
}

TEST(CheckedScan, RightScan) {
    const Row row = row_of(host_scan<float>(right_outputs));
    EXPECT_TRUE(row.checked);
    EXPECT_FALSE(row.failure);
    EXPECT_GE(row.wall_ms, 0);
}

TEST(CheckedScan, WrongElementIsNamed) {
    const Row row = row_of(host_scan<float>([](const std::vector<float>& input) {
        auto output = right_outputs(input);
        output[3000] -= 1;
        return output;
    }));
    EXPECT_FALSE(row.checked);
    ASSERT_TRUE(row.failure);
    EXPECT_EQ(failure_text(row),
              "a scan: element 3000 (block 2, position 952 in its tile) is wrong: expected 3000, "
              "got 2999\n");
    Report report;
    report.rows.push_back(row);
    EXPECT_TRUE(report.failed());
}

TEST(CheckedScan, LastElementIsChecked) {
    const Row row = row_of(host_scan<float>([](const std::vector<float>& input) {
        auto output = right_outputs(input);
        output.back() += 1;
        return output;
    }));
    ASSERT_TRUE(row.failure);
    EXPECT_EQ(row.failure->element, 4999u);
}

/// More than one piece is copied to the host.
TEST(CheckedScan, WrongElementFarBehind) {
    const Row row = row_of(host_scan<float>([](const std::vector<float>& input) {
                               auto output = right_outputs(input);
                               output[2'500'000] += 1;
                               return output;
                           }),
                           3'000'000);
    ASSERT_TRUE(row.failure);
    EXPECT_EQ(row.failure->element, 2'500'000u);
}

TEST(CheckedScan, ScanThatWritesNothing) {
    const ScanFunction<float> lazy = [](void* temp, std::size_t& bytes, float*, float*,
                                        std::int64_t) {
        if (temp == nullptr) bytes = 1;
        return cudaSuccess;
    };
    ScanData<float> data(ones(100));
    EXPECT_TRUE(
        checked_scan<float>(data, "right", host_scan<float>(right_outputs), kTile, {true, 0})
            .checked);
    // The right outputs of the scan before must not pass for this one's.
    EXPECT_TRUE(checked_scan<float>(data, "lazy", lazy, kTile, {true, 0}).failure);
}

TEST(CheckedScan, ErrorsOfTheScanAreThrown) {
    const ScanFunction<float> refuses = [](void*, std::size_t&, float*, float*, std::int64_t) {
        return cudaErrorInvalidValue;
    };
    EXPECT_THROW(row_of(refuses), DeviceError);
    const ScanFunction<float> refuses_later = [](void* temp, std::size_t& bytes, float*, float*,
                                                 std::int64_t) {
        bytes = 16;
        return temp == nullptr ? cudaSuccess : cudaErrorInvalidValue;
    };
    EXPECT_THROW(row_of(refuses_later), DeviceError);
}

TEST(CheckedScan, NothingToScan) {
    const ScanFunction<float> scan = [](void* temp, std::size_t& bytes, float*, float*,
                                        std::int64_t) {
        if (temp == nullptr) bytes = 1;
        return cudaSuccess;
    };
    EXPECT_TRUE(row_of(scan, 0).checked);
}

TEST(Sizes, TilesAndLevels) {
    EXPECT_EQ(tiles_of(0, 4096), 0u);
    EXPECT_EQ(tiles_of(4096, 4096), 1u);
    EXPECT_EQ(tiles_of(4097, 4096), 2u);
    EXPECT_EQ(tiles_of(10'000'000, 4096), 2442u);
    EXPECT_EQ(levels_of(0, 4096), 0);
    EXPECT_EQ(levels_of(1, 4096), 1);
    EXPECT_EQ(levels_of(4096, 4096), 1);
    EXPECT_EQ(levels_of(4097, 4096), 2);
    EXPECT_EQ(levels_of(16'777'216, 4096), 2);
    EXPECT_EQ(levels_of(16'777'217, 4096), 3);
    EXPECT_EQ(levels_of(10'000'000, 1024), 3);
}

TEST(Sizes, BytesThatAScanMoves) {
    EXPECT_EQ(scan_bytes(1000, 4096, 4), 8000);
    // 153 MiB, as on the page, and the sums of the tiles four times.
    EXPECT_EQ(scan_bytes(10'000'000, 4096, 4), 4 * 40e6 + 4 * 2442 * 4);
}

TEST(Timing, MedianOfTheRuns) {
    int runs = 0;
    const double ms = median_ms([&] { ++runs; });
    EXPECT_EQ(runs, kWarmUpRuns + kTimedRuns);
    EXPECT_GE(kTimedRuns, 20);
    EXPECT_GE(ms, 0);
}

}  // namespace

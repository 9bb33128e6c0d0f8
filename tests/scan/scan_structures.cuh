// SPDX-License-Identifier: Apache-2.0
//
// The single-pass scan by each of its structures, with small tiles: so that a few thousand elements
// are many tiles and several windows, and many schedules can be tried.
#pragma once

#include <libscan/single_pass_scan.cuh>

#include "test_types.cuh"

namespace scan_test {

using libscan::detail::ScanStructure;

template <ScanStructure kStructureOfTest, int kWarps, int kRows, int kStages = 2>
struct SmallTiles {
    static constexpr ScanStructure kStructure = kStructureOfTest;
    static constexpr libscan::ScanPolicy policy(std::size_t, std::size_t) {
        return {kWarps, kRows, 1, kStages};
    }
    static constexpr libscan::ScanPolicy keyed_policy(std::size_t, std::size_t, std::size_t) {
        return {kWarps, kRows, 1, kStages};
    }
    template <class T>
    static constexpr int kTile = kWarps* kRows * 32 *
                                 (16 % sizeof(T) == 0 ? 16 / static_cast<int>(sizeof(T)) : 1);
};
using Registers = SmallTiles<ScanStructure::registers, 1, 1>;
using Lookahead = SmallTiles<ScanStructure::lookahead, 1, 1>;
using LookaheadOfThree = SmallTiles<ScanStructure::lookahead, 3, 2, 3>;
using Automatic = SmallTiles<ScanStructure::automatic, 2, 2>;

// Inclusive, and exclusive in place, of n elements that begin `shift` elements behind an aligned
// address; the output of the first begins `out_shift` elements behind one.
template <class T, class Tuning>
void check_structure(std::int64_t n, int seeds, std::size_t shift = 0, std::size_t out_shift = 0) {
    using Op = typename Element<T>::Op;
    using Acc = libscan::ResultOf<Op, T, T>;
    using Scan = libscan::detail::SinglePassScan<Acc, Tuning>;
    SCOPED_TRACE(std::to_string(n) + " elements of " + std::to_string(sizeof(T)) +
                 " bytes, input " + std::to_string(shift) + " and output " +
                 std::to_string(out_shift) + " elements behind an aligned address");
    const std::vector<T> in = random_elements<T>(static_cast<std::size_t>(n), 10);
    const auto narrow = [](const std::vector<Acc>& wide) {
        std::vector<T> narrowed;
        for (const Acc& v : wide) narrowed.push_back(static_cast<T>(v));
        return narrowed;
    };
    const std::vector<T> inclusive = narrow(inclusive_scan<Acc>(in, Op{}));
    const Acc initial = static_cast<Acc>(Element<T>::initial());
    const std::vector<T> exclusive = narrow(exclusive_scan(in, Op{}, initial));
    for_each_schedule(seeds, [&] {
        DeviceArray<T> data(in, shift * sizeof(T)), out(in.size(), out_shift * sizeof(T));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return Scan::template run<true>(temp, bytes, data.data(), out.data(), n, Op{},
                                            libscan::NoStart{}, nullptr);
        }));
        ASSERT_TRUE(same(out.download(), inclusive));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return Scan::template run<false>(temp, bytes, data.data(), data.data(), n, Op{},
                                             initial, nullptr);
        }));
        ASSERT_TRUE(same(data.download(), exclusive));
    });
}

}  // namespace scan_test

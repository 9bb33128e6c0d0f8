// SPDX-License-Identifier: Apache-2.0
//
// The single-pass scan by each of its structures, with small tiles: so that a few thousand elements
// are many tiles and several windows, and many schedules can be tried.
#pragma once

#include <algorithm>
#include <libscan/single_pass_scan.cuh>

#include "test_types.cuh"

namespace scan_test {

// 40 bytes: ten sums.
struct Sums {
    std::uint32_t at[10];
    friend bool operator==(const Sums& a, const Sums& b) {
        return std::equal(a.at, a.at + 10, b.at);
    }
    friend std::ostream& operator<<(std::ostream& out, const Sums& s) {
        return out << "{" << s.at[0] << ", ..., " << s.at[9] << "}";
    }
};
struct AddAll {
    __host__ __device__ Sums operator()(const Sums& a, const Sums& b) const {
        Sums sum = a;
        for (unsigned i = 0; i < 10; ++i) sum.at[i] += b.at[i];
        return sum;
    }
};
template <>
struct Element<Sums> {
    using Op = AddAll;
    static Sums initial() { return {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}; }
    static Sums random(Random& random) {
        Sums s;
        for (std::uint32_t& v : s.at) v = static_cast<std::uint32_t>(random.next());
        return s;
    }
};

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
class StructureCase {
    using Op = typename Element<T>::Op;
    using Acc = libscan::ResultOf<Op, T, T>;
    using Scan = libscan::detail::SinglePassScan<Acc, Tuning>;

  public:
    explicit StructureCase(std::int64_t n, std::size_t shift = 0, std::size_t out_shift = 0)
        : n_(n),
          shift_(shift),
          out_shift_(out_shift),
          initial_(static_cast<Acc>(Element<T>::initial())),
          in_(random_elements<T>(static_cast<std::size_t>(n), 10)),
          inclusive_(narrow(inclusive_scan<Acc>(in_, Op{}))),
          exclusive_(narrow(exclusive_scan(in_, Op{}, initial_))) {}

    void check() const {
        SCOPED_TRACE(std::to_string(n_) + " elements of " + std::to_string(sizeof(T)) +
                     " bytes, input " + std::to_string(shift_) + " and output " +
                     std::to_string(out_shift_) + " elements behind an aligned address");
        DeviceArray<T> data(in_, shift_ * sizeof(T)), out(in_.size(), out_shift_ * sizeof(T));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return Scan::template run<true>(temp, bytes, data.data(), out.data(), n_, Op{},
                                            libscan::NoStart{}, nullptr);
        }));
        ASSERT_TRUE(same(out.download(), inclusive_));
        ASSERT_CUDA_OK(two_phase([&](void* temp, std::size_t& bytes) {
            return Scan::template run<false>(temp, bytes, data.data(), data.data(), n_, Op{},
                                             initial_, nullptr);
        }));
        ASSERT_TRUE(same(data.download(), exclusive_));
    }

  private:
    static std::vector<T> narrow(const std::vector<Acc>& wide) {
        std::vector<T> narrowed;
        for (const Acc& v : wide) narrowed.push_back(static_cast<T>(v));
        return narrowed;
    }

    std::int64_t n_;
    std::size_t shift_, out_shift_;
    Acc initial_;
    std::vector<T> in_, inclusive_, exclusive_;
};

template <class T, class Tuning>
void check_structure(std::int64_t n, int seeds, std::size_t shift = 0, std::size_t out_shift = 0) {
    const StructureCase<T, Tuning> scans(n, shift, out_shift);
    for_each_schedule(seeds, [&] { scans.check(); });
}

}  // namespace scan_test

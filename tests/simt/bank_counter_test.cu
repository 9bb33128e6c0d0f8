// SPDX-License-Identifier: Apache-2.0
// Counted shared-memory requests against the arithmetic of 32 banks.
#include <numeric>

#include "support.cuh"

using simt_test::DeviceArray;
using simt_test::run;

namespace {

class BankCounter : public simt_test::ExecutorTest {
  protected:
    void SetUp() override {
        ExecutorTest::SetUp();
        simt::config().count = true;
        simt::reset_bank_counts();
    }
};

struct alignas(16) Aligned16 {
    unsigned a, b, c, d;
};

constexpr int kStrideLine = __LINE__ + 7;
template <class T>
__global__ void strided(unsigned stride) {
    auto& s = *simt::dynamic_shared<simt::shared_array<T, 2048>>();
    const unsigned i = threadIdx.x * stride;
    __syncthreads();
    s[i] = T{};
    const T v = s[i];
    (void)v;
}

template <class T>
std::vector<simt::SiteCount> count(unsigned stride, unsigned threads, unsigned blocks = 1) {
    simt::reset_bank_counts();
    EXPECT_EQ(run(&strided<T>, blocks, threads,
                  2048 * sizeof(T) <= 49152 ? 2048 * sizeof(T) : 49152, stride),
              cudaSuccess);
    return simt::bank_counts();
}

TEST_F(BankCounter, StrideOfWords) {
    for (unsigned stride = 1; stride <= 64; ++stride) {
        const auto sites = count<unsigned>(stride, 32);
        ASSERT_EQ(sites.size(), 2u);
        const simt::SiteCount& write = sites[0];
        EXPECT_STREQ(write.file, __FILE__);
        EXPECT_EQ(write.line, kStrideLine - 1);
        EXPECT_EQ(write.function, "strided");
        EXPECT_TRUE(write.write);
        EXPECT_FALSE(sites[1].write);
        EXPECT_EQ(sites[1].line, kStrideLine);
        for (const simt::SiteCount& s : sites) {
            EXPECT_EQ(s.accesses, 1u);
            EXPECT_EQ(s.requests, std::gcd(stride, 32u)) << stride;
            EXPECT_EQ(s.ideal, 1u);
        }
    }
}

__global__ void broadcast() {
    SIMT_SHARED(s, simt::shared_array<unsigned, 64>);
    if (threadIdx.x == 0) s[5] = 1u;
    __syncthreads();
    const unsigned v = s[5];
    (void)v;
}

TEST_F(BankCounter, BroadcastIsOneRequest) {
    ASSERT_EQ(run(&broadcast, 1, 32, 0), cudaSuccess);
    const auto sites = simt::bank_counts();
    ASSERT_EQ(sites.size(), 2u);
    EXPECT_EQ(sites[1].accesses, 1u);
    EXPECT_EQ(sites[1].requests, 1u);
}

TEST_F(BankCounter, SumsOverWarpsAndBlocks) {
    const auto sites = count<unsigned>(2, 32 * 5 + 7, 3);
    EXPECT_EQ(sites[0].accesses, 3u * 6);
    EXPECT_EQ(sites[0].requests, 3u * (5 * 2 + 1));  // 7 lanes, 2 words apart, meet no conflict
}

TEST_F(BankCounter, WideAccessesGoInParts) {
    EXPECT_EQ(count<double>(1, 32)[0].requests, 2u);
    EXPECT_EQ(count<double>(1, 32)[0].ideal, 2u);
    EXPECT_EQ(count<Aligned16>(1, 32)[0].requests, 4u);
    EXPECT_EQ(count<Aligned16>(1, 8)[0].requests, 1u);
    EXPECT_EQ(count<Aligned16>(2, 8)[0].requests, 2u);
}

TEST_F(BankCounter, NarrowAccessesShareWords) {
    EXPECT_EQ(count<unsigned char>(1, 32)[0].requests, 1u);
    EXPECT_EQ(count<unsigned char>(4, 32)[0].requests, 1u);
    EXPECT_EQ(count<unsigned char>(8, 32)[0].requests, 2u);
    EXPECT_EQ(count<unsigned short>(1, 32)[0].requests, 1u);
}

// 31 lanes pass the line in the first round, all 32 in the second: three warp-wide accesses in two
// rounds would be wrong, and so would one.
constexpr int kLoopLine = __LINE__ + 6;
__global__ void uneven_rounds() {
    SIMT_SHARED(s, simt::shared_array<unsigned, 64>);
    s[threadIdx.x] = 0u;
    s[threadIdx.x + 32] = 0u;
    __syncthreads();
    for (unsigned k = threadIdx.x == 0; k < 2; ++k) s[threadIdx.x + 32 * k] = 1u;
}

TEST_F(BankCounter, MatchesThePassesOfTheLanes) {
    ASSERT_EQ(run(&uneven_rounds, 1, 32, 0), cudaSuccess);
    const auto sites = simt::bank_counts();
    ASSERT_EQ(sites.size(), 3u);
    EXPECT_EQ(sites[2].line, kLoopLine);
    EXPECT_EQ(sites[2].accesses, 2u);
}

TEST_F(BankCounter, OffByDefault) {
    simt::config().count = false;
    EXPECT_TRUE(count<unsigned>(1, 32).empty());
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <thread>

#include "examples/scan_report/npy.h"
#include "mentions.h"
#include "npy_maker.h"

using namespace scan_report;

namespace {

std::string file_refusal(const std::string& path) {
    try {
        NpyFile file(path);
        file.read<float>();
    } catch (const NpyError& error) {
        return error.what();
    }
    ADD_FAILURE() << "not refused";
    return "";
}

std::string file_refusal_of(const std::string& bytes) {
    return file_refusal(TemporaryFile("file.npy", bytes).path());
}

template <class T, class Scanned>
void round_trip(const std::vector<T>& elements, ElementType type) {
    for (const int major : {1, 2, 3}) {
        const TemporaryFile made("file.npy", npy_bytes(elements, major));
        NpyFile file(made.path());
        EXPECT_EQ(file.type(), type);
        ASSERT_EQ(file.count(), elements.size());
        const std::vector<Scanned> read = file.read<Scanned>();
        ASSERT_EQ(read.size(), elements.size());
        if (!elements.empty()) {
            EXPECT_EQ(std::memcmp(read.data(), elements.data(), elements.size() * sizeof(T)), 0);
        }
    }
}

TEST(NpyFile, EveryTypeAndVersion) {
    round_trip<float, float>({1.5f, -0.0f, std::numeric_limits<float>::max()},
                             ElementType::kFloat32);
    round_trip<double, double>({0.1, 1e300}, ElementType::kFloat64);
    round_trip<std::int32_t, std::uint32_t>({-1, 0, 2147483647}, ElementType::kInt32);
    round_trip<std::int64_t, std::uint64_t>({-1, std::numeric_limits<std::int64_t>::min()},
                                            ElementType::kInt64);
}

TEST(NpyFile, Empty) { round_trip<float, float>({}, ElementType::kFloat32); }

TEST(NpyFile, MoreThanOnePiece) {
    std::vector<std::int32_t> elements(2'500'000);
    for (std::size_t i = 0; i < elements.size(); ++i)
        elements[i] = static_cast<std::int32_t>(i * 2654435761u);
    round_trip<std::int32_t, std::uint32_t>(elements, ElementType::kInt32);
}

TEST(NpyFile, TruncatedAnywhere) {
    const std::string whole = npy_bytes(std::vector<float>{1, 2, 3});
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::string message = file_refusal_of(whole.substr(0, length));
        if (length >= 6) {
            EXPECT_TRUE(mentions(message, "truncated")) << length << ": " << message;
        }
    }
}

TEST(NpyFile, Oversized) {
    const std::string whole = npy_bytes(std::vector<float>{1, 2, 3});
    EXPECT_TRUE(
        mentions(file_refusal_of(whole + '\0'),
                 "oversized: 3 elements of float32 need 12 bytes of data, the file has 13"));
    EXPECT_TRUE(mentions(file_refusal_of(whole + whole), "oversized"));
}

TEST(NpyFile, HugeClaimsAllocateNothing) {
    const std::string header = npy_header_text("<f4", "(1000000000000000,)");
    EXPECT_TRUE(mentions(file_refusal_of(npy_start(header) + "some data"), "truncated"));
}

TEST(NpyFile, WrongHeaderLength) {
    std::string whole = npy_bytes(std::vector<float>{1, 2, 3});
    whole[8] = 0, whole[9] = 0;
    EXPECT_TRUE(mentions(file_refusal_of(whole), "malformed header"));
    whole[8] = 1;
    EXPECT_TRUE(mentions(file_refusal_of(whole), "malformed header"));
    whole[8] = '\xff', whole[9] = '\xff';
    EXPECT_TRUE(mentions(file_refusal_of(whole), "truncated"));
}

TEST(NpyFile, NoFile) {
    EXPECT_TRUE(mentions(file_refusal(temporary_path("missing.npy")), "cannot be opened"));
    EXPECT_TRUE(mentions(file_refusal(testing::TempDir()), "cannot be read"));
    EXPECT_TRUE(mentions(file_refusal_of(""), "not a .npy file"));
    EXPECT_TRUE(mentions(file_refusal("/dev/zero"), "not a .npy file"));
}

/// A pipe has no length, so its content is found wanting only on the way.
class NpyPipe : public testing::Test {
  protected:
    void SetUp() override {
        path_ = temporary_path("pipe");
        std::remove(path_.c_str());
        ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
    }
    void TearDown() override { std::remove(path_.c_str()); }

    template <class Read>
    void with_content(const std::string& bytes, Read read) {
        std::thread writer([&] { write_file(path_, bytes); });
        read();
        writer.join();
    }

    std::string path_;
};

TEST_F(NpyPipe, Whole) {
    with_content(npy_bytes(std::vector<float>{1, 2, 3}), [&] {
        NpyFile file(path_);
        EXPECT_EQ(file.read<float>(), (std::vector<float>{1, 2, 3}));
    });
}

TEST_F(NpyPipe, Truncated) {
    const std::string header = npy_header_text("<f4", "(1000000000000000,)");
    with_content(npy_start(header) + "some data",
                 [&] { EXPECT_TRUE(mentions(file_refusal(path_), "truncated")); });
}

TEST_F(NpyPipe, Oversized) {
    with_content(npy_bytes(std::vector<float>{1, 2, 3}) + "x",
                 [&] { EXPECT_TRUE(mentions(file_refusal(path_), "oversized")); });
}

}  // namespace

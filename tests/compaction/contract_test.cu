// SPDX-License-Identifier: Apache-2.0
//
// The contract, for every entry point: temporary storage, empty inputs, arguments that are refused,
// and the error state of the caller.
#include <compaction/device_partition.cuh>
#include <compaction/device_run_length_encode.cuh>
#include <compaction/device_select.cuh>
#include <limits>

#include "compaction_test.cuh"

namespace compaction_test {
namespace {

std::size_t size_for(const EntryPoint& entry, long long n) {
    std::size_t bytes = 0;
    EXPECT_CUDA_OK(entry.call(nullptr, bytes, Buffers{nullptr, nullptr, {}, nullptr, n, nullptr}));
    return bytes;
}

template <class Body>
void for_each_two_phase(Body body) {
    for (const EntryPoint& entry : entry_points()) {
        if (entry.one_call) continue;
        SCOPED_TRACE(entry.name);
        body(entry);
    }
}

TEST(Contract, StorageIsMonotonicAndNeverNothing) {  // cccl 569, 847, 910
    for_each_two_phase([](const EntryPoint& entry) {
        std::size_t before = 1;
        for (long long n = 0; n <= 1000000; n += n < 9000 ? 1 : 991) {
            const std::size_t bytes = size_for(entry, n);
            ASSERT_GE(bytes, before) << n;
            before = bytes;
        }
        for (int shift = 20; shift < 58; ++shift) {
            const std::size_t bytes = size_for(entry, 1ll << shift);
            ASSERT_GE(bytes, before) << "2^" << shift;
            before = bytes;
        }
    });
}

TEST(Contract, StorageAtAnyAlignmentAndNotAByteLess) {  // cccl 569, rocm-libraries 8263
    const std::vector<std::uint8_t> flags = make_flags(kIsSlow ? 4500 : 9000, {"", 50, 2});
    const std::vector<Item> in = make_mixed(flags, 4);
    std::size_t number = 0;
    for_each_two_phase([&](const EntryPoint& entry) {
        const std::size_t needed = size_for(entry, static_cast<long long>(in.size()));
        const Results expected = entry.serial(in, flags);
        // Every entry point at some alignments, every alignment at some entry point.
        for (std::size_t offset = number++ % 3; offset < 16; offset += kIsSlow ? 9 : 3) {
            Arrays arrays(in, flags);
            DeviceArray<unsigned char> temp(needed, offset);
            std::size_t bytes = needed - 1;
            EXPECT_EQ(entry.call(temp.data(), bytes, arrays.buffers()), cudaErrorInvalidValue);
            EXPECT_TRUE(temp.is_untouched());
            bytes = needed;
            ASSERT_CUDA_OK(entry.call(temp.data(), bytes, arrays.buffers()));
            EXPECT_EQ(bytes, needed);
            ASSERT_TRUE(arrays.has(entry, expected, in, flags));
        }
    });
}

TEST(Contract, NothingToDo) {  // cccl 894
    for (const EntryPoint& entry : entry_points()) {
        SCOPED_TRACE(entry.name);
        DeviceArray<std::int64_t> counts(2);
        DeviceArray<unsigned char> temp(1000);
        std::size_t bytes = entry.one_call ? 0 : size_for(entry, 0);
        void* const storage = entry.one_call ? nullptr : temp.data();
        const Buffers nothing{nullptr, nullptr, {}, counts.data(), 0, nullptr};
        ASSERT_CUDA_OK(entry.call(storage, bytes, nothing));
        ASSERT_CUDA_OK(cudaDeviceSynchronize());
        const std::size_t used = entry.serial({}, {}).counts.size();
        for (std::size_t i = 0; i < 2; ++i)
            EXPECT_EQ(counts.download()[i], i < used ? 0 : std::int64_t(0xa5a5a5a5a5a5a5a5u));
        EXPECT_TRUE(temp.is_untouched());
    }
}

// Each is refused by every entry point that looks at it, and nothing is written.
class Refused : public testing::Test {
  protected:
    static constexpr long long kCount = 9000;

    template <class Change>
    void by_all(Change change) {
        for (const EntryPoint& entry : entry_points()) {
            SCOPED_TRACE(entry.name);
            Buffers buffers{
                in_.data(),     flags_.data(), {out_[0].data(), out_[1].data(), out_[2].data()},
                counts_.data(), kCount,        nullptr};
            std::size_t bytes = temp_.size();
            if (!change(entry, buffers)) continue;
            EXPECT_EQ(entry.call(temp_.data(), bytes, buffers), cudaErrorInvalidValue);
        }
        expect_untouched();
    }
    void expect_untouched() {
        EXPECT_CUDA_OK(cudaPeekAtLastError());
        EXPECT_CUDA_OK(cudaDeviceSynchronize());
        EXPECT_TRUE(in_.is_untouched() && flags_.is_untouched() && counts_.is_untouched());
        EXPECT_TRUE(out_[0].is_untouched() && out_[1].is_untouched() && out_[2].is_untouched());
        EXPECT_TRUE(temp_.is_untouched());
    }

    DeviceArray<Item> in_{2 * kCount};
    DeviceArray<std::uint8_t> flags_{2 * kCount};
    DeviceArray<Item> out_[3] = {DeviceArray<Item>(kCount), DeviceArray<Item>(kCount),
                                 DeviceArray<Item>(kCount)};
    DeviceArray<std::int64_t> counts_{2};
    DeviceArray<unsigned char> temp_{1 << 16};
};

TEST_F(Refused, NullPointers) {
    by_all([](const EntryPoint&, Buffers& b) { return b.in = nullptr, true; });
    by_all([](const EntryPoint& e, Buffers& b) { return b.flags = nullptr, e.has_flags; });
    by_all([](const EntryPoint&, Buffers& b) { return b.counts = nullptr, true; });
    by_all([](const EntryPoint&, Buffers& b) { return b.counts = nullptr, b.n = 0, true; });
    for (int o = 0; o < 3; ++o)
        by_all([=](const EntryPoint& e, Buffers& b) {
            return b.out[o] = nullptr, o < e.outputs && !(o == 0 && e.in_place);
        });
}

TEST_F(Refused, PointersThatAreNotAligned) {
    const auto shifted = [](auto* p) {
        return reinterpret_cast<decltype(p)>(reinterpret_cast<char*>(p) + 2);
    };
    by_all([&](const EntryPoint&, Buffers& b) { return b.in = shifted(b.in), true; });
    by_all([&](const EntryPoint&, Buffers& b) { return b.counts = shifted(b.counts), true; });
    by_all(
        [&](const EntryPoint& e, Buffers& b) { return b.out[0] = shifted(b.out[0]), !e.in_place; });
}

TEST_F(Refused, CountsThatAreNone) {
    for (const long long n :
         {-1ll, std::numeric_limits<long long>::min(), std::numeric_limits<long long>::max()})
        by_all([=](const EntryPoint&, Buffers& b) { return b.n = n, true; });
    std::size_t bytes = 17;
    const Item* const in = nullptr;
    Item* const out = nullptr;
    EXPECT_EQ(
        libscan::DeviceSelect::If(nullptr, bytes, in, out, out, ~std::uint64_t(0), LastBit{1}),
        cudaErrorInvalidValue);
    EXPECT_EQ(
        libscan::DevicePartition::If(nullptr, bytes, in, out, out, ~std::uint64_t(0), LastBit{1}),
        cudaErrorInvalidValue);
    EXPECT_EQ(bytes, 17u);
}

TEST_F(Refused, Overlap) {
    // An output inside of the input, or, but in select, on it.
    by_all([](const EntryPoint& e, Buffers& b) { return b.out[0] = b.in + 1, !e.in_place; });
    by_all(
        [](const EntryPoint& e, Buffers& b) { return b.out[0] = b.in + kCount - 1, !e.in_place; });
    by_all([](const EntryPoint& e, Buffers& b) {
        const bool may = e.name.rfind("Partition", 0) != 0 && e.name.rfind("Encode", 0) != 0 &&
                         e.name.rfind("NonTrivial", 0) != 0;
        return b.out[0] = b.in, !may;
    });
    by_all([](const EntryPoint& e, Buffers& b) {
        return b.out[1] = b.in, e.outputs > 1 && e.name.rfind("UniqueByKey", 0) != 0;
    });
    by_all([](const EntryPoint& e, Buffers& b) { return b.out[1] = b.in + 7, e.outputs > 1; });
    // Partition writes the whole output.
    by_all([](const EntryPoint& e, Buffers& b) {
        b.out[0] = b.in, b.in += kCount - 1;
        return e.name.rfind("Partition", 0) == 0 && e.outputs == 1;
    });
    // Outputs on each other, on the flags, on the counts.
    by_all([](const EntryPoint& e, Buffers& b) { return b.out[1] = b.out[0], e.outputs > 1; });
    by_all([](const EntryPoint& e, Buffers& b) { return b.out[2] = b.out[0], e.outputs > 2; });
    by_all([](const EntryPoint& e, Buffers& b) {
        return b.out[0] = reinterpret_cast<Item*>(b.flags), e.has_flags && !e.in_place;
    });
    by_all([](const EntryPoint&, Buffers& b) {
        return b.counts = reinterpret_cast<std::int64_t*>(b.in + 2), true;
    });
    by_all([](const EntryPoint& e, Buffers& b) {
        return b.counts = reinterpret_cast<std::int64_t*>(b.out[0]), !e.in_place;
    });
    // Storage on what is read and written.
    for (Item* const array : {in_.data(), out_[0].data()})
        for (const std::size_t claimed :
             {std::size_t(1) << 15, ~std::size_t(0), ~std::size_t(0) - 4096})
            for_each_two_phase([&](const EntryPoint& entry) {
                Item* const other = array == in_.data() ? out_[0].data() : in_.data();
                const Buffers buffers{entry.in_place ? array : other,
                                      flags_.data(),
                                      {array, out_[1].data(), out_[2].data()},
                                      counts_.data(),
                                      1 << 12,
                                      nullptr};
                std::size_t bytes = claimed;
                EXPECT_EQ(entry.call(array, bytes, buffers), cudaErrorInvalidValue);
            });
    expect_untouched();
}

// Where a select will not get to is not known before it runs, so neighbours are no overlap.
TEST(Contract, OutputWithoutRoomForMore) {
    std::vector<Item> all(300);
    all[57] = 1;
    DeviceArray<Item> data(std::vector<Item>(all.begin(), all.end()));
    DeviceArray<int> count(1);
    // Item 57 goes to the array's element 0, right before the input, of which there is no more.
    ASSERT_CUDA_OK(
        libscan::DeviceSelect::If(data.data() + 1, data.data(), count.data(), 299, LastBit{1}));
    all[0] = 1;
    EXPECT_TRUE(same(data.download(), all));
    EXPECT_EQ(count.download()[0], 1);
}

// Nor is it lost where the call itself is refused.
TEST(Contract, AnErrorOfTheCallerStays) {
    const std::vector<std::uint8_t> flags = make_flags(5000, {"", 50, 1});
    const std::vector<Item> in = make_mixed(flags, 3);
    for (const EntryPoint& entry : entry_points()) {
        SCOPED_TRACE(entry.name);
        Arrays arrays(in, flags);
        ASSERT_NE(cudaSetDevice(-1), cudaSuccess);
        const cudaError_t stale = cudaPeekAtLastError();
        ASSERT_NE(stale, cudaSuccess);
        Buffers buffers = arrays.buffers();
        EXPECT_CUDA_OK(call(entry, buffers));
        EXPECT_EQ(cudaPeekAtLastError(), stale);
        buffers.n = -1;
        EXPECT_EQ(call(entry, buffers), cudaErrorInvalidValue);
        EXPECT_EQ(cudaGetLastError(), stale);
        EXPECT_TRUE(arrays.has(entry, entry.serial(in, flags), in, flags));
    }
}

// What is volatile is read and written item by item, and a predicate may take a reference.
struct IsOdd {
    __host__ __device__ bool operator()(int& item) const { return item % 2 != 0; }
};
TEST(Contract, VolatileArrays) {
    const std::vector<int> numbers = {1, 1, 2, 3, 3, 3, 5, 8};
    const int n = static_cast<int>(numbers.size());
    const std::vector<int> odd = {1, 1, 3, 3, 3, 5}, heads = {1, 2, 3, 5, 8},
                           runs = {2, 1, 3, 1, 1};
    DeviceArray<int> in(numbers), out(numbers.size()), lengths(numbers.size()), count(1);
    volatile int* const from = in.data();
    volatile int* const to = out.data();
    const auto kept = [&](DeviceArray<int>& items) {
        std::vector<int> first = items.download();
        first.resize(static_cast<std::size_t>(count.download()[0]));
        return first;
    };
    EXPECT_CUDA_OK(libscan::DeviceSelect::If(from, to, count.data(), n, IsOdd{}));
    EXPECT_EQ(kept(out), odd);
    EXPECT_CUDA_OK(libscan::DeviceSelect::Unique(from, to, count.data(), n));
    EXPECT_EQ(kept(out), heads);
    EXPECT_CUDA_OK(libscan::DevicePartition::If(from, to, count.data(), n, IsOdd{}));
    EXPECT_EQ(kept(out), odd);
    EXPECT_CUDA_OK(
        libscan::DeviceRunLengthEncode::Encode(from, to, lengths.data(), count.data(), n));
    EXPECT_EQ(kept(out), heads);
    EXPECT_EQ(kept(lengths), runs);
    EXPECT_CUDA_OK(libscan::DeviceSelect::If(from, from, count.data(), n, IsOdd{}));
    EXPECT_EQ(kept(in), odd);
}

// A block has no shared memory for 32 items of this size: refused, before anything is launched that
// could write.
TEST(Contract, ItemsThatAreTooLarge) {
    using Large = Record<8192>;
    DeviceArray<unsigned char> data(64 * sizeof(Large)), out(64 * sizeof(Large));
    DeviceArray<int> count(1);
    EXPECT_EQ(libscan::DeviceSelect::If(reinterpret_cast<Large*>(data.data()),
                                        reinterpret_cast<Large*>(out.data()), count.data(), 64,
                                        LastBit{1}),
              cudaErrorInvalidValue);
    (void)cudaGetLastError();
    EXPECT_CUDA_OK(cudaDeviceSynchronize());
    EXPECT_TRUE(out.is_untouched() && count.is_untouched());
}

}  // namespace
}  // namespace compaction_test

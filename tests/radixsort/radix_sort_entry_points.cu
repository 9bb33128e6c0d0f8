// SPDX-License-Identifier: Apache-2.0
//
// Every overload of DeviceRadixSort: called, captured in a graph, and with nothing to sort.
#include "record.cuh"

#if !defined(SIMT_VERSION)
#include <cub/util_type.cuh>
#endif

namespace sort_test {
namespace {

using libscan::DeviceRadixSort;
using libscan::SortOptions;

#if defined(SIMT_VERSION)
// A buffer with the members of cub::DoubleBuffer.
template <class T>
struct OtherBuffer {
    OtherBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
    T* d_buffers[2];
    int selector = 0;
};
#else
template <class T>
using OtherBuffer = cub::DoubleBuffer<T>;
#endif

// One name of the API for both directions.
struct Ascending {
    static constexpr bool kDescending = false;
    template <class... Args>
    static cudaError_t keys(Args&&... args) {
        return DeviceRadixSort::SortKeys(std::forward<Args>(args)...);
    }
    template <class... Args>
    static cudaError_t pairs(Args&&... args) {
        return DeviceRadixSort::SortPairs(std::forward<Args>(args)...);
    }
};
struct Descending {
    static constexpr bool kDescending = true;
    template <class... Args>
    static cudaError_t keys(Args&&... args) {
        return DeviceRadixSort::SortKeysDescending(std::forward<Args>(args)...);
    }
    template <class... Args>
    static cudaError_t pairs(Args&&... args) {
        return DeviceRadixSort::SortPairsDescending(std::forward<Args>(args)...);
    }
};

// Sorts of one kind of key: all overloads, on arrays that start anew before each.
template <class KeyT, class Direction>
class Overloads {
  public:
    Overloads(const std::vector<KeyT>& keys, const std::vector<Uint128>& places, int bits)
        : keys_(keys),
          places_(places),
          all_{0, bits},
          n_(static_cast<int>(keys.size())),
          a_(keys),
          b_(keys.size()),
          c_(count_up(n_)),
          d_(keys.size()) {}

    template <class... Decomposer>
    void check(const Decomposer&... decompose) {
        const std::size_t n = keys_.size();
        // The API takes any integral type: here another in each group.
        const auto short_n = static_cast<short>(n);
        const auto long_n = static_cast<unsigned long long>(n);
        KeyT *const a = a_.data(), *const b = b_.data();
        int *const c = c_.data(), *const d = d_.data();
        SortOptions some;
        some.begin_bit = 3;
        some.end_bit = 21;

        // Without bits: the shortest call, or the shortest that names a stream.
        const int all_bits = all_.end;
        const auto with_all_bits = [=](cudaStream_t stream, auto call) {
            if constexpr (sizeof...(Decomposer) > 0) {
                (void)all_bits;
                return stream ? call(decompose..., stream) : call(decompose...);
            } else {
                return stream ? call(0, all_bits, stream) : call();
            }
        };

        two_phase_sort("keys", false, all_, [=](void* t, std::size_t& s, cudaStream_t stream) {
            return with_all_bits(stream, [&](auto... rest) {
                return Direction::keys(t, s, a, b, short_n, rest...);
            });
        });
        two_phase_sort("keys, bits", false, {3, 21},
                       [=](void* t, std::size_t& s, cudaStream_t stream) {
                           return Direction::keys(t, s, a, b, long_n, decompose..., 3, 21, stream);
                       });
        two_phase_sort("pairs", true, all_, [=](void* t, std::size_t& s, cudaStream_t stream) {
            return with_all_bits(stream, [&](auto... rest) {
                return Direction::pairs(t, s, a, b, c, d, short_n, rest...);
            });
        });
        two_phase_sort(
            "pairs, bits", true, {3, 21}, [=](void* t, std::size_t& s, cudaStream_t stream) {
                return Direction::pairs(t, s, a, b, c, d, long_n, decompose..., 3, 21, stream);
            });
        one_call_sort("keys, one call", false, all_, [=](const SortOptions& options) {
            return Direction::keys(a, b, n, decompose..., options);
        });
        one_call_sort("pairs, one call", true, all_, [=](const SortOptions& options) {
            return Direction::pairs(a, b, c, d, n, decompose..., options);
        });
        one_call_sort(
            "pairs, one call, bits", true, {3, 21},
            [=](const SortOptions& options) {
                return Direction::pairs(a, b, c, d, n, decompose..., options);
            },
            some);

        // Two buffers. The calls set keys_selector_ and values_selector_.
        const auto buffers = [=](auto call) {
            return [=](void* t, std::size_t& s, cudaStream_t stream) {
                libscan::DoubleBuffer<KeyT> keys(a, b);
                OtherBuffer<int> values(d, c);
                values.selector = 1;
                const cudaError_t error = call(t, s, keys, values, stream);
                keys_selector_ = keys.selector;
                values_selector_ = 1 - values.selector;
                return error;
            };
        };
        two_phase_sort(
            "two buffers of keys", false, all_,
            buffers([=](void* t, std::size_t& s, auto& keys, auto&, cudaStream_t stream) {
                return with_all_bits(
                    stream, [&](auto... rest) { return Direction::keys(t, s, keys, n, rest...); });
            }));
        two_phase_sort(
            "two buffers of keys, bits", false, {3, 21},
            buffers([=](void* t, std::size_t& s, auto& keys, auto&, cudaStream_t stream) {
                return Direction::keys(t, s, keys, n, decompose..., 3, 21, stream);
            }));
        two_phase_sort(
            "two buffers", true, all_,
            buffers([=](void* t, std::size_t& s, auto& keys, auto& values, cudaStream_t stream) {
                return with_all_bits(stream, [&](auto... rest) {
                    return Direction::pairs(t, s, keys, values, n, rest...);
                });
            }));
        two_phase_sort(
            "two buffers, bits", true, {3, 21},
            buffers([=](void* t, std::size_t& s, auto& keys, auto& values, cudaStream_t stream) {
                return Direction::pairs(t, s, keys, values, n, decompose..., 3, 21, stream);
            }));
        one_call_sort("two buffers of keys, one call", false, all_,
                      [=](const SortOptions& options) {
                          OtherBuffer<KeyT> keys(a, b);
                          const cudaError_t error = Direction::keys(keys, n, decompose..., options);
                          keys_selector_ = keys.selector;
                          return error;
                      });
        one_call_sort("two buffers, one call", true, all_, [=](const SortOptions& options) {
            OtherBuffer<KeyT> keys(a, b);
            libscan::DoubleBuffer<int> values(c, d);
            const cudaError_t error = Direction::pairs(keys, values, n, decompose..., options);
            keys_selector_ = keys.selector;
            values_selector_ = values.selector;
            return error;
        });
    }

  private:
    void reset() {
        keys_selector_ = values_selector_ = 1;  // of a sort from input to output
        const std::vector<int> numbers = count_up(n_);
        const std::size_t bytes = keys_.size() * sizeof(KeyT);
        ASSERT_CUDA_OK(cudaMemcpy(a_.data(), keys_.data(), bytes, cudaMemcpyHostToDevice));
        ASSERT_CUDA_OK(cudaMemcpy(c_.data(), numbers.data(), numbers.size() * sizeof(int),
                                  cudaMemcpyHostToDevice));
        ASSERT_CUDA_OK(cudaMemset(b_.data(), 0x77, bytes));
        ASSERT_CUDA_OK(cudaMemset(d_.data(), 0x77, numbers.size() * sizeof(int)));
    }

    void check_result(bool pairs, const Bits& bits) {
        if (n_ == 0) return;
        const std::vector<int> order = stable_order(places_, bits, Direction::kDescending);
        ASSERT_TRUE(same_bytes((keys_selector_ == 0 ? a_ : b_).download(), permuted(keys_, order)));
        if (!pairs) return;
        ASSERT_EQ(values_selector_, keys_selector_);
        ASSERT_TRUE(same_bytes((values_selector_ == 0 ? c_ : d_).download(), order));
    }

    // Called as it is, and in a graph that is launched five times (cccl 321, 5661).
    template <class Call>
    void two_phase_sort(const char* what, bool pairs, const Bits& bits, Call call) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(what);
        reset();
        std::size_t bytes = 0;
        keys_selector_ = values_selector_ = 1;
        ASSERT_CUDA_OK(call(nullptr, bytes, nullptr));
        ASSERT_GT(bytes, 0u);
        DeviceArray<unsigned char> temp(bytes);
        ASSERT_CUDA_OK(call(temp.data(), bytes, nullptr));
        check_result(pairs, bits);

        cudaStream_t stream;
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        ASSERT_CUDA_OK(cudaStreamCreate(&stream));
        ASSERT_CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        ASSERT_CUDA_OK(call(temp.data(), bytes, stream));
        ASSERT_CUDA_OK(cudaStreamEndCapture(stream, &graph));
        ASSERT_CUDA_OK(cudaGraphInstantiate(&exec, graph, 0));
        const int keys_selector = keys_selector_, values_selector = values_selector_;
        for (int launch = 0; launch < (n_ > 1000 ? 2 : 5); ++launch) {
            reset();
            keys_selector_ = keys_selector;
            values_selector_ = values_selector;
            ASSERT_CUDA_OK(cudaGraphLaunch(exec, stream));
            ASSERT_CUDA_OK(cudaStreamSynchronize(stream));
            check_result(pairs, bits);
        }
        ASSERT_CUDA_OK(cudaGraphExecDestroy(exec));
        ASSERT_CUDA_OK(cudaGraphDestroy(graph));
        ASSERT_CUDA_OK(cudaStreamDestroy(stream));
    }
    template <class Call>
    void one_call_sort(const char* what, bool pairs, const Bits& bits, Call call,
                       const SortOptions& options = {}) {
        if (testing::Test::HasFatalFailure()) return;
        SCOPED_TRACE(what);
        reset();
        ASSERT_CUDA_OK(call(options));
        check_result(pairs, bits);
    }

    std::vector<KeyT> keys_;
    std::vector<Uint128> places_;
    Bits all_;
    int n_;
    DeviceArray<KeyT> a_, b_;
    DeviceArray<int> c_, d_;
    int keys_selector_ = 1, values_selector_ = 1;
};

template <class Direction>
void check_overloads() {
    for (const int n : {0, 1, 500, kIsReduced ? 4200 : 9000}) {
        SCOPED_TRACE(n);
        const auto keys = make_keys<std::uint32_t>(n, Shape::kRandom, 14);
        Overloads<std::uint32_t, Direction>(keys, places_of(keys), 32).check();
        if (kIsReduced && n > 1000) continue;
        const std::vector<Record> records = make_records(n);
        Overloads<Record, Direction>(records, places_of(records), kRecordBits)
            .check(RecordFields{});
        if (testing::Test::HasFatalFailure()) return;
    }
}
TEST(EntryPoint, Ascending) { check_overloads<Ascending>(); }
TEST(EntryPoint, Descending) { check_overloads<Descending>(); }

// CUB's template parameters may be named.
TEST(EntryPoint, ExplicitTemplateArguments) {
    const auto keys = make_keys<std::uint32_t>(100, Shape::kRandom, 15);
    DeviceArray<std::uint32_t> a(keys), b(keys.size());
    DeviceArray<int> c(count_up(100)), d(keys.size());
    libscan::DoubleBuffer<std::uint32_t> key_buffers(a.data(), b.data());
    libscan::DoubleBuffer<int> value_buffers(c.data(), d.data());
    using Key = std::uint32_t;
    std::size_t bytes = 0;
    EXPECT_CUDA_OK((DeviceRadixSort::SortKeys<Key, int>(nullptr, bytes, a.data(), b.data(), 100)));
    EXPECT_CUDA_OK((DeviceRadixSort::SortKeys<Key, int>(nullptr, bytes, key_buffers, 100)));
    EXPECT_CUDA_OK((DeviceRadixSort::SortPairs<Key, int, int>(nullptr, bytes, a.data(), b.data(),
                                                              nullptr, nullptr, 100)));
    EXPECT_CUDA_OK((DeviceRadixSort::SortPairs<Key, int, int>(nullptr, bytes, key_buffers,
                                                              value_buffers, 100)));
    EXPECT_EQ(key_buffers.selector, 0);
    EXPECT_EQ(value_buffers.selector, 0);
}

}  // namespace
}  // namespace sort_test

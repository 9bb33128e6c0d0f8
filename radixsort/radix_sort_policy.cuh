// SPDX-License-Identifier: Apache-2.0
//
// Tuning of the radix sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libscan/config.cuh>
#include <libscan/digit_look_back.cuh>
#include <libscan/operators.cuh>

LIBSCAN_NAMESPACE_BEGIN

// How the lanes of a warp find those with the same digit: by one instruction, or by a vote on each
// bit of the digit.
enum class DigitMatch { instruction, votes };

struct RadixSortPolicy {
    int digit_bits;  // of a pass
    DigitMatch match;

    // A pass: a block of `threads` sorts a tile of threads * items by one digit. What is not moved
    // through shared memory is read a second time, from the tile's range of the input.
    int threads;
    int items;
    int blocks;  // of a multiprocessor, at least: bounds the registers of a thread
    bool keys_in_shared;
    bool values_in_shared;
    std::int64_t portion;  // items of one launch, a multiple of the tile

    // The pipelined pass: a block of pass_threads workers, and a thread for each digit, sorts tiles
    // of up to pass_threads * pass_items. 0 items: never. Of more tiles than blocks that are
    // resident only if pass_many_tiles.
    int pass_threads;
    int pass_items;
    int pass_blocks;  // of a multiprocessor
    bool pass_many_tiles;
    std::int64_t pass_many_least;  // and from so many items on

    // Numbers, up to so many, are sorted by counting. 0: never.
    int rank_threads;
    int rank_items;

    // Bytes alone, up to so many: one block counts them and writes down what comes out. 0: never.
    int byte_items;

    // A short array or segment: one block sorts it by all digits.
    int small_threads;
    int small_items;

    // A somewhat longer one: the blocks of one cluster sort it. Each thread has between these
    // numbers of items. 0: no clusters.
    int cluster_threads;
    int cluster_items;
    int cluster_least_items;

    int histogram_threads;
    int histogram_items;
    int histogram_blocks;
    // From so many items on a block that fills a multiprocessor counts each digit in several
    // copies. 0 copies: never.
    int wide_histogram_threads;
    int wide_histogram_copies;
    std::int64_t wide_histogram_least;
};

// Depends on the sizes of key and value in bytes; value_size is 0 where there are none.
// architecture: compute capability times 100; the shapes change at 900.
constexpr RadixSortPolicy radix_sort_policy(std::size_t key_size, std::size_t value_size,
                                            int architecture) {
    const bool hopper = architecture >= 900;
    RadixSortPolicy policy{};
    policy.digit_bits = 8;
    policy.match = DigitMatch::votes;
    policy.keys_in_shared = key_size <= 16;
    policy.values_in_shared = value_size <= (hopper ? 16 : 8);
    policy.threads = 384;
    policy.blocks = 2;
    const std::size_t key = policy.keys_in_shared ? key_size : 2;
    const std::size_t value = policy.values_in_shared ? value_size : 2;
    const std::size_t widest = key > value ? key : value;
    if (hopper) {
        // The larger the tile, the longer the runs that it writes, until registers run out. Of the
        // shared memory there is enough.
        policy.items = widest <= 4    ? 27
                       : key <= 4     ? (value <= 8 ? 23 : 14)
                       : widest <= 8  ? (value_size > 0 ? 16 : 13)
                       : key_size > 8 ? 10
                                      : 12;
        if (key == 8 && widest <= 8) policy.threads = 512;
    } else {
        // Two tiles in 64 KB, but of 16-byte keys.
        policy.items = widest <= 4 ? (value_size > 0 ? 18 : 19) : widest <= 8 ? 9 : 6;
    }
    // The pipelined pass has room for each item twice. With few bytes an item it is the fastest for
    // any number of them, else where all tiles are in flight at once; keys of 8 bytes alone are
    // between the two.
    const std::size_t bytes = 2 * key_size + value_size;
    if (hopper && bytes <= 32 && value_size <= 8) {
        const bool small = key_size <= 4 && value_size == 0;
        policy.pass_threads = small ? 352 : bytes <= 16 ? 736 : 480;
        policy.pass_items = small ? 32 : bytes <= 12 ? 20 : bytes <= 24 ? 16 : 12;
        policy.pass_blocks = small ? 2 : 1;
        policy.pass_many_tiles = bytes <= 12 || (bytes <= 16 && value_size == 0);
        policy.pass_many_least = bytes <= 12 ? 0 : 1 << 25;
    }
    const std::int64_t tile = policy.threads * policy.items;
    policy.portion = detail::kMaxDigitLookBackItems / tile * tile;
    policy.rank_threads = 512;
    policy.rank_items = key_size == 1    ? 2048
                        : key_size == 2  ? 4096
                        : key_size <= 4  ? 8192
                        : key_size <= 8  ? (hopper ? 8192 : 4096)
                        : key_size <= 16 ? (hopper ? 4096 : 2048)
                                         : 0;
    policy.byte_items = key_size == 1 ? 16384 : 0;
    policy.small_threads = 256;
    policy.small_items = key <= 4 && value_size == 0 ? 16 : 8;  // more would spill on sm_75
    policy.cluster_threads = 512;
    // Where there are pipelined passes, a cluster stops being the faster early.
    policy.cluster_items = !hopper                 ? 0
                           : policy.pass_items > 0 ? (value_size > 0 || key > 8 ? 4 : 8)
                           : key > 1 && key <= 8   ? 16
                                                   : 8;
    policy.cluster_least_items = 2;
    policy.histogram_threads = 256;
    policy.histogram_items = key_size <= 4 ? 16 : key_size <= 16 ? 8 : 2;
    policy.histogram_blocks = 1024;
    policy.wide_histogram_threads = 1024;
    policy.wide_histogram_copies = !hopper ? 0 : key_size <= 4 ? 32 : key_size <= 16 ? 16 : 0;
    policy.wide_histogram_least = key_size <= 4 ? 1 << 22 : 1 << 20;
    return policy;
}

namespace detail {

// A policy as a type, for kernels. kArchitecture: code for which GPUs has the kernels of the
// tuning; 0 for any.
template <std::size_t kKeySize, std::size_t kValueSize>
struct DefaultRadixTuning {
    static constexpr int kArchitecture = 750;  // and beyond, below 900
    static constexpr RadixSortPolicy kPolicy =
        radix_sort_policy(kKeySize, kValueSize, kArchitecture);
};
template <std::size_t kKeySize, std::size_t kValueSize>
struct HopperRadixTuning {
    static constexpr int kArchitecture = 900;
    static constexpr RadixSortPolicy kPolicy =
        radix_sort_policy(kKeySize, kValueSize, kArchitecture);
};

// Whether the code that is being generated has the kernels of the tuning. (All code has the only
// ones there are; so it is as well where the architectures are not known.)
template <class Tuning>
inline constexpr bool kHasKernels =
#if defined(__CUDA_ARCH__)
    Tuning::kArchitecture == 0 || kNewestArchitecture < 900 ||
    (Tuning::kArchitecture >= 900) == (__CUDA_ARCH__ >= 900);
#else
    true;
#endif

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
// Radix sort as the course has it: each pass moves the keys by one digit, and a scan says where to.
// Twice: digits of one bit (split), and digits of four bits. The scan is the three-kernel scan with
// Hillis and Steele's tile scan. radixsort/ is the same idea made fast.
// Source: Guy E. Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190, 1990 (split);
// Marco Zagha and Guy E. Blelloch, "Radix Sort for Vector Multiprocessors", 1991 (digits).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <libscan/block_hillis_steele.cuh>
#include <libscan/three_kernel_scan.cuh>
#include <utility>
#include <vector>

using Key = unsigned;
using Scan = libscan::ThreeKernelScan<libscan::BlockHillisSteele, 256, 1024>;
constexpr int kBits = 32;
constexpr int kThreads = 128;  // of a block; each has one key

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "radix_sort: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

// Device memory, freed at the end.
template <class T>
struct Array {
    explicit Array(size_t count) { check(cudaMalloc(&data, count * sizeof(T))); }
    Array(const Array&) = delete;
    ~Array() { check(cudaFree(data)); }
    T* data = nullptr;
};

// data[i] = data[0] + ... + data[i - 1].
static void exclusive_sum(unsigned* data, int count) {
    size_t bytes = 0;
    check(Scan::ExclusiveSum(nullptr, bytes, data, data, count));
    Array<unsigned char> storage(bytes);
    check(Scan::ExclusiveSum(storage.data, bytes, data, data, count));
}

// ---- One bit: keys with a 0 go to the front, those with a 1 behind them -------------------------

__global__ void mark_zeros(const Key* keys, unsigned* marks, int n, int bit) {
    const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
    if (i < n) marks[i] = keys[i] >> bit & 1 ? 0 : 1;
}

// zeros[i] = how many keys before i have a 0.
__global__ void split(const Key* keys, const unsigned* zeros, Key* out, int n, int bit) {
    const int i = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
    if (i >= n) return;
    const Key key = keys[i];
    const unsigned all_zeros = zeros[n - 1] + (keys[n - 1] >> bit & 1 ? 0 : 1);
    const unsigned ones = static_cast<unsigned>(i) - zeros[i];
    out[key >> bit & 1 ? all_zeros + ones : zeros[i]] = key;
}

static Key* sort_by_bits(Key* keys, Key* other, int n) {
    const int blocks = (n + kThreads - 1) / kThreads;
    Array<unsigned> zeros(static_cast<size_t>(n));
    for (int bit = 0; bit < kBits; ++bit) {
        check(libscan::launch(mark_zeros, dim3(static_cast<unsigned>(blocks)), kThreads, 0, nullptr,
                              keys, zeros.data, n, bit));
        exclusive_sum(zeros.data, n);
        check(libscan::launch(split, dim3(static_cast<unsigned>(blocks)), kThreads, 0, nullptr,
                              keys, zeros.data, other, n, bit));
        std::swap(keys, other);
    }
    return keys;
}

// ---- Four bits: 16 counts in place of one -------------------------------------------------------

// How often each digit occurs among up to 128 keys: 8 bits for each. Adding two of them adds all
// counts, so a scan counts all digits at once.
struct Counts {
    unsigned words[4];
    __host__ __device__ friend Counts operator+(const Counts& a, const Counts& b) {
        return {{a.words[0] + b.words[0], a.words[1] + b.words[1], a.words[2] + b.words[2],
                 a.words[3] + b.words[3]}};
    }
};
__device__ Counts one(unsigned digit) {
    Counts counts{};
    for (unsigned w = 0; w < 4; ++w) counts.words[w] = w == digit / 4 ? 1u << digit % 4 * 8 : 0;
    return counts;
}
__device__ unsigned count_of(const Counts& counts, unsigned digit) {
    unsigned word = 0;
    for (unsigned w = 0; w < 4; ++w) word = w == digit / 4 ? counts.words[w] : word;
    return word >> digit % 4 * 8 & 255;
}

using Tile = libscan::BlockHillisSteele<Counts, kThreads, kThreads>;

// table == null: moves the keys, offsets[digit][block] being where the block's first key of a digit
// goes. Else: writes how many keys of each digit the block has to table[digit][block].
__global__ void count_or_move(const Key* keys, unsigned* table, const unsigned* offsets, Key* out,
                              int n, int shift) {
    const int thread = static_cast<int>(threadIdx.x);
    const int first = static_cast<int>(blockIdx.x) * kThreads;
    const int count = n - first < kThreads ? n - first : kThreads;
    Tile tile(*libscan::dynamic_shared<Tile::TempStorage>(), count);
    const Key key = thread < count ? keys[first + thread] : 0;
    const unsigned digit = key >> shift & 15;
    if (thread < count) tile.put(thread, one(digit));
    const Counts total = tile.exclusive(libscan::Plus{}, Counts{});
    if (table != nullptr) {
        if (thread < 16) {
            const unsigned d = static_cast<unsigned>(thread);
            table[d * gridDim.x + blockIdx.x] = count_of(total, d);
        }
    } else if (thread < count) {
        // Keys of the block before this one that have its digit: equal digits stay in order.
        const unsigned rank = count_of(tile.get(thread), digit);
        out[offsets[digit * gridDim.x + blockIdx.x] + rank] = key;
    }
}

static Key* sort_by_digits(Key* keys, Key* other, int n) {
    const int blocks = (n + kThreads - 1) / kThreads;
    const dim3 grid(static_cast<unsigned>(blocks));
    unsigned* const no_table = nullptr;
    Array<unsigned> table(16 * static_cast<size_t>(blocks));
    for (int shift = 0; shift < kBits; shift += 4) {
        check(libscan::launch(count_or_move, grid, kThreads, sizeof(Tile::TempStorage), nullptr,
                              keys, table.data, no_table, other, n, shift));
        exclusive_sum(table.data, 16 * blocks);
        check(libscan::launch(count_or_move, grid, kThreads, sizeof(Tile::TempStorage), nullptr,
                              keys, no_table, table.data, other, n, shift));
        std::swap(keys, other);
    }
    return keys;
}

// ---- Both, checked ------------------------------------------------------------------------------

static bool sorts(const char* name, Key* (*sort)(Key*, Key*, int), const std::vector<Key>& keys) {
    Array<Key> a(keys.size()), b(keys.size());
    const size_t bytes = keys.size() * sizeof(Key);
    check(cudaMemcpy(a.data, keys.data(), bytes, cudaMemcpyHostToDevice));
    const Key* const sorted = sort(a.data, b.data, static_cast<int>(keys.size()));
    std::vector<Key> result(keys.size()), expected = keys;
    check(cudaMemcpy(result.data(), sorted, bytes, cudaMemcpyDeviceToHost));
    std::sort(expected.begin(), expected.end());
    const bool right = result == expected;
    std::printf("%-8s %zu keys: %s\n", name, keys.size(), right ? "sorted" : "WRONG");
    return right;
}

int main() {
    std::vector<Key> keys(50001);
    Key state = 1;
    for (Key& key : keys) key = state = state * 1664525u + 1013904223u;
    const bool by_bits = sorts("1 bit", sort_by_bits, keys);
    const bool by_digits = sorts("4 bits", sort_by_digits, keys);
    return by_bits && by_digits ? 0 : 1;
}

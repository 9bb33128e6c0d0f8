// SPDX-License-Identifier: Apache-2.0
//
// What the comparison says on a machine without a GPU: counts, and no times. Single-pass scan and
// three-kernel scan with each tile algorithm; kernels are run by the CPU executor, in order, and
// every result is checked.
#include "counting.h"
// counting.h comes first: it changes the names that kernels use.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <libscan/device_scan.cuh>
#include <libscan/three_kernel_scan.cuh>
#include <libscan/tile_algorithm.cuh>
#include <string>
#include <vector>

namespace counts {
namespace {

using Item = std::uint32_t;
constexpr int kThreads = 256;
constexpr int kTile = 4096;

[[noreturn]] void fail(const std::string& text) {
    std::fprintf(stderr, "bench_counts: %s\n", text.c_str());
    std::exit(1);
}
void check(cudaError_t error, const char* doing) {
    if (error != cudaSuccess) fail(std::string(doing) + ": " + cudaGetErrorString(error));
}

struct Row {
    std::string scan;
    std::int64_t n;
    int kernels = 0, memsets = 0;
    std::uint64_t loads = 0, stores = 0;    // of items
    std::uint64_t barriers = 0;             // of blocks
    std::uint64_t collectives = 0;          // of warps
    std::uint64_t requests = 0, ideal = 0;  // to shared memory; ideal: without bank conflicts
    std::size_t temp_bytes = 0;
};

template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(std::size_t count) {
        check(cudaMalloc(reinterpret_cast<void**>(&data_), (count > 0 ? count : 1) * sizeof(T)),
              "allocating");
    }
    ~DeviceArray() { static_cast<void>(cudaFree(data_)); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* data() const { return data_; }

  private:
    T* data_ = nullptr;
};

// The nodes that the call leaves in a captured graph.
template <class Call>
void count_launches(Row& row, Call call) {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    check(cudaStreamCreate(&stream), "creating a stream");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capturing");
    check(call(stream), "calling the scan");
    check(cudaStreamEndCapture(stream, &graph), "capturing");
    std::size_t count = 0;
    check(cudaGraphGetNodes(graph, nullptr, &count), "counting nodes");
    std::vector<cudaGraphNode_t> nodes(count);
    check(cudaGraphGetNodes(graph, nodes.data(), &count), "counting nodes");
    for (const cudaGraphNode_t node : nodes) {
        cudaGraphNodeType type{};
        check(cudaGraphNodeGetType(node, &type), "looking at a node");
        if (type == cudaGraphNodeTypeKernel) {
            ++row.kernels;
        } else if (type == cudaGraphNodeTypeMemset) {
            ++row.memsets;
        } else {
            fail(row.scan + " has a node that is neither kernel nor memset");
        }
    }
    check(cudaGraphDestroy(graph), "freeing a graph");
    check(cudaStreamDestroy(stream), "freeing a stream");
}

// The exclusive sum of 0 ... n - 1, mod 2^32, by scan(temp, bytes, in, out, n, stream).
template <class Scan>
Row count_scan(const std::string& name, std::int64_t n, Scan scan) {
    Row row;
    row.scan = name;
    row.n = n;
    const std::size_t items = static_cast<std::size_t>(n);
    DeviceArray<Item> in(items), out(items);
    std::vector<Item> host(items);
    for (std::size_t i = 0; i < items; ++i) host[i] = static_cast<Item>(i);
    check(cudaMemcpy(in.data(), host.data(), items * sizeof(Item), cudaMemcpyHostToDevice),
          "writing the input");
    check(scan(nullptr, row.temp_bytes, in.data(), out.data(), n, cudaStream_t(nullptr)),
          "the size query");
    DeviceArray<char> temp(row.temp_bytes);
    const auto run = [&](auto from, auto to, cudaStream_t stream) {
        return scan(temp.data(), row.temp_bytes, from, to, n, stream);
    };
    const auto verify = [&] {
        check(cudaDeviceSynchronize(), "running the scan");
        check(cudaMemcpy(host.data(), out.data(), items * sizeof(Item), cudaMemcpyDeviceToHost),
              "reading the output");
        for (std::size_t i = 0; i < items; ++i) {
            const std::uint64_t sum = std::uint64_t(i) * (i == 0 ? 0 : i - 1) / 2;
            if (host[i] != static_cast<Item>(sum))
                fail(name + ": element " + std::to_string(i) + " of " + std::to_string(n) +
                     " is wrong");
        }
        check(cudaMemset(out.data(), 0xa5, items * sizeof(Item)), "clearing the output");
    };

    count_launches(row, [&](cudaStream_t stream) { return run(in.data(), out.data(), stream); });
    // Once from pointers, as users call it; once through iterators that count.
    Counters& counted = counters();
    counted.reset();
    simt::reset_bank_counts();
    simt::config().count = true;
    check(run(in.data(), out.data(), nullptr), "calling the scan");
    verify();
    simt::config().count = false;
    row.barriers = counted.barriers;
    row.collectives = counted.collectives / 32;
    for (const simt::SiteCount& site : simt::bank_counts()) {
        row.requests += site.requests;
        row.ideal += site.ideal;
    }
    counted.reset();
    check(run(CountedArray<Item>(in.data()), CountedArray<Item>(out.data()), nullptr),
          "calling the scan");
    verify();
    row.loads = counted.loads;
    row.stores = counted.stores;
    return row;
}

template <template <class, int, int> class TileScan>
Row count_three_kernel(libscan::TileAlgorithm algorithm, std::int64_t n) {
    using Scan = libscan::ThreeKernelScan<TileScan, kThreads, kTile>;
    return count_scan(std::string("three_kernel/") + libscan::tile_algorithm_name(algorithm), n,
                      [](void* temp, std::size_t& bytes, auto in, auto out, std::int64_t count,
                         cudaStream_t stream) {
                          return Scan::ExclusiveSum(temp, bytes, in, out, count, stream);
                      });
}

std::vector<Row> count_all(std::int64_t n) {
    using libscan::TileAlgorithm;
    return {
        count_scan("single_pass/warp_shuffle", n,
                   [](void* temp, std::size_t& bytes, auto in, auto out, std::int64_t count,
                      cudaStream_t stream) {
                       return libscan::DeviceScan::ExclusiveSum(temp, bytes, in, out, count,
                                                                stream);
                   }),
        count_three_kernel<libscan::BlockWarpShuffle>(TileAlgorithm::kWarpShuffle, n),
        count_three_kernel<libscan::BlockBlellochPadded>(TileAlgorithm::kBlellochPadded, n),
        count_three_kernel<libscan::BlockBlellochPaddedOneTerm>(
            TileAlgorithm::kBlellochPaddedOneTerm, n),
        count_three_kernel<libscan::BlockBlelloch>(TileAlgorithm::kBlelloch, n),
        count_three_kernel<libscan::BlockHillisSteele>(TileAlgorithm::kHillisSteele, n),
    };
}

constexpr char kAbout[] =
    "Counted, not timed: there is no GPU here, and nothing below is a time or predicts one. The\n"
    "kernels ran on simt, the CPU executor, and every result was checked.\n"
    "\n"
    "Exclusive sum of n uint32; totals of one call. three_kernel: 256 threads, tiles of 4096 "
    "items;\n"
    "single_pass: DeviceScan as it is. The arrays are counted through iterators, and there\n"
    "three_kernel reads its input twice; to a pointer it adds the tiles' starts in place instead.\n"
    "\n"
    "- launches: kernels + memsets.\n"
    "- read, written: bytes of the arrays for each item. Tile totals and states are not in it; "
    "they\n"
    "  live in the temporary storage (temp, bytes), which is read and written a few times at "
    "most.\n"
    "- barriers: of blocks. warp ops: shuffles and votes of a warp; those of a look-back that "
    "waits\n"
    "  depend on the schedule, here one block after the other.\n"
    "- shared: requests to shared memory, and how many there would be without bank conflicts.\n";

double per_item(std::uint64_t items, std::int64_t n) {
    return static_cast<double>(items) * sizeof(Item) / static_cast<double>(n);
}

void print(const std::vector<Row>& rows) {
    std::printf("%s", kAbout);
    std::int64_t n = 0;
    for (const Row& row : rows) {
        if (row.n != n) {
            std::printf(
                "\n| n = %lld | launches | read | written | temp | barriers | warp ops | shared | "
                "without conflicts |\n| --- |%s\n",
                static_cast<long long>(row.n),
                " ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        }
        n = row.n;
        std::printf("| %s | %d + %d | %.3f | %.3f | %zu | %llu | %llu | %llu | %llu |\n",
                    row.scan.c_str(), row.kernels, row.memsets, per_item(row.loads, row.n),
                    per_item(row.stores, row.n), row.temp_bytes,
                    static_cast<unsigned long long>(row.barriers),
                    static_cast<unsigned long long>(row.collectives),
                    static_cast<unsigned long long>(row.requests),
                    static_cast<unsigned long long>(row.ideal));
    }
}

void write_json(const std::vector<Row>& rows, const char* path) {
    std::FILE* const file = std::fopen(path, "w");
    if (file == nullptr) fail(std::string("cannot write ") + path);
    std::fprintf(file, "{\"what\": \"counted on the simt CPU executor, not timed\", \"rows\": [");
    const char* separator = "";
    for (const Row& row : rows) {
        std::fprintf(
            file,
            "%s\n{\"scan\": \"%s\", \"n\": %lld, \"kernels\": %d, \"memsets\": %d, \"loads\": "
            "%llu, "
            "\"stores\": %llu, \"temp_bytes\": %zu, \"barriers\": %llu, \"collectives\": %llu, "
            "\"requests\": %llu, \"ideal\": %llu}",
            separator, row.scan.c_str(), static_cast<long long>(row.n), row.kernels, row.memsets,
            static_cast<unsigned long long>(row.loads), static_cast<unsigned long long>(row.stores),
            row.temp_bytes, static_cast<unsigned long long>(row.barriers),
            static_cast<unsigned long long>(row.collectives),
            static_cast<unsigned long long>(row.requests),
            static_cast<unsigned long long>(row.ideal));
        separator = ",";
    }
    std::fprintf(file, "\n]}\n");
    if (std::fclose(file) != 0) fail(std::string("cannot write ") + path);
}

}  // namespace
}  // namespace counts

int main(int argc, char** argv) {
    std::vector<std::int64_t> sizes;
    const char* json = nullptr;
    for (int i = 1; i < argc; ++i) {
        const bool has_value = i + 1 < argc;
        if (std::strcmp(argv[i], "--n") == 0 && has_value) {
            char* end = nullptr;
            const long long n = std::strtoll(argv[++i], &end, 10);
            if (*end != '\0' || n < 1 || n > (1ll << 28)) counts::fail("--n: 1 to 2^28");
            sizes.push_back(n);
        } else if (std::strcmp(argv[i], "--quick") == 0) {
            sizes = {1000, 20000};
        } else if (std::strcmp(argv[i], "--json") == 0 && has_value) {
            json = argv[++i];
        } else {
            std::fprintf(stderr, "usage: bench_counts [--quick] [--n ITEMS]... [--json FILE]\n");
            return 2;
        }
    }
    if (sizes.empty()) sizes = {1000, 4096, 100000, 1000000};
    // One worker in order: the counts are the same every time.
    simt::config().seed = 0;
    simt::config().workers = 1;
    std::vector<counts::Row> rows;
    for (const std::int64_t n : sizes) {
        for (counts::Row& row : counts::count_all(n)) rows.push_back(std::move(row));
    }
    counts::print(rows);
    if (json != nullptr) counts::write_json(rows, json);
    return 0;
}

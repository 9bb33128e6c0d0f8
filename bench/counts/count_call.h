// SPDX-License-Identifier: Apache-2.0
//
// Counts one call of an algorithm on the CPU executor: launches, by capturing it; barriers, warp
// operations and shared-memory requests, running it on pointers as users do; and items read and
// written, running it again through iterators that count. Every result is checked.
#pragma once

#include "counting.h"
// counting.h comes first: it changes the names that kernels use.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace counts {

using Item = std::uint32_t;

struct Row {
    std::string algorithm;
    std::int64_t n = 0;
    int kernels = 0, memsets = 0;
    bool counts_items = true;               // false: `loads` and `stores` are not known
    std::uint64_t loads = 0, stores = 0;    // of items
    std::uint64_t barriers = 0;             // of blocks
    std::uint64_t collectives = 0;          // of warps
    std::uint64_t requests = 0, ideal = 0;  // to shared memory; ideal: without bank conflicts
    std::size_t temp_bytes = 0;
};

[[noreturn]] inline void fail(const std::string& text) {
    std::fprintf(stderr, "bench_counts: %s\n", text.c_str());
    std::exit(1);
}
inline void check(cudaError_t error, const char* doing) {
    if (error != cudaSuccess) fail(std::string(doing) + ": " + cudaGetErrorString(error));
}

template <class T>
class DeviceArray {
  public:
    explicit DeviceArray(std::size_t count) : count_(count) {
        check(cudaMalloc(reinterpret_cast<void**>(&data_), (count > 0 ? count : 1) * sizeof(T)),
              "allocating");
    }
    explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
        check(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
              "writing the input");
    }
    ~DeviceArray() { static_cast<void>(cudaFree(data_)); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;

    T* data() const { return data_; }
    std::vector<T> read() const {
        std::vector<T> values(count_);
        check(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
              "reading the output");
        return values;
    }
    void clear() { check(cudaMemset(data_, 0xa5, count_ * sizeof(T)), "clearing the output"); }

  private:
    T* data_ = nullptr;
    std::size_t count_;
};

// The nodes that the call leaves in a captured graph.
template <class Call>
void count_launches(Row& row, Call call) {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    check(cudaStreamCreate(&stream), "creating a stream");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capturing");
    check(call(stream), "the call");
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
            fail(row.algorithm + " has a node that is neither kernel nor memset");
        }
    }
    check(cudaGraphDestroy(graph), "freeing a graph");
    check(cudaStreamDestroy(stream), "freeing a stream");
}

/// call(temp, bytes, in, out, stream) must turn `input` into `expected`. kThroughIterators: it
/// takes iterators for in and out as well.
template <bool kThroughIterators = true, class Call>
Row count_call(const std::string& name, const std::vector<Item>& input,
               const std::vector<Item>& expected, Call call) {
    Row row;
    row.algorithm = name;
    row.n = static_cast<std::int64_t>(input.size());
    DeviceArray<Item> in(input), out(expected.size());
    check(call(nullptr, row.temp_bytes, in.data(), out.data(), cudaStream_t(nullptr)),
          "the size query");
    DeviceArray<char> temp(row.temp_bytes);
    const auto run = [&](auto from, auto to, cudaStream_t stream) {
        return call(temp.data(), row.temp_bytes, from, to, stream);
    };
    const auto verify = [&] {
        check(cudaDeviceSynchronize(), "running the call");
        const std::vector<Item> result = out.read();
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (result[i] != expected[i])
                fail(name + ", n = " + std::to_string(row.n) + ": item " + std::to_string(i) +
                     " is wrong");
        }
        out.clear();
    };

    count_launches(row, [&](cudaStream_t stream) { return run(in.data(), out.data(), stream); });
    Counters& counted = counters();
    counted.reset();
    simt::reset_bank_counts();
    simt::config().count = true;
    check(run(in.data(), out.data(), nullptr), "the call");
    verify();
    simt::config().count = false;
    row.barriers = counted.barriers;
    row.collectives = counted.collectives / 32;
    for (const simt::SiteCount& site : simt::bank_counts()) {
        row.requests += site.requests;
        row.ideal += site.ideal;
    }
    row.counts_items = kThroughIterators;
    if constexpr (kThroughIterators) {
        counted.reset();
        check(run(CountedArray<Item>(in.data()), CountedArray<Item>(out.data()), nullptr),
              "the call through iterators");
        verify();
        row.loads = counted.loads;
        row.stores = counted.stores;
    }
    return row;
}

// One file each.
std::vector<Row> count_scans(std::int64_t n);
std::vector<Row> count_compactions(std::int64_t n);
std::vector<Row> count_sorts(std::int64_t n);

}  // namespace counts

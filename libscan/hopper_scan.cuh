// SPDX-License-Identifier: Apache-2.0
//
// Host side of what the single-pass scan does on GPUs of compute capability 9.0: which of it they
// can run, and the launches.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <libscan/cluster_exchange.cuh>
#include <libscan/config.cuh>
#include <libscan/device_traits.cuh>
#include <libscan/lookahead_scan.cuh>

LIBSCAN_NAMESPACE_BEGIN
namespace detail {

// Answers for one kernel, asked once for each device: an answer is a small number, 0 is none.
class AnswerOfDevice {
  public:
    template <class Ask>
    [[nodiscard]] cudaError_t get(const DeviceTraits& device, int& answer, Ask ask) {
        const bool keep = kDeviceIsConstant && device.device < kKnownDevices;
        answer = keep ? known_[device.device].load(std::memory_order_relaxed) : 0;
        if (answer != 0) return cudaSuccess;
        const cudaError_t error = ask(answer);
        if (error == cudaSuccess && keep)
            known_[device.device].store(static_cast<signed char>(answer),
                                        std::memory_order_relaxed);
        return error;
    }

  private:
    std::atomic<signed char> known_[kKnownDevices] = {};
};

// Whether the code of `kernel` that runs on the device was made for compute capability 9.0. Code
// for an older one, as PTX, runs on a new device as well, but has nothing of hopper.cuh in it.
template <class... Params>
[[nodiscard]] cudaError_t has_hopper_code(void (*kernel)(Params...), bool& answer) {
    cudaFuncAttributes attributes{};
    const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
    answer = attributes.ptxVersion >= 90;
    return error;
}

// The same, asked once for each device.
template <class... Params>
[[nodiscard]] cudaError_t has_hopper_code(AnswerOfDevice& known, const DeviceTraits& device,
                                          void (*kernel)(Params...), bool& answer) {
    int code = 0;
    const cudaError_t error = known.get(device, code, [kernel](int& yes_or_no) {
        bool hopper = false;
        const cudaError_t asked = has_hopper_code(kernel, hopper);
        yes_or_no = hopper ? 1 : -1;
        return asked;
    });
    answer = code == 1;
    return error;
}

// More blocks in a cluster than every such GPU can place have to be allowed.
inline constexpr int kPortableClusterBlocks = 8;

inline cudaLaunchAttribute cluster_of(int blocks) {
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = static_cast<unsigned>(blocks);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    return cluster;
}

// For a kernel that may start before the one in front of it has ended (hopper.cuh).
inline cudaLaunchAttribute dependent_launch() {
    cudaLaunchAttribute dependent{};
    dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    dependent.val.programmaticStreamSerializationAllowed = 1;
    return dependent;
}

template <class... Params>
[[nodiscard]] cudaError_t allow_large_clusters(void (*kernel)(Params...)) {
    return set_attribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
}

// The most blocks that one cluster of this kernel can have: 1 where there are no clusters.
template <class... Params>
[[nodiscard]] cudaError_t largest_cluster(void (*kernel)(Params...), int threads, int& blocks,
                                          std::size_t dynamic_shared_bytes = 0) {
    bool hopper = false;
    blocks = 1;
    cudaError_t error = has_hopper_code(kernel, hopper);
    if (error != cudaSuccess || !hopper) return error;
    error = allow_large_clusters(kernel);
    if (error != cudaSuccess) return error;
    error = allow_dynamic_shared(kernel, dynamic_shared_bytes);
    if (error != cudaSuccess) return error;
    cudaLaunchAttribute cluster = cluster_of(kClusterTiles);
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(kClusterTiles);
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = dynamic_shared_bytes;
    config.attrs = &cluster;
    config.numAttrs = 1;
    bool fit = false;
    error = clusters_fit(kernel, config, fit);
    if (error == cudaSuccess) blocks = fit ? kClusterTiles : kPortableClusterBlocks;
    return error;
}

template <class Tuning, bool kInclusive, class In, class Out, class Acc, class Op, class Start>
struct LookaheadLaunch {
    using Scan = LookaheadScan<Tuning, kInclusive, In, Out, Acc, Op, Start>;

    [[nodiscard]] static cudaError_t usable(const DeviceTraits& device, bool& answer) {
        static AnswerOfDevice known;
        answer = false;
        if (device.architecture < 900 || device.shared_kilobytes * 1024 < Scan::kRingBytes)
            return cudaSuccess;
        return has_hopper_code(known, device, kernel(), answer);
    }

    // `cleared` bytes from states.ticket on, a multiple of 16, are zero when the kernel begins.
    // Clearing them by a kernel that the scan may overlap takes less time on the GPU than a memset
    // does, but more on the host: it pays from some tens of microseconds on.
    [[nodiscard]] static cudaError_t launch_scan(In in, Out out, std::int64_t n, Op op, Start start,
                                                 const LookBackStates<Acc>& states,
                                                 std::size_t cleared, const DeviceTraits& device,
                                                 cudaStream_t stream) {
        constexpr std::int64_t kOverlapBytes = std::int64_t(32) << 20;
        const std::int64_t tiles = ceil_div(n, static_cast<std::int64_t>(Scan::kTile));
        constexpr std::size_t kItemBytes = ScanInput<In, Acc>::kItemBytes;
        const bool overlap = n >= kOverlapBytes / static_cast<std::int64_t>(kItemBytes);
        cudaError_t error;
        if (overlap) {
            const unsigned words = static_cast<unsigned>(cleared / sizeof(Vector16));
            const unsigned blocks = std::min(ceil_div(words, 512u), 64u);
            error = launch(clear_states_kernel<>, dim3(blocks), 512, 0, stream,
                           reinterpret_cast<Vector16*>(states.ticket), words);
        } else {
            error = cudaMemsetAsync(states.ticket, 0, cleared, stream);
        }
        if (error != cudaSuccess) return error;
        cudaLaunchAttribute dependent = dependent_launch();
        const std::int64_t blocks = std::min<std::int64_t>(tiles, device.multiprocessors);
        const LaunchShape shape{dim3(static_cast<unsigned>(blocks)),
                                Scan::kThreads,
                                Scan::kRingBytes,
                                stream,
                                &dependent,
                                overlap ? 1u : 0u};
        return launch(kernel(), shape,
                      LookaheadArguments<In, Out, Acc, Op, Start>{
                          in, out, n, static_cast<unsigned>(tiles), op, start, states});
    }

  private:
    static auto kernel() {
        return &lookahead_scan_kernel<Tuning, kInclusive, In, Out, Acc, Op, Start>;
    }
};

}  // namespace detail
LIBSCAN_NAMESPACE_END

// SPDX-License-Identifier: Apache-2.0
// Kernel launches: limits of the modelled device, attributes of kernels, occupancy.
#pragma once

#include <tuple>
#include <type_traits>

#include "runtime_device.h"
#include "runtime_stream.h"

// The attributes that have a meaning here. Priorities change nothing; nor does programmatic
// serialisation, since a kernel always starts after the one before it in its stream has ended.
enum cudaLaunchAttributeID : int {
    cudaLaunchAttributeIgnore = 0,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
    cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
    char pad[64];
    struct {
        unsigned x, y, z;
    } clusterDim;
    int programmaticStreamSerializationAllowed;
    int priority;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    char pad[8 - sizeof(cudaLaunchAttributeID)];
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute* attrs;
    unsigned numAttrs;
};

enum cudaFuncAttribute : int {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14
};
// Only the fields that the model knows.
struct cudaFuncAttributes {
    int maxThreadsPerBlock;
    int ptxVersion, binaryVersion;  // the modelled compute capability
    int maxDynamicSharedSizeBytes;
    int nonPortableClusterSizeAllowed;
};
enum {
    cudaSharedmemCarveoutDefault = -1,
    cudaSharedmemCarveoutMaxL1 = 0,
    cudaSharedmemCarveoutMaxShared = 100
};

namespace simt {
namespace rt {

struct Kernels {
    std::mutex mutex;
    std::map<const void*, int> max_dynamic_shared;  // of the kernels that opted in to more, or less
    std::map<const void*, bool> non_portable_cluster;
};
inline Kernels& kernels() {
    static Kernels& k = *new Kernels;
    return k;
}
inline size_t max_dynamic_shared(const void* kernel) {
    const std::lock_guard<std::mutex> lock(kernels().mutex);
    const auto found = kernels().max_dynamic_shared.find(kernel);
    return static_cast<size_t>(found == kernels().max_dynamic_shared.end() ? kSharedPerBlock
                                                                           : found->second);
}

inline bool non_portable_cluster(const void* kernel) {
    const std::lock_guard<std::mutex> lock(kernels().mutex);
    const auto found = kernels().non_portable_cluster.find(kernel);
    return found != kernels().non_portable_cluster.end() && found->second;
}

template <class... P>
const void* kernel_address(void (*kernel)(P...)) {
    return reinterpret_cast<const void*>(kernel);
}

// A kernel with its arguments, which every GPU thread receives as copies of its own.
template <class... P>
struct BoundKernel {
    void (*kernel)(P...);
    std::tuple<P...> arguments;

    static void body(void* self_) {
        const auto& me = *static_cast<const BoundKernel*>(self_);
        std::apply(me.kernel, me.arguments);
    }
};

// The cluster that the launch asks for; null: none.
inline const cudaLaunchAttribute* cluster_attribute(const cudaLaunchConfig_t& c) {
    for (unsigned i = 0; i < c.numAttrs; ++i)
        if (c.attrs[i].id == cudaLaunchAttributeClusterDimension) return &c.attrs[i];
    return nullptr;
}

inline bool cluster_is_valid(const cudaLaunchConfig_t& c, const void* kernel) {
    const cudaLaunchAttribute* a = cluster_attribute(c);
    if (!a) return true;
    const unsigned box[3] = {a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z};
    const unsigned grid[3] = {c.gridDim.x, c.gridDim.y, c.gridDim.z};
    const unsigned most = non_portable_cluster(kernel) ? kLargestCluster : kPortableCluster;
    uint64_t size = 1;
    for (int i = 0; i < 3; ++i) {
        if (!box[i] || box[i] > most || grid[i] % box[i]) return false;
        size *= box[i];
    }
    return size <= most;
}

// What cudaLaunchKernelEx checks at the call, captured or not.
inline cudaError_t check_launch(const cudaLaunchConfig_t& c, const void* kernel) {
    const DeviceFigures* device = device_figures();
    if (!device) return cudaErrorNoDevice;
    const unsigned grid[3] = {c.gridDim.x, c.gridDim.y, c.gridDim.z};
    const unsigned block[3] = {c.blockDim.x, c.blockDim.y, c.blockDim.z};
    for (int i = 0; i < 3; ++i)
        if (!grid[i] || grid[i] > static_cast<unsigned>(kGridDim[i]) || !block[i] ||
            block[i] > static_cast<unsigned>(kBlockDim[i]))
            return cudaErrorInvalidValue;
    if (uint64_t(block[0]) * block[1] * block[2] > kThreadsPerBlock) return cudaErrorInvalidValue;
    if (c.dynamicSmemBytes > max_dynamic_shared(kernel)) return cudaErrorInvalidValue;
    if (c.numAttrs && !c.attrs) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < c.numAttrs; ++i) switch (c.attrs[i].id) {
            case cudaLaunchAttributeIgnore:
            case cudaLaunchAttributeProgrammaticStreamSerialization:
            case cudaLaunchAttributePriority:
                break;
            case cudaLaunchAttributeClusterDimension:
                if (!has_clusters(*device)) return cudaErrorInvalidClusterSize;
                break;
            default:
                return cudaErrorInvalidValue;
        }
    return cluster_is_valid(c, kernel) ? cudaSuccess : cudaErrorInvalidClusterSize;
}

inline cudaError_t set_kernel_attribute(const void* kernel, cudaFuncAttribute attribute,
                                        int value) {
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    const DeviceFigures* device = device_figures();
    if (!device) return cudaErrorNoDevice;
    switch (attribute) {
        case cudaFuncAttributeMaxDynamicSharedMemorySize: {
            if (value < 0 || value > device->shared_optin) return cudaErrorInvalidValue;
            const std::lock_guard<std::mutex> lock(kernels().mutex);
            kernels().max_dynamic_shared[kernel] = value;
            return cudaSuccess;
        }
        case cudaFuncAttributePreferredSharedMemoryCarveout:  // a hint
            return value < cudaSharedmemCarveoutDefault || value > cudaSharedmemCarveoutMaxShared
                       ? cudaErrorInvalidValue
                       : cudaSuccess;
        case cudaFuncAttributeNonPortableClusterSizeAllowed: {
            if (value != 0 && value != 1) return cudaErrorInvalidValue;
            const std::lock_guard<std::mutex> lock(kernels().mutex);
            kernels().non_portable_cluster[kernel] = value == 1;
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidValue;
}

// Blocks that fit a multiprocessor, by threads, blocks and dynamic shared memory: the rules of
// CUDA's cuda_occupancy.h. Registers and static shared memory are unknown here and taken as no
// limit.
inline int active_blocks(const DeviceFigures& d, const void* kernel, int threads,
                         size_t dynamic_shared) {
    if (threads > kThreadsPerBlock || dynamic_shared > max_dynamic_shared(kernel)) return 0;
    const int warps = (threads + 31) / 32;
    int blocks = std::min(d.blocks_per_multiprocessor, d.threads_per_multiprocessor / 32 / warps);
    const size_t unit = static_cast<size_t>(d.shared_granularity);
    const size_t shared =
        (dynamic_shared + static_cast<size_t>(d.shared_reserved) + unit - 1) / unit * unit;
    if (shared > static_cast<size_t>(d.shared_optin + d.shared_reserved)) return 0;
    if (shared)
        blocks = std::min(
            blocks, static_cast<int>(static_cast<size_t>(d.shared_per_multiprocessor) / shared));
    return blocks;
}

template <class... P>
struct IsReference : std::integral_constant<bool, (std::is_reference<P>::value || ...)> {};

}  // namespace rt
}  // namespace simt

// Launches kernel(arguments...). The arguments are converted to the parameter types and copied in
// this call. Errors: cudaErrorInvalidValue (sizes of grid or block; dynamic shared memory beyond
// what the kernel may have, see cudaFuncSetAttribute; a launch attribute that does not exist),
// cudaErrorInvalidClusterSize (a cluster that does not divide the grid, of no block or more than 8
// or 16, see cudaFuncSetAttribute, or on a device without clusters), cudaErrorInvalidDeviceFunction
// (null kernel), cudaErrorInvalidResourceHandle (stream), errors of capture. A kernel that faults
// is not an error of its own launch, but of every later call. A refused launch invalidates the
// capture of its stream.
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...),
                               A&&... arguments) {
    using namespace simt::rt;
    static_assert(sizeof...(P) == sizeof...(A), "as many arguments as the kernel has parameters");
    static_assert(!IsReference<P...>::value, "parameters of kernels are passed by value");
    static_assert((sizeof(P) + ... + 0) <= 32764, "parameters of a kernel: at most 32764 bytes");
    return call("cudaLaunchKernelEx", [&] {
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        if (!config) return cudaErrorInvalidValue;
        const cudaError_t refused = check_launch(*config, kernel_address(kernel));
        if (refused != cudaSuccess) {
            invalidate_capture(config->stream);
            return refused;
        }
        // A lambda's parameters allow the implicit conversions and no others.
        auto bound = [&](P... p) {
            return BoundKernel<P...>{kernel, std::tuple<P...>(std::move(p)...)};
        }(std::forward<A>(arguments)...);
        const cudaLaunchAttribute* cluster = cluster_attribute(*config);
        dim3 box;
        if (cluster) {
            const auto& d = cluster->val.clusterDim;
            box = dim3(d.x, d.y, d.z);
        }
        return submit(config->stream, cudaGraphNodeTypeKernel,
                      [bound, grid = config->gridDim, block = config->blockDim,
                       dynamic_shared = config->dynamicSmemBytes, box,
                       specified = cluster != nullptr]() mutable {
                          simt::Launch launch;
                          launch.grid = grid;
                          launch.block = block;
                          launch.dynamic_shared = dynamic_shared;
                          launch.cluster = box;
                          launch.cluster_specified = specified;
                          launch.body = &BoundKernel<P...>::body;
                          launch.args = &bound;
                          if (!simt::execute(launch))
                              poison_context(cudaErrorLaunchFailure, simt::last_failure().message);
                          return cudaSuccess;
                      });
    });
}

// Sets how much dynamic shared memory (bytes) launches of the kernel may ask for: 48 KiB unless
// set, up to cudaDevAttrMaxSharedMemoryPerBlockOptin; or whether (1, 0) its clusters may have 16
// blocks instead of 8. The carveout (percent, or -1) is checked and has no effect.
template <class... P>
cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
    using namespace simt::rt;
    return call("cudaFuncSetAttribute",
                [&] { return set_kernel_attribute(kernel_address(kernel), attribute, value); });
}

template <class... P>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, void (*kernel)(P...)) {
    using namespace simt::rt;
    return call("cudaFuncGetAttributes", [&] {
        if (!attributes) return cudaErrorInvalidValue;
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        const DeviceFigures* device = device_figures();
        if (!device) return cudaErrorNoDevice;
        const void* address = kernel_address(kernel);
        attributes->maxThreadsPerBlock = kThreadsPerBlock;
        attributes->ptxVersion = attributes->binaryVersion = device->capability;
        attributes->maxDynamicSharedSizeBytes = static_cast<int>(max_dynamic_shared(address));
        attributes->nonPortableClusterSizeAllowed = non_portable_cluster(address);
        return cudaSuccess;
    });
}

// Registers are unknown to this runtime, so figures may be higher than a GPU's. 0 where a block
// cannot be launched.
template <class... P>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void (*kernel)(P...),
                                                          int threads, size_t dynamic_shared) {
    using namespace simt::rt;
    return call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
        if (!kernel) return cudaErrorInvalidDeviceFunction;
        if (!blocks || threads <= 0) return cudaErrorInvalidValue;
        const DeviceFigures* device = device_figures();
        if (!device) return cudaErrorNoDevice;
        *blocks = active_blocks(*device, kernel_address(kernel), threads, dynamic_shared);
        return cudaSuccess;
    });
}

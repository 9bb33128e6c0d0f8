// SPDX-License-Identifier: Apache-2.0
//
// The functions of the CUDA runtime that the library calls, without a GPU. They are linked in front
// of the toolkit's runtime, which has the rest.
#include "recording.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace recording {
namespace {

Device device{};
const char *operation = "", *items = "";
std::int64_t n = 0;

// What ptxas calls the kernels, by their functions on the host.
std::map<const void*, std::string>& symbols() {
    static std::map<const void*, std::string> known;
    return known;
}

const std::string& symbol_of(const void* kernel) {
    const auto found = symbols().find(kernel);
    if (found == symbols().end()) {
        std::fprintf(stderr, "%s: a kernel that nobody has registered\n", operation);
        std::exit(1);
    }
    return found->second;
}

// The name alone: without namespaces, template arguments and parameters.
std::string name_of(const std::string& symbol) {
    int status = 0;
    char* const demangled = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string name = demangled != nullptr ? demangled : symbol;
    std::free(demangled);
    name.erase(std::min(name.find_first_of("<("), name.size()));
    return name.substr(name.find_last_of(" :") + 1);
}

}  // namespace

void set_device(const Device& described) { device = described; }

void begin(const char* new_operation, const char* new_items, std::int64_t new_n) {
    operation = new_operation;
    items = new_items;
    n = new_n;
}

void expect(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s, %s: error %d\n", operation, items, static_cast<int>(error));
    std::exit(1);
}

}  // namespace recording

extern "C" {

// Called for each kernel before main(), by code that nvcc generates.
void __cudaRegisterFunction(void**, const char* kernel, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
    recording::symbols()[kernel] = name;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void**) {
    unsigned cluster = 1;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        if (attribute.id == cudaLaunchAttributeClusterDimension)
            cluster = attribute.val.clusterDim.x;
    }
    const std::string& symbol = recording::symbol_of(kernel);
    std::printf("launch\t%s\t%s\t%lld\t%s\t%s\t%u\t%zu\t%u\n", recording::operation,
                recording::items, static_cast<long long>(recording::n),
                recording::name_of(symbol).c_str(), symbol.c_str(), config->blockDim.x,
                config->dynamicSmemBytes, cluster);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t) { return cudaSuccess; }

cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
    const recording::Device& device = recording::device;
    switch (attribute) {
        case cudaDevAttrComputeCapabilityMajor:
            *value = device.architecture / 10;
            break;
        case cudaDevAttrComputeCapabilityMinor:
            *value = device.architecture % 10;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = device.multiprocessors;
            break;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin:
            *value = device.shared_bytes;
            break;
        default:
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
    *attributes = cudaFuncAttributes{};
    attributes->ptxVersion = recording::device.architecture;
    attributes->binaryVersion = recording::device.architecture;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }

// A cluster of the largest size fits.
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void*, const cudaLaunchConfig_t*) {
    *clusters = 1;
    return cudaSuccess;
}

cudaError_t cudaPeekAtLastError() { return cudaSuccess; }

}  // extern "C"

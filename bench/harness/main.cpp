// SPDX-License-Identifier: Apache-2.0
//
// The program: its own arguments, what it says of the machine, and Google Benchmark.
#include <benchmark/benchmark.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "measure.h"
#include "versions.h"

namespace {

constexpr char kUsage[] =
    "  --quick            one fast pass: repetitions of 1 ms instead of 5\n"
    "  --seconds=S        GPU time in a repetition, at least\n"
    "  --repetitions=N    of every benchmark\n"
    "  --l2=cold|warm     cold: calls take turns on data of three times the L2's size (the "
    "default);\n"
    "                     warm: all calls on the same data\n"
    "and Google Benchmark's own, such as --benchmark_filter=exclusive_sum/u32 or\n"
    "--benchmark_out=FILE.\n";

[[noreturn]] void bad_usage(const std::string& wrong) {
    std::fprintf(stderr, "%s\nArguments:\n%s", wrong.c_str(), kUsage);
    std::exit(2);
}

// The text behind `name` where the argument begins with it, else null.
const char* value_of(const char* argument, const char* name) {
    const std::size_t length = std::strlen(name);
    return std::strncmp(argument, name, length) == 0 ? argument + length : nullptr;
}

double positive(const char* text, const char* argument) {
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0))
        bad_usage(std::string(argument) + ": that is no positive number");
    return value;
}

// Takes our own arguments out of argv.
bench::Settings read_arguments(int& argc, char** argv) {
    bench::Settings settings;
    int kept = 1;
    for (int i = 1; i < argc; ++i) {
        const char* const argument = argv[i];
        if (std::strcmp(argument, "--quick") == 0) {
            settings.seconds = 0.001;
        } else if (const char* text = value_of(argument, "--seconds=")) {
            settings.seconds = positive(text, argument);
        } else if (const char* count = value_of(argument, "--repetitions=")) {
            settings.repetitions = static_cast<int>(positive(count, argument));
        } else if (const char* l2 = value_of(argument, "--l2=")) {
            settings.cold = std::strcmp(l2, "cold") == 0;
            if (!settings.cold && std::strcmp(l2, "warm") != 0) bad_usage("--l2: cold or warm");
        } else {
            argv[kept++] = argv[i];
        }
    }
    argc = kept;
    argv[argc] = nullptr;
    return settings;
}

// False where there is no device.
bool describe(const bench::Settings& settings, const char* cub_key) {
    int device = 0, driver = 0;
    cudaDeviceProp properties{};
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess) error = cudaDriverGetVersion(&driver);
    if (error != cudaSuccess) {
        std::fprintf(stderr, "no CUDA device can be used: %s\n", cudaGetErrorString(error));
        return false;
    }
    const auto add = [](const char* key, const std::string& value) {
        benchmark::AddCustomContext(key, value);
    };
    add("device", properties.name);
    add("compute_capability",
        std::to_string(properties.major) + "." + std::to_string(properties.minor));
    add("multiprocessors", std::to_string(properties.multiProcessorCount));
    add("l2_bytes", std::to_string(properties.l2CacheSize));
    std::string version;
    if (std::ifstream("/sys/module/nvidia/version") >> version) add("driver", version);
    add("driver_cuda", std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10));
    add("toolkit", bench::toolkit_version());
    add(cub_key, bench::cub_version());
    add("commit", bench::commit());
    add("l2", settings.cold ? "cold: calls take turns on data of three times the L2's size"
                            : "warm: all calls on the same data");
    add("time",
        "one call on an idle stream, between two events, launches included; mean of a repetition");
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--help") == 0) std::fputs(kUsage, stdout);
    }
    const bench::Settings settings = read_arguments(argc, argv);
#if defined(LIBSCAN_BENCH_PEER)
    constexpr bool kCopies = false;  // bench_scan and its like have them
    constexpr char kCubKey[] = "peer_version";
#else
    constexpr bool kCopies = true;
    constexpr char kCubKey[] = "cub_version";
#endif
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    if (!describe(settings, kCubKey)) return 1;
    bench::Rig rig(settings.cold);
    bench::register_benchmarks(settings, kCopies, rig);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}

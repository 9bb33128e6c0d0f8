# SPDX-License-Identifier: Apache-2.0
# What libscan needs from others: first what the system has (find_package), else a pinned download (FetchContent).
# Each function is called only where its dependency is used. A download never joins our install.
include(FetchContent)

# Boost::context and Threads::Threads, for simt. GLOBAL: a project that contains libscan links them from its own
# directory. With OPTIONAL nothing is downloaded, and Boost::context may be missing afterwards.
macro(libscan_find_simt_dependencies)
    find_package(Threads REQUIRED GLOBAL)
    if(NOT TARGET Boost::context)
        find_package(Boost 1.71 QUIET CONFIG GLOBAL COMPONENTS context)
    endif()
    if(NOT TARGET Boost::context AND NOT "${ARGV0}" STREQUAL OPTIONAL)
        message(STATUS "Boost.Context not found on this system: downloading Boost 1.86.0")
        enable_language(C)
        enable_language(ASM)
        set(BOOST_INCLUDE_LIBRARIES context)
        set(BOOST_ENABLE_CMAKE ON)
        set(BOOST_SKIP_INSTALL_RULES ON)
        FetchContent_Declare(
            libscan_boost
            URL https://github.com/boostorg/boost/releases/download/boost-1.86.0/boost-1.86.0-cmake.tar.xz
            URL_HASH SHA256=2c5ec5edcdff47ff55e27ed9560b0a0b94b07bd07ed9928b476150e16b0efc57
            SYSTEM)
        FetchContent_MakeAvailable(libscan_boost)
    endif()
endmacro()

# GTest::gtest_main, for the tests.
macro(libscan_find_googletest)
    if(NOT TARGET GTest::gtest_main)
        find_package(GTest 1.10 QUIET CONFIG)
    endif()
    if(NOT TARGET GTest::gtest_main)
        message(STATUS "GoogleTest not found on this system: downloading 1.14.0")
        set(INSTALL_GTEST OFF CACHE BOOL "" FORCE)
        set(BUILD_GMOCK OFF CACHE BOOL "" FORCE)
        FetchContent_Declare(
            libscan_googletest
            URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
            URL_HASH SHA256=8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7
            SYSTEM)
        FetchContent_MakeAvailable(libscan_googletest)
    endif()
endmacro()

# benchmark::benchmark_main, for the benchmarks.
macro(libscan_find_googlebenchmark)
    if(NOT TARGET benchmark::benchmark_main)
        find_package(benchmark 1.6 QUIET CONFIG)
    endif()
    if(NOT TARGET benchmark::benchmark_main)
        message(STATUS "Google Benchmark not found on this system: downloading 1.8.3")
        set(BENCHMARK_ENABLE_TESTING OFF CACHE BOOL "" FORCE)
        set(BENCHMARK_ENABLE_INSTALL OFF CACHE BOOL "" FORCE)
        FetchContent_Declare(
            libscan_benchmark
            URL https://github.com/google/benchmark/archive/refs/tags/v1.8.3.tar.gz
            URL_HASH SHA256=6bc180a57d23d4d9515519f92b0c83d61b05b5bab188961f36ac7b06b0d9e9ce
            SYSTEM)
        FetchContent_MakeAvailable(libscan_benchmark)
    endif()
endmacro()

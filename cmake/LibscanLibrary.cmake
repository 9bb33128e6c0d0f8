# SPDX-License-Identifier: Apache-2.0
# The library: header-only INTERFACE targets. They carry include directories, C++17 and (simt) two libraries to
# link, and nothing else: no warning, definition or optimisation flag reaches a project that links them.
include(GNUInstallDirs)

# The installed root of the headers: versioned, so that two versions can stand side by side.
set(LIBSCAN_INSTALL_ROOT
    "${CMAKE_INSTALL_INCLUDEDIR}/libscan/${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")

# libscan::scan – the scan core.
add_library(libscan_scan INTERFACE)
add_library(libscan::scan ALIAS libscan_scan)
set_target_properties(libscan_scan PROPERTIES EXPORT_NAME scan)
target_compile_features(libscan_scan INTERFACE cxx_std_17)
target_include_directories(libscan_scan INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
                                                  "$<INSTALL_INTERFACE:${LIBSCAN_INSTALL_ROOT}>")

# libscan::compaction – select, partition and run-length encode.
add_library(libscan_compaction INTERFACE)
add_library(libscan::compaction ALIAS libscan_compaction)
set_target_properties(libscan_compaction PROPERTIES EXPORT_NAME compaction)
target_link_libraries(libscan_compaction INTERFACE libscan_scan)

# libscan::radixsort – radix sort on the scan core.
add_library(libscan_radixsort INTERFACE)
add_library(libscan::radixsort ALIAS libscan_radixsort)
set_target_properties(libscan_radixsort PROPERTIES EXPORT_NAME radixsort)
target_link_libraries(libscan_radixsort INTERFACE libscan_scan)

# libscan::libscan – every module.
add_library(libscan_libscan INTERFACE)
add_library(libscan::libscan ALIAS libscan_libscan)
set_target_properties(libscan_libscan PROPERTIES EXPORT_NAME libscan)
target_link_libraries(libscan_libscan INTERFACE libscan_scan libscan_compaction libscan_radixsort)

# libscan::simt – the CPU executor. A plain C++ target that links it compiles the same sources with g++. The
# download of Boost is left to builds that have chosen this back end; in others Boost is needed only by a target
# that links libscan::simt all the same.
if(LIBSCAN_BACKEND_CHOSEN STREQUAL simt)
    libscan_find_simt_dependencies(REQUIRED)
else()
    libscan_find_simt_dependencies(OPTIONAL)
endif()
add_library(libscan_simt INTERFACE)
add_library(libscan::simt ALIAS libscan_simt)
set_target_properties(libscan_simt PROPERTIES EXPORT_NAME simt)
target_compile_features(libscan_simt INTERFACE cxx_std_17)
# The shim comes first: its <cuda_runtime.h> shadows the CUDA Toolkit's, where there is one.
target_include_directories(
    libscan_simt
    INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/simt/shim>"
              "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>"
              "$<INSTALL_INTERFACE:${LIBSCAN_INSTALL_ROOT}/simt/shim>"
              "$<INSTALL_INTERFACE:${LIBSCAN_INSTALL_ROOT}>")
# A downloaded Boost is part of this build and not of our export: there libscanConfig.cmake links Boost.
target_link_libraries(libscan_simt INTERFACE "$<BUILD_INTERFACE:Boost::context>" Threads::Threads)

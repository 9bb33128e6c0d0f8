# SPDX-License-Identifier: Apache-2.0
# `cmake --install`: the headers under include/libscan/<major>.<minor>/ (a root of their own: what is included
# as <libscan/...> there cannot be mixed with another version's), and the package for find_package(libscan).
include(CMakePackageConfigHelpers)

install(
    DIRECTORY libscan compaction radixsort simt
    DESTINATION "${LIBSCAN_INSTALL_ROOT}"
    FILES_MATCHING
    PATTERN "*.h"
    PATTERN "*.cuh"
    REGEX "/simt/shim/cuda/[a-z_]+$")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libscan")

# Header-only, so one package serves every architecture: it goes to share/, not to lib/.
set(_libscan_package_dir
    "${CMAKE_INSTALL_DATADIR}/cmake/libscan-${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
install(TARGETS libscan_scan libscan_compaction libscan_radixsort libscan_libscan EXPORT libscanTargets)
install(EXPORT libscanTargets NAMESPACE libscan:: DESTINATION "${_libscan_package_dir}")
# In an export of its own, because only this target needs Boost and Threads.
install(TARGETS libscan_simt EXPORT libscanSimtTargets)
install(EXPORT libscanSimtTargets NAMESPACE libscan:: DESTINATION "${_libscan_package_dir}")

configure_package_config_file(
    "${CMAKE_CURRENT_LIST_DIR}/libscanConfig.cmake.in" "${PROJECT_BINARY_DIR}/libscanConfig.cmake"
    INSTALL_DESTINATION "${_libscan_package_dir}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may break its users.
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/libscanConfigVersion.cmake"
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES "${PROJECT_BINARY_DIR}/libscanConfig.cmake" "${PROJECT_BINARY_DIR}/libscanConfigVersion.cmake"
        DESTINATION "${_libscan_package_dir}")

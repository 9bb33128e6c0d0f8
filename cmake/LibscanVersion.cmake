# SPDX-License-Identifier: Apache-2.0
# Reads LIBSCAN_VERSION from libscan/version.h, the only place where the version is written.
set(_libscan_version_header "${CMAKE_CURRENT_LIST_DIR}/../libscan/version.h")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_libscan_version_header}")

set(LIBSCAN_VERSION "")
foreach(_libscan_part IN ITEMS MAJOR MINOR PATCH)
    file(STRINGS "${_libscan_version_header}" _libscan_line
         REGEX "^#define LIBSCAN_VERSION_${_libscan_part} [0-9]+$")
    if(NOT _libscan_line MATCHES "([0-9]+)$")
        message(FATAL_ERROR "${_libscan_version_header}: LIBSCAN_VERSION_${_libscan_part} not found")
    endif()
    list(APPEND LIBSCAN_VERSION "${CMAKE_MATCH_1}")
endforeach()
list(JOIN LIBSCAN_VERSION "." LIBSCAN_VERSION)

# SPDX-License-Identifier: Apache-2.0
# Included before project(). Gives a top-level build an optimised type with light debug information (line
# numbers for the sanitizers and gdb, without the size and time of full -g). A build that contains libscan as
# a subproject keeps its own settings.
if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    get_property(_libscan_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
    if(NOT CMAKE_BUILD_TYPE AND NOT _libscan_multi_config)
        set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
    endif()
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1" CACHE STRING "C++ flags of RelWithDebInfo")
endif()

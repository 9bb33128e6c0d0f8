# SPDX-License-Identifier: Apache-2.0
# Compiles each public header by itself, warnings being errors: a user may include any one of them first.
cmake_minimum_required(VERSION 3.25)

file(GLOB headers RELATIVE "${LIBSCAN_SOURCE}" "${LIBSCAN_SOURCE}/libscan/*.cuh" "${LIBSCAN_SOURCE}/libscan/*.h"
     "${LIBSCAN_SOURCE}/compaction/device_*.cuh" "${LIBSCAN_SOURCE}/compaction/compaction_options.cuh")
list(APPEND headers simt/simt.h cuda_runtime.h cuda/atomic)
list(LENGTH headers count)
set(failures 0)
foreach(header IN LISTS headers)
    file(WRITE "${WORK}/header.cpp" "#include <${header}>\nint main() { return 0; }\n")
    execute_process(
        COMMAND "${CXX_COMPILER}" -std=c++17 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror
                "-I${LIBSCAN_SOURCE}/simt/shim" "-I${LIBSCAN_SOURCE}" "${WORK}/header.cpp"
        RESULT_VARIABLE status ERROR_VARIABLE error)
    if(NOT status EQUAL 0)
        math(EXPR failures "${failures} + 1")
        message("${header}:\n${error}")
    endif()
endforeach()
if(failures OR count LESS 10)
    message(FATAL_ERROR "${failures} of ${count} headers do not compile by themselves")
endif()
message(STATUS "${count} headers")

# SPDX-License-Identifier: Apache-2.0
# Compiles each public header by itself, warnings being errors: a user may include any one of them first.
# What they all begin with, simt's CUDA runtime, takes longer than the rest and is compiled once: it comes from
# config.cuh, without whose macros none of them compiles.
cmake_minimum_required(VERSION 3.25)

file(GLOB headers RELATIVE "${LIBSCAN_SOURCE}" "${LIBSCAN_SOURCE}/libscan/*.cuh" "${LIBSCAN_SOURCE}/libscan/*.h"
     "${LIBSCAN_SOURCE}/compaction/device_*.cuh" "${LIBSCAN_SOURCE}/compaction/compaction_options.cuh"
     "${LIBSCAN_SOURCE}/radixsort/*.cuh")
list(LENGTH headers count)
set(flags -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Werror "-I${LIBSCAN_SOURCE}/simt/shim" "-I${LIBSCAN_SOURCE}")
set(failures 0)

# compiles(<header> <text>): counts a failure where the text is no valid source.
function(compiles header text)
    file(WRITE "${WORK}/header.cpp" "${text}#include <${header}>\nint main() { return 0; }\n")
    execute_process(COMMAND "${CXX_COMPILER}" ${flags} -fsyntax-only "${WORK}/header.cpp"
                    RESULT_VARIABLE status ERROR_VARIABLE error)
    if(NOT status EQUAL 0)
        math(EXPR failures "${failures} + 1")
        set(failures ${failures} PARENT_SCOPE)
        message("${header}:\n${error}")
    endif()
endfunction()

foreach(header IN ITEMS simt/simt.h cuda_runtime.h cuda/atomic libscan/config.cuh libscan/version.h)
    compiles(${header} "")
endforeach()

file(WRITE "${WORK}/runtime.h" "#include <cuda_runtime.h>\n")
execute_process(COMMAND "${CXX_COMPILER}" ${flags} -x c++-header "${WORK}/runtime.h" -o "${WORK}/runtime.h.gch"
                COMMAND_ERROR_IS_FATAL ANY)
foreach(header IN LISTS headers)
    compiles(${header} "#include \"runtime.h\"\n")
endforeach()
file(REMOVE "${WORK}/runtime.h.gch")

if(failures OR count LESS 10)
    message(FATAL_ERROR "${failures} of ${count} headers do not compile by themselves")
endif()
message(STATUS "${count} headers")

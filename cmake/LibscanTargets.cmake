# SPDX-License-Identifier: Apache-2.0
# Functions for libscan's own tests, examples and benchmarks. Warnings and sanitizers are private to what they make.
if(LIBSCAN_BACKEND_CHOSEN STREQUAL cuda)
    find_package(CUDAToolkit REQUIRED)
endif()

# Without the messages undefined behaviour traps, and AddressSanitizer says where: a fifth less to compile.
option(LIBSCAN_UBSAN_MESSAGES "With LIBSCAN_SANITIZE=address: messages that say what behaviour is undefined" ON)

# _libscan_configure_target(<target> <source>...)
# Compiles .cu sources by the chosen back end and gives the target what all of ours share.
function(_libscan_configure_target target)
    target_link_libraries(${target} PRIVATE libscan::libscan)
    set(gnu "$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU,Clang>>")
    target_compile_options(${target} PRIVATE "$<${gnu}:-Wall;-Wextra;-Wpedantic;-Wshadow>")
    # Below 1 GB gcc need not collect garbage, which takes it a tenth of its time.
    set(no_collection --param=ggc-min-heapsize=1048576)
    target_compile_options(
        ${target} PRIVATE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:${no_collection}>"
                          "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CXX_COMPILER_ID:GNU>>:-Xcompiler=${no_collection}>")
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CUDA_EXTENSIONS OFF
                                               COMPILE_WARNING_AS_ERROR "${LIBSCAN_WERROR}")

    if(LIBSCAN_BACKEND_CHOSEN STREQUAL simt)
        target_link_libraries(${target} PRIVATE libscan::simt)
        set(kernels ${ARGN})
        list(FILTER kernels INCLUDE REGEX "\\.cu$")
        if(kernels)
            set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX)
        endif()
        if(LIBSCAN_SANITIZE STREQUAL address)
            # -O0: with these checks in the code the optimiser takes longer than the tests do.
            set(flags -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O0)
            if(NOT LIBSCAN_UBSAN_MESSAGES)
                list(APPEND flags -fsanitize-undefined-trap-on-error)
            endif()
        elseif(LIBSCAN_SANITIZE STREQUAL thread)
            # The instrumentation hides from gcc what is initialised where.
            set(flags -fsanitize=thread -fno-omit-frame-pointer -Wno-maybe-uninitialized)
        endif()
        target_compile_options(${target} PRIVATE ${flags})
        target_link_options(${target} PRIVATE ${flags})
    else()
        # No -Wpedantic: the host code that nvcc generates is not pedantic.
        target_compile_features(${target} PRIVATE cuda_std_17)
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra>")
        if(LIBSCAN_WERROR)
            target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror>")
        endif()
        set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
        target_link_libraries(${target} PRIVATE CUDA::cudart_static)
    endif()
endfunction()

# libscan_add_executable(<name> <source>... [LIBS <library>...])
# An executable of our own; its .cu sources are compiled by nvcc (cuda) or by g++ (simt).
function(libscan_add_executable name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS")
    add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
    _libscan_configure_target(${name} ${arg_UNPARSED_ARGUMENTS})
    target_link_libraries(${name} PRIVATE ${arg_LIBS})
endfunction()

# libscan_add_library(<name> <source>...)
# A static library of our own, for sources that several executables share.
function(libscan_add_library name)
    add_library(${name} STATIC ${ARGN})
    _libscan_configure_target(${name} ${ARGN})
endfunction()

# _libscan_one_unit(<variable> <name> <source>...)
# Writes a source that includes all of these, with the first one's extension, and sets the variable to its path.
function(_libscan_one_unit variable name)
    set(includes "")
    foreach(source IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
        string(APPEND includes "#include \"${source}\"\n")
    endforeach()
    cmake_path(GET ARGV2 EXTENSION LAST_ONLY extension)
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/${name}_unit${extension}")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "${includes}" @ONLY)
    set(${variable} "${unit}" PARENT_SCOPE)
endfunction()

# What all tests include first and g++ takes a second and a half to read, simt's CUDA runtime and GoogleTest, is
# compiled once. (Not for nvcc, which takes no such headers.)
function(_libscan_precompile_for_test target)
    if(NOT LIBSCAN_BACKEND_CHOSEN STREQUAL simt)
        return()
    endif()
    if(NOT TARGET libscan_test_prelude)
        set(source "${PROJECT_BINARY_DIR}/libscan_test_prelude.cpp")
        file(CONFIGURE OUTPUT "${source}" CONTENT "")
        add_library(libscan_test_prelude OBJECT "${source}")
        _libscan_configure_target(libscan_test_prelude "${source}")
        target_link_libraries(libscan_test_prelude PRIVATE GTest::gtest_main)
        _libscan_optimize_test(libscan_test_prelude)
        target_precompile_headers(libscan_test_prelude PRIVATE <cuda_runtime.h> <gtest/gtest.h>)
    endif()
    # A test of another standard reads the headers itself.
    set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)
    target_precompile_headers(${target} REUSE_FROM libscan_test_prelude)
endfunction()

# The tests spend far more time in the compiler than in running: -O1 takes a third off the whole.
function(_libscan_optimize_test target)
    if(NOT LIBSCAN_SANITIZE STREQUAL address)
        target_compile_options(
            ${target} PRIVATE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-O1>")
    endif()
endfunction()

# libscan_add_test(NAME <name> SOURCES <source>... [LIBS <library>...] [BACKEND simt|cuda] [LABELS <label>...]
#                  [TIMEOUT <seconds>] [ONE_UNIT] [SWEEP])
# A GoogleTest executable and one ctest entry that runs it. BACKEND: the test exists in builds of that back end
# only. Tests labelled LONG run by `./run.sh long`, and not by `./run.sh test`.
# ONE_UNIT: the sources are compiled as one translation unit, so that what the headers cost (for a short test, most
# of its time) is paid once; what they define in unnamed namespaces needs names that differ.
# SWEEP: the test repeats what others do for more types and sizes; without LIBSCAN_TEST_SWEEPS it does not exist.
function(libscan_add_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "ONE_UNIT;SWEEP" "NAME;BACKEND;TIMEOUT" "SOURCES;LIBS;LABELS")
    if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES OR NOT arg_NAME OR NOT arg_SOURCES)
        message(FATAL_ERROR "libscan_add_test(${ARGV}): wrong arguments")
    endif()
    if(arg_BACKEND AND NOT arg_BACKEND STREQUAL LIBSCAN_BACKEND_CHOSEN)
        return()
    endif()
    if(arg_SWEEP AND NOT LIBSCAN_TEST_SWEEPS)
        return()
    endif()
    if(arg_ONE_UNIT)
        _libscan_one_unit(arg_SOURCES ${arg_NAME} ${arg_SOURCES})
    endif()
    libscan_find_googletest()
    libscan_add_executable(${arg_NAME} ${arg_SOURCES} LIBS ${arg_LIBS} GTest::gtest_main)
    _libscan_optimize_test(${arg_NAME})
    _libscan_precompile_for_test(${arg_NAME})
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME})
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)
    endif()
    set(options UBSAN_OPTIONS=path_list_append:print_stacktrace=1 ASAN_OPTIONS=path_list_append:handle_sigill=1)
    set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}"
                                                ENVIRONMENT_MODIFICATION "${options}")
endfunction()

# libscan_add_benchmark(<name> <source>... [LIBS <library>...])
# A Google Benchmark executable with a main() of its own. Where the system's library is a shared one, a copy of it
# stands beside the executable and is found there: the two can be carried to another machine.
function(libscan_add_benchmark name)
    libscan_find_googlebenchmark()
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBS")
    libscan_add_executable(${name} ${arg_UNPARSED_ARGUMENTS} LIBS ${arg_LIBS} benchmark::benchmark)
    get_target_property(type benchmark::benchmark TYPE)
    get_target_property(imported benchmark::benchmark IMPORTED)
    if(imported AND type STREQUAL SHARED_LIBRARY)
        set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN")
        add_custom_command(
            TARGET ${name} POST_BUILD
            COMMAND "${CMAKE_COMMAND}" -E copy_if_different "$<TARGET_FILE:benchmark::benchmark>"
                    "$<TARGET_FILE_DIR:${name}>/$<TARGET_SONAME_FILE_NAME:benchmark::benchmark>"
            VERBATIM)
    endif()
endfunction()

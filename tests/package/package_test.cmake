# SPDX-License-Identifier: Apache-2.0
# Run by ctest (see CMakeLists.txt for the arguments): builds consumer/ against libscan and runs it.
# The paths have a space in them on purpose, and the installed prefix is moved before it is used.
cmake_minimum_required(VERSION 3.25)

# run(<what> <command>...): runs a command, and stops with its output when it fails.
function(run what)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${what} failed (${status}):\n${output}")
    endif()
    message(STATUS "${what}: done")
endfunction()

# fails(<what> <text> <command>...): runs a command that must fail and say <text>.
function(fails what text)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(status EQUAL 0)
        message(FATAL_ERROR "${what}: should have failed")
    elseif(NOT output MATCHES "${text}")
        message(FATAL_ERROR "${what}: failed without saying '${text}':\n${output}")
    endif()
    message(STATUS "${what}: refused, as it should be")
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(consumer "${CMAKE_CURRENT_LIST_DIR}/consumer")
set(build "${WORK}/build")
set(arguments -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCONSUMER_BACKEND=${BACKEND}")
if(BOOST_DIR)
    list(APPEND arguments "-DBoost_DIR=${BOOST_DIR}")
endif()
if(BACKEND STREQUAL cuda)
    string(REPLACE ";" "\\;" CUDA_ARCHITECTURES "${CUDA_ARCHITECTURES}")
    list(APPEND arguments "-DCMAKE_CUDA_COMPILER=${CUDA_COMPILER}")
    if(CUDA_ARCHITECTURES)
        list(APPEND arguments "-DCMAKE_CUDA_ARCHITECTURES=${CUDA_ARCHITECTURES}")
    endif()
endif()

if(WAY STREQUAL find_package)
    set(prefix "${WORK}/moved prefix")
    run("install" "${CMAKE_COMMAND}" --install "${LIBSCAN_BUILD}" --prefix "${WORK}/prefix")
    file(RENAME "${WORK}/prefix" "${prefix}")

    # Nothing in the package may point back to where it was built or first installed.
    file(GLOB_RECURSE package_files "${prefix}/share/cmake/*.cmake")
    foreach(file IN LISTS package_files)
        file(READ "${file}" text)
        foreach(path IN ITEMS "${LIBSCAN_SOURCE}" "${LIBSCAN_BUILD}" "${WORK}")
            string(FIND "${text}" "${path}" position)
            if(NOT position EQUAL -1)
                message(FATAL_ERROR "${file} holds the path ${path}")
            endif()
        endforeach()
    endforeach()

    list(APPEND arguments "-DCMAKE_PREFIX_PATH=${prefix}")
    # The version is honoured: the next minor version is another library before 1.0.
    file(WRITE "${WORK}/version/CMakeLists.txt"
         "cmake_minimum_required(VERSION 3.25)\nproject(version LANGUAGES CXX)\n"
         "find_package(libscan \${WANTED} REQUIRED)\n")
    foreach(wanted IN ITEMS 0.2 1.0)
        fails("find_package(libscan ${wanted})" "version: ${LIBSCAN_VERSION}"
              "${CMAKE_COMMAND}" -S "${WORK}/version" -B "${WORK}/version/build" ${arguments} "-DWANTED=${wanted}")
    endforeach()
    fails("find_package without Boost, simt asked for" "libboost-context-dev"
          "${CMAKE_COMMAND}" -S "${WORK}/version" -B "${WORK}/version/build" ${arguments}
          "-DWANTED=0.1\\;COMPONENTS\\;simt" -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON)
else()
    # Without what belongs to libscan alone: its tests, examples and install rules are off in a subproject.
    list(APPEND arguments "-DCONSUMER_LIBSCAN_SOURCE=${LIBSCAN_SOURCE}" "-DLIBSCAN_BACKEND=${BACKEND}")
endif()

run("configure" "${CMAKE_COMMAND}" -S "${consumer}" -B "${build}" ${arguments})
run("build" "${CMAKE_COMMAND}" --build "${build}")
run("check of the compile flags" "${CMAKE_COMMAND}" "-DCOMMANDS=${build}/compile_commands.json"
    -P "${CMAKE_CURRENT_LIST_DIR}/leak_check.cmake")

execute_process(COMMAND "${build}/consumer" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(BACKEND STREQUAL cuda AND status EQUAL 3)
    message(STATUS "consumer: compiled and linked; not run, since this machine has no device")
elseif(NOT status EQUAL 0)
    message(FATAL_ERROR "consumer failed (${status}):\n${output}")
else()
    message(STATUS "consumer: ${output}")
endif()

# SPDX-License-Identifier: Apache-2.0
# Compares the marked part of SOURCE with the first C++ block of README, and what PROGRAM prints with the comment on
# the line that prints it.
cmake_minimum_required(VERSION 3.25)

# Semicolons separate list elements in CMake: they take another form while the texts are taken apart.
function(read_text file out)
    file(READ "${file}" text)
    string(REPLACE ";" "<semicolon>" text "${text}")
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

read_text("${SOURCE}" source)
if(NOT source MATCHES "// README: from here\n(.+)// README: to here\n")
    message(FATAL_ERROR "${SOURCE}: the marks are not there")
endif()
set(code "${CMAKE_MATCH_1}")

read_text("${README}" readme)
string(FIND "${readme}" "```cpp\n" begin)
if(begin EQUAL -1)
    message(FATAL_ERROR "${README}: there is no C++ block")
endif()
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${readme}" ${begin} -1 rest)
string(FIND "${rest}" "```" end)
string(SUBSTRING "${rest}" 0 ${end} block)
if(NOT block STREQUAL code)
    string(REPLACE "<semicolon>" ";" block "${block}")
    message(FATAL_ERROR "${README}: its first C++ block is not the marked part of ${SOURCE}:\n${block}")
endif()

if(NOT code MATCHES "printf[^\n]*// ([0-9 ]+)\n")
    message(FATAL_ERROR "${SOURCE}: the comment with the output is not there")
endif()
set(expected "${CMAKE_MATCH_1}")
execute_process(COMMAND "${PROGRAM}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE error)
string(STRIP "${output}" output)
if(NOT status EQUAL 0 OR NOT output STREQUAL expected)
    message(FATAL_ERROR "${PROGRAM} ended with ${status} and printed '${output}', not '${expected}' ${error}")
endif()

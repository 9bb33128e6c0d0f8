# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=... -DHEADER=... -P commit.cmake: writes the commit of the source tree into a header, with
# "-changed" behind it where tracked files other than results differ from it. Run by every build; the header changes
# only when it must.
cmake_minimum_required(VERSION 3.25)
set(commit "unknown")
find_program(git git)
if(git)
    execute_process(COMMAND "${git}" -C "${SOURCE}" rev-parse --short=12 HEAD OUTPUT_VARIABLE found
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0)
        set(commit "${found}")
        execute_process(COMMAND "${git}" -C "${SOURCE}" status --porcelain --untracked-files=no -- . ":!bench/results"
                        OUTPUT_VARIABLE changes ERROR_QUIET)
        if(changes)
            string(APPEND commit "-changed")
        endif()
    endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#define LIBSCAN_BENCH_COMMIT \"@commit@\"\n" @ONLY)

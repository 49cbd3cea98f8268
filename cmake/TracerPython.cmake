# SPDX-License-Identifier: BSD-3-Clause
# TRACER_PYTHON: the Python that tests and scripts run with, Debian's own first because OTF2's reader is
# packaged for it. TRACER_PYTHON_OTF2: whether it has that reader.
include_guard(GLOBAL)
set(TRACER_PYTHON "" CACHE FILEPATH "Python 3 for tests; empty: the first one that has the module otf2")
set(TRACER_PYTHON_OTF2 FALSE)
find_program(python_on_path python3 NO_CACHE)
foreach(candidate ${TRACER_PYTHON} /usr/bin/python3 ${python_on_path})
  execute_process(COMMAND ${candidate} -c "import otf2" RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
  if(missing EQUAL 0)
    set(TRACER_PYTHON ${candidate})
    set(TRACER_PYTHON_OTF2 TRUE)
    break()
  endif()
endforeach()
if(NOT TRACER_PYTHON)
  set(TRACER_PYTHON ${python_on_path})
endif()

# SPDX-License-Identifier: BSD-3-Clause
# tracer_traced_test(SENTENCE PROGRAM [THREADS n] [OPTIONS option...] [ARGS argument...] [LABELS label...]):
# runs the program of tracer_openmp_program untraced and traced and compares (tests/support/check_program.py).
# TRACER_TRACED_TESTS says whether such tests can run.
include_guard(GLOBAL)
set(TRACER_TRACED_TESTS FALSE)
if(TRACER_OPENMP_FOUND AND TRACER_PYTHON_OTF2 AND EXISTS ${PROJECT_SOURCE_DIR}/tracer/tool.cpp)
  set(TRACER_TRACED_TESTS TRUE)
else()
  message(STATUS "Tests that trace programs need clang with libomp and python3-otf2: left out")
endif()
# What the tests hand to OMP_TOOL_LIBRARIES.
set(TRACER_TOOL_LIBRARY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libtracer.so)

function(tracer_traced_test sentence program)
  cmake_parse_arguments(arg "" "THREADS" "OPTIONS;ARGS;LABELS" ${ARGN})
  if(NOT TRACER_TRACED_TESTS)
    return()
  endif()
  if(NOT arg_THREADS)
    set(arg_THREADS 4)
  endif()
  add_test(NAME "${sentence}"
    COMMAND ${TRACER_PYTHON} ${PROJECT_SOURCE_DIR}/tests/support/check_program.py --tool ${TRACER_TOOL_LIBRARY}
      --threads ${arg_THREADS} ${arg_OPTIONS} $<TARGET_PROPERTY:program_${program},TRACER_PROGRAM> ${arg_ARGS})
  set_tests_properties("${sentence}" PROPERTIES LABELS "e2e;${arg_LABELS}" TIMEOUT 300 ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;${TRACER_SANITIZER_OPTIONS}")
endfunction()

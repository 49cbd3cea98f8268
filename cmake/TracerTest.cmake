# SPDX-License-Identifier: BSD-3-Clause
# tracer_test(NAME SOURCES file... [LINK target...] [LABELS label...]): a Catch2 executable whose
# test cases become CTest tests "NAME: sentence".
include(Catch)

file(WRITE ${PROJECT_BINARY_DIR}/generated/catch_main.cpp
"#if __has_include(<catch2/catch.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
#include \"support/sanitizer_defaults.hpp\"
")
add_library(tracer_catch_main STATIC ${PROJECT_BINARY_DIR}/generated/catch_main.cpp)
if(TARGET Catch2::Catch2WithMain)  # Catch2 3
  target_link_libraries(tracer_catch_main PUBLIC Catch2::Catch2WithMain tracer_options)
else()
  target_link_libraries(tracer_catch_main PUBLIC Catch2::Catch2 tracer_options)
endif()
# Not optimised: it takes half a minute to compile otherwise, and nothing of it is measured.
target_compile_options(tracer_catch_main PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
target_include_directories(tracer_catch_main PUBLIC ${PROJECT_SOURCE_DIR}/tests)

# With TRACER_UNITY: Catch2 and the standard headers that most files include, compiled once, with the options of a test's program. A
# file that is compiled in another way includes them as they are.
if(TRACER_UNITY)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/test_headers.cpp CONTENT "// Gives the tests' compiled headers a target.\n")
  add_library(tracer_test_headers OBJECT ${PROJECT_BINARY_DIR}/generated/test_headers.cpp)
  set_target_properties(tracer_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # -fPIE as programs have it, no -fPIC
  target_compile_options(tracer_test_headers PRIVATE -fPIE $<$<CONFIG:RelWithDebInfo>:-O1>)
  target_link_libraries(tracer_test_headers PRIVATE tracer_catch_main)
  target_precompile_headers(tracer_test_headers PRIVATE <catch.hpp> ${TRACER_COMMON_HEADERS})
endif()

function(tracer_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(test_${name} ${arg_SOURCES})
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(test_${name} PRIVATE tracer_catch_main ${arg_LINK})
  target_compile_options(test_${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  if(TRACER_UNITY)
    target_precompile_headers(test_${name} REUSE_FROM tracer_test_headers)
    set_target_properties(test_${name} PROPERTIES PCH_WARN_INVALID OFF)
  endif()
  catch_discover_tests(test_${name} TEST_PREFIX "${name}: " PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300
    ENVIRONMENT "ASAN_OPTIONS=detect_leaks=1")
endfunction()

# SPDX-License-Identifier: BSD-3-Clause
# tracer_precompile(TARGET [HEADER...]): the headers that most of a target's sources begin with are compiled once: those of
# the standard library, and the given ones. No source relies on it (a header that is missing is found by any build with
# -DTRACER_PRECOMPILE=OFF). Off by itself with a compiler cache, which keeps whole objects and knows nothing of it.
set(default ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(default OFF)
endif()
option(TRACER_PRECOMPILE "Compile headers that many sources include once for each target" ${default})

function(tracer_precompile target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources number)
  if(TRACER_PRECOMPILE AND number GREATER_EQUAL 8)  # a header takes as long as some sources
    target_precompile_headers(${target} PRIVATE ${ARGN} <algorithm> <filesystem> <functional> <map> <memory> <optional> <string>
      <unordered_map> <vector>)
  endif()
endfunction()

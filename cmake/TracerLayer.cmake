# SPDX-License-Identifier: BSD-3-Clause
# tracer_layer(NAME [FOLDERS folder...] [DEPENDS target...] [PRIVATE target...] [TOGETHER [APART file...]]): the static library
# tracer_NAME of all .cpp files in the current directory and in those folders of it; nothing to edit when a file is added.
# TOGETHER: with TRACER_UNITY several files are compiled as one, in a third of the time. For layers of many files that are not
# the traced program's hot path. APART: those of them that have a name for themselves that another file of the layer has too.

# What the scripts' first build does where no compiler cache is (cmake/scripts/build.sh). After a change more is compiled.
option(TRACER_UNITY "Compile several files as one, in less than half the time" OFF)

add_library(tracer_options INTERFACE)
target_include_directories(tracer_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/generated)
target_compile_options(tracer_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(TRACER_SANITIZE)
  target_compile_options(tracer_options INTERFACE -fsanitize=${TRACER_SANITIZE} -fno-omit-frame-pointer)
  if(TRACER_SANITIZE MATCHES "undefined")
    # A finding ends the program. Runtimes newer than a header pass values that its enumerations do not name.
    target_compile_options(tracer_options INTERFACE -fno-sanitize-recover=undefined -fno-sanitize=enum)
  endif()
  target_link_options(tracer_options INTERFACE -fsanitize=${TRACER_SANITIZE})
endif()
if(TRACER_UNITY)
  target_link_options(tracer_options INTERFACE -Wl,--gc-sections)
endif()
find_package(Threads REQUIRED)
target_link_libraries(tracer_options INTERFACE Threads::Threads)

# With TRACER_UNITY: the standard headers that most files include, compiled once. An object takes 0.7 s of processor time
# less (GCC 12). For the compiler only: each file includes what it uses (tests/headers).
set(TRACER_COMMON_HEADERS <algorithm> <array> <atomic> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <mutex>
  <optional> <span> <string> <string_view> <unordered_map> <vector>)
if(TRACER_UNITY)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/common_headers.cpp CONTENT "// Gives the compiled headers a target.\n")
  add_library(tracer_common_headers OBJECT ${PROJECT_BINARY_DIR}/generated/common_headers.cpp)
  target_link_libraries(tracer_common_headers PRIVATE tracer_options)
  target_precompile_headers(tracer_common_headers PRIVATE ${TRACER_COMMON_HEADERS})
endif()

# tracer_use_common_headers(TARGET): a library; programs are compiled with other options. A file that is optimised in
# another way includes the headers as they are.
function(tracer_use_common_headers target)
  if(TRACER_UNITY)
    target_precompile_headers(${target} REUSE_FROM tracer_common_headers)
    set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)
  endif()
endfunction()

function(tracer_layer name)
  cmake_parse_arguments(arg "TOGETHER" "" "FOLDERS;DEPENDS;PRIVATE;APART" ${ARGN})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  foreach(folder ${arg_FOLDERS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(sources)
    add_library(tracer_${name} STATIC ${sources})
    target_link_libraries(tracer_${name} PUBLIC tracer_options ${arg_DEPENDS} PRIVATE ${arg_PRIVATE})
    tracer_use_common_headers(tracer_${name})
    if(arg_TOGETHER AND TRACER_UNITY)
      set_target_properties(tracer_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
      set_source_files_properties(${arg_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      # An object holds more than who links it needs: what nobody calls is left out by function, not by object. A name that one
      # file has for itself is no concern of another's.
      target_compile_options(tracer_${name} PRIVATE -ffunction-sections -fdata-sections -Wno-shadow)
    endif()
  else()
    add_library(tracer_${name} INTERFACE)
    target_link_libraries(tracer_${name} INTERFACE tracer_options ${arg_DEPENDS})
  endif()
endfunction()

# tracer_optimize(FILE...): for what each event of a trace goes through; a twentieth less time.
function(tracer_optimize)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:RelWithDebInfo>:-O3>)
endfunction()

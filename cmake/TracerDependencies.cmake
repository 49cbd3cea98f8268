# SPDX-License-Identifier: BSD-3-Clause
# What we use of others, and how to get it. Each becomes one target; a missing one says what to install.

include(TracerOmpTools)

# tracer_need(WHAT PACKAGE [OTHERWISE])
function(tracer_need what package)
  message(FATAL_ERROR "${what} not found. On Debian: apt-get install ${package}${ARGN}")
endfunction()

# What an earlier run found, a file or the directory of a header, may be gone since (another tool chain, a package removed): look
# again. Here and where optional parts are found.
foreach(found OTF2_INCLUDE_DIR/otf2/otf2.h OTF2_LIBRARY OTF2_SHARED_LIBRARY TBB_INCLUDE_DIR/tbb/concurrent_vector.h
    LIBDW_INCLUDE_DIR/elfutils/libdwfl.h LIBELF_INCLUDE_DIR/gelf.h LIBELF_LIBRARY ZSTD_INCLUDE_DIR/zstd.h ZSTD_LIBRARY
    XXHASH_INCLUDE_DIR/xxhash.h OMP_TOOLS_INCLUDE_DIR/omp-tools.h CUPTI_INCLUDE_DIR/cupti.h CUDA_INCLUDE_DIR/cuda.h TRACER_NVCC
    TRACER_SQLITE_INCLUDE_DIR/sqlite3.h TRACER_SQLITE_LIBRARY HTTPLIB_INCLUDE_DIR/httplib.h)
  string(REGEX MATCH "^([^/]+)(.*)$" found ${found})
  set(name ${CMAKE_MATCH_1})
  if(DEFINED CACHE{${name}} AND NOT EXISTS "$CACHE{${name}}${CMAKE_MATCH_2}")
    unset(${name} CACHE)
  endif()
endforeach()

# OTF2, linked statically so that no symbol of it meets one of the traced program's. Where there is no static library (Debian
# sid), the traced program opens the shared one late (formats/otf2/library/late.cpp).
find_path(OTF2_INCLUDE_DIR otf2/otf2.h)
find_library(OTF2_LIBRARY NAMES libotf2.a otf2)
find_library(OTF2_SHARED_LIBRARY NAMES libotf2.so)
if(NOT OTF2_INCLUDE_DIR OR NOT OTF2_LIBRARY)
  tracer_need("OTF2" "libotf2-trace-dev")
endif()
add_library(tracer_otf2_headers INTERFACE)
target_include_directories(tracer_otf2_headers SYSTEM INTERFACE ${OTF2_INCLUDE_DIR})
add_library(tracer::otf2_headers ALIAS tracer_otf2_headers)
add_library(tracer::otf2 UNKNOWN IMPORTED)
set_target_properties(tracer::otf2 PROPERTIES IMPORTED_LOCATION ${OTF2_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${OTF2_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES m)
set(TRACER_OTF2_SONAME "")
if(OTF2_SHARED_LIBRARY)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${OTF2_SHARED_LIBRARY} OUTPUT_VARIABLE described ERROR_QUIET)
  if(described MATCHES "SONAME +([^ \n]+)")
    set(TRACER_OTF2_SONAME ${CMAKE_MATCH_1})
  endif()
endif()
if(NOT OTF2_LIBRARY MATCHES "\\.a$" AND TRACER_OTF2_SONAME)
  set(TRACER_OTF2_IS_LATE ON)
else()
  set(TRACER_OTF2_IS_LATE OFF)
endif()

# spdlog and fmt, header-only for the same reason.
find_package(spdlog QUIET)
if(NOT spdlog_FOUND)
  tracer_need("spdlog" "libspdlog-dev libfmt-dev")
endif()
add_library(tracer_spdlog INTERFACE)
target_include_directories(tracer_spdlog SYSTEM INTERFACE $<TARGET_PROPERTY:spdlog::spdlog_header_only,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(tracer_spdlog INTERFACE SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY SPDLOG_NO_TLS)
add_library(tracer::spdlog ALIAS tracer_spdlog)
add_library(tracer_fmt INTERFACE)
target_compile_definitions(tracer_fmt INTERFACE FMT_HEADER_ONLY)
add_library(tracer::fmt ALIAS tracer_fmt)
# fmt 9 and 10 hold a format string that newer clangs do not take for a constant; what the first and the second name means is
# decided by fmt's version.
foreach(target tracer_spdlog tracer_fmt)
  target_compile_definitions(${target} INTERFACE $<$<CXX_COMPILER_ID:Clang>:FMT_CONSTEVAL=> $<$<CXX_COMPILER_ID:Clang>:FMT_USE_CONSTEVAL=0>)
endforeach()

# oneTBB: its containers only, which need no libtbb (tracer/session/tbb_support.cpp).
find_path(TBB_INCLUDE_DIR tbb/concurrent_vector.h)
if(NOT TBB_INCLUDE_DIR)
  tracer_need("oneTBB" "libtbb-dev")
endif()
add_library(tracer_tbb INTERFACE)
target_include_directories(tracer_tbb SYSTEM INTERFACE ${TBB_INCLUDE_DIR})
add_library(tracer::tbb ALIAS tracer_tbb)

# libdw's header only: the library is opened when a source line is looked up.
find_path(LIBDW_INCLUDE_DIR elfutils/libdwfl.h)
if(NOT LIBDW_INCLUDE_DIR)
  tracer_need("libdw" "libdw-dev")
endif()

# libelf, for the command only (tracer/ompd): symbols of a process that is looked into.
find_path(LIBELF_INCLUDE_DIR gelf.h)
find_library(LIBELF_LIBRARY elf)
if(NOT LIBELF_INCLUDE_DIR OR NOT LIBELF_LIBRARY)
  tracer_need("libelf" "libelf-dev")
endif()
add_library(tracer::elf UNKNOWN IMPORTED)
set_target_properties(tracer::elf PROPERTIES IMPORTED_LOCATION ${LIBELF_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${LIBELF_INCLUDE_DIR})

# libzstd, for the command only (formats/parquet); static where that is possible, so that the command needs nothing.
find_path(ZSTD_INCLUDE_DIR zstd.h)
find_library(ZSTD_LIBRARY NAMES libzstd.a zstd)
if(NOT ZSTD_INCLUDE_DIR OR NOT ZSTD_LIBRARY)
  tracer_need("libzstd" "libzstd-dev")
endif()
add_library(tracer::zstd UNKNOWN IMPORTED)
set_target_properties(tracer::zstd PROPERTIES IMPORTED_LOCATION ${ZSTD_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${ZSTD_INCLUDE_DIR})

# xxHash, a header only: hashes of what target constructs copy (tracer/ompt/content.cpp).
find_path(XXHASH_INCLUDE_DIR xxhash.h)
if(NOT XXHASH_INCLUDE_DIR)
  tracer_need("xxhash" "libxxhash-dev")
endif()

find_package(CLI11 QUIET)
if(NOT CLI11_FOUND)
  tracer_need("CLI11" "libcli11-dev")
endif()
find_package(nlohmann_json QUIET)
if(NOT nlohmann_json_FOUND)
  tracer_need("nlohmann-json" "nlohmann-json3-dev")
endif()

# omp-tools.h comes with the compiler. CUDA ships an older one: it has no EMI callbacks.
tracer_omp_tools_directories("" omp_tools_dirs)
find_path(OMP_TOOLS_INCLUDE_DIR omp-tools.h HINTS ${omp_tools_dirs})
if(OMP_TOOLS_INCLUDE_DIR)
  file(STRINGS ${OMP_TOOLS_INCLUDE_DIR}/omp-tools.h omp_tools_has_emi REGEX "ompt_callback_target_data_op_emi" LIMIT_COUNT 1)
endif()
if(NOT OMP_TOOLS_INCLUDE_DIR OR NOT omp_tools_has_emi)
  unset(OMP_TOOLS_INCLUDE_DIR CACHE)  # an older one stands in the way of the next search
  tracer_need("omp-tools.h of OpenMP 5.1 or later" "libomp-dev"
    "; on Fedora and RHEL: dnf install libomp-devel. Or give its directory: -DOMP_TOOLS_INCLUDE_DIR=DIRECTORY")
endif()
# The header's directory also holds the compiler's own headers, so only this one file is made visible.
configure_file(${OMP_TOOLS_INCLUDE_DIR}/omp-tools.h ${PROJECT_BINARY_DIR}/omp-tools/omp-tools.h COPYONLY)
add_library(tracer_omp_tools INTERFACE)
target_include_directories(tracer_omp_tools SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/omp-tools)
add_library(tracer::omp_tools ALIAS tracer_omp_tools)

# CUPTI's headers, optional: the library is opened at run time.
find_path(CUPTI_INCLUDE_DIR cupti.h HINTS /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include)
find_path(CUDA_INCLUDE_DIR cuda.h HINTS /usr/local/cuda/include)
if(CUPTI_INCLUDE_DIR AND CUDA_INCLUDE_DIR)
  add_library(tracer_cupti_headers INTERFACE)
  target_include_directories(tracer_cupti_headers SYSTEM INTERFACE ${CUPTI_INCLUDE_DIR} ${CUDA_INCLUDE_DIR})
  add_library(tracer::cupti ALIAS tracer_cupti_headers)
else()
  message(STATUS "CUPTI's headers not found: NVIDIA devices will be observed from the host only")
endif()

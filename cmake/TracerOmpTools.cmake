# SPDX-License-Identifier: BSD-3-Clause
# tracer_omp_tools_directories(ROOT RESULT): where compilers may have their omp-tools.h below ROOT ("": of this system), the newest
# first: Debian's places, those of Fedora, RHEL and openSUSE, and those of LLVM's own installation. Last that of `clang`, where it is.
function(tracer_omp_tools_directories root result)
  file(GLOB directories ${root}/usr/lib/llvm-*/lib/clang/*/include ${root}/usr/local/lib/clang/*/include
    ${root}/usr/lib/clang/*/include ${root}/usr/lib64/clang/*/include ${root}/usr/lib64/llvm*/lib/clang/*/include)
  list(TRANSFORM directories REPLACE "^(.*/clang/([^/]*)/include)$" "\\2 \\1")
  list(SORT directories COMPARE NATURAL ORDER DESCENDING)
  list(TRANSFORM directories REPLACE "^[^ ]* " "")
  find_program(clang clang NO_CACHE)
  if(clang)
    execute_process(COMMAND ${clang} -print-resource-dir OUTPUT_VARIABLE own OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    list(APPEND directories ${own}/include)
  endif()
  set(${result} ${directories} PARENT_SCOPE)
endfunction()

# SPDX-License-Identifier: BSD-3-Clause
# Makes one script of the page's modules, and a page of a template: the build includes this file. Alone it fills the
# page with the sample trace beside it, to be opened in a browser without anything having been compiled:
#   cmake -P tracer/report/page/web/bundle.cmake page.html

# In this order a module comes behind those that it needs while it is loaded.
set(TRACER_PAGE_MODULES dom numbers rows query trace colours timeline strips navigation finding panels devices mpi samples task_graph tabs tables address keys main)
set(TRACER_PAGE_FOLDER ${CMAKE_CURRENT_LIST_DIR})

# The modules' names are different (tests/page): without imports and exports they share one scope. A module is of the first
# of the folders that has it.
function(tracer_page_script variable modules folders)
  set(script "'use strict';\n(() => {\n")
  foreach(module ${modules})
    unset(file)
    foreach(folder ${folders})
      if(NOT DEFINED file AND EXISTS ${folder}/${module}.js)
        set(file ${folder}/${module}.js)
      endif()
    endforeach()
    file(READ ${file} text)
    string(REGEX REPLACE "(^|\n)import [^\n]*" "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)export " "\\1" text "${text}")
    string(REGEX REPLACE "(^|\n)// (SPDX-License-Identifier:|@ts-check)[^\n]*" "\\1" text "${text}")
    string(APPEND script "// ${module}.js\n${text}")
  endforeach()
  string(REGEX REPLACE "\n\n+" "\n" script "${script}")
  set(${variable} "${script}})();\n" PARENT_SCOPE)
endfunction()

# SHA-256 as the Content-Security-Policy has it.
function(tracer_page_hash variable script)
  string(SHA256 digits "${script}")
  string(APPEND digits "0000")  # 32 bytes and one or two more are a multiple of three
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text "")
  foreach(group RANGE 0 10)
    math(EXPR at "6 * ${group}")
    string(SUBSTRING "${digits}" ${at} 6 three)
    foreach(shift 18 12 6 0)
      math(EXPR place "(0x${three} >> ${shift}) & 63")
      string(SUBSTRING "${alphabet}" ${place} 1 letter)
      string(APPEND text ${letter})
    endforeach()
  endforeach()
  string(SUBSTRING "${text}" 0 43 text)
  set(${variable} "sha256-${text}=" PARENT_SCOPE)
endfunction()

# page_html, page_css and page_js in the caller.
macro(tracer_read_page)
  tracer_page_script(page_js "${TRACER_PAGE_MODULES}" ${TRACER_PAGE_FOLDER})
  tracer_page_hash(page_hash "${page_js}")
  file(READ ${TRACER_PAGE_FOLDER}/page.css page_css)
  file(READ ${TRACER_PAGE_FOLDER}/page.html page_html)
  string(REPLACE "/*HASH*/" "${page_hash}" page_html "${page_html}")
endmacro()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  math(EXPR last "${CMAKE_ARGC} - 1")
  tracer_read_page()
  string(REPLACE "/*STYLE*/" "${page_css}" page "${page_html}")
  string(REPLACE "/*SCRIPT*/" "${page_js}" page "${page}")
  foreach(what META SLICES SAMPLES)
    string(TOLOWER ${what} name)
    file(READ ${TRACER_PAGE_FOLDER}/sample/${name}.txt text)
    string(REPLACE "/*${what}*/" "${text}" page "${page}")
  endforeach()
  file(WRITE ${CMAKE_ARGV${last}} "${page}")
  message(STATUS "${CMAKE_ARGV${last}}: open it in a browser")
endif()

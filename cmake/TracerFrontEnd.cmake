# SPDX-License-Identifier: BSD-3-Clause
# tracer_front_end(NAME MAP SOURCES...): a library that is preloaded into programs, NAME.so in the folder of its caller.
# It links the C library only, and exports what the version script MAP names; what it records goes through the table of
# libtracer.so (include/tracer/front_end.h).
function(tracer_front_end name map)
  add_library(${name} SHARED ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${map})
  target_link_libraries(${name} PRIVATE tracer_options ${CMAKE_DL_LIBS})
  target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti)
  target_link_options(${name} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/${map}
    -Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-z,now -Wl,--as-needed)
  if(NOT TRACER_SANITIZE)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc -Wl,--no-undefined)
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# SPDX-License-Identifier: BSD-3-Clause
# Packages that run on other systems than that of their build, as cmake/scripts/portable.sh configures them: what they need lies in
# lib/tracer, beside libtracer.so (tracer/base/libdw.cpp opens it). cpack -G TXZ and cpack -G RPM make them in that build tree.
set(TRACER_BUNDLED "" CACHE STRING "Libraries for lib/tracer, by the names under which they are loaded; not empty: packages are portable")
set(TRACER_LICENCES "" CACHE PATH "Folder of the licences of these libraries, and of what else is inside; empty: none")
if(NOT TRACER_BUNDLED)
  return()
endif()
foreach(library ${TRACER_BUNDLED})
  get_filename_component(name ${library} NAME)
  get_filename_component(file ${library} REALPATH)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/tracer RENAME ${name})
endforeach()
if(TRACER_LICENCES)
  install(DIRECTORY ${TRACER_LICENCES}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences)
endif()
string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_FILE_NAME tracer-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/packaging/portable_package.cmake)
# In a folder of its own, and what is in it is nobody else's: neither asked of the system nor offered to it.
set(CPACK_RPM_PACKAGE_AUTOREQPROV OFF)
set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RPM_PACKAGE_REQUIRES "glibc >= 2.28")
set(CPACK_RPM_COMPRESSION_TYPE xz)  # what rpm of RHEL 8 reads, too
# docs/third-party.md
string(CONCAT CPACK_RPM_PACKAGE_LICENSE "BSD-3-Clause AND BSD-2-Clause AND MIT AND Apache-2.0 AND Zlib AND bzip2-1.0.6 AND "
  "(LGPL-3.0-or-later OR GPL-2.0-or-later) AND (GPL-3.0-or-later WITH GCC-exception-3.1) AND LicenseRef-Fedora-Public-Domain")
set(CPACK_RPM_PACKAGE_GROUP Development/Tools)
set(CPACK_RPM_PACKAGE_RELOCATABLE ON)
set(CPACK_RPM_PACKAGE_DESCRIPTION ${CPACK_PACKAGE_DESCRIPTION})
set(CPACK_RPM_SPEC_MORE_DEFINE "%define __os_install_post %{nil}
%define _build_id_links none")

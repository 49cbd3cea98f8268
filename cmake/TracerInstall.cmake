# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` and CPack put where. Nothing installed knows its prefix: it may be moved afterwards.
include(CMakePackageConfigHelpers)

set(generated ${PROJECT_BINARY_DIR}/generated)

# Manual pages and completions come from the command itself, so they say what it says.
if(TARGET tracer AND NOT CMAKE_CROSSCOMPILING)
  file(MAKE_DIRECTORY ${generated}/man ${generated}/completion)
  file(GENERATE OUTPUT ${generated}/write-manuals.sh CONTENT "#!/bin/sh
# Writes the manual pages and completions of the command $1.
set -e
\"$1\" manual > '${generated}/man/tracer.1'
\"$1\" completion bash > '${generated}/completion/tracer'
\"$1\" completion zsh > '${generated}/completion/_tracer'
\"$1\" completion fish > '${generated}/completion/tracer.fish'
for command in $(sed -n 's/^.fBtracer.-\\(.*\\).fR(1)$/\\1/p' '${generated}/man/tracer.1' | tr -d '\\\\'); do
  \"$1\" manual \"$command\" > \"${generated}/man/tracer-$command.1\"
done
")
  add_custom_command(OUTPUT ${generated}/man/tracer.1 COMMAND sh ${generated}/write-manuals.sh $<TARGET_FILE:tracer>
    DEPENDS tracer ${generated}/write-manuals.sh COMMENT "Manual pages and completions")
  add_custom_target(tracer_manuals ALL DEPENDS ${generated}/man/tracer.1)
  install(DIRECTORY ${generated}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
  install(FILES ${generated}/completion/tracer DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${generated}/completion/_tracer DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${generated}/completion/tracer.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# For builds that link the tool in, or want to find it: pkg-config and find_package(tracer).
file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/packaging/tracer.pc.in ${generated}/tracer.pc @ONLY)
install(FILES ${generated}/tracer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/packaging/tracer-config.cmake.in ${generated}/tracer-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tracer PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${generated}/tracer-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${generated}/tracer-config.cmake ${generated}/tracer-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tracer)

foreach(page README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE)
  install(FILES ${PROJECT_SOURCE_DIR}/${page} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endforeach()
# Licences of what is linked in (docs/third-party.md), as Debian's packages have them.
set(copyrights "")
foreach(package libotf2-trace-dev libspdlog-dev libfmt-dev libtbb-dev libxxhash-dev libstdc++-*-dev libcli11-dev nlohmann-json3-dev
    libzstd-dev libsqlite3-dev)
  list(APPEND copyrights ${CMAKE_SYSROOT}/usr/share/doc/${package}/copyright)
endforeach()
file(GLOB copyrights ${copyrights})
foreach(copyright ${copyrights})
  get_filename_component(package ${copyright} DIRECTORY)
  get_filename_component(package ${package} NAME)
  install(FILES ${copyright} DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences RENAME ${package})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs OPTIONAL
  PATTERN "*.md" PATTERN "*.png")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
  PATTERN "CMakeLists.txt" EXCLUDE PATTERN "__pycache__" EXCLUDE PATTERN "quickstart.sh" EXCLUDE)

# What is installed is small; what a debugger needs of it lies beside it, where debuggers look: .debug/NAME.debug. CPack and
# `cmake --install --strip` leave that out.
find_program(TRACER_OBJCOPY NAMES ${CMAKE_OBJCOPY} objcopy)
if(TRACER_OBJCOPY AND NOT CMAKE_CROSSCOMPILING)
  install(CODE "
    set(objcopy \"${TRACER_OBJCOPY}\")
    set(installed ${CMAKE_INSTALL_BINDIR}/tracer ${CMAKE_INSTALL_LIBDIR}/libtracer.so
      ${CMAKE_INSTALL_LIBDIR}/libtracer-mpi.so ${CMAKE_INSTALL_LIBDIR}/libtracer-annotations.so
      ${CMAKE_INSTALL_LIBDIR}/libtracer-view.so ${CMAKE_INSTALL_LIBDIR}/libtracer-python.so
      ${CMAKE_INSTALL_LIBDIR}/libtracer-gomp.so)")
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/packaging/split_debug.cmake)
endif()

set(CPACK_PACKAGE_NAME tracer-openmp)
set(CPACK_PACKAGE_VENDOR "The Tracer developers")
# Who makes the package is asked as Debian's own tools do.
set(CPACK_PACKAGE_CONTACT "The Tracer developers <tracer@example.org>")
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tracing tool for OpenMP programs")
set(CPACK_PACKAGE_DESCRIPTION "Records what an OpenMP program does, on the host and on its devices,\n through the tools interface of the OpenMP runtime, and writes an OTF2\n archive. The program is neither recompiled nor relinked.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
# Whatever the umask of who makes the package is.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_GENERATOR TGZ)
find_program(dpkg_shlibdeps dpkg-shlibdeps NO_CACHE)
if(dpkg_shlibdeps)
  list(APPEND CPACK_GENERATOR DEB)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
file(WRITE ${generated}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${generated}/triggers)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/packaging/debian_files.cmake)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# Opened when they are needed, and done without when they are not there: source lines, the runtime for GCC's programs.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libdw1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "otf2-tools, python3-otf2, libomp5 | libomp5-14 | libomp5-19, clang")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_SOURCE_IGNORE_FILES /build/ /\\.git/)
include(TracerPortable)
include(CPack)

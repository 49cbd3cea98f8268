# SPDX-License-Identifier: BSD-3-Clause
# Run by CPack between installing and packing: what Debian's policy wants beside it - a copyright file, a changelog,
# compressed manual pages, zsh's completion where its zsh looks for those of packages, plain modes.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
file(GLOB_RECURSE manuals "${CPACK_TEMPORARY_DIRECTORY}/usr/share/man/*.1")
set(documents ${CPACK_TEMPORARY_DIRECTORY}/usr/share/doc/${CPACK_PACKAGE_NAME})
file(MAKE_DIRECTORY ${documents})
set(zsh ${CPACK_TEMPORARY_DIRECTORY}/usr/share/zsh)
if(EXISTS ${zsh}/site-functions)  # not of a build for another processor
  file(RENAME ${zsh}/site-functions ${zsh}/vendor-completions)
endif()
file(GLOB_RECURSE entries LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/*")
foreach(entry ${CPACK_TEMPORARY_DIRECTORY} ${entries})
  if(IS_DIRECTORY ${entry})  # those on the way to what is installed have the umask's modes
    file(CHMOD ${entry} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()

file(READ ${CPACK_RESOURCE_FILE_LICENSE} license)
string(REGEX REPLACE "\n([^\n])" "\n \\1" license "${license}")
string(REGEX REPLACE "\n\n" "\n .\n" license "${license}")
file(WRITE ${documents}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ${CPACK_PACKAGE_NAME}
Comment: Its programs contain parts of other projects, which are named in
 /usr/share/doc/tracer/docs/third-party.md. Their copyright files are in
 /usr/share/doc/tracer/licences.

Files: *
Copyright: ${CPACK_PACKAGE_VENDOR}
License: BSD-3-Clause
 ${license}")

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${documents}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}: what is new is in CHANGELOG.md.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
file(CHMOD ${documents}/copyright ${documents}/changelog PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
execute_process(COMMAND gzip -9nf ${documents}/changelog ${manuals} COMMAND_ERROR_IS_FATAL ANY)

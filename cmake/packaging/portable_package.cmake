# SPDX-License-Identifier: BSD-3-Clause
# Read by CPack for each kind of package: where what it contains is.
if(CPACK_GENERATOR STREQUAL "RPM")
  set(CPACK_PACKAGING_INSTALL_PREFIX /opt/tracer)
else()
  set(CPACK_PACKAGING_INSTALL_PREFIX /)
endif()

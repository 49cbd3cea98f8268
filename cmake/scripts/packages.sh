#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Which Debian packages this project needs, and how they are installed. To be sourced:
#   . cmake/scripts/packages.sh; tracer_install build [test]
# Quiet when nothing is to be done; never removes a package.

# To build the tool and its command.
BUILD_PACKAGES=(
  cmake ninja-build g++ pkg-config
  libotf2-trace-dev libspdlog-dev libfmt-dev libtbb-dev libdw-dev libelf-dev
  libcli11-dev nlohmann-json3-dev libsqlite3-dev
)

# To open and summarise a trace (OTF2's own tools, and its reader in Python).
EXAMPLE_PACKAGES=(otf2-tools)

# Needed by the tests.
TEST_PACKAGES=(
  catch2 otf2-tools python3 python3-otf2 libdw1 binutils file procps gdb dpkg-dev
)

# Some tests use these and skip, saying so, where they are missing: installed if that is possible.
OPTIONAL_TEST_PACKAGES=(
  libclang-rt-22-dev llvm-22 clang-tools-22 util-linux
  liboffload-22-dev libbenchmark-dev ccache python3-pandas python3-matplotlib graphviz sqlite3 protobuf-compiler vite chromium xvfb debootstrap man-db
)

# OpenMP tool chains, best first: a compiler with the headers of its runtime, and the runtime's offload
# part where it is packaged apart. They exclude each other: the first that removes nothing is taken.
# (libomp-22-dev depends on the runtime libomp5-19: Debian has one libomp.so.5 at a time.)
OPENMP_TOOLCHAINS=(
  "clang-22 libomp-22-dev liboffload-22-dev"
  "clang-22 libomp-22-dev"
  "clang-19 libomp-19-dev"
  "clang-16 libomp-16-dev"
  "clang libomp-dev"
)

tracer_say() { printf '%s\n' "$*" >&2; }

tracer_is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The packages of "$@" that are not installed, one a line.
tracer_missing() {
  local package
  for package in "$@"; do
    tracer_is_installed "$package" || printf '%s\n' "$package"
  done
}

# Whether clang of some version can build OpenMP programs now; prints its toolchain row.
tracer_openmp_present() {
  local row
  for row in "${OPENMP_TOOLCHAINS[@]}"; do
    # shellcheck disable=SC2086
    [ -z "$(tracer_missing $row)" ] && { printf '%s\n' "$row"; return 0; }
  done
  return 1
}

# apt-get as root or through sudo; no questions, output only to the log.
tracer_apt() {
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null; then
      as_root=(sudo)
      [ -t 0 ] || as_root=(sudo -n)
    else
      tracer_say "error: neither root nor sudo. Run as root: apt-get $*"
      return 1
    fi
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
    -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 "$@" >>"$TRACER_APT_LOG" 2>&1 </dev/null
}

# tracer_apt_install required|optional package...: installs what is missing of them.
tracer_apt_install() {
  local need=$1 missing
  shift
  mapfile -t missing < <(tracer_missing "$@")
  [ "${#missing[@]}" -eq 0 ] && return 0
  if [ "$need" = optional ]; then # one that does not exist here must not keep the others away
    mapfile -t missing < <(for package in "${missing[@]}"; do
      apt-cache show "$package" 2>/dev/null | grep -q '^Package:' && printf '%s\n' "$package"
    done)
    [ "${#missing[@]}" -eq 0 ] && return 0
  fi
  tracer_say "installing: ${missing[*]}"
  tracer_apt --no-remove --no-install-recommends install "${missing[@]}" && return 0
  if [ "$need" = optional ]; then
    tracer_say "note: not all could be installed; the tests that need them will be skipped"
    return 0
  fi
  tracer_say "error: installing failed; the end of $TRACER_APT_LOG:"
  tail -n 15 "$TRACER_APT_LOG" >&2
  return 1
}

tracer_install_openmp() {
  local row
  tracer_openmp_present >/dev/null && return 0
  for row in "${OPENMP_TOOLCHAINS[@]}"; do
    # shellcheck disable=SC2086
    if apt-get -q -y -s --no-remove --no-install-recommends install $row >>"$TRACER_APT_LOG" 2>&1; then
      # shellcheck disable=SC2086
      tracer_apt_install required $row
      return
    fi
  done
  tracer_say "error: no clang with an OpenMP runtime can be installed without removing something else. Tried:"
  printf '  %s\n' "${OPENMP_TOOLCHAINS[@]}" >&2
  return 1
}

# tracer_install build|test...: installs what the named purposes need.
tracer_install() {
  local packages=("${BUILD_PACKAGES[@]}" "${EXAMPLE_PACKAGES[@]}") optional=() purpose
  for purpose in "$@"; do
    if [ "$purpose" = test ]; then
      packages+=("${TEST_PACKAGES[@]}")
      optional=("${OPTIONAL_TEST_PACKAGES[@]}")
    fi
  done
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    tracer_say "note: no apt here, nothing is installed. Needed, by their Debian names: ${packages[*]} ${OPENMP_TOOLCHAINS[0]}"
    return 0
  fi
  TRACER_APT_LOG=$(mktemp "${TMPDIR:-/tmp}/tracer-apt.XXXXXX")
  if [ -n "$(tracer_missing "${packages[@]}" "${optional[@]}")" ] || ! tracer_openmp_present >/dev/null; then
    tracer_apt update || tracer_say "note: apt-get update failed, going on with the package lists that are here"
  fi
  # The tool chain first: the choice must see what the user has, not what we added.
  if ! tracer_install_openmp || ! tracer_apt_install required "${packages[@]}"; then
    return 1
  fi
  tracer_apt_install optional "${optional[@]}"
  rm -f "$TRACER_APT_LOG"
}

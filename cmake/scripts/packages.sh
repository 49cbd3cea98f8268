#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Which Debian packages this project needs, and how they are installed. To be sourced:
#   . cmake/scripts/packages.sh; tracer_install build [test]
# Quiet when nothing is to be done; never removes a package. What could not be installed and costs only some tests is in
# TRACER_NOT_INSTALLED afterwards, one line each: what is not tested, and why.

# To build the tool and its command.
BUILD_PACKAGES=(
  cmake ninja-build g++ pkg-config
  libotf2-trace-dev libspdlog-dev libfmt-dev libtbb-dev libdw-dev libelf-dev
  libcli11-dev nlohmann-json3-dev libsqlite3-dev libzstd-dev libxxhash-dev libcpp-httplib-dev
)

# To open and summarise a trace (OTF2's own tools, and its reader in Python).
EXAMPLE_PACKAGES=(otf2-tools)

# Needed by the tests. (python3-six: what python3-otf2 of Debian 13 imports and does not depend on.)
TEST_PACKAGES=(
  catch2 otf2-tools python3 python3-otf2 python3-six binutils file procps gdb dpkg-dev util-linux
)

# What some tests need, by what it is for: "what is not tested without it|packages". A group that cannot be installed costs
# these tests and no others; they skip and say so.
TEST_GROUPS=(
  "target regions, fuzzing and programs built by clang 22|clang-22 clang-tools-22 llvm-22 libclang-rt-22-dev"
  "Fortran programs of LLVM|flang-22"
  "programs that libfaketime gives another time|faketime"
  "MPI|openmpi-bin libopenmpi-dev mpich libmpich-dev gfortran"
  "programs with Kokkos|libtrilinos-kokkos-dev"
  "the HTML report in a browser|chromium xvfb"
  "functions of Python programs with OpenMP|python3-sklearn python3-numba"
  "scripts that read traces by pandas and draw|python3-pandas python3-matplotlib graphviz"
  "exports as their readers see them|sqlite3 protobuf-compiler vite"
  "Parquet as other readers see it, and types and style of the page's modules|npm"
  "installing into a clean root|debootstrap"
  "the package by Debian's own checker|lintian"
  "the portable package for systems of RPM|rpm cpio"
  "manual pages|man-db"
  "micro-benchmarks|libbenchmark-dev"
  "style of sources|clang-format-14"
  "style of scripts|shellcheck flake8"
  "queries on a Dask cluster|python3-dask python3-distributed python3-pandas python3-pyarrow"
  "(nothing: repeated builds are slower)|ccache"
)

# OpenMP tool chains, best first: a compiler with the headers of its runtime, and the runtime's offload
# part where it is packaged apart. They exclude each other: the first that removes nothing is taken.
# (libomp-22-dev depends on the runtime libomp5-19: Debian has one libomp.so.5 at a time.)
OPENMP_TOOLCHAINS=(
  "clang-23 libomp-23-dev liboffload-23-dev"
  "clang-23 libomp-23-dev"
  "clang-22 libomp-22-dev liboffload-22-dev"
  "clang-22 libomp-22-dev"
  "clang-19 libomp-19-dev"
  "clang-16 libomp-16-dev"
  "clang-14 libomp-14-dev"
)

. cmake/scripts/progress.sh
TRACER_NOT_INSTALLED=()

tracer_say() { printf '%s\n' "$*" >&2; }

tracer_is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The packages of "$@" that are not installed, one a line.
tracer_missing() {
  local package
  for package in "$@"; do
    # Where npm came with a node of another origin, Debian's would take that one's place.
    [ "$package" = npm ] && command -v npm >/dev/null && continue
    tracer_is_installed "$package" || printf '%s\n' "$package"
  done
}

# The first row of OPENMP_TOOLCHAINS that is installed, or a newer clang with its libomp: with it clang can build OpenMP programs now.
tracer_openmp_present() {
  local row version
  for row in "${OPENMP_TOOLCHAINS[@]}"; do
    # shellcheck disable=SC2086
    [ -z "$(tracer_missing $row)" ] && { printf '%s\n' "$row"; return 0; }
  done
  for version in $(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 'libomp-*-dev' 2>/dev/null | sed -nE 's/^installed libomp-([0-9]+)-dev$/\1/p' | sort -rn); do
    tracer_is_installed "clang-$version" && { printf '%s\n' "clang-$version libomp-$version-dev"; return 0; }
  done
  return 1
}

# apt-get as root or through sudo; output only to the log, and no questions: a file of settings that somebody has changed
# stays as it is.
tracer_apt() {
  local as_root=() statuses name proxies=
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null; then
      as_root=(sudo)
      [ -t 0 ] || as_root+=(-n)
      # sudo keeps no proxy. By their names alone: all users see the words of a command, and a proxy may have a password.
      for name in http_proxy https_proxy no_proxy; do [ -z "${!name:-}" ] || proxies=$proxies${proxies:+,}$name; done
      [ -z "$proxies" ] || as_root+=("--preserve-env=$proxies")
    else
      echo "E: neither root nor sudo; run as root: apt-get $*" >>"$TRACER_APT_LOG"
      return 1
    fi
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o APT::Status-Fd=1 \
    -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@" 2>&1 </dev/null | tracer_progress installing apt >>"$TRACER_APT_LOG"
  statuses=("${PIPESTATUS[@]}")
  return "${statuses[0]}"
}

# Why the last tracer_apt failed, in one line.
tracer_apt_reason() {
  grep -E '^(E:|sudo:)|Unable to locate|Packages need to be removed' "$TRACER_APT_LOG" | tail -n 1 | sed 's/^E: *//'
}

tracer_apt_install() {
  tracer_apt --no-remove --no-install-recommends install "$@"
}

# Installs what is missing of the packages that are needed.
tracer_install_required() {
  local missing
  mapfile -t missing < <(tracer_missing "$@")
  [ "${#missing[@]}" -eq 0 ] && return 0
  tracer_say "installing: ${missing[*]}"
  tracer_apt_install "${missing[@]}" && return 0
  tracer_say "error: installing failed: $(tracer_apt_reason). The end of $TRACER_APT_LOG:"
  tail -n 15 "$TRACER_APT_LOG" >&2
  return 1
}

# The packages of "$@" that the package lists do not have.
tracer_unknown() {
  [ $# -eq 0 ] || LC_ALL=C apt-cache policy -- "$@" 2>/dev/null | awk -v wanted="$*" '
    /^[^ ]/ { name = substr($1, 1, length($1) - 1) }
    /^  Candidate: / && $2 != "(none)" { known[name] = 1 }
    END { n = split(wanted, names, " "); for (i = 1; i <= n; ++i) if (!(names[i] in known)) print names[i] }'
}

# Sorts the groups of "$@" of which packages are missing: TRACER_GROUPS can be installed; of the others, a line each in
# TRACER_UNKNOWN, the package lists lack a package.
tracer_sort_groups() {
  local row missing unknown
  TRACER_GROUPS=() TRACER_UNKNOWN=()
  for row in "$@"; do
    # shellcheck disable=SC2086
    mapfile -t missing < <(tracer_missing ${row#*|})
    mapfile -t unknown < <(tracer_unknown "${missing[@]}")
    if [ "${#unknown[@]}" -ne 0 ]; then
      TRACER_UNKNOWN+=("${row%%|*} (no package here: ${unknown[*]})")
    elif [ "${#missing[@]}" -ne 0 ]; then
      TRACER_GROUPS+=("$row")
    fi
  done
}

# Installs what is missing of the groups: all at once, and where that does not go, group by group.
tracer_install_groups() {
  local row packages all=()
  tracer_sort_groups "$@"
  TRACER_NOT_INSTALLED+=("${TRACER_UNKNOWN[@]}")
  for row in "${TRACER_GROUPS[@]}"; do
    # shellcheck disable=SC2086
    mapfile -t -O "${#all[@]}" all < <(tracer_missing ${row#*|})
  done
  [ "${#all[@]}" -eq 0 ] && return 0
  tracer_say "installing for the tests: ${all[*]}"
  tracer_apt_install "${all[@]}" && return 0
  for row in "${TRACER_GROUPS[@]}"; do
    # shellcheck disable=SC2086
    mapfile -t packages < <(tracer_missing ${row#*|})
    tracer_apt_install "${packages[@]}" && continue
    TRACER_NOT_INSTALLED+=("${row%%|*} (${packages[*]} could not be installed: $(tracer_apt_reason))")
  done
}

tracer_install_openmp() {
  local row
  tracer_openmp_present >/dev/null && return 0
  for row in "${OPENMP_TOOLCHAINS[@]}"; do
    # shellcheck disable=SC2086
    if apt-get -q -y -s --no-remove --no-install-recommends install $row >>"$TRACER_APT_LOG" 2>&1; then
      # shellcheck disable=SC2086
      tracer_install_required $row
      return
    fi
  done
  tracer_say "error: no clang with an OpenMP runtime can be installed without removing something else. Tried:"
  printf '  %s\n' "${OPENMP_TOOLCHAINS[@]}" >&2
  return 1
}

# tracer_install build|test...: installs what the named purposes need.
tracer_install() {
  local packages=("${BUILD_PACKAGES[@]}" "${EXAMPLE_PACKAGES[@]}") groups=() purpose
  for purpose in "$@"; do
    if [ "$purpose" = test ]; then
      packages+=("${TEST_PACKAGES[@]}")
      groups=("${TEST_GROUPS[@]}")
    fi
  done
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    tracer_say "note: no apt here, nothing is installed. Needed, by their Debian names: ${packages[*]} ${OPENMP_TOOLCHAINS[0]}"
    return 0
  fi
  TRACER_APT_LOG=$(mktemp "${TMPDIR:-/tmp}/tracer-apt.XXXXXX")
  # What is missing because no list has it is no reason to fetch lists, but where there are none yet.
  tracer_sort_groups "${groups[@]}"
  if [ -n "$(tracer_missing "${packages[@]}")" ] || [ "${#TRACER_GROUPS[@]}" -ne 0 ] || ! tracer_openmp_present >/dev/null ||
    { [ "${#TRACER_UNKNOWN[@]}" -ne 0 ] && ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; }; then
    tracer_apt update || tracer_say "note: apt-get update failed ($(tracer_apt_reason)), going on with the package lists that are here"
  fi
  # The tool chain first: the choice must see what the user has, not what we added.
  if ! tracer_install_openmp || ! tracer_install_required "${packages[@]}"; then
    return 1
  fi
  [ "${#groups[@]}" -eq 0 ] || tracer_install_groups "${groups[@]}"
  rm -f "$TRACER_APT_LOG"
}

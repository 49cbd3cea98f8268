#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The tool chain that the tests build their programs with, whatever the machine's own is: the newest clang of Debian with
# its OpenMP runtime and the part that offloads.
#   cmake/scripts/toolchain.sh DIRECTORY
# Prints the directory of its clang. Where that tool chain is installed whole it is the installed one; elsewhere Debian's
# packages, whose runtimes exclude each other when installed, are unpacked into DIRECTORY (which is kept: only the first
# call needs the network). Status 77, with the reason on stderr, where it cannot be had. Needs no root.
set -u
[ $# -eq 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
version=22
libraries="libomp-$version-dev liboffload-$version liboffload-$version-dev"
# Small ones: what they need besides comes with the installed clang-22.
programs="clang-$version clang-tools-$version llvm-$version llvm-$version-linker-tools libclang-common-$version-dev"
skip() { printf 'clang %s with offloading cannot be had: %s\n' $version "$*" >&2; exit 77; }
installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Whether clang of directory $1 makes programs that offload to the host.
works() {
  local scratch libraries_of
  scratch=$(mktemp -d) || return 1
  libraries_of=$(realpath "$1/../lib")
  printf '%s\n' '#include <omp.h>' 'int main(void) {' '  int on_host = 1;' '#pragma omp target map(from : on_host)' \
    '  on_host = omp_is_initial_device();' '  return omp_get_num_devices() == 0 || on_host;' '}' >"$scratch/probe.c"
  if "$1/clang" -fopenmp -fopenmp-targets=x86_64-unknown-linux-gnu "$scratch/probe.c" -o "$scratch/probe" -L"$libraries_of" \
    -Wl,-rpath,"$libraries_of" >"$scratch/log" 2>&1 &&
    # libomptarget opens "libomp.so" by name: an installed one beside it would be a second runtime.
    LD_LIBRARY_PATH=$libraries_of${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$scratch/probe" >>"$scratch/log" 2>&1; then
    rm -rf "$scratch"
    return 0
  fi
  reason=$(head -n 1 "$scratch/log")
  rm -rf "$scratch"
  return 1
}

system=/usr/lib/llvm-$version/bin
if installed clang-$version && installed libomp-$version-dev && installed liboffload-$version-dev && works $system; then
  echo $system
  exit 0
fi
command -v apt-get >/dev/null && command -v dpkg >/dev/null || skip "no apt here"
installed clang-$version || skip "clang-$version is not installed"
mkdir -p "$1" || exit 1
into=$(cd "$1" && pwd)
exec 9>"$into/lock"
flock 9
bin=$into/tree/usr/lib/llvm-$version/bin
if [ ! -x "$bin/clang" ] || [ "$("$bin/clang" -dumpversion 2>/dev/null)" != "$(clang-$version -dumpversion)" ]; then
  # Debian has one libomp.so.5 at a time; its package's name is the release's.
  runtime=$(apt-cache depends "libomp-$version-dev" 2>>"$into/log" | sed -nE 's/^ *\|?Depends: (libomp5(-[0-9]+)?)$/\1/p' | head -n 1)
  libraries="$libraries ${runtime:-libomp5}"
  . "$(dirname "$0")/unpack_packages.sh"
  # shellcheck disable=SC2086
  reason=$(unpack_packages "$into" "$into/tree" $libraries $programs) || skip "$reason"
fi
works "$bin" || skip "${reason:-its programs do not run}"
echo "$bin"

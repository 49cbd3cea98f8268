#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What gcc needs to build programs that offload to NVIDIA devices, unpacked and not installed: where it is installed, gcc
# makes device code of every target region.
#   cmake/scripts/gcc_nvptx.sh DIRECTORY
# Prints the directory that has usr/lib and usr/bin of Debian's packages (kept: only the first call needs the network).
# tests/gpu/build_gcc.sh compiles with it. Status 77, with the reason on stderr, where it cannot be had. Needs no root.
set -u
[ $# -eq 1 ] || { echo "usage: $0 DIRECTORY" >&2; exit 2; }
skip() { printf "gcc's offloading to NVIDIA devices cannot be had: %s\n" "$*" >&2; exit 77; }
command -v apt-get >/dev/null && command -v dpkg >/dev/null || skip "no apt here"
version=$(gcc -dumpversion 2>/dev/null) || skip "gcc is not installed"
version=${version%%.*}
mkdir -p "$1" || exit 1
into=$(cd "$1" && pwd)
exec 9>"$into/lock"
flock 9
tree=$into/gcc-$version
if [ ! -d "$tree" ]; then
  . "$(dirname "$0")/unpack_packages.sh"
  reason=$(unpack_packages "$into" "$tree" "gcc-$version-offload-nvptx" libgomp-plugin-nvptx1 nvptx-tools) || skip "$reason"
fi
echo "$tree"

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Unpacks Debian's OpenMP runtimes, which exclude each other when installed, into a directory:
#   cmake/scripts/runtimes.sh DIRECTORY [version...]
# Prints "<version> <directory of libomp.so.5>" for each that is there. What was unpacked before is
# kept, so only the first call needs the network; a version that cannot be had is left out and said, and asked for
# again after ten minutes.
set -u
if [ $# -lt 1 ]; then
  echo "usage: $0 DIRECTORY [version...]" >&2
  exit 2
fi
mkdir -p "$1" || exit 1
into=$(cd "$1" && pwd)
shift
versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(13 14 15 16 19)

# The runtime that the package of version $1 holds, "" when it is not unpacked.
library_of() {
  find "$into/$1" -name libomp.so.5 2>/dev/null | sort | head -n 1
}

# Downloads beside the target and moves it there whole, so that an interrupted call leaves nothing half done.
unpack() {
  local version=$1 scratch missing=$into/$1.missing
  if [ -n "$(find "$missing" -mmin -10 2>/dev/null)" ]; then
    cat "$missing" >&2
    return 1
  fi
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
  scratch=$(mktemp -d "$into/.unpack.XXXXXX") || return 1
  if (cd "$scratch" && apt-get -q download "libomp5-$version" && dpkg -x libomp5-"$version"_*.deb tree) >"$scratch/log" 2>&1; then
    rm -rf "${into:?}/$version"
    mv "$scratch/tree" "$into/$version"
    rm -f "$missing"
  else
    echo "runtimes: libomp5-$version cannot be had: $(tail -n 1 "$scratch/log")" | tee "$missing" >&2
  fi
  rm -rf "$scratch"
}

for version in "${versions[@]}"; do
  [ -n "$(library_of "$version")" ] || unpack "$version"
  library=$(library_of "$version")
  [ -n "$library" ] && echo "$version $(dirname "$library")"
done
exit 0

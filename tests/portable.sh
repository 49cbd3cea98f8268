#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The portable package (cmake/scripts/portable.sh) in a root of Debian 11 and in one with nothing but its C library: unpacks it,
# traces a program, converts, reports, exports. Prints a table; the status is 1 where something fails.
#   tests/portable.sh [PACKAGE]     as root (chroot); without PACKAGE it is made first, which takes as long as a build
# Of the environment: TRACER_PORTABLE_WORK, as for portable.sh.
set -u
cd "$(dirname "$0")/.." || exit 1
[ "$(id -u)" -eq 0 ] || { echo "tests/portable.sh: run it as root (chroot)" >&2; exit 2; }
work=${TRACER_PORTABLE_WORK:-$PWD/build/portable}
package=${1:-$(TRACER_PORTABLE_WORK=$work cmake/scripts/portable.sh)} || exit 1
[ -f "$package" ] || { echo "tests/portable.sh: no package '$package'" >&2; exit 2; }
bullseye=$work/bullseye sysroot=$work/sysroot
unset TRACER_PORTABLE_WORK
triplet=$(gcc -print-multiarch)
scratch=$(mktemp -d /var/tmp/tracer-portable.XXXXXX) || exit 1
trap 'umount "$scratch"/*/proc "$scratch"/*/dev 2>/dev/null; rm -rf --one-file-system "$scratch"' EXIT
failed=0

# A program for the oldest: compiled here, linked with the C library and the libomp of Debian 11.
compiler=$(command -v clang || command -v clang-22 || command -v clang-14) || { echo "skipped: no clang"; exit 77; }
at=$sysroot/usr/lib/$triplet
libomp=$(find "$bullseye/usr/lib" -name 'libomp.so.5' | head -n 1)
"$compiler" -fopenmp -g -O1 -c tests/e2e/several/work.c -o "$scratch/work.o" &&
  gcc "--sysroot=$sysroot" "-B$at" "-L$at" "$scratch/work.o" "$(readlink -f "$libomp")" -lpthread -ldl -o "$scratch/work" || exit 1

make_root() { # name
  local root=$scratch/$1
  case $1 in
    debian11) cp -a "$bullseye" "$root" ;;
    glibc)
      mkdir -p "$root/lib/$triplet" "$root/lib64" "$root/tmp"
      for library in libc libm libpthread libdl librt; do
        cp -L "$bullseye/lib/$triplet/$library".so.[0-9]* "$root/lib/$triplet/"
      done
      cp -L "$sysroot"/lib64/ld-* "$root/lib64/"
      ;;
  esac
  mkdir -p "$root/proc" "$root/dev" "$root/opt" "$root/app/lib"
  mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev"
  tar -C "$root/opt" -xf "$package" && mv "$root"/opt/tracer-* "$root/opt/tracer"
  cp "$scratch/work" "$root/app/" && cp "$(readlink -f "$libomp")" "$root/app/lib/libomp.so.5"
}

row() { # root what wanted-status command...
  local root=$1 what=$2 wanted=$3 status
  shift 3
  chroot "$scratch/$root" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
  printf '%-9s %-34s %s\n' "$root" "$what" "$([ $status -eq "$wanted" ] && echo good || echo "FAILED: status $status")"
  [ $status -eq "$wanted" ] && return
  failed=1
  tail -n 5 "$scratch/out" "$scratch/err" | sed 's/^/    /'
}
says() { # root what pattern: of the last row
  if grep -q -- "$3" "$scratch/out" "$scratch/err"; then printf '%-9s %-34s good\n' "$1" "$2"; return; fi
  printf '%-9s %-34s FAILED: no %s\n' "$1" "$2" "$3"
  failed=1
}

echo "$(basename "$package"): $(du -h "$package" | cut -f 1)"
for root in debian11 glibc; do
  make_root $root || exit 1
  export LD_LIBRARY_PATH=/app/lib
  tracer=/opt/tracer/bin/tracer
  row $root "tracer --version" 0 $tracer --version
  row $root "tracer run" 3 $tracer run -o /app/trace -- /app/work
  says $root "its summary" "events, 2 threads"
  export OMP_TOOL_LIBRARIES=/opt/tracer/lib/libtracer.so TRACER_OUTPUT=/app/by-itself
  row $root "by OMP_TOOL_LIBRARIES alone" 3 /app/work
  says $root "its archive" "by-itself/traces.otf2"
  unset OMP_TOOL_LIBRARIES TRACER_OUTPUT
  row $root "tracer check" 0 $tracer check /app/trace
  row $root "tracer report" 0 $tracer report /app/trace
  says $root "source lines, by its own libdw" "work.c:"
  row $root "tracer run --raw" 3 $tracer run --raw -o /app/raw -- /app/work
  row $root "tracer convert" 0 $tracer convert /app/raw
  row $root "tracer run --sample" 3 $tracer run --sample -o /app/samples -- /app/work
  row $root "tracer export, JSON" 0 $tracer export -o /app/x.json /app/trace
  row $root "tracer export, Parquet" 0 $tracer export -o /app/x.parquet /app/trace
  unset LD_LIBRARY_PATH
done
exit $failed

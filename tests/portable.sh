#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The portable package (cmake/scripts/portable.sh) in a root of Debian 11 and in one with nothing but its C library: unpacks it,
# traces a program, converts, reports, exports. Prints a table; the status is 1 where something fails.
#   tests/portable.sh [PACKAGE]     as root (chroot); without PACKAGE it is made first, which takes as long as a build
# Of the environment: TRACER_PORTABLE_ARCHITECTURE and TRACER_PORTABLE_WORK, as for portable.sh. Programs for 64-bit Arm run in QEMU.
set -u
cd "$(dirname "$0")/.." || exit 1
[ "$(id -u)" -eq 0 ] || { echo "tests/portable.sh: run it as root (chroot)" >&2; exit 2; }
architecture=${TRACER_PORTABLE_ARCHITECTURE:-$(uname -m)} crossed="" tools="" target=()
[ "$architecture" = "$(uname -m)" ] || crossed=-$architecture
work=${TRACER_PORTABLE_WORK:-$PWD/build/portable$crossed}
package=${1:-$(TRACER_PORTABLE_WORK=$work cmake/scripts/portable.sh)} || exit 1
[ -f "$package" ] || { echo "tests/portable.sh: no package '$package'" >&2; exit 2; }
package=$(realpath "$package")
bullseye=$work/bullseye sysroot=$work/sysroot
unset TRACER_PORTABLE_WORK
triplet=$architecture-linux-gnu
scratch=$(mktemp -d /var/tmp/tracer-portable.XXXXXX) || exit 1
# shellcheck disable=SC2317  # another one for 64-bit Arm
tracer_arm64_ends() { :; }
trap 'tracer_arm64_ends; umount "$scratch"/*/proc "$scratch"/*/dev 2>/dev/null; rm -rf --one-file-system "$scratch"' EXIT
failed=0
if [ -n "$crossed" ]; then
  . cmake/scripts/arm64.sh
  tools=aarch64-linux-gnu- target=(--target=aarch64-linux-gnu "--sysroot=$sysroot")
  QEMU_LD_PREFIX=$bullseye tracer_arm64_starts "$bullseye" || { echo "skipped: the kernel does not start programs for Arm in QEMU"; exit 77; }
fi

# A program for the oldest: compiled here, linked with the C library and the libomp of Debian 11.
compiler=$(command -v clang || command -v clang-22 || command -v clang-14) || { echo "skipped: no clang"; exit 77; }
at=$sysroot/usr/lib/$triplet
libomp=$(find "$bullseye/usr/lib" -name 'libomp.so.5' | head -n 1)
"$compiler" "${target[@]}" -fopenmp -g -O1 -c tests/e2e/several/work.c -o "$scratch/work.o" &&
  "${tools}gcc" "--sysroot=$sysroot" "-B$at" "-L$at" "$scratch/work.o" "$(readlink -f "$libomp")" -lpthread -ldl -o "$scratch/work" || exit 1

make_root() { # name
  local root=$scratch/$1
  case $1 in
    debian11) cp -a "$bullseye" "$root" ;;
    glibc)
      mkdir -p "$root/lib/$triplet" "$root/lib64" "$root/tmp"
      cp -L "$sysroot"/lib/ld-* "$root/lib/"
      for library in libc libm libpthread libdl librt; do
        cp -L "$bullseye/lib/$triplet/$library".so.[0-9]* "$root/lib/$triplet/"
      done
      cp -L "$sysroot"/lib64/ld-* "$root/lib64/"
      ;;
  esac
  mkdir -p "$root/proc" "$root/dev" "$root/tmp" "$root/opt" "$root/app/lib"
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

# The viewer serves its page to who has its address.
viewer() { # root tracer trace
  local address="" answer="" pid port
  chroot "$scratch/$1" "$2" view "$3" >"$scratch/view" 2>&1 </dev/null &
  pid=$!
  for _ in $(seq 100); do
    address=$(grep -oE 'http://127\.0\.0\.1:[0-9]+/[^ ]*' "$scratch/view" | head -n 1) && [ -n "$address" ] && break
    sleep 0.2
  done
  port=${address#http://127.0.0.1:} port=${port%%/*}
  if [ -n "$port" ] && exec 3<>"/dev/tcp/127.0.0.1/$port"; then
    printf 'GET /%s HTTP/1.0\r\nHost: 127.0.0.1:%s\r\n\r\n' "${address#http://*/}" "$port" >&3
    answer=$(timeout 20 cat <&3 | head -c 100000)
    exec 3>&-
  fi
  kill "$pid" && wait "$pid" 2>/dev/null
  case $answer in
    *" 200 "* | *" 303 "* | *" 302 "*) printf '%-9s %-34s good\n' "$1" "tracer view" ;;
    *)
      printf '%-9s %-34s FAILED: %s\n' "$1" "tracer view" "${answer:-no answer at '$address'}"
      tail -n 5 "$scratch/view" | sed 's/^/    /'
      failed=1
      ;;
  esac
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
  viewer $root $tracer /app/trace
  unset LD_LIBRARY_PATH
done

licences=$(find "$scratch/debian11/opt/tracer/share/doc/tracer/licences" -name libdw1 -o -name cpp-httplib -o -name LGPL-3 -o -name libotf2-trace-dev 2>/dev/null | wc -l)
printf '%-9s %-34s %s\n' package "licences of what is inside" "$([ "$licences" -eq 4 ] && echo good || echo "FAILED: $licences of 4")"
[ "$licences" -eq 4 ] || failed=1

# The package for systems of RPM: the same, in /opt/tracer, and neither asking the system for libraries nor offering any.
rpm=$(find "$(dirname "$package")" -maxdepth 1 -name 'tracer-*.rpm' | head -n 1)
if [ -z "$rpm" ] || ! command -v rpm2cpio >/dev/null || ! command -v cpio >/dev/null; then
  echo "RPM       not tested: ${rpm:+no rpm2cpio and cpio (rpm, cpio)}${rpm:-no package (rpmbuild)}"
else
  mkdir "$scratch/debian11/rpm" && (cd "$scratch/debian11/rpm" && rpm2cpio "$rpm" | cpio -idm --quiet)
  export LD_LIBRARY_PATH=/app/lib
  row debian11 "RPM: tracer run" 3 /rpm/opt/tracer/bin/tracer run -o /app/of-rpm -- /app/work
  says debian11 "RPM: its summary" "events, 2 threads"
  unset LD_LIBRARY_PATH
  for what in requires provides; do
    found=$(rpm -qp "--$what" "$rpm" 2>/dev/null | grep -vE '^(glibc|rpmlib|tracer|/bin/sh)' | head -n 3)
    printf '%-9s %-34s %s\n' RPM "$what nothing else" "$([ -z "$found" ] && echo good || echo "FAILED: $found")"
    [ -z "$found" ] || failed=1
  done
fi
exit $failed

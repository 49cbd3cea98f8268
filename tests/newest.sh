#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Compiles the product (syntax only) with the newest clang and the newest GCC that can be had: clang as it is installed, GCC of a root
# of Debian's newest packages, which debootstrap makes (some minutes, as root). Where one cannot be had the reason is in the last
# lines, and the status is that of the other.
#   tests/newest.sh [clang|gcc]...
# TRACER_NEWEST_ROOT: where the root is, and stays (default: /var/tmp/tracer-newest-root).
set -u
cd "$(dirname "$0")/.." || exit 1
. cmake/scripts/packages.sh
[ $# -gt 0 ] || set -- clang gcc
root=${TRACER_NEWEST_ROOT:-/var/tmp/tracer-newest-root}
failed=0
missing=()

newest_clang() {
  compgen -c clang++- | grep -E '^clang\+\+-[0-9]+$' | sort -t- -k2 -rn | head -n 1
}

make_root() { # prints why it cannot
  local log=$root.log needed="${BUILD_PACKAGES[*]} libomp-dev python3"
  [ "$(cat "$root.done" 2>/dev/null)" = "$needed" ] && return 0
  [ "$(id -u)" -eq 0 ] || { echo "making a root needs root"; return 1; }
  command -v debootstrap >/dev/null || { echo "debootstrap is not installed"; return 1; }
  if [ ! -f "$root.done" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase --include=ca-certificates sid "$root" >"$log" 2>&1 || { echo "debootstrap: $(tail -n 1 "$log")"; return 1; }
  fi
  cp -r /etc/apt/apt.conf.d "$root/etc/apt/" 2>/dev/null
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null
  cp /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null
  chroot "$root" env DEBIAN_FRONTEND=noninteractive sh -c "apt-get -q update && apt-get -q -y --no-install-recommends install \
    $needed" >>"$log" 2>&1 </dev/null || { echo "apt-get: $(grep -m 1 '^E:' "$log")"; return 1; }
  echo "$needed" >"$root.done"
}

for which; do
  case $which in
    clang)
      compiler=$(newest_clang)
      if [ -n "$compiler" ]; then
        python3 tests/support/syntax.py . build/newest/clang "$compiler" || failed=1
      else
        missing+=("the newest clang (none is installed)")
      fi
      ;;
    gcc)
      if reason=$(make_root); then
        rm -rf "$root/source" "$root/build"
        mkdir "$root/source"
        { git ls-files -z; git ls-files -z -o --exclude-standard; } | xargs -0 tar -cf - --ignore-failed-read 2>/dev/null | tar -xf - -C "$root/source"
        chroot "$root" env -i PATH=/usr/bin:/bin HOME=/root LANG=C.UTF-8 python3 /source/tests/support/syntax.py /source /build /usr/bin/g++ || failed=1
      else
        missing+=("the newest GCC ($reason)")
      fi
      ;;
    *) echo "tests/newest.sh: $which is neither clang nor gcc" >&2; exit 2 ;;
  esac
done
for line in "${missing[@]}"; do echo "not compiled by $line"; done
exit $failed

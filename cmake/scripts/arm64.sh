# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Debian's packages for 64-bit Arm on another machine, and programs for it in QEMU. To be sourced.

# tracer_arm64_root DIRECTORY RELEASE PACKAGE...: unpacks the packages, and what they need, by an apt that knows only them. RELEASE:
# "" takes the machine's. Once; the reason is printed where it fails.
tracer_arm64_root() {
  local root=$1 release=$2 apt=$1.apt package mirror
  shift 2
  [ -e "$root.done" ] && return 0
  rm -rf "$root" && mkdir -p "$apt"/{state/lists/partial,cache/archives/partial} "$root" && touch "$apt/status"
  cat >"$apt/conf" <<C
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "root";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
C
  if [ -n "$release" ]; then
    mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -m 1 -E '/debian/*$' || true)
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror:-http://deb.debian.org/debian} $release main" >"$apt/sources"
    printf 'Dir::Etc::SourceList "%s";\nDir::Etc::SourceParts "/dev/null";\n' "$apt/sources" >>"$apt/conf"
  fi
  if ! { APT_CONFIG=$apt/conf apt-get update && APT_CONFIG=$apt/conf apt-get install -y --no-install-recommends --download-only "$@"; } >"$apt/log" 2>&1; then
    tail -n 1 "$apt/log"
    return 1
  fi
  for package in "$apt"/cache/archives/*.deb; do dpkg -x "$package" "$root" || return 1; done
  touch "$root.done"
}

# tracer_arm64_starts ROOT: whether the kernel starts programs for Arm, which it is told to do in QEMU. The root's libraries are found by
# QEMU_LD_PREFIX. tracer_arm64_ends takes that back.
tracer_arm64_format=
tracer_arm64_runs() { "$1/lib/aarch64-linux-gnu/libc.so.6" >/dev/null 2>&1; }
tracer_arm64_starts() {
  local formats=/proc/sys/fs/binfmt_misc header mask
  tracer_arm64_runs "$1" && return 0
  [ -e $formats/register ] || mount -t binfmt_misc none $formats 2>/dev/null
  # Which files: ELF, 64 bits, of machine 183.
  header='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00' mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff'
  printf '%s' ":tracer-aarch64:M::$header\\x02\\x00\\xb7\\x00:$mask\\xfe\\xff\\xff\\xff:$(command -v qemu-aarch64-static):OCPF" 2>/dev/null >$formats/register &&
    tracer_arm64_format=$formats/tracer-aarch64
  tracer_arm64_runs "$1"
}
tracer_arm64_ends() { [ -z "$tracer_arm64_format" ] || echo -1 >"$tracer_arm64_format"; }

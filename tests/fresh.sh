#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Proves the README's two commands on machines that nobody prepared: makes roots of Debian with debootstrap, clones the
# committed state into each and runs both commands there, as root and as an ordinary user with sudo. Prints a table.
#   tests/fresh.sh [ROOT[:USER]...]     as root; hours for all of them. USER: root, user or both (the default)
# Roots of Debian 12: minimal; clang-14, clang-16, clang-19, clang-22 (with their libomp's development files); g++; and, each
# in the root that `minimal` left: again (a second run in the same clone), offline (a fresh clone without a network), exchanged
# (the tool chain was replaced by that of LLVM 19 after the first run, in the same clone). Others: trixie (Debian 13); sid (what
# is newest in Debian).
# Of the environment: TRACER_FRESH_WORK (roots and logs are kept there; default: a directory in /var/tmp),
# TRACER_FRESH_CCACHE (a compiler cache the roots share, to repeat it faster; this machine's ccache is lent to them beside
# their own packages), TRACER_FRESH_CTEST (arguments of tests/run.sh).
set -u
cd "$(dirname "$0")/.." || exit 1
[ "$(id -u)" -eq 0 ] || { echo "tests/fresh.sh: run it as root (debootstrap, chroot)" >&2; exit 2; }
for need in debootstrap git chroot:coreutils unshare:util-linux ip:iproute2; do # PROGRAM[:PACKAGE]
  command -v "${need%:*}" >/dev/null || { echo "tests/fresh.sh: ${need%:*} is not installed (apt-get install ${need#*:})" >&2; exit 2; }
done
work=${TRACER_FRESH_WORK:-$(mktemp -d /var/tmp/tracer-fresh.XXXXXX)}
mkdir -p "$work" || exit 1
work=$(cd "$work" && pwd)
[ $# -gt 0 ] || set -- minimal clang-14 clang-16 clang-19 clang-22 g++ again offline exchanged trixie sid
table=$work/table
[ -s "$table" ] || printf '%-10s %-5s %-11s %-22s %8s  %s\n' root user quickstart tests seconds "not tested" >"$table"
failed=0

packages_of() {
  case $1 in
    clang-14) echo clang libomp-dev ;;
    clang-*) echo "$1" "libomp-${1#clang-}-dev" ;;
    g++) echo g++ ;;
  esac
}

# The system's own sources and proxies, for debootstrap and inside the roots.
mirror() { # [debian-security]
  sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
    grep -E "/${1:-debian}/*\$" | head -n 1
}

# Sources of another suite than the system's: its mirrors, and Debian's own names where it has none.
write_sources() { # suite directory
  local from suites keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  from=$(mirror)
  suites=$1
  [ "$1" = sid ] || suites="$1 $1-updates"
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "${from:-http://deb.debian.org/debian}" "$suites" $keyring >"$2/debian.sources"
  [ "$1" = sid ] && return
  from=$(mirror debian-security)
  printf '\nTypes: deb\nURIs: %s\nSuites: %s-security\nComponents: main\nSigned-By: %s\n' "${from:-http://deb.debian.org/debian-security}" "$1" $keyring \
    >>"$2/debian.sources"
}

# A root of the suite with nothing but what debootstrap puts there, sudo and an ordinary user; roots are copies of it.
make_base() { # suite directory
  local suite=$1 base=$2 file
  [ -f "$base.done" ] && return 0
  echo "making the base root of $suite ..." >&2
  rm -rf "$base"
  debootstrap --variant=minbase --include=ca-certificates,sudo "$suite" "$base" "$(mirror)" >"$work/debootstrap.log" 2>&1 ||
    { tail -n 5 "$work/debootstrap.log" >&2; exit 1; }
  rm -f "$base/etc/apt/sources.list"
  # This machine's own settings; those of packages come with the packages, and would differ from theirs.
  for file in /etc/apt/apt.conf.d/*; do
    dpkg -S "$file" >/dev/null 2>&1 || cp "$file" "$base/etc/apt/apt.conf.d/"
  done
  cp -r /usr/share/keyrings/. "$base/usr/share/keyrings/" 2>/dev/null
  if [ "$suite" = bookworm ]; then
    cp -r /etc/apt/sources.list.d "$base/etc/apt/" 2>/dev/null
    [ ! -f /etc/apt/sources.list ] || cp /etc/apt/sources.list "$base/etc/apt/"
  else
    mkdir -p "$base/etc/apt/sources.list.d"
    write_sources "$suite" "$base/etc/apt/sources.list.d"
  fi
  cp -r /usr/local/share/ca-certificates/. "$base/usr/local/share/ca-certificates/" 2>/dev/null
  cp /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/" 2>/dev/null
  [ ! -f /etc/npmrc ] || cp /etc/npmrc "$base/etc/"
  chroot "$base" useradd -m -s /bin/bash tester
  echo 'tester ALL=(ALL) NOPASSWD: ALL' >"$base/etc/sudoers.d/tester"
  touch "$base.done"
}

# ccache with the libraries that it needs, in the shared cache: no package of the roots, and no library of theirs.
lend_ccache() {
  local place=$TRACER_FRESH_CCACHE/lent loader
  command -v ccache >/dev/null || { echo "tests/fresh.sh: TRACER_FRESH_CCACHE is set, and ccache is not installed" >&2; exit 2; }
  loader=$(ldd "$(command -v ccache)" | sed -nE 's/^[[:space:]]*(\/[^ ]*ld-linux[^ ]*) .*/\1/p')
  mkdir -p "$place/lib" "$place/bin" || exit 1
  ldd "$(command -v ccache)" | sed -nE 's/.*=> (\/[^ ]*) .*/\1/p' | xargs -I{} cp -L {} "$place/lib/"
  cp -L "$loader" "$place/lib/loader"
  cp "$(command -v ccache)" "$place/lib/ccache"
  printf '#!/bin/sh\nexec /ccache/lent/lib/loader --library-path /ccache/lent/lib /ccache/lent/lib/ccache "$@"\n' >"$place/bin/ccache"
  chmod 755 "$place/bin/ccache"
  chmod -R a+rwX "$TRACER_FRESH_CCACHE"
}

mounted=()
enter() { # root: a mount of its own, as that of a machine or a container is
  mount --bind "$1" "$1" && mount --make-private "$1" && mounted+=("$1")
  mount -t proc proc "$1/proc" && mounted+=("$1/proc")
  mount --rbind /sys "$1/sys" && mount --make-rslave "$1/sys" && mounted+=("$1/sys")
  mount --rbind /dev "$1/dev" && mount --make-rslave "$1/dev" && mounted+=("$1/dev")
  mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm" && mounted+=("$1/dev/shm")  # who else fills this machine's is none of theirs
  cp /etc/resolv.conf /etc/hosts "$1/etc/" 2>/dev/null
  if [ -n "${TRACER_FRESH_CCACHE:-}" ]; then
    mkdir -p "$1/ccache" && mount --bind "$TRACER_FRESH_CCACHE" "$1/ccache" && mounted+=("$1/ccache")
  fi
}
leave() {
  local at
  for ((at = ${#mounted[@]} - 1; at >= 0; --at)); do umount -R -l "${mounted[at]}" 2>/dev/null; done
  mounted=()
}
trap leave EXIT

# root user command: as after a login, with no more of an environment than that. OFFLINE=1: without a network but that of
# the machine with itself, which Open MPI cannot do without.
inside() {
  local root=$1 user=$2 home=/root as=() alone=()
  shift 2
  [ "$user" = root ] || { home=/home/tester; as=(--userspec=tester:tester); }
  [ -z "${OFFLINE:-}" ] || alone=(unshare -n sh -c 'ip link set lo up && exec "$@"' sh)
  "${alone[@]}" chroot "${as[@]}" "$root" /usr/bin/env -i HOME=$home USER="$user" TERM=dumb LANG=C.UTF-8 \
    PATH=${TRACER_FRESH_CCACHE:+/ccache/lent/bin:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ${TRACER_FRESH_CCACHE:+CCACHE_DIR=/ccache CCACHE_BASEDIR=$home CCACHE_NOHASHDIR=1 CCACHE_UMASK=000} \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
    /bin/bash -c "cd $home/tracer && $*" </dev/null
}

clone() { # root user
  local home=root
  [ "$2" = root ] || home=home/tester
  rm -rf "$1/$home/tracer"
  git clone -q . "$1/$home/tracer" || exit 1
  [ "$2" = root ] || chroot "$1" chown -R tester:tester /home/tester/tracer
}

installed() { chroot "$1" dpkg-query -W -f='${Package} ${db:Status-Status}\n' 2>/dev/null | awk '$2 == "installed" { print $1 }' | sort; }

# root user label: both commands, and what they said.
both_commands() {
  local root=$1 user=$2 label=$3 log=$work/$3-$2.log start=$SECONDS quick tests lost
  installed "$root" >"$work/before"
  echo "== $label as $user: $log" >&2
  inside "$root" "$user" examples/quickstart.sh >"$log" 2>&1
  quick=$?
  inside "$root" "$user" "tests/run.sh ${TRACER_FRESH_CTEST:-}" >>"$log" 2>&1
  tests=$?
  installed "$root" >"$work/after"
  lost=$(comm -23 "$work/before" "$work/after" | tr '\n' ' ')
  if [ $quick -ne 0 ] || [ $tests -ne 0 ] || [ -n "$lost" ]; then failed=1; fi
  printf '%-10s %-5s %-11s %-22s %8s  %s\n' "$label" "$user" "$([ $quick -eq 0 ] && echo ok || echo "status $quick")" \
    "$([ $tests -eq 0 ] && grep -o '[0-9]* tests failed out of [0-9]*' "$log" | tail -n 1 | sed 's/tests failed out/failed/' || echo "status $tests")" \
    $((SECONDS - start)) "${lost:+REMOVED: $lost; }$(grep '^not tested:' "$log" | sed 's/^not tested: //' | paste -sd';')" | tee -a "$table" >&2
}

[ -z "${TRACER_FRESH_CCACHE:-}" ] || lend_ccache
for wanted; do
  label=${wanted%%:*}
  users=${wanted#"$label"}
  case ${users#:} in root) users=root ;; user) users=user ;; *) users="root user" ;; esac
  for user in $users; do
    case $label in
      again | offline | exchanged)
        root=$work/minimal-$user
        [ -d "$root/usr" ] || { echo "tests/fresh.sh: $label needs the root that minimal:$user leaves" >&2; failed=1; continue; }
        enter "$root"
        [ "$label" != offline ] || clone "$root" "$user"
        if [ "$label" = exchanged ]; then
          chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get -q -y install clang-19 libomp-19-dev >"$work/exchange.log" 2>&1 ||
            { tail -n 3 "$work/exchange.log" >&2; failed=1; }
        fi
        OFFLINE=$([ "$label" = offline ] && echo 1) both_commands "$root" "$user" "$label"
        leave
        ;;
      minimal | clang-14 | clang-16 | clang-19 | clang-22 | g++ | trixie | sid)
        root=$work/$label-$user
        base=$work/base
        case $label in
          trixie | sid) base=$work/base-$label; make_base "$label" "$base" ;;
          *) make_base bookworm "$base" ;;
        esac
        rm -rf "$root"
        cp -a "$base" "$root"
        enter "$root"
        chroot "$root" apt-get -q update >"$work/update.log" 2>&1
        # shellcheck disable=SC2046
        [ -z "$(packages_of "$label")" ] || chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
          install $(packages_of "$label") >"$work/install.log" 2>&1 || { tail -n 3 "$work/install.log" >&2; failed=1; }
        clone "$root" "$user"
        both_commands "$root" "$user" "$label"
        leave
        [ "$label" = minimal ] || rm -rf "$root"
        ;;
      *) echo "tests/fresh.sh: no root is called $label" >&2; exit 2 ;;
    esac
  done
done
echo
cat "$table"
exit $failed

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fetches what the authors of a Debian package released, without root and without touching the system's package lists.
# To be sourced:
#   . cmake/scripts/debian_source.sh
#   tarball=$(debian_source DIRECTORY PACKAGE [UPSTREAM_VERSION])     # status 1, with the reason on stderr, where it cannot be had

# debian_source_apt DIRECTORY ARGUMENT...: a program of apt on package lists of our own.
debian_source_apt() {
  local directory=$1 program=$2
  shift 2
  "$program" -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$directory/sources" \
    -o Dir::State::Lists="$directory/lists" -o Dir::Cache="$directory/cache" -o APT::Sandbox::User= \
    -o Acquire::Retries=2 -o Acquire::http::Timeout=20 "$@"
}

# The system's own sources of Debian with "deb" made "deb-src". A package of a security archive may lack its sources there:
# the main archive's later suites have them too ($2 not empty).
debian_source_lists() {
  local directory=$1 file uri key suite
  rm -rf "$directory/sources"
  mkdir -p "$directory/sources" "$directory/lists/partial" "$directory/cache/archives/partial"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [ -f "$file" ] && grep -q debian "$file" || continue
    case $file in
      *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" ;;
      *.list) sed -n 's/^deb \(.*debian\)/deb-src \1/p' "$file" ;;
    esac >"$directory/sources/$(basename "$file")"
  done
  [ -n "${2:-}" ] || return 0
  uri=$(sed -n 's/^URIs: *//p; s/^deb-src \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' "$directory"/sources/* | grep '/debian/*$' | head -n 1)
  [ -n "$uri" ] || return 1
  key=/usr/share/keyrings/debian-archive-keyring.gpg
  for suite in trixie forky sid; do
    printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\n' "$uri" "$suite" >"$directory/sources/$suite.sources"
    [ -f $key ] && printf 'Signed-By: %s\n' "$key" >>"$directory/sources/$suite.sources"
  done
  return 0
}

# Every version of PACKAGE in the lists (one of upstream's $3, if that is given), newest first.
debian_source_versions() {
  debian_source_apt "$1" apt-cache showsrc "$2" 2>/dev/null | sed -n 's/^Version: *//p' | sort -ruV |
    grep -E "^([0-9]+:)?${3//./\\.}" || true
}

debian_source() {
  local directory=$1 package=$2 upstream=${3:-} version log more
  mkdir -p "$directory" || return 1
  directory=$(cd "$directory" && pwd)
  log=$directory/log
  for more in "" later; do
    debian_source_lists "$directory" "$more" || continue
    timeout 180 bash -c "$(declare -f debian_source_apt); debian_source_apt \"\$@\"" - "$directory" apt-get update >"$log" 2>&1 || true
    ls "$directory"/lists/*Sources* >/dev/null 2>&1 || break # no network
    for version in $(debian_source_versions "$directory" "$package" "$upstream"); do
      rm -f "$directory/$package"_*.orig.tar.*
      (cd "$directory" && debian_source_apt "$directory" apt-get source --tar-only --download-only --only-source \
        "$package=$version") >>"$log" 2>&1 || continue
      find "$directory" -maxdepth 1 -name "${package}_*.orig.tar.xz" | grep . && return 0
    done
  done
  echo "the source of $package${upstream:+ $upstream} cannot be fetched: $(grep -m1 '^[EW]:' "$log" || echo 'no such package')" >&2
  return 1
}

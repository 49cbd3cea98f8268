#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Unpacks packages of Debian into a directory, without root and without installing them. To be sourced:
#   . cmake/scripts/unpack_packages.sh
#   unpack_packages DIRECTORY TREE PACKAGE...      TREE, in DIRECTORY, is replaced when all are unpacked; DIRECTORY/log
# Status 1, with the reason on stdout, where they cannot be had: what was there stays.

unpack_packages() {
  local into=$1 tree=$2 scratch package
  shift 2
  scratch=$(mktemp -d "$into/.unpack.XXXXXX") || return 1
  if ! (cd "$scratch" && apt-get -q download "$@") >"$into/log" 2>&1; then
    grep -m1 '^E:' "$into/log"
    rm -rf "$scratch"
    return 1
  fi
  mkdir "$scratch/tree"
  for package in "$scratch"/*.deb; do
    dpkg -x "$package" "$scratch/tree" >>"$into/log" 2>&1 && continue
    tail -n 1 "$into/log"
    rm -rf "$scratch"
    return 1
  done
  rm -rf "$tree"
  mv "$scratch/tree" "$tree"
  rm -rf "$scratch"
}

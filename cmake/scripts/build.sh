#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Configures and builds, to be sourced from the top directory: quiet when it works, the errors when not.

# Whether the build tree is this one's and the programs that it was configured with are still there.
tracer_cache_holds() {
  local program
  grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$TRACER_BUILD/CMakeCache.txt" || return 1
  while read -r program; do
    [ -x "$program" ] || return 1
  done < <(sed -nE 's/^(CMAKE_(C|CXX)_COMPILER|CMAKE_MAKE_PROGRAM|CMAKE_AR|CMAKE_(C|CXX)_COMPILER_LAUNCHER):[A-Z]+=(\/.*)$/\4/p' "$TRACER_BUILD/CMakeCache.txt")
  ! grep -qE '^CMAKE_(C|CXX)_COMPILER_LAUNCHER:[A-Z]+=ccache$' "$TRACER_BUILD/CMakeCache.txt" || command -v ccache >/dev/null
}

# tracer_build PRESET TARGET... [-- cmake option...]: sets TRACER_BUILD to the build tree.
tracer_build() {
  local preset=$1 targets=() log jobs
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do targets+=("$1"); shift; done
  [ $# -gt 0 ] && shift
  TRACER_BUILD=$PWD/build/$preset
  mkdir -p "$TRACER_BUILD" || return 1
  log=$TRACER_BUILD/build.log
  if command -v ccache >/dev/null && [ -z "${CMAKE_CXX_COMPILER_LAUNCHER+set}" ]; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  # A cache that came with a copied or moved tree names another directory, an old one programs that are gone: begin anew.
  if [ -f "$TRACER_BUILD/CMakeCache.txt" ] && ! tracer_cache_holds; then
    rm -rf "$TRACER_BUILD/CMakeCache.txt" "$TRACER_BUILD/CMakeFiles"
  fi
  if ! cmake --preset "$preset" "$@" >"$log" 2>&1 </dev/null; then
    tracer_say "error: configuring failed; the end of $log:"
    tail -n 30 "$log" >&2
    return 1
  fi
  jobs=$(nproc 2>/dev/null || echo 2)
  if ! cmake --build "$TRACER_BUILD" --parallel "$jobs" --target "${targets[@]}" >>"$log" 2>&1 </dev/null; then
    tracer_say "error: the build failed (all of it: $log):"
    grep -E -A5 'FAILED:|error:|Error ' "$log" | head -n 60 >&2
    return 1
  fi
}

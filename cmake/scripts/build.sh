#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Configures and builds, to be sourced from the top directory: how far it is while it works, the errors when not.
. cmake/scripts/progress.sh

# Whether the build tree is this one's, was configured to the end, and the programs that it was configured with are still there.
tracer_cache_holds() {
  local program
  [ -f "$TRACER_BUILD/build.ninja" ] || return 1
  grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$TRACER_BUILD/CMakeCache.txt" || return 1
  while read -r program; do
    [ -x "$program" ] || return 1
  done < <(sed -nE 's/^(CMAKE_(C|CXX)_COMPILER|CMAKE_MAKE_PROGRAM|CMAKE_AR|CMAKE_(C|CXX)_COMPILER_LAUNCHER):[A-Z]+=(\/.*)$/\4/p' "$TRACER_BUILD/CMakeCache.txt")
  ! grep -qE '^CMAKE_(C|CXX)_COMPILER_LAUNCHER:[A-Z]+=ccache$' "$TRACER_BUILD/CMakeCache.txt" || command -v ccache >/dev/null
}

# tracer_begins PRESET: whether its build tree begins: there is no cache, or one that does not hold (it came with a copied or
# moved tree, names programs that are gone, or is that of a failure), which goes. Sets TRACER_BUILD.
tracer_begins() {
  TRACER_BUILD=$PWD/build/$1
  [ -f "$TRACER_BUILD/CMakeCache.txt" ] && tracer_cache_holds && return 1
  rm -rf "$TRACER_BUILD/CMakeCache.txt" "$TRACER_BUILD/CMakeFiles"
}

# tracer_build PRESET TARGET... [-- cmake option...]: sets TRACER_BUILD to the build tree.
tracer_build() {
  local preset=$1 targets=() log
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do targets+=("$1"); shift; done
  [ $# -gt 0 ] && shift
  # Only a tree that begins takes ccache, or compiles several files as one without it: what it has compiled would else be
  # compiled again.
  if tracer_begins "$preset" && [ -z "${CMAKE_CXX_COMPILER_LAUNCHER+set}" ]; then
    if command -v ccache >/dev/null; then
      set -- -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache "$@"
    else
      set -- -DTRACER_UNITY=ON "$@"
    fi
  fi
  mkdir -p "$TRACER_BUILD" || return 1
  log=$TRACER_BUILD/build.log
  if ! cmake --preset "$preset" "$@" >"$log" 2>&1 </dev/null; then
    tracer_say "error: configuring failed; the end of $log:"
    tail -n 30 "$log" >&2
    return 1
  fi
  if ! tracer_make "$log" "${targets[@]}"; then
    if grep -q '^TRACER_UNITY:BOOL=ON' "$TRACER_BUILD/CMakeCache.txt"; then
      # Two files that do not go together (a name that both have for themselves) cost time, not the build.
      tracer_say "note: building file by file: $(grep -m 1 -E 'error:' "$log")"
      cmake --preset "$preset" "$@" -DTRACER_UNITY=OFF >>"$log" 2>&1 </dev/null && tracer_make "$log" "${targets[@]}" && return 0
    fi
    tracer_say "error: the build failed (all of it: $log):"
    grep -E -A5 'FAILED:|error:|Error ' "$log" | head -n 60 >&2
    return 1
  fi
}

# log target...
tracer_make() {
  local log=$1 statuses
  shift
  NINJA_STATUS='[%f/%t] ' cmake --build "$TRACER_BUILD" --parallel "$(nproc 2>/dev/null || echo 2)" --target "$@" 2>&1 </dev/null |
    tracer_progress building ninja >>"$log"
  statuses=("${PIPESTATUS[@]}")
  return "${statuses[0]}"
}

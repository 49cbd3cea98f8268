#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Kills a program that uses a GPU in the middle, and counts the kernels in the trace: all that had ended a second before
# the kill must be there.
#   kill.sh BIN LIBTRACER PROGRAM [RUNS]       as tests/gpu/run.sh; RUNS: how often (default 3)
# Exit status 0: all runs hold; 1: one does not; 77: skipped, with the reason.
set -u
[ $# -ge 3 ] || { echo "usage: $0 BIN LIBTRACER PROGRAM [RUNS]" >&2; exit 2; }
bin=$1 library=$2 program=$3 runs=${4:-3}
# shellcheck source=tests/gpu/common.sh
. "$(dirname "$0")/common.sh"
[ -e "$program" ] || skip "$(basename "$program") is not built: cmake --build . --target gpu_programs"

for ((run = 1; run <= runs; ++run)); do
  rm -rf "${out:?}"/*
  # By exec: the process that is killed is the program, no shell.
  (own_path=${GPU_TEST_LIBRARIES:+$GPU_TEST_LIBRARIES:}${LD_LIBRARY_PATH:-}
    exec env LD_LIBRARY_PATH="$own_path" OMP_TOOL_LIBRARIES="$library" TRACER_OUTPUT="$out/trace" "$program" 60) >"$out/said" 2>"$out/errors" &
  pid=$!
  # Some seconds after the first kernel, so that there is something to lose.
  for ((i = 0; i < 600; ++i)); do
    grep -q ended "$out/said" && break
    kill -0 $pid 2>/dev/null || break
    sleep 0.1
  done
  sleep 3.$((RANDOM % 10))
  kill -9 $pid 2>/dev/null || { cat "$out/errors"; echo "  FAILED  the program ended by itself"; exit 1; }
  killed=$(awk '{ print $1; exit }' /proc/uptime)
  wait $pid 2>/dev/null
  ended=$(awk '$1 == "ended" { n = $2 } END { print n + 0 }' "$out/said")
  # CLOCK_MONOTONIC and the time since the start differ only on machines that were asleep.
  old=$(awk -v killed="$killed" '$1 == "ended" && $3 < killed - 1.1 { n = $2 } END { print n + 0 }' "$out/said")
  own "$bin/tracer" recover "$out/trace" >"$out/recovered" 2>&1 || { sed 's/^/  | /' "$out/recovered"; echo "  FAILED  tracer recover"; failed=1; continue; }
  echo "kernels at least $old" >"$out/wanted"
  echo "  run $run: $ended kernels had ended at the kill, $old a second before"
  own "$bin/gpu_verify" "$out/trace" "$out/wanted" cupti || failed=1
  check_rules "$out/trace" || fail "tracer check"
done
exit $failed

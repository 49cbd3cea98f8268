#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Traces a program on an NVIDIA GPU and holds the trace against what the program says of itself; a line per check.
#   run.sh BIN LIBTRACER PROGRAM [ARGUMENT...]       BIN: the directory of tracer, gpu_verify and gpu_driver
# Exit status 0: all checks hold; 77: skipped, with the reason. Of the environment:
#   GPU_TEST_LIBRARIES   directories in which the programs find their libraries, besides the system's
#   GPU_TEST_PROVIDER    who must have recorded the device (default: cupti)
#   GPU_TEST_CONTENT     off: the device computes nothing, so the program may find its results wrong, traced or not
#   TRACER_*             reaches the tool
set -u
[ $# -ge 3 ] || { echo "usage: $0 BIN LIBTRACER PROGRAM [ARGUMENT...]" >&2; exit 2; }
bin=$1 library=$2 program=$3 provider=${GPU_TEST_PROVIDER:-cupti}
[ "$(basename "$program")" != cuda_unused ] || provider=none
shift 3
# shellcheck source=tests/gpu/common.sh
. "$(dirname "$0")/common.sh"
[ -e "$program" ] ||
  skip "$(basename "$program") is not built: cmake --build . --target gpu_programs (nvcc; clang 21 or later, whose device runtime is fetched)"

program_libraries env OMP_TARGET_OFFLOAD=mandatory "$program" "$@" >"$out/alone" 2>&1
alone=$?
{ [ $alone -eq 0 ] || { [ "${GPU_TEST_CONTENT:-on}" = off ] && [ $alone -lt 126 ]; }; } ||
  { tail -n 20 "$out/alone"; fail "without the tool the program ends with $alone"; exit 1; }
# By the variables alone where they do; otherwise by `tracer run`.
traced=(env OMP_TARGET_OFFLOAD=mandatory OMP_TOOL_LIBRARIES="$library" CUDA_INJECTION64_PATH="$library" TRACER_OUTPUT="$out/trace")
case $(basename "$program") in
  cuda_plain | gcc_*) traced=(env OMP_TARGET_OFFLOAD=mandatory TRACER_LIBRARY="$library" "$bin/tracer" run -o "$out/trace" --) ;;
  cuda_memory) traced+=(TRACER_RECORD="${TRACER_RECORD:-+unified-memory}") ;;
esac
program_libraries "${traced[@]}" "$program" "$@" >"$out/said" 2>"$out/errors"
status=$?
sed 's/^/  | /' "$out/errors"
[ $status -eq $alone ] || { tail -n 20 "$out/said"; fail "with the tool the program ends with $status"; exit 1; }
# Floating-point sums may differ in their last digits from run to run: the first line is left out.
if tail -n +2 "$out/alone" | cmp -s - <(tail -n +2 "$out/said"); then
  echo "  ok      output as without the tool"
else
  fail "the output is another than without the tool"
fi
check_rules "$out/trace" && echo "  ok      tracer check is silent" || fail "tracer check"
own "$bin/gpu_verify" "$out/trace" "$out/said" "$provider" || failed=1
own "$bin/tracer" info "$out/trace" 2>/dev/null | grep -E 'DEVICE::|COUNTER::DEVICE|REPAIRED' | sed 's/^/  | /'
if [ -n "${GPU_TEST_KEEP:-}" ] && mkdir -p "$GPU_TEST_KEEP"; then
  cp -r "$out/trace" "$GPU_TEST_KEEP/$(basename "$program")-${provider}-$$"
fi
exit $failed

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Traces a Python program that uses a GPU through its packages (PyTorch, CuPy, numba, JAX), with the machine's own libraries.
#   python.sh BIN LIBTRACER PROGRAM.py       as tests/gpu/run.sh; GPU_TEST_DRIVER: a directory that has the program's driver
# The program ends and prints as without the tool, and the trace is right. Where it can have its kernels counted by another
# profiler (PROFILE=1), both counts are equal. Exit status 0: all holds; 1: something does not; 77: skipped, with the reason.
set -u
[ $# -eq 3 ] || { echo "usage: $0 BIN LIBTRACER PROGRAM.py" >&2; exit 2; }
bin=$1 library=$2 program=$3
# shellcheck source=tests/gpu/common.sh
. "$(dirname "$0")/common.sh"
needs=$(sed -n 's/^# needs: //p' "$program")
python3 -c "import $needs" 2>/dev/null || skip "python3 has no $needs"

run() { LD_LIBRARY_PATH=${GPU_TEST_DRIVER:-${LD_LIBRARY_PATH:-}} "$@"; }
# The tool has its libraries by the loader: the program keeps the machine's.
loader=$(ldd "$bin/tracer" | sed -nE 's/^[[:space:]]*(\/[^ ]*ld-linux[^ ]*) .*/\1/p')
tracer=("$loader" --library-path "${GPU_TEST_LIBRARIES:-}" "$bin/tracer")
run python3 "$program" >"$out/alone" 2>"$out/alone_errors"
alone=$?
[ $alone -eq 0 ] || { tail -n 5 "$out/alone_errors"; fail "without the tool it ends with $alone"; exit 1; }
run env TRACER_LIBRARY="$library" "${tracer[@]}" run -o "$out/trace" -- python3 "$program" >"$out/said" 2>"$out/errors"
status=$?
[ $status -eq 0 ] || fail "with the tool it ends with $status"
sed 's/^/  | /' "$out/errors"
if cmp -s "$out/alone" "$out/said"; then
  echo "  ok      output as without the tool"
else
  diff "$out/alone" "$out/said" | head -n 6
  fail "the output is another than without the tool"
fi
check_rules "$out/trace" && echo "  ok      tracer check is silent" || fail "tracer check"
if grep -q PROFILE "$program"; then run env PROFILE=1 python3 "$program" >"$out/said" 2>/dev/null; fi
own "$bin/gpu_verify" "$out/trace" "$out/said" || failed=1
exit $failed

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What the scripts of the GPU tests have in common. To be sourced, with `bin` set: skips where there is no driver.
# shellcheck disable=SC2034,SC2154  # failed is used by, and bin set by, who sources this
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "  FAILED  $*"; failed=1; }
# A command with the tests' own libraries besides the system's.
own() { LD_LIBRARY_PATH=${GPU_TEST_LIBRARIES:+$GPU_TEST_LIBRARIES:}${LD_LIBRARY_PATH:-} "$@"; }

failed=0
driver=$(own "$bin/gpu_driver")
status=$?
[ $status -ne 77 ] || { echo "$driver"; exit 77; }
[ $status -eq 0 ] || { fail "gpu_driver ended with $status: $driver"; exit 1; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# libomptarget opens "libcuda.so", which only a driver's development files may bring.
ln -s "${driver##*, }" "$out/libcuda.so" 2>/dev/null
# A program with target regions.
program_libraries() { LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$out own "$@"; }
check_rules() { # ARCHIVE
  own "$bin/tracer" check "$1" >"$out/rules" 2>&1 && return
  sed 's/^/  | /' "$out/rules"
  return 1
}

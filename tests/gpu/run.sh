#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Traces a program on an NVIDIA GPU and holds the trace against what the program says of itself.
#   run.sh TRACER LIBTRACER PROGRAM      exit status 77: skipped, with the reason
# Needs otf2-print and awk besides.
set -u
skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*"; failed=1; }

[ $# -eq 3 ] || { echo "usage: $0 TRACER LIBTRACER PROGRAM" >&2; exit 2; }
tracer=$1 library=$2 program=$3 failed=0
[ -e "$program" ] || missing=1
{ ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; } || ls /usr/lib*/libcuda.so.1 /usr/lib/*/libcuda.so.1 \
  /usr/local/nvidia/lib*/libcuda.so.1 >/dev/null 2>&1 || skip "no CUDA driver (libcuda.so.1) on this machine"
command -v nvidia-smi >/dev/null && { nvidia-smi -L 2>/dev/null | grep -q GPU || skip "nvidia-smi finds no GPU"; }
[ -z "${missing:-}" ] ||
  skip "$(basename "$program") is not built: cmake --build . --target gpu_programs (nvcc, or clang with a device runtime for nvptx)"
command -v otf2-print >/dev/null || skip "otf2-print is missing"

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
OMP_TOOL_LIBRARIES=$library TRACER_OUTPUT=$out/trace "$program" >"$out/said" 2>"$out/errors" ||
  { cat "$out/said" "$out/errors"; fail "the program ended with $?"; exit 1; }
cat "$out/said" "$out/errors"
"$tracer" check "$out/trace" || fail "tracer check"
otf2-print "$out/trace/traces.otf2" >"$out/events"
otf2-print -G "$out/trace/traces.otf2" >"$out/definitions"
otf2-print -A "$out/trace/traces.otf2" | grep -A1 'TRACER::DEVICE::' || fail "no device in the archive"

# Streams are the locations that are no threads; a kernel's region has CUDA or a target kernel's name.
awk -v said="$out/said" -v failed=0 '
  function said_of(what,   line, value) {
    value = ""
    while ((getline line < said) > 0) if (index(line, what " ") == 1) value = substr(line, length(what) + 2)
    close(said)
    return value
  }
  function compare(what, is,   wanted) {
    wanted = said_of(what)
    if (wanted == "") return
    printf "%s: %d in the trace, %d asked for\n", what, is, wanted
    if (is != wanted) failed = 1
  }
  FNR == NR { if ($1 == "LOCATION" && /ACCELERATOR_STREAM/) stream[$2] = 1; next }
  $1 == "ENTER" && ($2 in stream) && !/synchronize"|overhead"|CUPTI|module loading|memset"|copy"/ { kernels++; kernel_next = 1; next }
  kernel_next && /HOST_OP_ID/ { linked++ }
  { kernel_next = 0 }
  ($1 == "RMA_GET" || $1 == "RMA_PUT") && match($0, /Bytes: [0-9]+/) {
    bytes[$1] += substr($0, RSTART + 7, RLENGTH - 7)
  }
  END {
    compare("kernels", kernels)
    compare("linked", linked)
    compare("bytes to device", bytes["RMA_GET"])
    compare("bytes from device", bytes["RMA_PUT"])
    exit failed
  }' "$out/definitions" "$out/events" || fail "the trace does not say what the program asked for"
exit $failed

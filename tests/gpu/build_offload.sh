#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a program with target regions for NVIDIA devices:  build_offload.sh CLANG CUDA RUNTIME_DIRECTORY SOURCE OUTPUT [FLAG...]
# Where LLVM's device runtime cannot be had it says so, builds nothing and succeeds: the test that wants the program skips.
set -u
clang=$1 cuda=$2 runtime=$3 source=$4 output=$5
shift 5
"$(dirname "$0")/../../cmake/scripts/nvptx_runtime.sh" "$runtime" "$clang" || { echo "note: $(basename "$output") is not built" >&2; exit 0; }
# Machine code only (LLVM embeds no PTX): code for an x.0 runs on every later x.y.
exec "$clang" -O2 -g -fopenmp --offload-arch=sm_75,sm_80,sm_90,sm_100,sm_120 --cuda-path="$cuda" \
  --libomptarget-nvptx-bc-path="$runtime/libomptarget-nvptx.bc" -Xoffload-linker "-L$runtime" "$source" -o "$output" "$@" -lm

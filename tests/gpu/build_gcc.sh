#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a program with target regions for NVIDIA devices by gcc:  build_gcc.sh DIRECTORY SOURCE OUTPUT
# DIRECTORY is for cmake/scripts/gcc_nvptx.sh; libgomp's plugin is put beside OUTPUT. Where gcc's device compiler cannot be had
# it says so, builds nothing and succeeds: the test that wants the program skips.
set -u
source=$2 output=$3
tree=$("$(dirname "$0")/../../cmake/scripts/gcc_nvptx.sh" "$1") || { echo "note: $(basename "$output") is not built" >&2; exit 0; }
cp -L "$tree"/usr/lib/*/libgomp-plugin-nvptx.so.1 "$(dirname "$output")" || exit 1
version=$(gcc -dumpversion)
# Its assembler calls CUDA's where that is in the PATH, which refuses the old architectures of gcc's libraries.
compilers=$(printf '%s:' "$tree"/usr/lib/gcc/*/"${version%%.*}" "$tree"/usr/libexec/gcc/*/"${version%%.*}")  # from GCC 13 on
export COMPILER_PATH=$compilers$tree/usr/bin PATH=$tree/usr/bin:/usr/bin:/bin
gcc -g -O2 -no-pie -fopenmp -foffload=nvptx-none "$source" -o "$output" -lm || echo "note: $(basename "$output") is not built" >&2

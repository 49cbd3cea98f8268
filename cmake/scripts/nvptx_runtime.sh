#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the part of LLVM's OpenMP runtime that runs on NVIDIA devices, which Debian does not package, from Debian's sources:
#   cmake/scripts/nvptx_runtime.sh DIRECTORY [CLANG]
# leaves libomptarget-nvptx.bc and libompdevice.a in DIRECTORY; what is there already is kept. Programs are then built by
#   CLANG -fopenmp --offload-arch=sm_90 --libomptarget-nvptx-bc-path=DIRECTORY/libomptarget-nvptx.bc -Xoffload-linker -LDIRECTORY
# Needs apt and the network, no root. Status 77, with the reason, where it cannot be had. Some 200 MB fetched, a minute.
set -u
directory=${1:?usage: nvptx_runtime.sh DIRECTORY [CLANG]}
clang=${2:-clang-22}
top=$(realpath "$(dirname "$0")/../..")
skip() { printf 'skipped: %s\n' "$*" >&2; exit 77; }

mkdir -p "$directory" || exit 1
directory=$(cd "$directory" && pwd)
exec 9>"$directory/lock"
flock 9
[ -f "$directory/libomptarget-nvptx.bc" ] && [ -f "$directory/libompdevice.a" ] && exit 0

command -v "$clang" >/dev/null || skip "$clang is not installed"
release=$("$clang" -dumpversion)
tools=$(dirname "$(realpath "$(command -v "$clang")")")
[ "${release%%.*}" -ge 21 ] || skip "$clang is older than 21: its device runtime is built otherwise"
for tool in "$tools/llvm-link" "$tools/llvm-ar" apt-get tar xz; do
  command -v "$tool" >/dev/null || skip "$tool is not installed (llvm-${release%%.*})"
done
"$clang" --print-targets | grep -q nvptx64 || skip "$clang does not generate code for NVIDIA devices"

work=$directory/work
rm -rf "$work"
mkdir -p "$work/llvm" "$work/bitcode"
trap 'rm -rf "$work"' EXIT
. "$top/cmake/scripts/debian_source.sh"
tarball=$(debian_source "$work" "llvm-toolchain-${release%%.*}" "$release") || exit 77
tar -xJf "$tarball" -C "$work/llvm" --strip-components=1 --wildcards '*/openmp/device/*' '*/offload/include/*' \
  '*/libc/shared/*' '*/libc/src/__support/*' '*/libc/hdr/*' '*/libc/include/*' || skip "$tarball cannot be unpacked"
rm -f "$tarball"
source=$work/llvm/openmp/device
[ -d "$source/src" ] || skip "LLVM $release has no openmp/device"

# The options are those of openmp/device/CMakeLists.txt.
for file in "$source"/src/*.cpp; do
  [ "$(basename "$file")" = Stub.cpp ] && continue
  "$clang" -x c++ -O2 -std=c++17 --target=nvptx64-nvidia-cuda -emit-llvm -c -fvisibility=hidden -nogpulib -nostdlibinc \
    -fno-rtti -fno-exceptions -fconvergent-functions -Wno-unknown-cuda-version -mllvm -vectorize-slp=false \
    --cuda-feature=+ptx63 -DSHARED_SCRATCHPAD_SIZE=512 -I"$source/include" -I"$work/llvm/libc" -I"$work/llvm/offload/include" \
    "$file" -o "$work/bitcode/$(basename "$file" .cpp).bc" || skip "LLVM $release's device runtime does not build here"
done
"$tools/llvm-link" "$work"/bitcode/*.bc -o "$work/libomptarget-nvptx.bc" &&
  "$tools/llvm-ar" rcs "$work/libompdevice.a" "$work/libomptarget-nvptx.bc" || skip "LLVM $release's device runtime does not link here"
mv "$work/libompdevice.a" "$work/libomptarget-nvptx.bc" "$directory/"
echo "built from llvm-toolchain-${release%%.*} $release: $directory"

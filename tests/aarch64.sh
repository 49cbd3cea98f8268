#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tests/aarch64.sh [ctest option...]: builds for 64-bit Arm and runs the tests under QEMU, with Debian's runtimes for it. As root.
# An emulator says nothing about speed, and little about the order of memory accesses: it runs the code and the runtimes for Arm.
# What this machine cannot do is skipped, and why is said: status 0 then too, but 77 in continuous integration (CI is set), which
# has no other reader of that line.
set -u
cd "$(dirname "$0")/.." || exit 1
. cmake/scripts/packages.sh
skip() {
  echo "aarch64: skipped: $*"
  [ -z "${CI:-}" ] || exit 77
  exit 0
}
command -v apt-get >/dev/null || skip "no apt"
tracer_install build test || exit 1
tracer_install_required qemu-user-static g++-aarch64-linux-gnu || skip "no cross compiler or QEMU for it"
rm -f "$TRACER_APT_LOG"
clang=$(tracer_openmp_present) && clang=${clang%% *}
headers=$(find /usr/lib/llvm-*/lib/clang -name omp-tools.h 2>/dev/null | sort -V | tail -n 1)
[ -n "$clang" ] && [ -n "$headers" ] || skip "no clang with OpenMP's headers"

. cmake/scripts/arm64.sh
build=$PWD/build/aarch64
root=$build/root
mkdir -p "$build/bin"
[ -e "$root.done" ] || echo "aarch64: unpacking Debian's packages ..."
why=$(tracer_arm64_root "$root" "" libc6-dev libstdc++-12-dev libomp5-19 libotf2-trace-dev libspdlog-dev libfmt-dev libtbb-dev libdw-dev \
  libelf-dev libcli11-dev nlohmann-json3-dev libsqlite3-dev libzstd-dev libxxhash-dev catch2) || skip "no packages for arm64: $why"
ln -sf libomp.so.5 "$root/usr/lib/aarch64-linux-gnu/libomp.so"

export QEMU_LD_PREFIX=$root
trap tracer_arm64_ends EXIT
tracer_arm64_starts "$root" || skip "the kernel does not start programs for Arm in QEMU (binfmt_misc)"

for language in "" ++; do
  printf '#!/bin/sh\nexec %s --target=aarch64-linux-gnu --sysroot=%s -L%s "$@"\n' "${clang/clang/clang$language}" "$root" "$root/usr/lib/aarch64-linux-gnu" >"$build/bin/clang$language"
done
chmod +x "$build"/bin/*
echo "aarch64: building ..."
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/aarch64.cmake" -DTRACER_SYSROOT="$root" \
  -DOMP_TOOLS_INCLUDE_DIR="${headers%/*}" -DTRACER_OPENMP_C_COMPILER="$build/bin/clang" -DTRACER_OPENMP_CXX_COMPILER="$build/bin/clang++" \
  -DTRACER_BUILD_BENCH=OFF >"$build/build.log" 2>&1 && cmake --build "$build" >>"$build/build.log" 2>&1 ||
  { tail -n 30 "$build/build.log"; exit 1; }
# Left out: what has no code of ours; what runs libraries or compilers of this machine in the program; what the emulator's memory would
# be counted in; and the line that libomp 16 gives for `taskwait depend`, another one on Arm.
left_out='browser|install|docs|manual|layering|ompd|benchmark|GCC|cli|crash: without disk|killed for its memory|taskwait_depend'
ctest --test-dir "$build" -j2 --timeout 600 --no-tests=error --output-on-failure -E "$left_out" "$@" </dev/null

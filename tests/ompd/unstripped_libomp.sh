#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds an unstripped libomp and its libompd from Debian's LLVM source package into the directory given
# as argument, once: a finished build there is kept. Needs apt, the network and a compiler, no root.
# Status 77, with the reason, where it cannot be had. About 45 s on two cores, 165 MB fetched.
set -u
directory=${1:?usage: unstripped_libomp.sh DIRECTORY}
skip() { printf 'skipped: %s\n' "$*" >&2; exit 77; }

mkdir -p "$directory" || exit 1
directory=$(cd "$directory" && pwd)
exec 9>"$directory/lock"
flock 9
[ -f "$directory/libomp.so" ] && [ -f "$directory/libompd.so" ] && { echo "already there: $directory"; exit 0; }

for tool in apt-get cmake ninja tar xz; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done
compiler=
for candidate in clang-14 clang clang-19 clang-16 clang-22 gcc; do
  command -v "$candidate" >/dev/null && { compiler=$candidate; break; }
done
[ -n "$compiler" ] || skip "no C compiler"
case $compiler in
  clang*) compilerxx=clang++${compiler#clang} ;;
  *) compilerxx=g++ ;;
esac

work=$directory/work
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

log=$work/log
free=$(df -Pk "$work" | awk 'NR==2{print $4}')
[ "$free" -gt 1000000 ] || skip "less than 1 GB free in $directory"
. "$(dirname "$0")/../../cmake/scripts/debian_source.sh"
package='' tarball=''
for version in 19 16 14; do
  tarball=$(debian_source "$work/fetch" "llvm-toolchain-$version" 2>>"$log") && { package=llvm-toolchain-$version; break; }
done
[ -n "$package" ] || skip "$(tail -n 1 "$log")"
mkdir "$work/llvm"
tar -xJf "$tarball" -C "$work/llvm" --strip-components=1 --wildcards \
  --exclude='*/test/*' '*/openmp/*' '*/cmake/Modules/*' || skip "the source package cannot be unpacked"
rm -rf "$work/fetch"
for part in runtime libompd; do # their tests need llvm-lit
  mkdir -p "$work/llvm/openmp/$part/test" && : >"$work/llvm/openmp/$part/test/CMakeLists.txt"
done
if ! { cmake -S "$work/llvm/openmp" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DOPENMP_STANDALONE_BUILD=ON \
  -DCMAKE_C_COMPILER="$compiler" -DCMAKE_CXX_COMPILER="$compilerxx" -DCMAKE_MODULE_PATH="$work/llvm/cmake/Modules" \
  -DOPENMP_ENABLE_LIBOMPTARGET=OFF -DOPENMP_ENABLE_OMPT_TOOLS=OFF -DLIBOMP_OMPD_SUPPORT=ON -DLIBOMP_OMPD_GDB_SUPPORT=OFF &&
  timeout 900 ninja -C "$work/build" omp ompd; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  skip "$package's libomp does not build here"
fi
# Debian's programs ask for libomp.so.5.
ln -sf libomp.so "$directory/libomp.so.5"
cp "$work/build/libompd/src/libompd.so" "$directory/libompd.so" && cp "$work/build/runtime/src/libomp.so" "$directory/libomp.so.new" &&
  mv "$directory/libomp.so.new" "$directory/libomp.so"
echo "built from $package: $directory"

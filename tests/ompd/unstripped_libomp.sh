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
mkdir -p "$work/sources" "$work/lists/partial" "$work/cache/archives/partial"
trap 'rm -rf "$work"' EXIT

# The system's own sources of Debian with "deb" made "deb-src", in a list of our own: the system's stay as they are.
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
  [ -f "$file" ] && grep -q debian "$file" || continue
  case $file in
    *.sources) sed 's/^Types:.*/Types: deb-src/' "$file" ;;
    *.list) sed -n 's/^deb \(.*debian\)/deb-src \1/p' "$file" ;;
  esac >"$work/sources/$(basename "$file")"
done
apt=(-q -o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$work/sources" -o "Dir::State::Lists=$work/lists"
  -o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=" -o "Acquire::Retries=2" -o "Acquire::http::Timeout=20")
log=$work/log
timeout 120 apt-get "${apt[@]}" update >"$log" 2>&1 || skip "apt-get update failed: $(grep -m1 '^[EW]:' "$log")"
package=
for version in 19 16 14; do
  apt-cache "${apt[@]}" showsrc "llvm-toolchain-$version" 2>/dev/null | grep -q '^Package:' && { package=llvm-toolchain-$version; break; }
done
[ -n "$package" ] || skip "no LLVM source package in the package lists"
free=$(df -Pk "$work" | awk 'NR==2{print $4}')
[ "$free" -gt 1000000 ] || skip "less than 1 GB free in $directory"
(cd "$work" && timeout 300 apt-get "${apt[@]}" source --download-only --only-source "$package") >>"$log" 2>&1 ||
  skip "$package cannot be fetched: $(grep -m1 '^E:' "$log")"
mkdir "$work/llvm"
tar -xJf "$work/$package"_*.orig.tar.xz -C "$work/llvm" --strip-components=1 --wildcards \
  --exclude='*/test/*' '*/openmp/*' '*/cmake/Modules/*' || skip "the source package cannot be unpacked"
rm -f "$work/$package"_*.orig.tar.xz
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

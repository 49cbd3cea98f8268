#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Makes tracer-VERSION-linux-ARCHITECTURE.tar.xz, which runs wherever there is glibc 2.28 and needs nothing else: linked with the
# C library of Debian 11, everything else inside. Prints the package's path. For Debian 12, or another system with glibc 2.36 or older.
#   cmake/scripts/portable.sh [DIRECTORY]     as root (debootstrap); DIRECTORY: where it goes (default: build/packages)
# Of the environment: TRACER_PORTABLE_ARCHITECTURE (aarch64: for 64-bit Arm, on another machine, by Debian's cross compiler; default:
# the machine's), TRACER_PORTABLE_WORK (roots and the build are kept there; default: build/portable), TRACER_PORTABLE_BUILD (a
# build tree that is linked anew instead of one that begins; what it was linked for before is gone).
set -eu
umask 022  # the package's directories are for all users
cd "$(dirname "$0")/../.."
to=${1:-$PWD/build/packages}
architecture=${TRACER_PORTABLE_ARCHITECTURE:-$(uname -m)} crossed=""
[ "$architecture" = "$(uname -m)" ] || crossed=-$architecture
work=${TRACER_PORTABLE_WORK:-$PWD/build/portable$crossed}
bullseye=$work/bullseye sysroot=$work/sysroot build=${TRACER_PORTABLE_BUILD:-$work/build}
triplet=$architecture-linux-gnu tools="" cross=()
say() { echo "portable: $*" >&2; }
fail() { say "$*"; exit 1; }
if [ -n "$crossed" ]; then
  [ "$architecture" = aarch64 ] || fail "no package is made for $architecture here"
  tools=aarch64-linux-gnu-
fi
command -v "${tools}g++" >/dev/null || fail "no compiler (g++${crossed:+$crossed-linux-gnu})"
# Headers and the compiler's libraries of a newer one call functions that older_glibc.c does not have (2.38: __isoc23_strtoul).
glibc=$("${tools}g++" -E -dM -include features.h -x c /dev/null | sed -n 's/^#define __GLIBC_MINOR__ //p')
[ "${glibc:-99}" -le 36 ] || fail "it is made on a system with glibc 2.36 or older, as Debian 12; this one has 2.${glibc:-?}"
mkdir -p "$work" "$to"

# The oldest release that Debian serves; what the package takes of it besides the C library: libdw, and what that needs. Its
# libomp is for tests/portable.sh.
if [ -n "$crossed" ]; then
  . cmake/scripts/arm64.sh
  say "packages of Debian for 64-bit Arm ..."
  why=$(tracer_arm64_root "$bullseye" bullseye libc6-dev libomp5-11 libdw1 libelf-dev zlib1g-dev) || fail "$why"
  why=$(tracer_arm64_root "$work/headers" "" libc6-dev libstdc++-12-dev libotf2-trace-dev libspdlog-dev libfmt-dev libtbb-dev libdw-dev \
    libelf-dev libcli11-dev nlohmann-json3-dev libsqlite3-dev libzstd-dev libxxhash-dev) || fail "$why"
  export QEMU_LD_PREFIX=$bullseye  # the manual pages are written by the program
  trap tracer_arm64_ends EXIT
  tracer_arm64_starts "$bullseye" || fail "the kernel does not start programs for Arm in QEMU (qemu-user-static, binfmt_misc)"
  omp_tools=$(find /usr/lib/llvm-*/lib/clang -name omp-tools.h 2>/dev/null | sort -V | tail -n 1)
  cross=("-DCMAKE_TOOLCHAIN_FILE=$PWD/cmake/toolchains/aarch64.cmake" "-DTRACER_SYSROOT=$work/headers" "-DOMP_TOOLS_INCLUDE_DIR=${omp_tools%/*}")
elif [ ! -e "$bullseye.done" ]; then
  [ "$(id -u)" -eq 0 ] || fail "run it as root once: debootstrap makes a root of Debian 11"
  command -v debootstrap >/dev/null || fail "debootstrap is not installed"
  say "a root of Debian 11 ..."
  rm -rf "$bullseye"
  mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\).*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -m 1 -E '/debian/*$' || true)
  debootstrap --variant=minbase --include=libc6-dev,libomp5-11,libdw1,libelf-dev,zlib1g-dev,ca-certificates,xz-utils bullseye "$bullseye" \
    "${mirror:-http://deb.debian.org/debian}" >"$work/debootstrap.log" 2>&1 || fail "debootstrap failed: $work/debootstrap.log"
  touch "$bullseye.done"
fi
# Its libraries and object files for the linker, as the compiler takes them before the system's.
if [ ! -e "$sysroot.done" ]; then
  rm -rf "$sysroot"
  mkdir -p "$sysroot/usr/lib" "$sysroot/lib64" "$sysroot/lib"
  cp -a "$bullseye/usr/lib/$triplet" "$sysroot/usr/lib/$triplet"
  cp -a "$bullseye/lib/$triplet" "$sysroot/lib/"
  [ -z "$crossed" ] || cp -a "$bullseye/usr/include" "$sysroot/usr/"
  loader=$(readlink -f "$bullseye/lib/$triplet"/ld-2.*.so)
  cp "$loader" "$sysroot/lib64/ld-linux-x86-64.so.2" && cp "$loader" "$sysroot/lib/ld-linux-aarch64.so.1"
  find "$sysroot" -type l -lname '/*' | while read -r link; do  # those of development files name the root's top
    [ ! -e "$bullseye$(readlink "$link")" ] || cp -a --remove-destination "$(readlink -f "$bullseye$(readlink "$link")")" "$link"
  done
  touch "$sysroot.done"
fi

# Objects know nothing of the C library's version; who links decides it. What only newer ones have is older_glibc.c's: an object,
# since the compiler puts its own libraries last, and an archive for what libm has.
"${tools}gcc" -O2 -fPIC -fno-builtin -c cmake/packaging/older_glibc.c -o "$work/older_glibc.o"
"${tools}gcc" -O2 -fPIC -fno-builtin -DOF_LIBM -c cmake/packaging/older_glibc.c -o "$work/older_libm.o"
rm -f "$work/libolder.a" && "${tools}ar" rcs "$work/libolder.a" "$work/older_libm.o"
at=$sysroot/usr/lib/$triplet
linked="--sysroot=$sysroot -B$at -L$at $work/older_glibc.o -lpthread -static-libstdc++ -static-libgcc"
# What is opened when source lines are looked up.
bundled=
for library in libz.so.1 liblzma.so.5 libbz2.so.1.0 libelf.so.1 libdw.so.1; do
  bundled="$bundled${bundled:+;}$(find "$bullseye/lib/$triplet" "$bullseye/usr/lib/$triplet" -name "$library" | head -n 1)"
done
# The viewer has cpp-httplib inside: its header alone, as its authors release it. Debian's is a shared library.
if [ ! -e "$work/httplib/LICENSE" ]; then
  . cmake/scripts/debian_source.sh
  tarball=$(debian_source "$work/httplib.source" cpp-httplib) || fail "no viewer without cpp-httplib"
  mkdir -p "$work/httplib" && tar -C "$work/httplib" --strip-components=1 --wildcards -xf "$tarball" '*/httplib.h' '*/LICENSE'
fi
# Licences of what is inside, and the texts that they and those of this system's packages refer to.
texts=$bullseye/usr/share/common-licenses
[ -z "$crossed" ] || texts=/usr/share/common-licenses
rm -rf "$work/licences" && mkdir "$work/licences"
for package in libdw1 libelf1 liblzma5 libbz2-1.0 zlib1g; do
  cp "$bullseye/usr/share/doc/$package/copyright" "$work/licences/$package" || fail "no licence of $package"
done
cp "$work/httplib/LICENSE" "$work/licences/cpp-httplib"
cp -L "$texts"/{Apache-2.0,GPL-2,GPL-3,LGPL-2.1,LGPL-3} "$work/licences/" || fail "no texts of licences in $texts"
launcher=-DTRACER_UNITY=ON
[ -n "$crossed" ] || ! command -v ccache >/dev/null || launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
say "the build ..."
cmake --preset release -B "$build" "${cross[@]}" "-DCMAKE_EXE_LINKER_FLAGS=$linked" "-DCMAKE_SHARED_LINKER_FLAGS=$linked" "-DCMAKE_MODULE_LINKER_FLAGS=$linked" \
  "-DCMAKE_CXX_STANDARD_LIBRARIES=$at/libz.a $work/libolder.a -lm -lpthread -ldl -lrt" "-DLIBELF_LIBRARY=$at/libelf.a" \
  -DCMAKE_INSTALL_LIBDIR=lib "-DTRACER_HTTPLIB_HEADER=$work/httplib" "-DTRACER_BUNDLED=$bundled" "-DTRACER_LICENCES=$work/licences" $launcher -DTRACER_BUILD_TESTS=OFF -DTRACER_BUILD_EXAMPLES=OFF -DTRACER_BUILD_BENCH=OFF >"$work/configure.log" 2>&1 ||
  { tail -n 20 "$work/configure.log" >&2; fail "configuring failed"; }
cmake --build "$build" >"$work/build.log" 2>&1 || { grep -E -A6 'FAILED:|error:|undefined' "$work/build.log" | head -n 40 >&2; fail "the build failed: $work/build.log"; }

rm -rf "$build/packages"
(cd "$build" && cpack -G TXZ) >"$work/package.log" 2>&1 || fail "packing failed: $work/package.log"
package=$(find "$build/packages" -maxdepth 1 -name 'tracer-*.tar.xz')
rm -rf "${work:?}/stage" && mkdir -p "$work/stage"
tar -C "$work/stage" -xf "$package"
newest=$(find "$work/stage" -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec "${tools}objdump" -T {} + 2>/dev/null | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -n 1)
[ "$(printf '%s\nGLIBC_2.28\n' "$newest" | sort -V | tail -n 1)" = GLIBC_2.28 ] || {
  find "$work/stage" -type f \( -name '*.so*' -o -path '*/bin/*' \) | while read -r file; do
    "${tools}objdump" -T "$file" 2>/dev/null | grep -E 'GLIBC_2\.(29|[3-9][0-9])' | sed "s|^|${file##*/}: |"
  done >&2
  fail "it needs $newest"
}
cp "$package" "$to/"
say "$(du -h "$package" | cut -f 1), needs $newest"
# For systems of RPM the same, in /opt/tracer.
if command -v rpmbuild >/dev/null; then
  (cd "$build" && cpack -G RPM) >"$work/rpm.log" 2>&1 || fail "packing for RPM failed: $work/rpm.log"
  cp "$build"/packages/*.rpm "$to/"
  say "$(basename "$build"/packages/*.rpm)"
else
  say "no RPM: rpmbuild is not installed (rpm)"
fi
echo "$to/${package##*/}"

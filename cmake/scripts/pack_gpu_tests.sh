#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Packs what a machine with an NVIDIA GPU and its driver (CUDA 13) needs to run the GPU tests: no compiler, no packages.
#   cmake/scripts/pack_gpu_tests.sh BUILD_DIRECTORY [OUTPUT.tar.xz]      on the GPU machine: tar xf, tracer-gpu-tests/run_all.sh
set -eu
build=$(realpath "${1:?build directory}")
output=$(realpath -m "${2:-$PWD/tracer-gpu-tests.tar.xz}")
top=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target gpu_programs gpu_verify gpu_driver tracer libtracer libtracer-gomp
pack=$work/tracer-gpu-tests
mkdir -p "$pack/bin" "$pack/lib" "$pack/programs" "$pack/cupti"

# Without debug information: a tenth of the size.
copy_stripped() { cp -L "$1" "$2" && strip --strip-unneeded "$2/$(basename "$1")"; }
for command in tracer gpu_verify gpu_driver; do copy_stripped "$build/bin/$command" "$pack/bin"; done
for library in libtracer libtracer-gomp; do copy_stripped "$build/lib/$library.so" "$pack/lib"; done
cp "$top"/tests/gpu/{common,run,kill,data_movement,python}.sh "$pack"
programs=$(sed -n 's/.*add_test(\[=\[gpu: \([a-z_0-9]*\)\]=\].*/\1/p; s/.*add_test("gpu: \([a-z_0-9]*\)".*/\1/p' "$build/tests/gpu/CTestTestfile.cmake")
packed=()
for program in $programs; do
  if [ -e "$top/tests/gpu/python/${program#python_}.py" ]; then
    cp "$top/tests/gpu/python/${program#python_}.py" "$pack/programs/$program.py"
    packed+=("$program")
  elif [ -x "$build/tests/gpu/$program" ]; then
    cp "$build/tests/gpu/$program" "$pack/programs" # with line information: regions have their source lines
    packed+=("$program")
  else
    echo "note: $program is not built and not packed" >&2
  fi
done
# Of the programs that gcc built.
[ ! -e "$build/tests/gpu/libgomp-plugin-nvptx.so.1" ] || copy_stripped "$build/tests/gpu/libgomp-plugin-nvptx.so.1" "$pack/lib"
[ ${#packed[@]} -gt 0 ] || { echo "error: no program to pack" >&2; exit 1; }

# Every library but those of the C library and of the driver; libdw, which is opened for source lines, with them. CUPTI, which
# may be given to others (CUDA's licence, attachment A), is used where the machine has none.
libdw=$(ldconfig -p | awk '/libdw\.so\.1 .*x86-64/ { print $NF; exit }')
[ -z "$libdw" ] || copy_stripped "$libdw" "$pack/lib"
for binary in "$pack"/bin/* "$pack"/lib/* "$pack"/programs/*; do ldd "$binary" 2>/dev/null | awk '$3 ~ /^\// { print $3 }'; done | sort -u |
  grep -vE '/(libc|libm|libdl|libpthread|librt|libutil|ld-linux.*|libcuda|libresolv)\.so' |
  while read -r library; do [ -e "$pack/lib/$(basename "$library")" ] || copy_stripped "$library" "$pack/lib"; done
# By this name libomptarget looks for the runtime that has the tool; without it there are no target events.
[ ! -e "$pack/lib/libomp.so.5" ] || ln -s libomp.so.5 "$pack/lib/libomp.so"
for cupti in /usr/local/cuda/lib64/libcupti.so.13 /usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13; do
  [ -e "$cupti" ] && cp -L "$cupti" "$pack/cupti" && break
done
glibc=$(for binary in "$pack"/bin/* "$pack"/lib/* "$pack"/programs/*; do objdump -T "$binary" 2>/dev/null; done | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -n 1)
echo "${glibc#GLIBC_}" >"$pack/glibc"

cat >"$pack/run_all.sh" <<'RUN'
#!/usr/bin/env bash
# Runs the GPU tests of this pack:  ./run_all.sh [PROGRAM...]
# Exit status 0: all checks hold; 1: some do not; 77: all were skipped, with the reason.
cd "$(dirname "$0")" || exit 1
need=$(cat glibc) have=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d' ' -f2)
if [ "$(printf '%s\n%s\n' "$need" "${have:-0}" | sort -V | head -n 1)" != "$need" ]; then
  echo "skipped: the pack needs glibc $need, this machine has ${have:-another C library}"
  exit 77
fi
# The machine's own CUPTI first: it belongs to its CUDA.
machine=$(ls -d /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64 2>/dev/null | while read -r d; do [ -e "$d/libcupti.so" ] && echo "$d" && break; done)
export GPU_TEST_LIBRARIES=$PWD/lib:${machine:-$PWD/cupti}
# Where containers have the driver, if the loader does not know it.
for directory in /usr/local/nvidia/lib64 /usr/local/nvidia/lib; do
  [ ! -e $directory/libcuda.so.1 ] || GPU_TEST_LIBRARIES=$GPU_TEST_LIBRARIES:$directory
done
driver=$(LD_LIBRARY_PATH=$GPU_TEST_LIBRARIES:${LD_LIBRARY_PATH:-} bin/gpu_driver) || { echo "${driver:-skipped: gpu_driver does not run}"; exit 77; }
echo "glibc $have; CUPTI of ${machine:-this pack}; $driver"
[ $# -gt 0 ] || set -- $(ls programs)
passed=0 failed=0 skipped=0
one() { # PROVIDER PROGRAM ARGUMENT...
  local provider=$1 program=$2
  shift 2
  echo "== $program, provider $provider"
  local script=run.sh
  case $program in cuda_endless) script=kill.sh ;; data_movement | device_habits) script=data_movement.sh ;; *.py) script=python.sh ;; esac
  GPU_TEST_PROVIDER=$provider TRACER_DEVICE=$([ "$provider" = host ] && echo host || echo auto) \
    ./$script bin "$PWD/lib/libtracer.so" "$PWD/programs/$program" "$@"
  case $? in 0) passed=$((passed + 1)) ;; 77) skipped=$((skipped + 1)) ;; *) failed=$((failed + 1)) ;; esac
}
for program; do
  arguments=()
  [ "${program#gcc_}" = heat ] && arguments=(--count 64 20 5)
  one cupti "$program" "${arguments[@]}"
  case $program in cuda_* | gcc_* | *.py) ;; *) one host "$program" "${arguments[@]}" ;; esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ] || exit 1
[ $passed -gt 0 ] || exit 77
RUN
chmod +x "$pack/run_all.sh"
du -sh "$pack"/* | sed "s|$pack/||" >&2
tar -C "$work" -cf - tracer-gpu-tests | xz -6 -T0 >"$output"
size=$(stat -c %s "$output")
echo "$output: $((size / 1000000)) MB, needs glibc $(cat "$pack/glibc"), programs: ${packed[*]}"
[ "$size" -lt 60000000 ] || { echo "error: more than 60 MB" >&2; exit 1; }

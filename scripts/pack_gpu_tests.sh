#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Packs what a machine with an NVIDIA GPU and CUDA's libraries needs to run the GPU tests: no compiler, no packages.
#   scripts/pack_gpu_tests.sh BUILD_DIRECTORY [OUTPUT.tar.xz]      on the GPU machine: tar xf, ./run_all.sh
set -eu
build=$(realpath "${1:?build directory}")
output=$(realpath -m "${2:-$PWD/tracer-gpu-tests.tar.xz}")
top=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target gpu_programs tracer libtracer
pack=$work/tracer-gpu-tests
mkdir -p "$pack/bin" "$pack/lib"

# Without debug information: a tenth of the size.
copy_stripped() { cp -L "$1" "$2" && strip --strip-unneeded "$2/$(basename "$1")"; }
copy_stripped "$build/bin/tracer" "$pack/bin"
copy_stripped "$build/lib/libtracer.so" "$pack/lib"
copy_stripped "$(command -v otf2-print)" "$pack/bin"
cp "$top/tests/gpu/run.sh" "$pack"
programs=()
for program in cuda_from_threads target_regions; do
  if [ -x "$build/tests/gpu/$program" ]; then
    cp "$build/tests/gpu/$program" "$pack/bin"
    programs+=("$program")
  else
    echo "note: $program is not built and not packed (see tests/gpu/CMakeLists.txt)" >&2
  fi
done
[ ${#programs[@]} -gt 0 ] || { echo "error: no program to pack" >&2; exit 1; }

# Every library but those of the C library and of the driver; CUPTI and the CUDA runtime are the machine's own.
for binary in "$pack"/bin/* "$pack"/lib/*; do ldd "$binary" 2>/dev/null | awk '$3 ~ /^\// { print $3 }'; done | sort -u |
  grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux.*|libcuda|libresolv)\.so' |
  while read -r library; do [ -e "$pack/lib/$(basename "$library")" ] || copy_stripped "$library" "$pack/lib"; done

cat >"$pack/run_all.sh" <<'RUN'
#!/usr/bin/env bash
# Runs the GPU tests of this pack. Exit status 0: none failed; skipped ones say why.
cd "$(dirname "$0")" || exit 1
export PATH=$PWD/bin:$PATH LD_LIBRARY_PATH=$PWD/lib:/usr/local/cuda/lib64:${LD_LIBRARY_PATH:-}
failed=0
for program in bin/cuda_from_threads bin/target_regions; do
  [ -e "$program" ] || continue
  echo "== $program"
  ./run.sh bin/tracer "$PWD/lib/libtracer.so" "$PWD/$program"
  status=$?
  [ $status -eq 0 ] || [ $status -eq 77 ] || failed=1
done
exit $failed
RUN
chmod +x "$pack/run_all.sh"
tar -C "$work" -cf - tracer-gpu-tests | xz -6 -T0 >"$output"
size=$(stat -c %s "$output")
echo "$output: $((size / 1000000)) MB, programs: ${programs[*]}"
[ "$size" -lt 60000000 ] || { echo "error: more than 60 MB" >&2; exit 1; }

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds and runs all tests. Arguments go to ctest (-R name, -LE label, -V, ...).
# Quiet about what works: tests that pass are not listed (TRACER_TEST_VERBOSE=1 lists them). The last lines say in words
# what was not tested, and what would change that.
set -u
cd "$(dirname "$0")/.." || exit 1
. cmake/scripts/packages.sh
. cmake/scripts/build.sh
tracer_install build test || exit 1
not_tested=("${TRACER_NOT_INSTALLED[@]}")

# Programs of the tests are built by the newest tool chain that can be had, whatever the machine's own is.
mkdir -p build
if bin=$(cmake/scripts/toolchain.sh build/toolchain 2>build/toolchain.log); then
  compilers=("-DTRACER_OPENMP_C_COMPILER=$bin/clang" "-DTRACER_OPENMP_CXX_COMPILER=$bin/clang++")
else
  compilers=()
  not_tested+=("target regions and OpenMP 6.0 ($(tail -n 1 build/toolchain.log))")
fi
echo "building (some minutes the first time) ..."
tracer_build release all -- -DTRACER_BUILD_TESTS=ON -DTRACER_BUILD_EXAMPLES=ON -DTRACER_BUILD_BENCH=ON "${compilers[@]}" || exit 1
# LLVM's device runtime for NVIDIA devices is fetched: tests that need it skip where that does not go.
cmake --build "$TRACER_BUILD" --target gpu_programs >"$TRACER_BUILD/gpu_programs.log" 2>&1 </dev/null ||
  not_tested+=("target regions for NVIDIA devices ($(grep -m1 -E 'error|FAILED|skipped' "$TRACER_BUILD/gpu_programs.log"); $TRACER_BUILD/gpu_programs.log)")
echo "testing ..."
# One more than there are processors: many tests wait for a program to be killed, or for a clock.
jobs=$(($(nproc) + 1)); [ "$jobs" -le 8 ] || jobs=8
works='^ +Start +[0-9]+: | Passed +[0-9.]+ sec$'
[ -n "${TRACER_TEST_VERBOSE:-}" ] && works='^$ nothing'
(cd "$TRACER_BUILD" && rm -f tests.xml &&
  ctest -j"$jobs" --output-on-failure --timeout 600 --no-tests=error --test-output-size-passed 65536 --output-junit tests.xml "$@" </dev/null) | tracer_progress testing ctest "$works"
status=${PIPESTATUS[0]}
for line in "${not_tested[@]}"; do echo "not tested: $line"; done
python3 tests/support/not_tested.py "$TRACER_BUILD/tests.xml"
exit "$status"

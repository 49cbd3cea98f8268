#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs what is missing, builds and runs all tests. Arguments go to ctest (-R name, -LE label, -V, ...).
# Quiet about what works: tests that pass are not listed (TRACER_TEST_VERBOSE=1 lists them).
set -u
cd "$(dirname "$0")/.." || exit 1
. cmake/scripts/packages.sh
. cmake/scripts/build.sh
tracer_install build test || exit 1
echo "building (some minutes the first time) ..."
tracer_build release all -- -DTRACER_BUILD_TESTS=ON -DTRACER_BUILD_EXAMPLES=ON -DTRACER_BUILD_BENCH=ON || exit 1
cd "$TRACER_BUILD" || exit 1
echo "testing ..."
works='^ +Start +[0-9]+: | Passed +[0-9.]+ sec$'
[ -n "${TRACER_TEST_VERBOSE:-}" ] && works='^$ nothing'
ctest -j2 --output-on-failure --timeout 600 "$@" </dev/null | grep --line-buffered -vE "$works"
exit "${PIPESTATUS[0]}"

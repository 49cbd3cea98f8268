#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# From a fresh clone to a first trace: installs what is missing, builds, traces an example, shows what is in the trace.
set -u
cd "$(dirname "$0")/.." || exit 1
. cmake/scripts/packages.sh
. cmake/scripts/build.sh
tracer_install build || exit 1

echo "building (a few minutes the first time) ..."
options=()
! tracer_begins release || options=(-- -DTRACER_BUILD_TESTS=OFF -DTRACER_BUILD_BENCH=OFF)  # tests/run.sh adds them
tracer_build release tracer_quickstart program_pairs "${options[@]}" || exit 1

tracer=build/release/bin/tracer
program=build/release/examples/pairs
output=$(mktemp -d "$PWD/tracer-pairs-XXXXXX")/trace || exit 1
# As many threads as there are processors for them, and few enough to look at.
threads=${OMP_NUM_THREADS:-$(nproc)}
[ -n "${OMP_NUM_THREADS:-}" ] || [ "$threads" -le 4 ] || threads=4
echo
echo "\$ OMP_NUM_THREADS=$threads OMP_TOOL_LIBRARIES=build/release/lib/libtracer.so $program 8000 20"
OMP_NUM_THREADS=$threads TRACER_OUTPUT=$output OMP_TOOL_LIBRARIES=$PWD/build/release/lib/libtracer.so \
  "$program" 8000 20 </dev/null || { echo "error: the traced example failed" >&2; exit 1; }
if [ ! -s "$output/traces.otf2" ]; then
  echo "error: no trace was written to $output" >&2
  exit 1
fi
echo
echo "\$ $tracer report --rows 8 $output"
"$tracer" report --rows 8 "$output" </dev/null || { echo "error: the trace could not be read" >&2; exit 1; }
cat <<END

The trace:  $output/traces.otf2
To open it: $tracer view $output
                the timeline in a browser, down to single events
            $tracer report --html report.html $output
                the report and the timeline as one file
            otf2-print $output/traces.otf2 | less
                every event as text
            Vampir, ViTE, Perfetto, Python: docs/viewing.md
One thread has most of the work; the same with another schedule, and what changed:
            OMP_NUM_THREADS=$threads $tracer run -o $output-dynamic -- $program 8000 20 dynamic
            $tracer diff $output $output-dynamic
To trace your own program, compiled by clang or gcc with -fopenmp (if it uses MPI, first: cmake --build build/release):
            export PATH=$PWD/build/release/bin:\$PATH
            tracer run -- ./your-program
            tracer report
Next:       docs/tutorial.md
END

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tests/sanitizers.sh [asan] [tsan] [fuzz] [quick]: the tests under AddressSanitizer with UndefinedBehaviorSanitizer, and
# under ThreadSanitizer; the fuzz targets of all readers, with the coverage they and the readers' tests reach; quick: the
# unit tests (rings, sessions, raw traces) under both sanitizers, some minutes. Without arguments the first three.
# TRACER_FUZZ_SECONDS (60): of each target. What this machine cannot run is skipped, and why is said; 0 then too.
set -u
cd "$(dirname "$0")/.." || exit 1
. cmake/scripts/packages.sh
. cmake/scripts/build.sh
tracer_install build test || exit 1

failed=""
say() { printf '%s\n' "$*"; }
fail() { failed="$failed $1"; say "FAILED: $1"; }
probe=$(mktemp -d "${TMPDIR:-/tmp}/tracer-probe.XXXXXX")
trap 'rm -rf "$probe"' EXIT

# Whether a program of these flags can be built and runs here. Prefixes that help go into $as.
can_run() { # compiler flags
  cat >"$probe/probe.cpp" <<'P'
#include <thread>
extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }
#ifndef NO_MAIN
int main() { std::thread t([] {}); t.join(); }
#endif
P
  local compiler=$1
  shift
  as=()
  if ! "$compiler" "$@" -pthread "$probe/probe.cpp" -o "$probe/probe" >"$probe/log" 2>&1; then
    reason="$compiler cannot build with $*: $(grep -m1 -E 'error|cannot' "$probe/log")"
    return 1
  fi
  "$probe/probe" -runs=1 >"$probe/log" 2>&1 && return 0
  # Kernels that place mappings at random over more bits than the sanitizer's runtime knows.
  as=(setarch "$(uname -m)" -R)
  "${as[@]}" "$probe/probe" -runs=1 >"$probe/log" 2>&1 && return 0
  reason="programs built by $compiler $* do not run here: $(head -n 1 "$probe/log")"
  return 1
}

# Labels that are not repeated under a sanitizer: pages, texts, packages and includes have no code of ours in them.
not_repeated='browser|docs|headers|install|layering|manuals|page'

suite() { # preset flags targets ctest's options...
  local preset=$1 flags=$2 what=$3 start=$SECONDS
  shift 3
  can_run "${CXX:-c++}" "-fsanitize=$flags" || { say "$preset: skipped: $reason"; return 0; }
  say "$preset: building ..."
  # shellcheck disable=SC2086
  tracer_build "$preset" $what -- -DTRACER_BUILD_BENCH=OFF || { fail "$preset (build)"; return 0; }
  say "$preset: built in $((SECONDS - start)) s; testing ..."
  "${as[@]}" ctest --preset "$preset" -j2 --timeout 600 --no-tests=error "$@" </dev/null >"$TRACER_BUILD/tests.log" 2>&1 || fail "$preset"
  grep -E -A40 '\*\*\*Failed|\*\*\*Timeout|\*\*\*Exception|Subprocess aborted' "$TRACER_BUILD/tests.log" | head -n 200
  grep -E 'tests passed|tests failed|Total Test time' "$TRACER_BUILD/tests.log"
  say "$preset: $((SECONDS - start)) s, all of it in $TRACER_BUILD/tests.log"
}

find_fuzzing_clang() {
  local version
  for version in -22 -19 -16 -15 -14 ""; do
    command -v "clang++$version" >/dev/null || continue
    can_run "clang++$version" -DNO_MAIN -fsanitize=fuzzer,address,undefined && { suffix=$version; return 0; }
  done
  return 1
}

fuzz_one() { # target: its log is the only output
  local corpus=$TRACER_BUILD/corpus/$1 log=$TRACER_BUILD/fuzz_$1.log
  mkdir -p "$corpus"
  LLVM_PROFILE_FILE=/dev/null "$TRACER_BUILD/tests/seeds_$1" "$corpus/seeds" >"$log" 2>&1 &&
    LLVM_PROFILE_FILE="$TRACER_BUILD/profiles/fuzz_$1.profraw" "${as[@]}" "$TRACER_BUILD/tests/fuzz_$1" -max_total_time="${TRACER_FUZZ_SECONDS:-60}" \
      -timeout=25 -rss_limit_mb=2560 -print_final_stats=1 -artifact_prefix="$TRACER_BUILD/finding_$1." -detect_leaks=1 "$corpus" "$corpus/seeds" >>"$log" 2>&1
}

# The readers' own tests.
readers='test_raw test_base test_archive test_ompd test_translate test_report'

# Lines and functions of the readers, by what the fuzz targets and the readers' own tests ran.
coverage() {
  local tests=() test objects=()
  for test in $readers; do
    [ -x "$TRACER_BUILD/tests/$test" ] || { fail "fuzz ($test is not built)"; continue; }
    LLVM_PROFILE_FILE="$TRACER_BUILD/profiles/$test.profraw" "${as[@]}" "$TRACER_BUILD/tests/$test" >"$TRACER_BUILD/$test.log" 2>&1 ||
      fail "fuzz ($test, see $TRACER_BUILD/$test.log)"
    tests+=("$TRACER_BUILD/tests/$test")
  done
  if ! command -v "llvm-profdata$suffix" >/dev/null || ! command -v "llvm-cov$suffix" >/dev/null; then
    say "coverage: skipped: no llvm-cov$suffix"
    return 0
  fi
  "llvm-profdata$suffix" merge -sparse "$TRACER_BUILD"/profiles/*.profraw -o "$TRACER_BUILD/coverage.profdata" || return 0
  for test in "${targets[@]}"; do objects+=(${objects[0]:+-object} "$TRACER_BUILD/tests/fuzz_$test"); done  # the first without -object
  for test in "${tests[@]}"; do objects+=(-object "$test"); done
  say "coverage of the readers (lines), by the fuzz targets and the readers' tests:"
  "llvm-cov$suffix" report "${objects[@]}" -instr-profile="$TRACER_BUILD/coverage.profdata" \
    formats/raw/{codec,journal_reader,reader,record_reader,segment_index,spool_reader}.cpp \
    formats/otf2/read/{anchor,definition_reader,definition_table,event_reader,local_definitions,record_file}.cpp formats/otf2/common/{file.cpp,byte_cursor.hpp} \
    tracer/base/config.cpp tracer/cut/filter.cpp tracer/translate/{regions/symbolize,scan/scan,translate}.cpp tracer/ompd/target/{core_target,elf_file}.cpp \
    2>/dev/null | awk 'NF >= 10 && $1 ~ /\.(cpp|hpp)$|TOTAL/ { printf "  %-40s %s of %s lines\n", $1, $10, $8 }'
}

fuzz() {
  local start=$SECONDS target running=0 good
  find_fuzzing_clang || { say "fuzz: skipped: ${reason:-no clang}"; return 0; }
  say "fuzz: building with clang++$suffix ..."
  # shellcheck disable=SC2086
  tracer_build fuzz tests/fuzz/all $readers -- \
    -DCMAKE_C_COMPILER="clang$suffix" -DCMAKE_CXX_COMPILER="clang++$suffix" || { fail "fuzz (build)"; return 0; }
  targets=()
  for target in "$TRACER_BUILD"/tests/fuzz_*; do targets+=("$(basename "$target" | sed 's/^fuzz_//')"); done
  rm -rf "$TRACER_BUILD/profiles"
  mkdir -p "$TRACER_BUILD/profiles"
  say "fuzz: built in $((SECONDS - start)) s; ${targets[*]}, ${TRACER_FUZZ_SECONDS:-60} s each ..."
  for target in "${targets[@]}"; do
    { fuzz_one "$target"; echo $? >"$TRACER_BUILD/fuzz_$target.status"; } &
    running=$((running + 1))
    [ $((running % 2)) -eq 0 ] && wait
  done
  wait
  for target in "${targets[@]}"; do
    good=$(cat "$TRACER_BUILD/fuzz_$target.status")
    say "  $target: $(sed -n 's/stat::number_of_executed_units: *//p' "$TRACER_BUILD/fuzz_$target.log") inputs, $([ "$good" = 0 ] && echo no finding || echo "status $good")"
    if [ "$good" != 0 ]; then
      fail "fuzz_$target"
      grep -vE '^#[0-9]+' "$TRACER_BUILD/fuzz_$target.log" | tail -n 60
    fi
  done
  coverage
  say "fuzz: $((SECONDS - start)) s"
}

units='test_base test_ring test_raw test_session'
[ $# -gt 0 ] || set -- asan tsan fuzz
for what in "$@"; do
  case $what in
    asan) suite asan address,undefined all -LE "$not_repeated" ;;
    tsan) suite tsan thread all -LE "$not_repeated|fuzz" ;;
    fuzz) fuzz ;;
    quick)
      suite asan address,undefined "$units" -L unit
      suite tsan thread "$units" -L unit
      ;;
    *) say "tests/sanitizers.sh [asan] [tsan] [fuzz] [quick], not '$what'"; exit 2 ;;
  esac
done
[ -z "$failed" ] || { say "with findings:$failed"; exit 1; }

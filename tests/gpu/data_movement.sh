#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Traces the programs of needless data movement and of costly use of devices (tests/diseases/data_movement.c,
# device_habits.c) on an NVIDIA GPU: patterns, their number and bytes in the report are what each program asked for, at
# its line; healthy programs have none.
#   data_movement.sh BIN LIBTRACER PROGRAM [NAME...]       as tests/gpu/run.sh; NAME: these programs only
# GPU_TEST_CONTENT=off: contents are not compared. Exit status 0: all hold; 1: some do not; 77: skipped, with the reason.
set -u
[ $# -ge 3 ] || { echo "usage: $0 BIN LIBTRACER PROGRAM [NAME...]" >&2; exit 2; }
bin=$1 library=$2 program=$3 content=${GPU_TEST_CONTENT:-on}
shift 3
# shellcheck source=tests/gpu/common.sh
. "$(dirname "$0")/common.sh"
[ -e "$program" ] || skip "$(basename "$program") is not built: cmake --build . --target gpu_programs"
[ $# -gt 0 ] || mapfile -t names < <(program_libraries "$program")
[ $# -eq 0 ] || names=("$@")
[ ${#names[@]} -gt 0 ] || { fail "the program lists no names"; exit 1; }

# Of the report's JSON: "row PATTERN COUNT BYTES LINE" for each row of data_movement, "finding ID LINE" for each finding.
rows_of() {
  awk '
    /^  "data_movement": \[$/ { part = "row" } /^    "findings": \[$/ { part = "finding" }
    /^(  |    )\]/ { part = "" }
    part == "" { next }
    { value = $0; sub(/^[^:]*: "?/, "", value); sub(/"?,?$/, "", value) }
    /"pattern":|"id":/ { id = value } /"count":/ { count = value } /"bytes":/ { bytes = value } /"line":/ { line = value }
    /"name":/ && part == "row" { line = value ~ /@.*:[0-9]+$/ ? value : 0; sub(/.*:/, "", line) }
    /^(    |      )\}/ { if (part == "row") print part, id, count, bytes, line; else print part, id, line; count = bytes = line = 0 }
  ' "$1"
}
# Scalars that kernels map, as the variable of a reduction, are the runtime's way and small: rows of up to 4096 bytes
# count only where the program asked for the pattern.
compare() { # WANTED ROWS
  awk -v content="$content" '
    function is_costly(p) { return p ~ /^(serial-transfer|small-transfers|short-kernels|few-teams|device-turns)$/ }
    function needs_content(p) { return p == "duplicate-transfer" || p == "round-trip" }
    FILENAME == ARGV[1] { if (NF == 4 && (content == "on" || !needs_content($1))) { count[$1] = $2; bytes[$1] = $3; line[$1] = $4; any = 1 } next }
    $1 == "row" { is_count[$2] += $3; is_bytes[$2] += $4; if (!($2 in most) || $4 > most[$2]) { most[$2] = $4; at[$2] = $5 } }
    $1 == "finding" && (is_costly($2) || $2 ~ /-transfer$|-allocation$|^round-trip$/) { finding[$2] = 1 }
    END {
      for (p in count) {
        if (is_count[p] != count[p] || is_bytes[p] != bytes[p])
          print p ": " is_count[p] + 0 " of " is_bytes[p] + 0 " bytes, not " count[p] " of " bytes[p]
        else if (line[p] && (at[p] < line[p] - 2 || at[p] > line[p] + 2)) print p ": at line " at[p] ", not " line[p]
      }
      # What is needless may be costly as well; healthy programs have nothing of either.
      for (p in count) if (!is_costly(p)) needless = 1
      for (p in is_bytes)
        if (!(p in count) && (is_costly(p) ? !needless : is_bytes[p] > 4096)) print p ": " is_count[p] " of " is_bytes[p] " bytes, not asked for"
      for (p in finding) if (!any) print p ": a finding of a healthy program"
    }' "$1" "$2"
}

for name in "${names[@]}"; do
  program_libraries env OMP_TARGET_OFFLOAD=mandatory OMP_TOOL_LIBRARIES="$library" TRACER_OUTPUT="$out/$name" \
    TRACER_TRANSFER_CONTENT="$content" "$program" "$name" >"$out/wanted" 2>"$out/errors"
  status=$?
  [ $status -eq 0 ] || { cat "$out/errors"; fail "$name ended with $status"; continue; }
  check_rules "$out/$name" || fail "$name: tracer check"
  own "$bin/tracer" report --json "$out/$name" >"$out/json" 2>"$out/errors" || { cat "$out/errors"; fail "$name: tracer report"; continue; }
  rows_of "$out/json" >"$out/rows"
  faults=$(compare "$out/wanted" "$out/rows")
  if [ -z "$faults" ]; then
    echo "  ok      $name: $(awk '$1 == "row" && ($4 > 4096 || $4 == 0) { printf "%s%s %s times, %s bytes", sep, $2, $3, $4; sep = ", " }' "$out/rows")"
  else
    while read -r fault; do fail "$name: $fault"; done <<<"$faults"
  fi
done
exit $failed

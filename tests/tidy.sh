#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs clang-tidy (.clang-tidy) over the product's sources that differ from a commit. Warnings end with status 1.
#   tests/tidy.sh [COMMIT]     default: the previous commit; needs a configured build/release
# TRACER_TIDY: the clang-tidy to run (default: clang-tidy-14, otherwise clang-tidy).
set -u
cd "$(dirname "$0")/.." || exit 1
base=${1:-HEAD^}
tidy=${TRACER_TIDY:-$(command -v clang-tidy-14 || command -v clang-tidy)}
[ -n "$tidy" ] || { echo "tidy: clang-tidy is not installed"; exit 77; }
[ -f build/release/compile_commands.json ] || { echo "tidy: configure build/release first (cmake --preset release)"; exit 77; }
git rev-parse -q --verify "$base^{commit}" >/dev/null || { echo "tidy: $base is not a commit"; exit 2; }
mapfile -t sources < <(git diff --name-only --diff-filter=d "$base" -- 'tracer/*.cpp' 'device/*.cpp' 'formats/*.cpp' |
  while read -r file; do grep -qF "\"$PWD/$file\"" build/release/compile_commands.json && echo "$file"; done)
[ ${#sources[@]} -gt 0 ] || { echo "tidy: no source of the product differs from $base"; exit 0; }
printf '%s\n' "${sources[@]}" | xargs -P "$(nproc)" -n 4 "$tidy" -p build/release --quiet --warnings-as-errors='*' 2>/dev/null
status=$?
echo "tidy: ${#sources[@]} sources that differ from $base: $([ $status -eq 0 ] && echo no warning || echo warnings)"
[ $status -eq 0 ]

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Holds sources to .clang-format (clang-format 14, as Debian 12 has it), shell scripts to shellcheck and Python to flake8.
#   tests/style.sh          says what is off; status 1
#   tests/style.sh --fix    formats C and C++
# A checker that is not installed is said and left out.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0
have() { command -v "$1" >/dev/null || { echo "style: $1 is not installed: not looked at"; return 1; }; }
mapfile -t sources < <(git ls-files '*.c' '*.h' '*.cpp' '*.hpp' '*.cu')
mapfile -t scripts < <(git ls-files '*.sh' .ci/run)
mapfile -t python < <(git ls-files '*.py')
if have clang-format-14; then
  if [ "${1:-}" = --fix ]; then
    clang-format-14 -i "${sources[@]}"
  else
    off=$(clang-format-14 --dry-run --Werror "${sources[@]}" 2>&1 | sed -n 's/:[0-9]*:[0-9]*: error:.*//p' | sort -u)
    # shellcheck disable=SC2086
    [ -z "$off" ] || { printf 'style: not formatted: %s\n' $off; echo "style: tests/style.sh --fix"; failed=1; }
  fi
fi
if have shellcheck && ! shellcheck -x -S warning "${scripts[@]}"; then
  failed=1
fi
if have flake8 && ! flake8 "${python[@]}"; then
  failed=1
fi
[ $failed -eq 0 ] && echo "style: ${#sources[@]} sources, ${#scripts[@]} scripts, ${#python[@]} Python files"
exit $failed

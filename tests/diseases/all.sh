#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# all.sh [BUILD]: every program of known disease, on the machine as it is and beside a busy loop on each processor.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build/release}" && pwd)
for load in "" --load; do
  echo "== ${load:-idle}"
  # shellcheck disable=SC2086
  python3 -B "$here/table.py" "$build/bin/tracer" "$build/lib/libtracer.so" $load \
    "$build"/tests/diseases/{,gcc_}disease_{imbalance,tasks,diseases,waiting,starting}
done

#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# check.sh PROGRAM MODULE TRACER
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$1" "$2" "$scratch/out"
"$3" check "$scratch/out"

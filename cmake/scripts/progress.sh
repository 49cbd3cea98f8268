#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# How far something is that takes minutes, to be sourced. On a terminal a bar with the time left, elsewhere a line a minute.
#   COMMAND 2>&1 | tracer_progress LABEL KIND [WORKS]
# KIND is how COMMAND says how far it is:
#   ninja   "[DONE/TOTAL] ..."            (NINJA_STATUS='[%f/%t] ')
#   ctest   " DONE/TOTAL Test ..."
#   apt     "pmstatus:WHAT:PERCENT:..."   (-o APT::Status-Fd=1)
# The input goes to standard output, progress to standard error. Left out: lines that match WORKS, and apt's of its status.
# TRACER_PROGRESS_EVERY: seconds between the lines.

# Seconds as a reader says them.
tracer_duration() {
  if [ "$1" -lt 60 ]; then echo "$1 s"; else echo "$((($1 + 30) / 60)) min"; fi
}

# label percent seconds-so-far: what is shown; the time left once it can be guessed.
tracer_progress_text() {
  local left=
  if [ "$2" -ge 3 ] && [ "$3" -ge 5 ]; then left=", $(tracer_duration $(($3 * (100 - $2) / $2))) left"; fi
  printf '%s: %d %%%s' "$1" "$2" "$left"
}

# text percent
tracer_progress_bar() {
  local width=24 full
  full=$(($2 * width / 100))
  printf '\r[%.*s%.*s] %s\033[K' $full '########################' $((width - full)) '........................' "$1" >&2
}

tracer_progress() {
  local label=$1 kind=$2 works=${3:-'^$ nothing'} every=${TRACER_PROGRESS_EVERY:-60} terminal='' start=$SECONDS said=$SECONDS
  local line begun='' percent=0 shown='' pattern status
  [ -t 2 ] && [ "${TERM:-dumb}" != dumb ] && terminal=1
  case $kind in
    ninja) pattern='^\[([0-9]+)/([0-9]+)\]' ;;
    ctest) pattern='^ *([0-9]+)/([0-9]+) Test ' ;;
    apt) pattern='^pmstatus:[^:]*:([0-9]+)' ;;
  esac
  while true; do
    IFS= read -r -t 1 line
    status=$?
    line=$begun$line
    begun=
    if [ $status -gt 128 ]; then
      begun=$line  # no whole line within the second
    elif [ $status -ne 0 ] && [ -z "$line" ]; then
      break
    else
      if [[ $line =~ $pattern ]]; then
        percent=$((BASH_REMATCH[1] * 100 / ${BASH_REMATCH[2]:-100}))
      fi
      if ! [[ $line =~ $works || ($kind = apt && $line =~ ^(pm|dl)status:) ]]; then
        [ -z "$shown" ] || [ ! -t 1 ] || printf '\r\033[K' >&2
        printf '%s\n' "$line"
      fi
    fi
    if [ -n "$terminal" ]; then
      tracer_progress_bar "$(tracer_progress_text "$label" $percent $((SECONDS - start)))" $percent
      shown=1
    elif [ $((SECONDS - said)) -ge "$every" ]; then
      said=$SECONDS
      printf '%s, %s so far\n' "$(tracer_progress_text "$label" $percent $((SECONDS - start)))" "$(tracer_duration $((SECONDS - start)))" >&2
    fi
  done
  [ -z "$shown" ] || printf '\r\033[K' >&2
}

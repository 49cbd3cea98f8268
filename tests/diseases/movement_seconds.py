#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""movement_seconds.py TRACER LIBRARY [--rounds N] [--only NAME] [--need | --close] PROGRAM...: what the findings on data movement and on
costly use of devices promise, beside what the cured programs win, and what the programs lose by their own clock.

N rounds (5): in each a program runs once as it is, once cured, once traced. Won: the median of what the program takes longer than
the cured one, in processor time (of those whose cure is to do two things at once: not compared). Found: the median of the finding's
seconds (those of its rows, where it is none). Own: the median of what the program measures of itself, untraced and traced, against
which the finding of the same round is held. Rounds in which others had the processors are left out where there are quiet ones.

--need: fails unless the finding of each disease is the first of all, and its seconds are those of the program's own clock in the same
run, but for what recording and hashing take, and unless healthy programs have no finding on devices.
--close: and unless the seconds are within 15 % of the program's own, and of what its cure wins. 77: no round was quiet."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from data_movement import COSTLY, NEEDLESS, NEEDS_CONTENT, wanted_of

CLOSE = 0.15
SMALL = 0.002  # seconds: as much lies between two runs of one program
QUIET = 0.05   # of a run: what its threads could have run, and had no processor for
# The cure lets two things go on at once, which wins no processor time.
AT_ONCE = {"serial-transfer", "device-turns"}
# What the cure wins besides, of other findings; and what nobody can see: fresh memory costs the kernel that touches it first.
WITH = {"round-trip": ("round-trip", "repeated-allocation")}
FRESH = {"repeated_allocation", "repeated_routine"}


def run(command, environment=None):
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


def processor_seconds(output):
    return next(float(line.split()[2]) for line in output.splitlines() if line.startswith("ran "))


class Round:
    """One program as it is, cured, and traced."""

    def __init__(self, tracer, library, program, name, content, directory):
        plain = run([program, name])
        self.wanted, self.own = wanted_of(plain)
        self.won = processor_seconds(plain) - processor_seconds(run([program, name, "cured"])) if self.wanted else 0
        archive = pathlib.Path(tempfile.mkdtemp(dir=directory), name)
        traced = run([tracer, "run", "-q", "-o", archive] + (["--transfer-content"] if content else []) + ["--", program, name],
                     {**os.environ, "TRACER_LIBRARY": library})
        self.own_traced = wanted_of(traced)[1]
        report = json.loads(run([tracer, "report", "--json", archive]))
        self.findings = report["verdict"]["findings"]
        self.rows = report["data_movement"]
        threads = report["account"]["by_thread"]
        ran, delay = (sum(thread.get(key, 0) for thread in threads) for key in ("processor_ns", "delay_ns"))
        notes = {note["id"] for note in report["verdict"]["notes"]}
        self.is_quiet = delay <= QUIET * (ran + delay) and not notes & {"busy-machine", "stolen"}

    def found(self, patterns):
        of = [finding["lost_ns"] for finding in self.findings if finding["id"] in patterns]
        of += [row["ns"] for row in self.rows if row["pattern"] in patterns and row["pattern"] not in {f["id"] for f in self.findings}]
        return sum(of) * 1e-9

    def rank(self, pattern):
        return next((place for place, finding in enumerate(self.findings, 1) if finding["id"] == pattern), 0)


def off_by(found, low, high):
    """By how much of it `found` is outside of what lies between; what is as small as the clock's own errors is not."""
    if low - SMALL <= found <= high + SMALL:
        return 0.0
    return found / (low if found < low else high) - 1


def judged(rounds, name):
    """(what to print, faults, seconds that are too far off) of a disease."""
    pattern = rounds[0].wanted[0][0]
    content = pattern in NEEDS_CONTENT
    found, won = ([of(one) for one in rounds] for of in (lambda one: one.found({pattern}), lambda one: one.won))
    # Recording is in what the program measures while it is traced; hashing contents is in that, and no part of an operation.
    off = [off_by(f, *((one.own[pattern],) * 2 if content else sorted((one.own[pattern], one.own_traced[pattern]))))
           for f, one in zip(found, rounds)] if rounds[0].own else [0.0]
    cure = statistics.median(won)
    promised = statistics.median(one.found(set(WITH.get(pattern, (pattern,)))) for one in rounds)
    off_cure = None if pattern in AT_ONCE or name in FRESH else off_by(promised, cure, cure)
    ranks = sorted({one.rank(pattern) for one in rounds})
    faults, far = [], []
    # Where others have the processors, a finding may not stand out of what they take.
    is_quiet = any(one.is_quiet for one in rounds)
    if set(ranks) - {1} and (is_quiet or set(ranks) - {0, 1}):
        faults.append(f"{pattern} is at places {ranks} of the findings")
    if rounds[0].own:
        of_own = statistics.median(f / one.own_traced[pattern] for f, one in zip(found, rounds))
        if not (0.3 if content else 0.5) <= of_own <= 1.2:
            faults.append(f"{pattern} has {of_own:.0%} of the seconds that the program measured in the same run")
    if abs(statistics.median(off)) > CLOSE:
        far.append(f"{pattern} is {statistics.median(off):+.0%} off the program's own seconds")
    if off_cure is not None and abs(off_cure) > CLOSE:
        far.append(f"{pattern} is {off_cure:+.0%} off what the cure wins")
    own = statistics.median(one.own.get(pattern, 0) for one in rounds)
    text = (f"{pattern:20s}{own:9.4f}{cure:9.4f}{promised:9.4f}{statistics.median(off):+8.0%}"
            f"{'       -' if off_cure is None else f'{off_cure:+8.0%}'}  {'/'.join(map(str, ranks)):6s}")
    return text, faults, far if is_quiet else []


def main():
    words = sys.argv[1:]
    options = {"--rounds": "5", "--only": ""}
    for option in options:
        if option in words:
            at = words.index(option)
            options[option] = words[at + 1]
            del words[at:at + 2]
    needs, needs_close = ("--need" in words or "--close" in words), "--close" in words
    tracer, library, *programs = (os.path.abspath(word) for word in words if word not in ("--need", "--close"))
    print(f"{'program':20s}{'pattern':20s}{'own':>9s}{'won':>9s}{'found':>9s}{'off own':>8s}{'off won':>8s}  place   quiet, what else is found")
    failures, far_off, compared = [], [], 0
    with tempfile.TemporaryDirectory() as directory:
        for program in programs:
            for name in run([program]).split():
                if options["--only"] not in name:
                    continue
                content = any(p in NEEDS_CONTENT for p, *_ in wanted_of(run([program, name]))[0])
                rounds = [Round(tracer, library, program, name, content, directory) for _ in range(int(options["--rounds"]))]
                quiet = [one for one in rounds if one.is_quiet]
                shown = quiet or rounds
                others = sorted({finding["id"] for one in shown for finding in one.findings} - {p for p, *_ in rounds[0].wanted})
                text, faults, far = f"{'healthy':20s}{'':51s}", [], []
                if rounds[0].wanted:
                    text, faults, far = judged(shown, name)
                elif wrong := [one for one in others if one in NEEDLESS | COSTLY]:
                    faults = [f"healthy, but {wrong}"]
                print(f"{name:20s}{text}  {len(quiet)}/{len(rounds)}  {', '.join(others)}", flush=True)
                compared += bool(quiet)
                failures += [f"{name}: {fault}" for fault in faults]
                far_off += [f"{name}: {fault}" for fault in far]
    print("\n".join(failures + far_off) or "all as they should be" + ("" if compared else "; no round was quiet"))
    if needs and failures or needs_close and far_off:
        return 1
    return 77 if needs_close and not compared else 0


if __name__ == "__main__":
    sys.exit(main())

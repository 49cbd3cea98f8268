#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_facts.py TRACER LIBRARY PROGRAM: the archive says when the process began and ended by the kernel's clock, how it
ended, and what processor time its threads used."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

tracer, library, program = (os.path.abspath(path) for path in sys.argv[1:4])


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def facts_of(archive):
    said = subprocess.run([tracer, "info", "--json", archive], check=True, capture_output=True, text=True).stdout
    prefix = "TRACER::RUN::"
    return {name[len(prefix):]: value for name, value in json.loads(said)["properties"].items() if name.startswith(prefix)}


def check_zone(environment, directory):
    """Who sets the time zone before it asks for it has it, also where the trace's name has the time."""
    for tool in ({}, {"OMP_TOOL_LIBRARIES": library, "TRACER_OUTPUT": f"{directory}/zone-%t"}):
        done = subprocess.run([program, "zone"], capture_output=True, text=True, env={**environment, "TZ": "UTC0", **tool})
        need((done.returncode, done.stdout) == (0, "5\n"), f"the time zone of a program {'with' if tool else 'without'} the tool: {done.stdout!r} {done.stderr}")
    names = [path.name for path in pathlib.Path(directory).glob("zone-*")]
    need(len(names) == 1 and re.fullmatch(r"zone-\d{8}-\d{6}Z", names[0]), f"the trace's name has the time of UTC: {names}")


def main():
    environment = {**os.environ, "TRACER_LIBRARY": library, "OMP_DYNAMIC": "false", "OMP_SCHEDULE": "guided,7"}
    with tempfile.TemporaryDirectory() as temporary:
        check_zone(environment, temporary)
        for how, status, ended in (("return", 3, "return"), ("exit", 5, "return"), ("_exit", 6, "without telling"), ("kill", 128 + 9, "signal")):
            archive = pathlib.Path(temporary) / how
            before = time.monotonic()
            done = subprocess.run([tracer, "run", "-q", "-o", archive, "--", program, how], capture_output=True, text=True, env=environment)
            after = time.monotonic()
            need(done.returncode == status, f"{how}: the exit status is {done.returncode}")
            last_seen, used = (float(word) for word in done.stdout.split())
            facts = facts_of(archive)
            start, end = int(facts["PROCESS_START_NS"]) * 1e-9, int(facts["PROCESS_END_NS"]) * 1e-9
            need(before - int(facts["START_RESOLUTION_NS"]) * 1e-9 <= start <= last_seen - 0.15, f"{how}: it began at {start:.3f}, started after {before:.3f}")
            need(last_seen <= end <= after, f"{how}: it ended at {end:.3f}, between {last_seen:.3f} and {after:.3f}")
            need(facts["ENDED"] == ended, f"{how}: ended by {facts['ENDED']}")
            need(facts.get("SIGNAL", "") == ("9" if how == "kill" else ""), f"{how}: signal '{facts.get('SIGNAL', '')}'")
            need(facts.get("EXIT_STATUS", "") == ("" if how == "kill" else str(status)), f"{how}: exit status '{facts.get('EXIT_STATUS', '')}'")
            need(facts["ENV::OMP_SCHEDULE"] == "guided,7" and facts["HOST"] == os.uname().nodename, f"{how}: the environment and the host")
            need(int(facts["PROCESSORS_USABLE"]) == len(os.sched_getaffinity(0)), f"{how}: usable processors")
            if how in ("return", "exit"):
                known = (int(facts["USER_NS"]) + int(facts["SYSTEM_NS"])) * 1e-9
                need(used <= known, f"{how}: processor time {known:.3f} s, by the program's last look {used:.3f} s")
        direct = pathlib.Path(temporary) / "direct"
        done = subprocess.run([program, "exit"], env={**environment, "OMP_TOOL_LIBRARIES": library, "TRACER_OUTPUT": str(direct)})
        facts = facts_of(direct)
        need(done.returncode == 5 and facts["EXIT_STATUS"] == "5", "without `tracer run` the exit status is known too")
        dump = subprocess.run([tracer, "report", "--json", direct], check=True, capture_output=True, text=True).stdout
        need(json.loads(dump)["trace"]["properties"]["TRACER::RUN::EXIT_STATUS"] == "5", "and in the report")


main()

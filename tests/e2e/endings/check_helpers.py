#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What libomp's helper team for `target nowait` does, also behind exit(), is no repair: at most a task of the program's never ran.
check_helpers.py TRACER LIBRARY PROGRAM"""
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
from traced import clean, judge, run  # noqa: E402

REPAIRED = "TRACER::REPAIRED::"
NEVER_RAN = REPAIRED + "TASK_THAT_NEVER_RAN_ENDED_WITH_ITS_TEAM"


def faults(tracer, library, command, status, directory):
    archive = directory / "trace"
    done = run([tracer, "run", "-q", "-o", str(archive), "--", *command], clean(TRACER_LIBRARY=library))
    if done.returncode != status:
        return (yield f"status {done.returncode} instead of {status}: {done.stderr}")
    yield from judge(archive / "traces.otf2", tracer)[0]
    properties = json.loads(run([tracer, "info", "--json", str(archive)], clean()).stdout)["properties"]
    repairs = {name: int(count) for name, count in properties.items() if name.startswith(REPAIRED)}
    if repairs.pop(NEVER_RAN, 0) > (1 if status else 0) or repairs:
        yield f"{repairs or NEVER_RAN} in an archive of status {status}"


def main():
    tracer, library, program = (os.path.abspath(path) for path in sys.argv[1:4])
    found = []
    for status in [0] + 5 * [3]:
        with tempfile.TemporaryDirectory() as directory:
            found += faults(tracer, library, [program, "3"] if status else [program], status, pathlib.Path(directory))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plays a script to the tool and compares the archive's events with the text beside it.

check_order.py --runtime fake_runtime --dump dump_events --tracer tracer [--preload LIBRARY] NAME.script

TRACER_TEST_UPDATE=1 writes the text instead."""
import argparse
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from account import archive_account_faults  # noqa: E402


def run(command, env):
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)


def events_of(options, directory):
    """The archive's events as text; raises SystemExit with what is wrong."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER"))}
    preloaded = {"LD_PRELOAD": options.preload} if options.preload else {}
    done = run([options.runtime, options.script], dict(env, TRACER_OUTPUT=directory + "/trace", **preloaded))
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}: {done.stderr}")
    if "nothing is repaired" in options.script.read_text(encoding="utf-8") and "repaired" in done.stderr:
        sys.exit(done.stderr)
    checked = run([options.tracer, "check", directory + "/trace"], env)
    if checked.returncode != 0:
        sys.exit(f"{checked.stdout}{checked.stderr}")
    if faults := archive_account_faults(options.tracer, directory + "/trace"):
        sys.exit("\n".join(faults))
    dumped = run([options.dump, directory + "/trace"], env)
    if dumped.returncode != 0:
        sys.exit(dumped.stderr + done.stderr)
    return dumped.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--runtime", "--dump", "--tracer"):
        parser.add_argument(name, required=True)
    parser.add_argument("--preload", help="a library for the runtime's process")
    parser.add_argument("script", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        text = events_of(options, directory)
    path = options.script.with_suffix(".txt")
    if os.environ.get("TRACER_TEST_UPDATE"):
        path.write_text(text, encoding="utf-8")
    wanted = path.read_text(encoding="utf-8") if path.exists() else ""
    print("\n".join(difflib.unified_diff(wanted.splitlines(), text.splitlines(), path.name, "the archive", lineterm="")))
    return 0 if text == wanted else 1


if __name__ == "__main__":
    sys.exit(main())

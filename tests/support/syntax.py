#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles every source of the product with a compiler, without making code: what it refuses ends with status 1, what it warns
of is counted and shown.
    syntax.py SOURCE BUILD CXX    BUILD: a directory that cmake configures for it"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys


def main():
    source, build, compiler = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3]
    # As the first command builds: several files as one, which also shows whether they go together.
    configured = subprocess.run(
        ["cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
         "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DTRACER_UNITY=ON", "-DTRACER_BUILD_TESTS=OFF", "-DTRACER_BUILD_BENCH=OFF",
         "-DTRACER_BUILD_EXAMPLES=OFF", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"], capture_output=True, text=True)
    if configured.returncode != 0:
        print(configured.stdout[-2000:], configured.stderr[-4000:])
        return 1

    def compile_one(entry):
        words, kept = shlex.split(entry["command"]), []
        while words:
            word = words.pop(0)
            if word in ("-o", "-MT", "-MF"):
                words.pop(0)
            elif word not in ("-MD", "-c") and not word.startswith("-O"):
                kept.append(word)
        return entry, subprocess.run(kept + ["-fsyntax-only", "-fdiagnostics-color=never"], cwd=entry["directory"], capture_output=True, text=True)

    entries = [entry for entry in json.loads((build / "compile_commands.json").read_text()) if not entry["file"].endswith(".c")]
    entries.sort(key=lambda entry: "/Unity/" not in entry["file"])  # the long ones first
    failed, warnings = 0, set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for entry, done in pool.map(compile_one, entries):
            warnings.update(w for w in re.findall(r"^(\S+: warning: .*)$", done.stderr, re.M) if w.startswith(str(source)))  # not those of system headers
            if done.returncode != 0:
                failed += 1
                print(f"{entry['file']}:\n{done.stderr[:3000]}", flush=True)
    for warning in sorted(warnings):
        print(warning)
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    print(f"{version}: {len(entries)} sources, {failed} failed, {len(warnings)} warnings")
    return 1 if failed or not entries else 0


if __name__ == "__main__":
    sys.exit(main())

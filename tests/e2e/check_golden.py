#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces one program on every runtime and compares what happened on each location with the golden text.

check_golden.py --tool libtracer.so --dump dump_events --runtimes DIR --golden DIR [--older LIB] [--tracer tracer]
                --source FILE PROGRAM

golden/NAME.txt holds for all versions but those with a text of their own: NAME.13.txt, NAME.13-16.txt. A text
"not delivered" says that this runtime cannot run the program or reports nothing of it.
TRACER_TEST_UPDATE=1 writes the texts instead."""
import argparse
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from account import archive_account_faults  # noqa: E402
from runtimes import all_runtimes  # noqa: E402

SKIPPED = 77


def golden_file(directory, name, version):
    """The text that holds for a version: the narrowest range wins."""
    for path in sorted(directory.glob(f"{name}.*.txt")):
        first, _, last = path.name[len(name) + 1:-4].partition("-")
        if first.isdigit() and int(first) <= version <= int(last or first):
            return path
    return directory / f"{name}.txt"


def environment(runtime, older, wanted):
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER", "KMP_", "LIBOMP"))}
    plain.update(LD_LIBRARY_PATH=runtime.directory, OMP_NUM_THREADS="2", OMP_DYNAMIC="false", LIBOMP_USE_HIDDEN_HELPER_TASK="0")
    plain.update(wanted)
    if older and runtime.version < 19:
        plain["LD_PRELOAD"] = older
    return plain


def wanted_by(source):
    """The variables of lines like `// environment: NAME=value` of the program."""
    text = pathlib.Path(source).read_text(encoding="utf-8")
    return dict(line.split("=", 1) for line in re.findall(r"^// environment: (\S+)$", text, re.MULTILINE))


def run(command, env):
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)


def trace(options, runtime, directory):
    """What the program's trace says, 'not delivered', or None and a fault."""
    env = environment(runtime, options.older, wanted_by(options.source))
    untraced = run([options.program], env)
    if untraced.returncode != 0:
        return "not delivered\n", None
    output = os.path.join(directory, "trace")
    traced = run([options.program], dict(env, OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=output))
    if traced.returncode != 0 or traced.stdout != untraced.stdout:
        return None, f"exit status {traced.returncode}: {traced.stderr}"
    anchor = os.path.join(output, "traces.otf2")
    if options.tracer:
        checked = run([options.tracer, "check", anchor], env)
        if checked.returncode != 0:
            return None, f"tracer check:\n{checked.stdout}{checked.stderr}"
        if faults := archive_account_faults(options.tracer, anchor):
            return None, "\n".join(faults)
    dumped = run([options.dump, anchor], env)
    if dumped.returncode != 0:
        return None, f"{traced.stderr}{dumped.stderr}"
    return dumped.stdout, None


def compare(options, runtime, name):
    with tempfile.TemporaryDirectory() as directory:
        text, fault = trace(options, runtime, directory)
    if fault:
        return f"{name} on {runtime}: {fault}"
    path = golden_file(options.golden, name, runtime.version)
    wanted = path.read_text(encoding="utf-8") if path.exists() else ""
    if text == wanted:
        return None
    if os.environ.get("TRACER_TEST_UPDATE"):
        return update(options.golden, name, runtime.version, path, text)
    lines = difflib.unified_diff(wanted.splitlines(), text.splitlines(), str(path.name), str(runtime), lineterm="")
    return f"{name} on {runtime} differs:\n" + "\n".join(lines)


def update(directory, name, version, path, text):
    """The newest version's text is the common one; others that differ get a file of their own."""
    target = directory / f"{name}.txt" if version >= 19 or not re.search(r"\.\d", path.name) and not path.exists() else directory / f"{name}.{version}.txt"
    target.write_text(text, encoding="utf-8")
    return f"wrote {target.name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--dump", required=True)
    parser.add_argument("--runtimes", required=True, help="directory for unpacked runtimes")
    parser.add_argument("--golden", required=True, type=pathlib.Path)
    parser.add_argument("--older", help="library with what new compilers call and old runtimes lack")
    parser.add_argument("--tracer", help="the tracer command")
    parser.add_argument("--source", required=True, help="of the program")
    parser.add_argument("program")
    options = parser.parse_args()
    runtimes = all_runtimes(options.runtimes, options.program)
    if not runtimes:
        print("no OpenMP runtime to run on")
        return SKIPPED
    name = pathlib.Path(options.program).name.removeprefix("golden_")
    faults = [fault for runtime in reversed(runtimes) if (fault := compare(options, runtime, name))]
    print("\n".join(faults) or f"{name}: as expected on {', '.join(map(str, runtimes))}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

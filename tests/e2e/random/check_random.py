#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Traces random programs (make_program.py) on every runtime there is: each runs as without the tool, its archive is valid
and counts what the program counts. A program that fails without the tool, or under one that does nothing, is not judged; more than half of
the runs must be.

check_random.py --tool libtracer.so --compiler clang [--runtimes DIRECTORY] [--programs N] [--seed FIRST] [--keep DIRECTORY] ..."""
import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
import check_program  # noqa: E402
import runtimes       # noqa: E402
import traced         # noqa: E402


def build(seed, options, directory):
    source, program = directory / f"random_{seed}.c", directory / f"random_{seed}"
    words = ["--rare"] if options.rare else []
    words += [word for name in options.without for word in ("--without", name)]
    written = subprocess.run([sys.executable, "-B", HERE / "make_program.py", str(seed), *words], capture_output=True, check=True)
    source.write_bytes(written.stdout.replace(b'"count ', b'"some ') if options.no_counts else written.stdout)
    level = random.Random(seed).choice(["-O0", "-O1", "-O2"])
    subprocess.run([*options.compiler, "-g", level, "-fopenmp", source, "-o", program], check=True)
    return program


def dies_alone(program, environment):
    try:
        return subprocess.run([program], env=environment, capture_output=True, timeout=60).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def faults(program, runtime, options, directory):
    """What is wrong, or None: not judged."""
    arguments = ["--tool", options.tool, "--threads", "1", "--env", "OMP_WAIT_POLICY=passive", "--env", "OMP_CANCELLATION=true"]
    if runtime and runtime.version < 19 and options.older:
        arguments += ["--env", f"LD_PRELOAD={options.older}"]
    if runtime:
        arguments += ["--env", f"LD_LIBRARY_PATH={runtime.directory}"]
    parsed = check_program.make_parser("").parse_args([*arguments, str(program)])
    if options.like:
        parsed.env.append(f"LD_PRELOAD={runtimes.runtime_of(options.like).directory}/libomp.so.5")
    parsed.no_counts = options.no_counts
    plain = traced.clean(**check_program.settings(parsed))
    idle = dict(plain, OMP_TOOL_LIBRARIES=options.idle_tool) if options.idle_tool else plain
    if any(dies_alone(program, plain) for _ in range(2)):
        return None
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        try:
            found = list(check_program.check(parsed, scratch))
        except subprocess.TimeoutExpired as error:
            return None if any(dies_alone(program, without) for without in [plain, idle] * 4) else [str(error)]
    if any("of the untraced program" in fault for fault in found):
        return None
    # libomp's own assertions fail now and then, of 100 runs of some programs with several initial threads in 1 by itself,
    # in 5 when there is a tool, whatever it does: is it that?
    if any(fault.startswith("exit status") for fault in found) and any(dies_alone(program, w) for w in [plain, idle] * 100):
        return None
    # Until LLVM 16 a test of a lock is told as its setting.
    unknown = ("omp_test_lock:", "omp_set_lock:") if runtime and runtime.version < 19 else ()
    return [fault for fault in found if not fault.startswith(unknown)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--compiler", type=str.split, required=True)
    parser.add_argument("--runtimes", help="where Debian's runtimes are unpacked")
    parser.add_argument("--programs", type=int, default=int(os.environ.get("TRACER_RANDOM_PROGRAMS", "5")))
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--older", help="to be preloaded on runtimes that lack entries which the compiler calls")
    parser.add_argument("--like", help="a program whose runtime those of another compiler shall run on")
    parser.add_argument("--idle-tool", help="one whose callbacks do nothing: bench/tools/null.c")
    parser.add_argument("--rare", action="store_true", help="as of make_program.py")
    parser.add_argument("--without", action="append", default=[], help="as of make_program.py")
    parser.add_argument("--no-counts", action="store_true", help="the runtime is not told of all constructs")
    parser.add_argument("--keep", help="where programs that show a fault are kept")
    options = parser.parse_args()
    failed, runs, alone = 0, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(options.seed, options.seed + options.programs):
            directory = pathlib.Path(scratch, str(seed))
            directory.mkdir()
            program = build(seed, options, directory)
            found = runtimes.all_runtimes(options.runtimes, str(program)) if options.runtimes else [None]
            for runtime in found:
                wrong = faults(program, runtime, options, directory)
                runs += 1
                alone += wrong is None
                if wrong:
                    failed += 1
                    print(f"seed {seed}, {runtime or 'own runtime'}:\n  " + "\n  ".join(fault[:400] for fault in wrong), flush=True)
                    if options.keep:
                        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
                        shutil.copy(f"{program}.c", options.keep)
            shutil.rmtree(directory)
    print(f"{options.programs} programs, {failed} faults, {alone} of {runs} runs not judged: the program fails without the tool, too")
    return 1 if failed or 2 * alone > runs or runs == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

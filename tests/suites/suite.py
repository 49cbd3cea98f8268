#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the programs of an OpenMP test suite and runs each untraced and traced: exit status and output must be the
same, the archive valid, and nothing lost or repaired.

suite.py --tool libtracer.so --tracer tracer [OPTION...] SOURCE...

SOURCE: a file or a directory of C, C++ or Fortran programs, as LLVM's openmp/runtime/test (its RUN lines say with what
environment each runs) or libgomp/testsuite of GCC (its dg- comments say how each is built). What does not build is
counted and left out; so is what fails, hangs or prints otherwise from run to run without the tool. README.md has more."""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

LANGUAGES = {".c": "c", ".cpp": "c++", ".cc": "c++", ".C": "c++", ".f90": "fortran", ".F90": "fortran", ".f": "fortran"}
Run = collections.namedtuple("Run", "name program environment arguments directory")
Done = collections.namedtuple("Done", "status output errors")


def call(command, timeout, env=None, cwd=None):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            status = "timeout"
        out.seek(0), err.seek(0)
        return Done(status, out.read(1 << 22), err.read(1 << 20).decode(errors="replace"))


def lit_runs(text):
    """Environment and arguments of each run that LLVM's RUN lines name; one plain run where there is none."""
    lines = re.sub(r"\\\n[^\n]*?RUN:", " ", text)
    for line in re.findall(r"RUN:(.*)", lines):
        for part in line.split("|")[0].split("&&"):
            if "run" not in part or "%not" in part:
                continue
            words = shlex.split(part.replace("%libomp-compile-and-run", "%run"), posix=True)
            at = next((n for n, word in enumerate(words) if word.startswith("%") and word.endswith("run")), None)
            if at is None:
                continue
            env = dict(word.split("=", 1) for word in words[:at] if re.match(r"[A-Z_]+=[^%]*$", word))
            yield env, [word for word in words[at + 1:] if "%" not in word and ">" not in word]


def directives(text, name):
    return re.findall(r"dg-" + name + r"\s+(.*?)\s*\}", text)


def dejagnu(text):
    """Options, environment and further sources of a libgomp test, or None when it is not to be run."""
    if any("run" not in what for what in directives(text, "do")):
        return None
    quoted = [re.match(r'"([^"]*)"', what) for what in directives(text, "(?:additional-)?options")]
    options = [word for found in quoted if found for word in found.group(1).split()]
    # A value may have braces: OMP_PLACES "{0:4}".
    pairs = [(name, value or plain) for name, value, plain in re.findall(r'dg-set-target-env-var\s+(\w+)\s+(?:"([^"\n]*)"|(\S+))', text)]
    sources = [word for what in directives(text, "additional-sources") for word in what.replace('"', "").split()]
    return options, dict(pairs), sources


def build(options, source, directory):
    """The runs of one source file; none when it does not build or is not meant to run."""
    text = source.read_text(errors="replace")
    extra, env, sources = [], {}, []
    if "dg-" in text:
        found = dejagnu(text)
        if found is None:
            return None
        extra, env, sources = found
    compiler = {"c": options.cc, "c++": options.cxx, "fortran": options.fc}[LANGUAGES[source.suffix]]
    if not compiler:
        return None
    program = directory / re.sub(r"\W", "_", str(source))
    include = [f"-I{path}" for path in (source.parent, *source.parents[1:4], *map(pathlib.Path, options.include))]
    command = [*shlex.split(compiler), "-fopenmp", "-g", "-O1", "-w", *include, *extra, str(source),
               *(str(source.parent / name) for name in sources), "-o", str(program), "-lm"]
    if call(command, 120, cwd=directory).status != 0:
        return []
    runs = list(lit_runs(text)) or [({}, [])]
    return [Run(f"{source.name}#{n}", program, dict(env, **more), arguments, source.parent) for n, (more, arguments) in enumerate(runs)]


def otherwise(before, traced, repeat, heard):
    """What a traced run that is otherwise than the one before is, 'its own' or 'fault', and the text; None: it is as that.
    heard(done): what of a run has to be the same; repeat(): a further one without the tool."""
    if heard(traced) == heard(before):
        return None
    if any(heard(repeat()) != heard(before) for _ in range(3)):
        return "its own", "otherwise from run to run"
    return "fault", f"exit status {traced.status}, untraced {before.status}" if traced.status != before.status else "other output"


def fault_of_archive(tracer, archive):
    """What `tracer check` has against it, or ""."""
    checked = call([tracer, "check", str(archive)], 300)
    return "" if checked.status == 0 else (checked.output.decode(errors="replace") + checked.errors).splitlines()[0]


def tell(results):
    """Says each (verdict, name, text) that is a fault as it comes, and last how many there are of each verdict; the exit status."""
    verdicts = collections.Counter()
    for verdict, name, text in results:
        verdicts[verdict] += 1
        if verdict == "fault":
            print(f"{name}: {text}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items())) or "nothing to run")
    return 1 if verdicts["fault"] else 0


def judge(options, run, scratch):
    """('same' or 'its own' or 'fault', text)"""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER_", "GOMP_"))}
    env.update({"OMP_NUM_THREADS": "4"} | run.environment)
    env.update(pair.split("=", 1) for pair in options.env)
    plain = dict(env, OMP_TOOL="disabled")
    command = [str(run.program), *run.arguments]
    before = call(command, options.timeout, plain, run.directory)
    if before.status == "timeout":
        return "its own", "does not end"
    trace = scratch / "trace"
    preload = {"LD_PRELOAD": os.path.abspath(options.preload)} if options.preload else {}
    traced = call(command, options.timeout, dict(env, OMP_TOOL_LIBRARIES=options.tool, TRACER_OUTPUT=str(trace / "%p"), **preload), run.directory)
    if found := otherwise(before, traced, lambda: call(command, options.timeout, plain, run.directory), lambda done: (done.status, done.output)):
        return found
    lost = re.findall(r"[\d,]+ (?:events? lost|repaired)", traced.errors)
    if lost and before.status == 0:
        return "fault", ", ".join(lost)
    for anchor in trace.glob("*/traces.otf2"):
        if fault := fault_of_archive(options.tracer, anchor):
            return "fault", fault
    return "same", ""


def work(options, source, directory):
    runs = build(options, source, directory)
    if runs is None:
        return [("not a program to run", source.name, "")]
    if not runs:
        return [("does not build", source.name, "")]
    results = []
    for run in runs:
        with tempfile.TemporaryDirectory(dir=directory) as scratch:
            results.append((*judge(options, run, pathlib.Path(scratch)), run.name))
    runs[0].program.unlink(missing_ok=True)
    return [(verdict, name, text) for verdict, text, name in results]


def sources_of(paths, only):
    for path in map(pathlib.Path, paths):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in LANGUAGES and re.search(only, str(file)) and "ompt_start_tool" not in file.read_text(errors="replace"):
                yield file.resolve()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="libtracer.so")
    parser.add_argument("--tracer", required=True, help="the tracer command")
    parser.add_argument("--cc", default="clang"), parser.add_argument("--cxx", default="clang++")
    parser.add_argument("--fc", default="", help="Fortran is left out without it")
    parser.add_argument("--include", action="append", default=[], metavar="DIR", help="may be repeated")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="of every run; may be repeated")
    parser.add_argument("--preload", default="", metavar="FILE", help="before the traced runs, as libtracer-gomp.so")
    parser.add_argument("--only", default="", metavar="REGEX", help="sources whose path has it")
    parser.add_argument("--timeout", type=float, default=20, help="seconds for each run (20)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("sources", nargs="+")
    options = parser.parse_args()
    options.tool, options.tracer = os.path.abspath(options.tool), os.path.abspath(shutil.which(options.tracer) or options.tracer)
    with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda source: work(options, source, pathlib.Path(directory)), sources_of(options.sources, options.only))
        return tell(itertools.chain.from_iterable(found))


if __name__ == "__main__":
    sys.exit(main())

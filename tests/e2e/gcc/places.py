#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The constructs of GCC's code are at the lines of their pragmas, as often as the program executes them; plain, optimised, linked as a
whole, position-dependent, without a table of jumps, in a shared library and in one that is opened. Output and status are those without
the tool. Each source names in a comment behind a pragma what the report calls it (places.c, marked.c).
places.py --tracer tracer [--threads 2,5] [--all] [SOURCE...]"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from traced import clean, print_faults, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
SANITIZED = os.environ.get("TRACER_TEST_LINK", "").split()
COMPILERS = {".c": "gcc", ".cpp": "g++", ".f90": "gfortran"}
SOURCES = ("places.c", "marked.c", "marked.cpp", "marked.f90")
WAYS = (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-O2", "-flto"], ["-O3", "-flto"], ["-O2", "-no-pie", "-fno-pie"], ["-O2", "-fno-plt"],
        ["-O2", "-fno-omit-frame-pointer"], ["-O2", "-static-libgcc"], ["-O2", "-fcf-protection=full", "-Wl,-z,ibtplt"], ["-Os"])
FORMS = ("program", "library", "opened")
NEAR = {"": 0, "~": 2, "?": 1000}
OPENS = """#include <dlfcn.h>
int main(int argc, char** argv) {
  void* library = dlopen(LIBRARY, RTLD_NOW);
  return library ? ((int (*)(int, char**))dlsym(library, "main"))(argc, argv) : 127;
}
"""


def version_of_gcc():
    return int(run(["gcc", "-dumpversion"], clean()).stdout.split(".")[0])


def expected(source, threads):
    """(construct, line, how far from it it may be, number of executions or None)"""
    version = version_of_gcc()
    for number, line in enumerate(source.read_text().splitlines(), 1):
        marked = re.search(r"(?:#pragma omp|!\$omp|omp_).*?(?://|!) (.*)", line)
        for mark in marked[1].split(", ") if marked else ():
            construct, _, times = mark.partition("=")
            construct, near, newest, lost = re.fullmatch(r"([a-z_ ]+)([~?]?)(\d*)(?:!(\d+))?", construct).groups()
            if lost == str(version):  # its table of lines has no row for the call
                near = "?"
            if not newest or version <= int(newest):
                yield construct, number, NEAR[near], eval(times, {"T": threads}) if times else None


def build(source, way, form, directory):
    """Of the library the function main is the program's, or what a program that opens it calls."""
    program, compiler = directory / source.stem, COMPILERS[source.suffix]
    how = ["-g", "-fopenmp", "-w", *way, *SANITIZED]
    if version_of_gcc() >= 16:  # it makes one function of constructs with the same code (docs/gcc.md)
        how.append("-fno-ipa-icf")
    if form == "program":
        subprocess.run([compiler, *how, source, "-o", program], check=True)
        return program
    library = directory / "libplaces.so"
    subprocess.run([compiler, *how, "-shared", "-fPIC", source, "-o", library], check=True)
    if form == "library":
        subprocess.run([compiler, library, f"-Wl,-rpath,{directory}", "-o", program, *SANITIZED], check=True)
    else:
        (directory / "opens.c").write_text(OPENS)
        subprocess.run(["gcc", f'-DLIBRARY="{library}"', directory / "opens.c", "-o", program, "-ldl", *SANITIZED], check=True)
    return program


def faults(tracer, source, program, threads, trace):
    environment = clean(OMP_NUM_THREADS=str(threads), OMP_SCHEDULE="dynamic,3")
    alone = run([program], environment)
    done = run([tracer, "run", "-o", str(trace), "--", str(program)], environment)
    if (done.returncode, done.stdout) != (alone.returncode, alone.stdout):
        yield f"ends with {done.returncode} and {done.stdout!r}, alone with {alone.returncode} and {alone.stdout!r}: {done.stderr}"
    if "repaired" in done.stderr or "without passing" in done.stderr:
        yield done.stderr
    checked = run([tracer, "check", str(trace)], clean())
    if checked.returncode != 0:
        return (yield checked.stdout + checked.stderr)
    report = json.loads(run([tracer, "report", "--json", str(trace)], clean()).stdout)
    found = {row["name"]: row["count"] for row in report["constructs"]}
    for construct, line, near, times in expected(source, threads):
        prefix = f"{'' if construct.startswith('omp_') else '!$omp '}{construct} @{source.name}:"
        rows = {int(name[len(prefix):]): count for name, count in found.items() if name.startswith(prefix)}
        counts = [count for at, count in rows.items() if abs(at - line) <= near]
        if not counts:
            yield f"no {construct} in line {line}, but in {sorted(rows)}"
        elif times is not None and times not in counts:
            yield f"{construct} in line {line} {counts} times, not {times}"


def cases(sources, threads, is_all):
    for source in sources:
        for way in WAYS:
            for form in FORMS if is_all or way == ["-O2"] else FORMS[:1]:
                if form == "program" or not {"-no-pie", "-static-libgcc"} & set(way):
                    yield source, way, form, threads if is_all or way == ["-O2"] else threads[:1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--threads", default="5,1,2,16")
    parser.add_argument("--all", action="store_true", help="each way of building in each form, and with each number of threads")
    parser.add_argument("sources", nargs="*", default=SOURCES)
    options = parser.parse_args()
    bad = runs = 0
    sources = []
    for source in map(pathlib.Path, options.sources):
        if shutil.which(COMPILERS[source.suffix]):
            sources.append(HERE / source)
        else:
            print(f"not tested: {source.name}: no {COMPILERS[source.suffix]}")
    for source, way, form, numbers in cases(sources, [int(n) for n in options.threads.split(",")], options.all):
        with tempfile.TemporaryDirectory() as name:
            program = build(source, way, form, pathlib.Path(name))
            for threads in numbers:
                runs += 1
                bad += print_faults(f"{source.name} {' '.join(way)}, {form}, {threads} threads", faults(options.tracer, source, program, threads, pathlib.Path(name, f"trace.{threads}")))
    print(f"{runs} runs, {bad} differences")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

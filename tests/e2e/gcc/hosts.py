#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that open libraries of GCC: copies of libgomp under names of their own, libgomp beside libomp, RTLD_DEEPBIND, closing, forking,
a static libgomp. Results are as alone; each runtime's regions and threads are in the report. hosts.py --tracer tracer [--clang clang]"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from traced import clean, judge, print_faults, run  # noqa: E402

HERE = pathlib.Path(__file__).parent
SANITIZED = os.environ.get("TRACER_TEST_LINK", "").split()


# More copies of libgomp than a process usually has, and a directory whose path is longer than most.
MANY = "abcdefghijklmnopqr"
LONG = "/".join(["d" * 200] * 3)


def libgomp():
    return pathlib.Path(subprocess.run(["gcc", "-print-file-name=libgomp.so.1"], capture_output=True, text=True, check=True).stdout.strip()).resolve()


def copy_libgomp(directory, letter):
    """Under another name that is as long, which is its name for the loader, too."""
    copy = directory / f"libgomp-{letter}.so"
    copy.write_bytes(libgomp().read_bytes().replace(b"libgomp.so.1\0", f"{copy.name}\0".encode()))
    return copy.name


def link_plugin(directory, plugin, runtime, library):
    subprocess.run(["gcc", "-shared", plugin, runtime, "-Wl,-rpath,$ORIGIN", "-Wl,-z,lazy", "-o", library], check=True, cwd=directory)


def build(directory, clang):
    """Two libraries with a libgomp of their own each, whose name is as long as the real one's: all that the second calls is recorded. Others
    with the real one, linked with none, and of clang. A host without libgomp, and one with it."""
    for number, *handed_out in ("1", ), ("2", "-DHANDED_OUT"):
        subprocess.run(["gcc", "-O2", "-g", "-fopenmp", "-fPIC", "-c", f"-DFUNCTION=f{number}", *handed_out, HERE / "plugin.c", "-o", f"p{number}.o"],
                       check=True, cwd=directory)
        link_plugin(directory, f"p{number}.o", copy_libgomp(directory, number), f"p{number}.so")
    for letter in MANY:
        link_plugin(directory, "p1.o", copy_libgomp(directory, letter), f"many-{letter}.so")
    (directory / LONG).mkdir(parents=True)
    for file in ("p1.so", "libgomp-1.so"):
        shutil.copy(directory / file, directory / LONG)
    subprocess.run(["gcc", "-O2", "-g", "-fopenmp", "-fPIC", "-shared", "-DFUNCTION=f", HERE / "plugin.c", "-o", "p.so"], check=True, cwd=directory)
    subprocess.run(["gcc", "-O2", "-g", "-fopenmp", "-fPIC", "-c", "-DFUNCTION=fu", HERE / "plugin.c", "-o", "pu.o"], check=True, cwd=directory)
    subprocess.run(["gcc", "-shared", "pu.o", "-o", "pu.so"], check=True, cwd=directory)
    for host, libraries in (("host", []), ("linked", ["-Wl,--no-as-needed", "-lgomp"])):
        subprocess.run(["gcc", "-O2", "-g", HERE / "host.c", "-o", host, *libraries, "-ldl", "-lpthread", *SANITIZED], check=True, cwd=directory)
    runtime = subprocess.run([clang, "-print-file-name=libomp.so"], capture_output=True, text=True, check=False).stdout.strip()
    done = subprocess.run([clang, "-O2", "-g", "-fopenmp", "-fPIC", "-shared", "-DFUNCTION=fc", HERE / "plugin.c", "-o", "pc.so",
                           f"-Wl,-rpath,{os.path.dirname(os.path.realpath(runtime))}"], cwd=directory, capture_output=True)
    if done.returncode == 0:  # as conda has it: libgomp.so.1 is a link to libomp
        (directory / "alias").mkdir()
        (directory / "alias" / "libgomp.so.1").symlink_to(os.path.realpath(runtime))
        subprocess.run(["gcc", "-O2", "-g", "-fopenmp", "-fPIC", "-shared", "-DFUNCTION=fa", HERE / "plugin.c", "-Wl,-rpath,$ORIGIN/alias", "-o", "pa.so"], check=True, cwd=directory)
    return done.returncode == 0


# libomp keeps one pool of workers for both threads, each libgomp one for each.
# Words for the host (after "linked": for that with libgomp); regions; runtimes with their threads, in the order of their first use; what is
# said of what is unseen.
CASES = {
    "one library": ("open:./p.so call:f:10", 10, [("libgomp.so.1", 3)], None),
    "many threads": ("OMP_NUM_THREADS=200 open:./p.so call:f:1", 1, [("libgomp.so.1", 200)], None),
    "two copies of libgomp": ("open:./p1.so both:f1:20 OMP_NUM_THREADS=1 open:./p2.so call:f2:20", 60, [("libgomp-1.so", 6), ("libgomp-2.so", 1)], None),
    "many copies of libgomp": (" ".join(f"open:./many-{letter}.so call:f1:2" for letter in MANY), 2 * len(MANY),
                               [(f"libgomp-{MANY[number]}.so", 3) for number in sorted(range(len(MANY)), key=str)], None),
    "a long path": (f"open:./{LONG}/p1.so call:f1:10", 10, [("libgomp-1.so", 3)], None),
    "libgomp first, libomp beside it": ("open:./p.so both:f:50 open:./pc.so both:fc:50", 200, [("libgomp.so.1", 6), ("libomp", 4)], None),
    "libomp first, libgomp beside it": ("open:./pc.so both:fc:50 open:./p1.so both:f1:50", 200, [("libgomp-1.so", 6), ("libomp", 4)], None),
    "libomp alone": ("open:./pc.so call:fc:10", 10, [("libomp", 3)], None),
    "libgomp.so.1 is libomp": ("open:./pc.so call:fc:10 open:./p1.so call:f1:10 open:./pa.so call:fa:10", 30, None, None),
    "opened for all": ("global:./p.so call:f:10 open:./p1.so call:f1:10", 20, [("libgomp.so.1", 3)], None),
    "opened for all, then all calls recorded": ("global:./p.so call:f:10 open:./p2.so call:f2:10", 20, [("libgomp.so.1", 3)], None),
    "opened for all after a first call": ("open:./p1.so call:f1:10 global:./p.so call:f:10 open:./p1.so both:f1:10", 40,
                                          [("libgomp-1.so", 6), ("libgomp.so.1", 3)], None),
    "opened for all before the first calls": ("open:./p1.so open:./p2.so global:./p.so call:f:10 open:./p1.so call:f1:10 open:./p2.so call:f2:10", 30,
                                              [("libgomp.so.1", 3), ("libgomp-1.so", 3), ("libgomp-2.so", 3)], None),
    "opened for all before names are bound": ("lazy:./p1.so lazy:./p2.so global:./p.so call:f:10 lazy:./p1.so call:f1:10 lazy:./p2.so call:f2:10", 30,
                                              [("libgomp.so.1", 3)], None),
    "for all only later": ("open:./p.so call:f:10 open:./p2.so call:f2:10 global:./p.so call:f:10 open:./p2.so both:f2:10", 50,
                           [("libgomp.so.1", 3), ("libgomp-2.so", 6)], None),
    "libomp opened for all": ("global:./pc.so call:fc:10 open:./p1.so both:f1:10", 30, [("libomp", 6)], None),
    "linked with none": ("open:./p2.so call:f2:10 global:./p.so open:./pu.so call:fu:10", 20, [("libgomp-2.so", 3), ("libgomp.so.1", 3)], None),
    "linked with none, bound to its own": ("global:./p.so call:f:10 deep:./pu.so call:fu:10", 20, [("libgomp.so.1", 3)], None),
    "the program has one": ("linked open:./p1.so both:f1:10 open:./pu.so call:fu:10 global:./p2.so call:f2:10", 40, [("libgomp.so.1", 6)], None),
    "an error not asked for yet": ("linked open:./p1.so call:f1:10 open:./pu.so failing:fu:10", 20, [("libgomp.so.1", 3)], None),
    "another namespace": ("open:./p.so call:f:10 OMP_NUM_THREADS=1 apart:./p1.so call:f1:10", 10, [("libgomp.so.1", 3)], None),
    "closed and opened again": ("open:./p.so call:f:10 close open:./p1.so call:f1:10 close open:./p.so call:f:10 close open:./p1.so call:f1:10 close", 40, None, None),
    "bound to its own": ("open:./p.so call:f:10 deep:./p1.so call:f1:10", 10, [("libgomp.so.1", 3)], "p1.so"),
    "bound to its own alone": ("deep:./p1.so call:f1:10", None, None, "p1.so"),
    "a child": ("open:./p.so fork:f:10 call:f:10", 20, [("libgomp.so.1", 6)], None),
    "a child of a process with threads": ("open:./p.so other:f:10 fork:f:10 call:f:10", 30, [("libgomp.so.1", 9)], None),
}
MAY_NOT_OPEN = {"many copies of libgomp", "another namespace"}


def faults(options, title, has_clang, directory):
    words, regions, runtimes, unseen = CASES[title]
    if ("pc.so" in words or "pa.so" in words) and not has_clang:
        print(f"not tested: {title}: no clang with OpenMP")
        return
    environment = clean(OMP_NUM_THREADS="3", GLIBC_TUNABLES="glibc.rtld.optional_static_tls=8192")  # each libgomp takes 144 bytes of it
    host, words = ("linked", words.removeprefix("linked ")) if words.startswith("linked ") else ("host", words)
    command = [str(directory / host), *words.split()]
    alone = run(command, environment, cwd=directory)
    if title in MAY_NOT_OPEN and alone.returncode != 0:
        print(f"not tested: {title}: the C library cannot open it: {alone.stdout}{alone.stderr}")
        return
    trace = directory / ("trace-" + title.replace(" ", "-").replace(",", ""))
    done = run([options.tracer, "run", "-o", str(trace), "--", *command], environment, cwd=directory)
    # A libgomp that is closed takes the code away that its threads wait in: alone that may be a crash.
    if alone.returncode >= 0 and (done.returncode, done.stdout) != (alone.returncode, alone.stdout) or done.returncode != 0:
        yield f"ends with {done.returncode} and {done.stdout!r}, alone with {alone.returncode} and {alone.stdout!r}: {done.stderr}"
    if unseen and sum(unseen in line and "not recorded" in line for line in done.stderr.splitlines()) != 1:
        yield f"it is not said once that {unseen} is unseen: {done.stderr}"
    if regions is None:
        return
    wrong, _ = judge(trace / "traces.otf2", options.tracer)
    yield from wrong
    report = json.loads(run([options.tracer, "report", "--json", str(trace)], clean()).stdout)
    if report["callbacks"].get("parallel_begin") != regions:
        yield f"{report['callbacks'].get('parallel_begin')} regions instead of {regions}"
    found = [(os.path.basename(use["library"]), use["threads"]) for use in report["run"]["runtimes"]]
    for child in (process for process in report["processes"] if process["parent"] is not None):
        if [use["threads"] for use in child["run"]["runtimes"]] != [3]:
            yield f"the child has runtimes {child['run']['runtimes']} instead of one with 3 threads"
    if runtimes and not (len(found) == len(runtimes) and all(name.startswith(start) and threads == count for (name, threads), (start, count) in zip(found, runtimes))):
        yield f"runtimes {found} instead of {runtimes}"


def static_faults(options, directory):
    """A program with a libgomp of its own inside."""
    made = subprocess.run(["gcc", "-O2", "-fopenmp", "-c", HERE / "constructs.c", "-o", "static.o"], cwd=directory)
    made = subprocess.run(["gcc", "static.o", "-Wl,-Bstatic", "-lgomp", "-Wl,-Bdynamic", "-ldl", "-lpthread", "-o", "static"], cwd=directory, capture_output=True)
    if made.returncode != 0:
        print("not tested: a program with a libgomp inside: no static libgomp")
        return
    alone = run([str(directory / "static")], clean(OMP_NUM_THREADS="2"))
    done = run([options.tracer, "run", "--", str(directory / "static")], clean(OMP_NUM_THREADS="2"), cwd=directory)
    if (done.returncode, done.stdout) != (alone.returncode, alone.stdout):
        yield f"ends with {done.returncode} and {done.stdout!r}, alone with {alone.returncode}: {done.stderr}"
    if done.stderr.count("contains a static copy of libgomp") != 1:
        yield f"it is not said what is unseen: {done.stderr}"


def sanitized_faults(options, directory):
    """GCC's AddressSanitizer wants to be the first library."""
    made = subprocess.run(["gcc", "-g", "-O1", "-fopenmp", "-fsanitize=address", HERE / "constructs.c", "-o", "sanitized"], cwd=directory, capture_output=True)
    if made.returncode != 0:
        print("not tested: a program of GCC with AddressSanitizer, which is not here")
        return
    alone = run([str(directory / "sanitized")], clean(OMP_NUM_THREADS="2"))
    done = run([options.tracer, "run", "-o", str(directory / "sanitized.trace"), "--", str(directory / "sanitized")], clean(OMP_NUM_THREADS="2"))
    if (done.returncode, done.stdout) != (alone.returncode, alone.stdout):
        yield f"ends with {done.returncode} and {done.stdout!r}, alone with {alone.returncode}: {done.stderr}"
    if not (directory / "sanitized.trace" / "traces.otf2").exists():
        yield f"no archive: {done.stderr}"


def orphan_faults(options, directory):
    """A program and a library of it that has constructs alone: one runtime, and one unnamed critical region."""
    subprocess.run(["gcc", "-O2", "-g", "-fopenmp", "-fPIC", "-shared", "-DIN_LIBRARY", HERE / "orphan.c", "-o", "liborphan.so"], check=True, cwd=directory)
    subprocess.run(["gcc", "-O2", "-g", "-fopenmp", HERE / "orphan.c", "liborphan.so", "-Wl,-rpath,$ORIGIN", "-o", "orphan", *SANITIZED], check=True, cwd=directory)
    alone = run([str(directory / "orphan")], clean())
    trace = directory / "orphan.trace"
    done = run([options.tracer, "run", "-o", str(trace), "--", str(directory / "orphan")], clean())
    if (done.returncode, done.stdout) != (alone.returncode, alone.stdout):
        yield f"ends with {done.returncode} and {done.stdout!r}, alone with {alone.returncode} and {alone.stdout!r}: {done.stderr}"
    report = json.loads(run([options.tracer, "report", "--json", str(trace)], clean()).stdout)
    if [use["threads"] for use in report["run"]["runtimes"]] != [3]:
        yield f"runtimes {report['run']['runtimes']} instead of one with 3 threads"
    if [row["acquisitions"] for row in report["locks"]] != [6]:
        yield f"locks {report['locks']} instead of one that is taken 6 times"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tracer", required=True)
    parser.add_argument("--clang", default="clang")
    options = parser.parse_args()
    options.tracer = os.path.abspath(options.tracer)
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        has_clang = build(directory, options.clang)
        for title in CASES:
            bad += print_faults(title, faults(options, title, has_clang, directory))
        bad += print_faults("static", static_faults(options, directory))
        bad += print_faults("a library without regions", orphan_faults(options, directory))
        bad += print_faults("sanitized", sanitized_faults(options, directory) if not SANITIZED else [])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

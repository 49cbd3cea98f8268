#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds the programs of MPICH's test suite with each MPI that is there, and runs each untraced and under `tracer run --
mpirun`: exit status and the program's verdict must be the same, the archive valid, and the report to be had of it.

mpi_suite.py mpich/test/mpi [FOLDER...] --tracer tracer [OPTION...]

FOLDER: those of the suite whose programs are run (default: all that C programs need no more for). Each has a testlist, which
says with how many ranks. What does not build, and what does not end in time untraced, is counted. README.md has more."""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from suite import call, fault_of_archive, otherwise, tell

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from mpi_jobs import FAMILIES, environment, launch  # noqa: E402

FOLDERS = ("attr", "coll", "comm", "errhan", "group", "info", "init", "io", "part", "pt2pt", "rma", "session", "spawn", "topo",
           "threads/coll", "threads/comm", "threads/init", "threads/part", "threads/pt2pt", "threads/rma",
           *(f"{language}/{folder}" for language in ("f77", "f08") for folder in
             ("attr", "coll", "comm", "datatype", "ext", "info", "init", "io", "pt2pt", "rma", "spawn", "subarray", "timer", "topo")))

# What the suite's configure would find here.
CONFIGURED = ["HAVE_STDARG_H", "HAVE_SYS_TIME_H", "HAVE_SYS_RESOURCE_H", "HAVE_STRDUP", "HAVE_USLEEP", "HAVE_LONG_DOUBLE", "HAVE_LONG_LONG",
              "HAVE_PTHREAD_H", "HAVE_MPI_SPAWN", "HAVE_MPI_WIN_CREATE", "HAVE_MPI_IO", "HAVE_GETRUSAGE", "POINTERINT_t=long", "THREAD_PACKAGE_NAME=1",
              "THREAD_PACKAGE_POSIX=1", "THREAD_PACKAGE_NONE=2", "THREAD_PACKAGE_INVALID=3", "THREAD_PACKAGE_SOLARIS=4", "THREAD_PACKAGE_WIN=5",
              "THREAD_PACKAGE_UTI=6", "THREAD_PACKAGE_ARGOBOTS=7", "THREAD_PACKAGE_QTHREADS=8"]
OF_MPI = {"openmpi": ["OMPI_ENABLE_MPI1_COMPAT=1", "OMPI_OMIT_MPI1_COMPAT_DECLS=0"], "mpich": []}
KINDS = {"@F77_MPI_ADDRESS@": "integer(MPI_ADDRESS_KIND)", "@F77_MPI_OFFSET@": "integer(MPI_OFFSET_KIND)"}
FORTRAN = {"f77": "f", "f90": "f90", "f08": "f90"}  # by folder: how its sources end
UTILITIES = (("mtest", "mtest_common"), ("mtest_single", "mtest_common"), ("mtest_thread", "mtest", "mtest_common"),
             ("mtest_thread", "mtest_single", "mtest_common"))

Test = collections.namedtuple("Test", "folder name ranks arguments environment")


class Suite:
    """The suite's sources, and what is built of them with one MPI."""

    def __init__(self, source, family, directory):
        self.source, self.family, self.directory = source, family, directory
        made = directory / "include"
        (made / "below").mkdir(parents=True)
        for header in ("mpitestconf.h", "mtest_mpix.h", "dtpoolsconf.h"):  # of configure; the last one is named by "../"
            (made / header).touch()
        self.flags = ["-w", "-g", "-O1", "-pthread", *(f"-D{name}" for name in CONFIGURED + OF_MPI[family]), f"-I{made}", f"-I{source}/include",
                      f"-I{source}/dtpools/include", f"-I{source}/util", f"-I{made}/below"]
        self.objects = {file.stem: made_of for folder in ("util", "dtpools/src") for file in (source / folder).glob("*.c")
                        if (made_of := self.compiled(["-c", str(file)], f"{file.stem}.o"))}
        self.types = [path for name, path in self.objects.items() if name.startswith("dtpools")]
        self.fortran = {name: made_of for name, suffix in FORTRAN.items()
                        if (made_of := self.compiled(["-c", f"{source}/util/mtest_{name}.{suffix}"], f"mtest_{name}.o"))}
        self.makefiles = {}

    def compiled(self, arguments, name):
        path = str(self.directory / name)
        compiler = [f"mpicc.{self.family}", *self.flags]
        if any(word.endswith((".f", ".f90")) for word in arguments):
            compiler = [f"mpifort.{self.family}", "-w", "-g", "-O1", "-std=legacy", f"-J{self.directory}"]
        return path if call([*compiler, *arguments, "-o", path], 120).status == 0 else None

    def headers(self, folder):
        """The directory of a folder's own headers, as configure would have made them."""
        made = self.directory / "include" / folder
        if not made.exists():
            made.mkdir(parents=True)
            for header in (self.source / folder).glob("*.h.in"):
                text = header.read_text()
                for name, kind in KINDS.items():
                    text = text.replace(name, kind)
                (made / header.stem).write_text(text)
        return made

    def makefile(self, folder):
        """The sources of programs that are not named as they are, and what is defined for them."""
        if folder not in self.makefiles:
            path = self.source / folder / "Makefile.am"
            text = path.read_text().replace("\\\n", " ") if path.exists() else ""
            sources = {name: words.split() for name, words in re.findall(r"^(\w+)_SOURCES\s*=(.*)$", text, re.M)}
            defined = {name: re.findall(r"-D\S+", words) for name, words in re.findall(r"^(\w+)_CPPFLAGS\s*=(.*)$", text, re.M)}
            self.makefiles[folder] = sources, defined
        return self.makefiles[folder]

    def tests(self, folder, most_ranks):
        lists = [path for name in ("testlist.in", "testlist") if (path := self.source / folder / name).exists()]
        seen = set()
        for line in lists[0].read_text().splitlines() if lists else ():
            words = re.sub(r"@\w+@", "", line.split("#")[0]).split()
            if len(words) < 2 or not words[1].isdigit() or int(words[1]) > most_ranks or tuple(words[:2]) in seen:
                continue
            seen.add(tuple(words[:2]))
            settings = dict(word[4:].split("=", 1) for word in words[2:] if word.startswith("env=") and "=" in word[4:])
            yield Test(folder, words[0], int(words[1]), [word[4:] for word in words[2:] if word.startswith("arg=")], settings)

    def program(self, test):
        language = test.folder.split("/")[0]
        if language in FORTRAN:
            source = self.source / test.folder / f"{test.name}.{FORTRAN[language]}"
            if language not in self.fortran or not source.exists():
                return None
            return self.compiled([f"-I{self.headers(test.folder)}", f"-I{source.parent}", str(source), self.fortran[language]], test.name)
        sources, defined = self.makefile(test.folder)
        files = [str(self.source / test.folder / file) for file in sources.get(test.name, [f"{test.name}.c"])]
        if not all(os.path.exists(file) for file in files):
            return None
        for utilities in UTILITIES:
            objects = [self.objects[name] for name in utilities if self.objects.get(name)]
            if program := self.compiled([*defined.get(test.name, []), *files, *objects, *self.types, "-lm"], test.name):
                return program
        return None


def heard(done):
    """Its status, and whether it found no errors: all else that a launcher says has numbers of processes in it."""
    return done.status, b"No Errors" in done.output


def judge(options, family, test, program, directory):
    """('same' or 'its own' or 'fault', text)"""
    command = [*launch(family, test.ranks), program, *test.arguments]
    env = environment(**test.environment)
    before = call(command, options.timeout, env, directory)
    if before.status == "timeout":
        return "its own", "does not end"
    trace = directory / "trace"
    traced = call([options.tracer, "run", "-q", "-o", str(trace), "--", *command], 4 * options.timeout + 30, env, directory)
    if found := otherwise(before, traced, lambda: call(command, options.timeout, env, directory), heard):
        return found
    if not trace.exists():
        return ("fault", "no archive") if before.status == 0 and not test.folder.startswith("errors") else ("its own", "ends before MPI")
    if fault := fault_of_archive(options.tracer, trace):
        return "fault", fault
    reported = call([options.tracer, "report", "--json", str(trace)], 300)
    try:
        json.loads(reported.output)
    except ValueError:
        return "fault", f"report: {reported.errors[-300:]}"
    return "same", ""


def results(options):
    """(verdict, name, text) of each program, with each MPI."""
    for family in options.mpi or [name for name in FAMILIES if shutil.which(f"mpicc.{name}")]:
        with tempfile.TemporaryDirectory() as directory:
            suite = Suite(options.source.resolve(), family, pathlib.Path(directory))
            tests = (test for folder in options.folders for test in suite.tests(folder, options.most_ranks))
            for test in tests:
                if not re.search(options.only, test.name):
                    continue
                program = suite.program(test)
                with tempfile.TemporaryDirectory(dir=directory) as scratch:
                    verdict, text = judge(options, family, test, program, pathlib.Path(scratch)) if program else ("does not build", "")
                yield verdict, f"{family}: {test.folder}/{test.name}, {test.ranks} ranks", text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracer", required=True, help="the tracer command")
    parser.add_argument("--mpi", action="append", choices=sorted(FAMILIES), help="may be repeated (all that are installed)")
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name has it")
    parser.add_argument("--most-ranks", type=int, default=4, help="leave out what needs more (4)")
    parser.add_argument("--timeout", type=float, default=10, help="seconds for each run without the tool (10)")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    options = parser.parse_args()
    options.tracer = os.path.abspath(shutil.which(options.tracer) or options.tracer)
    return tell(results(options))


if __name__ == "__main__":
    sys.exit(main())

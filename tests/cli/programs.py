# SPDX-License-Identifier: BSD-3-Clause
"""Part of check_cli.py: `tracer run`, of programs of all kinds."""
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

from commands import need, refuses, run


def check_run(directory):
    if len(sys.argv) < 4 or not pathlib.Path(sys.argv[3]).exists():
        print("not tested: tracer run: no libtracer.so in this build")
        return
    env = {"TRACER_LIBRARY": sys.argv[3]}
    for command, status in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -TERM $$"], 143), (["true"], 0), (["sh", "-c", 'test "$1" = --x', "sh", "--x"], 0)):
        done = run("run", "-q", "--", *command, cwd=directory, env=env)
        need(done.returncode == status, f"tracer run -- {' '.join(command)} ends with {done.returncode}")
    done = run("run", "--", "sh", "-c", "echo out; echo err >&2", cwd=directory, env=env)
    need(done.stdout == "out\n" and "err\n" in done.stderr and "no trace:" in done.stderr, "the program's output is its own, and a missing trace is said")
    done = run("run", "--", "sh", "-c", "echo $LD_PRELOAD", cwd=directory, env=env)
    beside = pathlib.Path(sys.argv[3]).parent / "libtracer-gomp.so"
    need(not beside.exists() or str(beside.resolve()) in done.stdout.split(":")[-1], f"what a script starts may be of GCC: its libgomp is listened to {done.stdout}")
    done = run("run", "--runtime", "auto", "--", "sh", "-c", "echo $LD_PRELOAD", cwd=directory, env=env)
    need("omp" in done.stdout or "no LLVM runtime was found" in done.stderr, "--runtime auto puts the newest runtime that is found into every process")
    need("libtracer-gomp" not in done.stdout, "and then nothing stands before libgomp")
    (directory / "own.so").touch()  # the loader says that it is none, and goes on
    done = run("run", "--runtime", "./own.so", "--", "sh", "-c", "echo $LD_PRELOAD", cwd=directory, env=env)
    need(str(directory / "own.so") in done.stdout.strip().split(":"), f"a runtime that is named by a relative path is found from everywhere: {done.stdout}")
    done = run("run", "--runtime", "nowhere.so", "--", "true", cwd=directory, env=env)
    need(done.returncode == 2 and "nowhere.so" in done.stderr, "a runtime that does not exist is said")
    done = run("run", "--set", "RECORD=-wait", "--", "sh", "-c", "echo $TRACER_RECORD $TRACER_CONVERT", cwd=directory, env=env)
    need(done.stdout == "-wait later\n", "--set sets the variable")
    done = run("run", "--set", "TRACER=off", "--", "sh", "-c", "echo $TRACER", cwd=directory, env=env)
    need(done.stdout == "off\n", f"--set sets TRACER, too: {done.stderr}")
    for name in ("LIBRARY", "OPENMP_RUNTIME", "TRACER_LAUNCH"):
        refuses(2, "is a variable of tracer run itself", "run", "--set", f"{name}=x", "--", "true", cwd=directory, env=env)
    for name, words in (("TRACER_LIBRARY", []), ("TRACER_OPENMP_RUNTIME", ["--runtime", "auto"])):
        refuses(1, f"{name} names {directory / 'typo'}, which is not there", "run", *words, "--", "true", cwd=directory, env={**env, name: str(directory / "typo")})
    done = run("run", "-q", "--", "sh", "-c", "grep FDSize /proc/$$/status; ls /proc/$$/fd", cwd=directory, env=env)
    size, *descriptors = done.stdout.split()[1:]
    need(int(size) > 400 and max(map(int, descriptors)) < 400, f"the program's table has room for the tool's descriptors, {size}, and none of them yet")
    done = run("run", "--counters", "nosuch", "--", "true", cwd=directory, env=env)
    need(done.returncode == 2 and "--counters nosuch:" in done.stderr, f"a counter that does not exist is refused before the program runs: {done.stderr}")
    sudo = directory / "sudo"
    sudo.write_text("#!/bin/sh\necho ran\n")
    sudo.chmod(0o755)
    done = run("run", "--", sudo, "./app", cwd=directory, env=env)
    need(done.stdout == "ran\n" and done.stderr.count("sudo tracer run -- ./app") == 1 and "no trace:" not in done.stderr, f"of sudo a line says where tracer run belongs: {done.stderr}")
    check_missing_libraries(directory)
    check_kinds_of_programs(directory, env)


def lone_library(directory):
    """A build tree with libtracer.so alone."""
    tree = directory / "tree"
    (tree / "lib").mkdir(parents=True, exist_ok=True)
    (tree / "CMakeCache.txt").touch()
    library = tree / "lib" / "libtracer.so"
    if not library.is_symlink():
        library.symlink_to(sys.argv[3])
    return tree, {"TRACER_LIBRARY": str(library)}


def check_missing_libraries(directory):
    """What was not built is named, with the command that builds it, where something would be lost without it."""
    tree, alone = lone_library(directory)
    (directory / "mpirun").write_text("#!/bin/sh\necho ran\n")
    (directory / "mpirun").chmod(0o755)
    missing = f"{tree}/lib/libtracer-mpi.so is missing (cmake --build {tree} builds it): MPI calls are not recorded."
    done = run("run", "--", directory / "mpirun", cwd=directory, env=alone)
    need(done.stdout == "ran\n" and done.stderr.count(missing) == 1, f"without MPI's library a line says so: {done.stderr}")
    done = run("run", "-q", "--", directory / "mpirun", cwd=directory, env=alone)
    need(done.stdout == "ran\n" and "libtracer-mpi" not in done.stderr, f"unless it is to be quiet: {done.stderr}")
    done = run("run", "--", "true", cwd=directory, env=alone)
    need("libtracer-mpi" not in done.stderr, f"and not of programs without MPI: {done.stderr}")
    refuses(1, f"libtracer-view.so is missing (cmake --build {tree} builds it)", "view", directory / "none", cwd=directory, env=alone)


def check_half_archive(directory, env):
    """What a converter left that was killed is nobody's archive; what has no mark of it is somebody's."""
    run("run", "--raw", "-o", directory / "raw.trace", "--", directory / "gomp", cwd=directory, env=env)
    half = directory / "half"
    (half / "traces").mkdir(parents=True)
    for name in ("traces.def", "traces/0.evt"):
        (half / name).write_text("half")
    refuses(1, "there is an archive already", "convert", "-k", "-o", half, directory / "raw.trace")
    mark = half / "traces.part"
    mark.touch()
    with mark.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        refuses(1, "another process makes an archive", "convert", "-k", "-o", half, directory / "raw.trace")
    done = run("convert", "-k", "-o", half, directory / "raw.trace")
    need(done.returncode == 0 and sorted(path.name for path in half.iterdir()) == ["traces", "traces.def", "traces.otf2"], f"half an archive is made anew {done.stderr}")
    need(run("check", half).returncode == 0, "and whole")
    before = (half / "traces.otf2").read_bytes()
    for command in ("convert", "recover"):
        again = run(command, half)
        need(again.returncode == 0 and "is complete already" in again.stderr and " events" not in again.stderr, f"{command} says that there is nothing to do: {again.stderr}")
    need((half / "traces.otf2").read_bytes() == before, "and leaves the archive as it is")


def runs_untraced(words, program, output, directory, env):
    done = run("run", "--", program, cwd=directory, env=env)
    need(done.returncode == 0 and done.stdout == output and done.stderr.count(words) == 1, f"what is {words} linked or owned runs without a trace: {done.stdout!r} {done.stderr!r}")


def check_loaders(directory, env, compiler):
    """Of another C library's loader nothing is expected, and a program is not started to see what it is; AddressSanitizer comes first."""
    source, log = directory / "logs.c", directory / "runs.txt"
    source.write_text(f"#include <stdio.h>\nint main(int n, char** a) {{\n  FILE* f = fopen(\"{log}\", \"a\");\n  fprintf(f, \"%d\\n\", n);\n  fclose(f);\n  puts(a[n - 1]);\n  return 3;\n}}\n")
    system = next((p for p in pathlib.Path("/lib64").glob("ld-linux*") if p.exists()), None)
    if system is not None:
        loader = directory / "ld-musl-x86_64.so.1"
        loader.symlink_to(system)
        subprocess.run([compiler, source, f"-Wl,--dynamic-linker={loader}", "-o", directory / "musl"], check=True)
        done = run("run", "--", directory / "musl", "x", "y", cwd=directory, env=env)
        need(done.returncode == 3 and done.stdout == "y\n" and log.read_text() == "3\n" and done.stderr.count("another C library") == 1, f"a program of another loader runs once, without a trace: {done} {log.read_text()!r}")
    if os.environ.get("TRACER_TEST_LINK"):
        print("not tested: a program with AddressSanitizer, beside a sanitizer of the build")
        return
    made = subprocess.run([compiler, "-fsanitize=address", source, "-o", directory / "address"], capture_output=True)
    if made.returncode != 0:
        print("not tested: a program with AddressSanitizer, which is not here")
        return
    asan = {**env, "PMI_RANK": "0"}
    for command in ([directory / "address"], ["env", directory / "address"]):
        done = run("run", "--", *command, "x", cwd=directory, env=asan)
        need(done.returncode == 3 and done.stdout == "x\n", f"a program with AddressSanitizer runs: {done}")


def check_kinds_of_programs(directory, env):
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        print("not tested: kinds of programs: no C compiler")
        return
    source = directory / "program.c"
    source.write_text("#include <stdio.h>\nint main(void) {\n  int n = 0;\n#pragma omp parallel num_threads(2)\n  {\n#pragma omp critical\n    n++;\n  }\n  printf(\"%d\\n\", n);\n  return 0;\n}\n")
    subprocess.run([compiler, "-static", source, "-o", directory / "static"], check=False, capture_output=True)
    if (directory / "static").exists():
        runs_untraced("statically", directory / "static", "1\n", directory, env)
        need("what it starts is traced" in run("run", "--", directory / "static", cwd=directory, env=env).stderr, "and what it starts is traced")
    check_loaders(directory, env, compiler)
    made = subprocess.run([compiler, "-fopenmp", "-g", *os.environ.get("TRACER_TEST_LINK", "").split(), source, "-o", directory / "gomp"], capture_output=True)
    if made.returncode != 0:
        print("not tested: a program of GCC: no gcc -fopenmp")
        return
    if os.geteuid() == 0:
        shutil.copy(directory / "gomp", directory / "setuid")
        os.chown(directory / "setuid", 65534, 65534)
        os.chmod(directory / "setuid", 0o4755)
        runs_untraced("set-user-id", directory / "setuid", "2\n", directory, env)
    else:
        print("not tested: tracer run of a set-user-id program: needs root")
    tree, alone = lone_library(directory)
    done = run("run", "-o", directory / "lone.trace", "--", directory / "gomp", cwd=directory, env=alone)
    need(done.stdout == "2\n" and f"libtracer-gomp.so is missing (cmake --build {tree} builds it): its constructs are not recorded" in done.stderr, f"without GCC's library a line says so: {done.stderr}")
    done = run("run", "-o", directory / "gomp.trace", "--", directory / "gomp", cwd=directory, env=env)
    if not (pathlib.Path(sys.argv[3]).parent / "libtracer-gomp.so").exists():
        print("not tested: a program of GCC: no libtracer-gomp.so in this build")
        return
    need(done.stdout == "2\n" and done.returncode == 0 and (directory / "gomp.trace" / "traces.otf2").exists(), "a program of gcc -fopenmp is traced by itself")
    said, everything = run("info", directory / "gomp.trace").stdout, run("info", "--all", directory / "gomp.trace").stdout
    need("host:" in said and "SETTING::" not in said and "SETTING::" in everything and len(said.splitlines()) < 50, f"info says what a person asks first, in {len(said.splitlines())} lines; --all the rest")
    again = run("run", "-o", directory / "gomp.trace", "--", directory / "gomp", cwd=directory, env=env)
    need(again.stderr.count("is not empty") == 1 and (directory / "gomp.trace.2" / "traces.otf2").exists(), "what exists is kept, which is said once")
    (directory / "file.trace").write_text("kept")
    os.symlink("gomp.trace", directory / "link.trace")
    for name, reason in (("file", "is no directory"), ("link", "is a link")):
        other = run("run", "-o", directory / f"{name}.trace", "--", directory / "gomp", cwd=directory, env=env)
        need(other.stderr.count(f"{name}.trace {reason}") == 1 and (directory / f"{name}.trace.2" / "traces.otf2").exists(), f"what {reason} is kept, which is said once")
    many = run("run", "-o", directory / "many.trace", "--", "sh", "-c", f"{directory / 'gomp'}; {directory / 'gomp'}", cwd=directory, env=env)
    need(many.stdout == "2\n2\n" and sorted(p.name for p in (directory / "many.trace").iterdir()) == ["traces", "traces.def", "traces.otf2"] and "is not empty" not in many.stderr, "a script's processes are one archive, without a word between their output")
    left = run("run", "-o", directory / "left.trace", "--", "sh", "-c", f"(while kill -0 $PPID 2>/dev/null; do sleep 0.1; done; exec {directory / 'gomp'}) 2>{directory / 'left.txt'} >&2 & exit 0", cwd=directory, env=env)
    after = directory / "left.txt"
    for _ in range(300):
        if after.exists() and "tracer convert" in after.read_text():
            break
        time.sleep(0.1)
    need(left.returncode == 0 and after.read_text().count("tracer convert") == 1, f"what begins after tracer run has ended says where its raw trace is: {after.read_text()!r}")
    named = re.search(r"tracer convert (\S+)", after.read_text())
    need(named is not None and run("convert", named[1]).returncode == 0 and (pathlib.Path(named[1]) / "traces.otf2").exists(), "and how to make the archive")
    need("static loops, masked constructs and reductions" in done.stderr, "and what libgomp's entry points do not report is named")
    report = json.loads(run("report", "--json", directory / "gomp.trace").stdout)
    need(any(row["construct"] == "critical" for row in report["constructs"]), "its critical region is in the trace")
    check_half_archive(directory, env)
    checked = run("check", directory / "gomp.trace")
    need(checked.returncode == 0, f"and the archive is valid: {checked.stdout.strip().splitlines()[-1:]}")

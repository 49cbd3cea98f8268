# SPDX-License-Identifier: BSD-3-Clause
"""What tests of MPI programs share: the MPIs that are there, and how programs are compiled and started with them."""
import argparse
import functools
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from traced import clean, run

SKIP = 77
FAMILIES = {"openmpi": ["--oversubscribe"], "mpich": []}


def installed(*programs):
    """The families whose compiler and launcher are there. Where there is none, or one of `programs` is missing, the test is skipped."""
    families = [family for family in FAMILIES if shutil.which(f"mpicc.{family}") and shutil.which(f"mpirun.{family}")]
    missing = [program for program in programs if not shutil.which(program)]
    if not families:
        missing.append("MPI (openmpi-bin libopenmpi-dev, mpich libmpich-dev)")
    if missing:
        print(f"skipped: not installed: {', '.join(missing)}")
        sys.exit(SKIP)
    for family in FAMILIES:
        if family not in families:
            print(f"not tested: jobs of {family}, which is not installed")
    return families


@functools.cache
def windows_of_openmpi():
    """Windows of Open MPI 4 by its components sm and pt2pt: its osc/rdma makes none without a network, or crashes, also untraced.
    Open MPI 5 has no pt2pt, and refuses to start where one is named that it does not have."""
    version = subprocess.run(["mpirun.openmpi", "--version"], capture_output=True, text=True) if shutil.which("mpirun.openmpi") else None
    return {"OMPI_MCA_osc": "sm,pt2pt"} if version and " 4." in version.stdout.split("\n")[0] else {}


def environment(**more):
    """Of a job: Open MPI may be root's, and its ranks copy through shared memory where the kernel lets them not read each other's."""
    return clean(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_btl_vader_single_copy_mechanism="none",
                 **windows_of_openmpi(), **more)


def launch(family, ranks):
    """The launcher's words before those of the program."""
    return [f"mpirun.{family}", *FAMILIES[family], "-n", str(ranks)]


def fails_alone(command, settings, seconds=60, tries=1):
    """Why a job does not run here without the tool in any of so many tries: its last words, or that it hangs, as Open MPI 5 can in
    MPI_Comm_spawn. "": it runs."""
    for _ in range(tries):
        done = run(command, settings, timeout=seconds)
        if done.returncode == 0 and not done.hung:
            return ""
    return f"it hangs for {seconds} s" if done.hung else (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]


def is_one_archive(job, seconds=60):
    """Waits until a job's directory holds the archive of all its ranks and no parts any more."""
    end = time.monotonic() + seconds
    while (job / "parts").exists() or not (job / "traces.otf2").exists():
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def compiled(family, source, program, *flags):
    """Compiles a source in C or C++; the program."""
    libraries = ["-lstdc++"] if pathlib.Path(source).suffix == ".cpp" else []
    subprocess.run([f"mpicc.{family}", "-w", "-g", "-O1", *flags, str(source), "-o", str(program), *libraries], check=True)
    return str(program)


def job_options():
    """Of a test of jobs: the tool and the command."""
    parser = argparse.ArgumentParser()
    for option in ("tool", "tracer"):
        parser.add_argument(f"--{option}", required=True)
    return parser.parse_args()


def status_of_each(faults_of, *programs):
    """The test's exit status: `faults_of(options, family, directory)` for each MPI, with what is wrong said. `programs` as installed() takes them."""
    options, failed = job_options(), False
    for family in installed(*programs):
        with tempfile.TemporaryDirectory() as directory:
            for fault in faults_of(options, family, pathlib.Path(directory)):
                print(f"{family}: {fault}")
                failed = True
    return 1 if failed else 0

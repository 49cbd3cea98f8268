#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each function that an installed MPI exports, in C and in Fortran, is one that libtracer-mpi.so stands before. MPICH 4.0 has all of
MPI 4.0, MPICH 4.2 all of MPI 4.1, MPICH 5.0 all of MPI 5.0. And takes as many arguments as mpi.h says, with ierror and the lengths of strings in Fortran. Usage: functions.py --library libtracer-mpi.so"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
# By family: the compiler's wrapper, how it says its libraries, and those of Fortran.
FAMILIES = {"openmpi": ("mpicc.openmpi", ["--showme:link"], ("libmpi.so", "libmpi_mpifh.so")), "mpich": ("mpicc.mpich", ["-link_info"], ("libmpich.so", "libmpichfort.so"))}
# MPIs also export names that nothing calls (MPI_Abort_f08 of Open MPI). Conversions of handles and statuses (macros in some MPIs), callbacks that MPI brings, functions of Fortran that are no subroutines, and words to compilers.
NOT_CALLS = re.compile(r"_[cf]\d*2[cf]\d*$|_(from|to)int$|_(null|dup|copy|delete)?_?fn(_null)?$|_conversion_fn_null|wtime|wtick|aint_(add|diff)|sizeof|f_sync_reg|alloc_mem_cptr|_cptr$|delete_error_")
TABLE = pathlib.Path(__file__).parents[3] / "include/tracer/mpi_functions.def"
# Of MPI's own in Fortran: no argc and argv, no ierror.
FORTRAN_IS_OTHER = {"Init": 1, "Init_thread": 3, "Info_create_env": 2, "Pcontrol": 1}
VARIADIC = {"Pcontrol"}


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[-1].partition("@")[0] for line in lines if line.split()[-2] in "TWi"}


def libraries_of(family):
    wrapper, how, names = FAMILIES[family]
    said = subprocess.run([wrapper, *how], capture_output=True, text=True).stdout
    places = [word[2:] for word in said.split() if word.startswith("-L")] + ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
    for name in names:
        found = next((path for place in places if (path := pathlib.Path(place, name)).exists()), None)
        if found:
            yield found


def missing(ours, theirs):
    """C: MPI_X and PMPI_X. Fortran: mpi_x_, one of the four manglings, and those of `use mpi_f08`."""
    for name in sorted(theirs):
        is_c = re.fullmatch(r"P?MPI_[A-Z][a-z0-9_]*[a-z0-9]|P?MPI_T_[a-z0-9_]+", name)
        is_fortran = re.fullmatch(r"mpi_[a-z0-9_]+_", name)
        if (is_c or is_fortran) and not NOT_CALLS.search(name.lower().rstrip("_")) and not name.endswith(("_f", "_f08", "_f90_", "__")) and name not in ours:
            yield name


def wrong_counts(family):
    """By mpi.h, which arguments a function has, and how many of them are strings."""
    text = subprocess.run([FAMILIES[family][0], "-E", "-P", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout
    prototypes = dict(re.findall(r"\bMPI_([A-Z]\w+)\s*\(([^;{}()]*(?:\([^()]*\)[^;{}()]*)*)\)[^;{}]*;", text))
    for name, arguments, fortran in re.findall(r"^TRACER_MPI\((\w+), \w+, \w+, (\d+), (\d+),", TABLE.read_text(), re.M):
        if name not in prototypes:
            continue
        words = [word for word in prototypes[name].split(",") if word.strip() not in ("void", "...")]
        strings = sum(bool(re.search(r"\bchar\b", word)) for word in words)
        if int(arguments) != len(words) and name not in VARIADIC:
            yield f"MPI_{name} has {len(words)} arguments, not {arguments}"
        if fortran != "0" and int(fortran) != FORTRAN_IS_OTHER.get(name, len(words) + 1 + strings):
            yield f"{name.upper()} has {len(words) + 1 + strings} arguments in Fortran, not {fortran}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True)
    options = parser.parse_args()
    ours = exported(options.library)
    failed, looked = False, 0
    for family in FAMILIES:
        if not shutil.which(FAMILIES[family][0]) or not shutil.which("nm"):
            continue
        for library in libraries_of(family):
            theirs = exported(library)
            looked += len([name for name in theirs if name.startswith("MPI_")])
            left = list(missing(ours, theirs))
            print(f"{family}, {library.name}: {len(theirs)} symbols, not stood before: {left}")
            failed = failed or bool(left)
        wrong = list(wrong_counts(family))
        print(f"{family}: arguments counted otherwise than by mpi.h: {wrong}")
        failed = failed or bool(wrong)
    if looked < 300:
        print("skipped: no MPI is installed, or no nm")
        return SKIP
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

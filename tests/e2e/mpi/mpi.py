#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs under each MPI that is there and compares every rank's archive with what an independent counter (counter.c)
saw: calls, messages and bytes by partner and tag, collective operations. Usage:
  mpi.py --tool libtracer.so --library libtracer-mpi.so --tracer tracer [--clang clang] [--threads N] program[@behind][:ranks[:argument]]...
@behind: the counter stands between the tool's library and MPI, so that it counts calls of the tool's own, too."""
import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
EXAMPLE = HERE.parents[2] / "examples/halo/halo.c"
OPENMP = ("tasks", "halo")
sys.path.insert(0, str(HERE.parents[1] / "support"))
from files import Files, number  # noqa: E402
from mpi_jobs import SKIP, environment, fails_alone, installed, launch  # noqa: E402
from traced import clean, run  # noqa: E402

# otf2-print 3.2 crashes at a group with a member that has no location here, also in archives of OTF2's own writer: each rank's own.
OTF2_PRINT = shutil.which("otf2-print") and (None if " 3.2" in run(["otf2-print", "--version"], clean()).stdout else "otf2-print")
# Each rank's archive lies in a directory of its own.
RANK = 'r=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; TRACER_OUTPUT="$OUT.$r" LD_PRELOAD="$PRELOAD" exec "$@"'


class LeftOut(str):
    """Why a case is not tested."""


def compile_all(options, family, programs, directory):
    """Builds the counter and the programs with this MPI's compilers; names of the programs -> files."""
    wrapper, fortran = f"mpicc.{family}", f"mpif90.{family}"
    subprocess.run([wrapper, "-w", "-O1", "-fPIC", "-shared", *map(str, sorted(HERE.glob("counter*.c"))), "-o", f"{directory}/counter.so", "-ldl"], check=True)
    built = {}
    for name in programs:
        target = f"{directory}/{name}"
        if (HERE / f"{name}.f90").exists():
            if not shutil.which("gfortran") or not shutil.which(fortran):
                print(f"not tested: {family} {name}: no Fortran compiler")
                continue
            command = [fortran, "-w", "-g", "-O1", "-fallow-argument-mismatch", f"-I{HERE}", str(HERE / f"{name}.f90")]
            compiler = clean()
        else:
            source = EXAMPLE if name == "halo" else HERE / f"{name}.c"
            command = [wrapper, "-w", "-g", "-O1", str(source)]
            compiler = clean()
            if name in OPENMP:
                compiler.update(OMPI_CC=options.clang, MPICH_CC=options.clang)
                command.append("-fopenmp")
        subprocess.run(command + ["-o", target], check=True, env=compiler)
        built[name] = target
    return built


def counted(file):
    """What the counter wrote: key -> (number, first sum, second sum)."""
    rows = {}
    for line in file.read_text().splitlines():
        key, number, first, second = line.rsplit("|", 3)
        rows[key] = (int(number), int(first), int(second))
    return rows


class OneSided:
    """Windows, one-sided operations and locks, and the keys that the counter has for them."""

    def __init__(self):
        self.windows, self.operations, self.gets, self.held, self.collectives = set(), {}, set(), collections.Counter(), 0

    def event(self, process, kind, event, add):
        if kind in ("RmaPut", "RmaGet", "RmaAtomic"):
            what = f"atomic {number(event.type)}" if kind == "RmaAtomic" else kind[3:].lower()
            if kind == "RmaAtomic":
                add(f"{what} {event.remote}", event.bytes_sent, event.bytes_received)
            else:
                add(f"{what} {event.remote}", event.bytes)
            add("operation")
            if event.matching_id in self.operations or event.win not in self.windows:
                yield f"operation {event.matching_id} begins twice, or outside of its window"
            self.operations[event.matching_id] = "open"
            if kind == "RmaGet":
                self.gets.add(event.matching_id)
        elif kind in ("RmaOpCompleteNonBlocking", "RmaOpCompleteRemote", "RmaOpTest"):
            if self.operations.get(event.matching_id, "over") == "over":
                yield f"operation {event.matching_id} is over and did not begin"
            elif kind != "RmaOpTest":
                is_here = kind == "RmaOpCompleteNonBlocking" and event.matching_id not in self.gets  # a get is over by it
                self.operations[event.matching_id] = "here" if is_here else "over"
        elif kind == "RmaWinCreate":
            self.windows.add(event.win)
        elif kind == "RmaWinDestroy":
            self.windows.remove(event.win)
        elif kind == "RmaCollectiveBegin":
            self.collectives += 1
        elif kind == "RmaCollectiveEnd":
            self.collectives -= 1
            operation = str(event.collective_op).rpartition(".")[2]
            if not operation.startswith("DESTROY"):
                add(f"windows {operation}")
        elif kind == "RmaGroupSync":
            add("groups")
            if len(event.group.members) != 1:
                yield f"a partner's group is {event.group}"
        elif kind == "RmaSync":
            add("memory")
        else:
            yield from self.lock(kind, event, add)

    def lock(self, kind, event, add):
        key = (event.win, event.remote)
        if kind == "RmaRequestLock":
            add(f"locks {number(event.lock_type)}")
        elif kind == "RmaAcquireLock":
            self.held[key] += 1
        elif kind == "RmaReleaseLock":
            add("unlocks")
            self.held[key] -= 1
            if self.held[key] != 0:
                yield f"a lock is released that is held {self.held[key] + 1} times"

    def left(self):
        still = [number for number, state in self.operations.items() if state == "open"]
        if still or self.windows or self.collectives or any(self.held.values()):
            yield f"operations {still[:3]}, windows {self.windows}, {self.collectives} collective ones and locks {self.held} never end"


def traced(anchor):
    """The same keys from the archive, and what is wrong in it."""
    import otf2
    from otf2.definitions import Comm, InterComm
    # python3-otf2 3.0 takes the fields of an InterComm for those of a Comm, and fails.
    InterComm._construct = classmethod(lambda cls, registry, ref, name, first, second, common, flags:
                                       Comm._construct(registry, ref, name, first, common, flags))
    rows = collections.defaultdict(lambda: [0, 0, 0])
    faults = []

    def add(key, first=0, second=0):
        row = rows[key]
        row[0] += 1
        row[1] += first
        row[2] += second

    begun, depth, one_sided = {}, collections.Counter(), OneSided()
    files = Files()
    with otf2.reader.open(str(anchor)) as trace:
        for location, event in trace.events:
            kind = type(event).__name__
            if kind == "Enter" and event.region.name.startswith("MPI_"):
                add("call " + event.region.name.partition(" @")[0])
            elif kind in ("MpiSend", "MpiIsend"):
                add(f"sends {event.receiver} {event.msg_tag}", event.msg_length)
            elif kind in ("MpiRecv", "MpiIrecv"):
                add(f"received {event.sender} {event.msg_tag}", event.msg_length)
            elif kind == "MpiRequestCancelled":
                add("cancelled")
            elif kind == "MpiCollectiveBegin":
                depth[location] += 1
            elif kind == "MpiCollectiveEnd":
                depth[location] -= 1
                add(f"collective {str(event.collective_op).rpartition('.')[2]}", event.size_sent, event.size_received)
            elif kind == "CommCreate":
                add("made")
            elif kind.startswith("Rma"):
                faults += one_sided.event(location.group, kind, event, add)
            elif kind.startswith("Io"):
                faults += files.event(kind, event, add)
            if kind in ("MpiIsend", "MpiIrecvRequest", "NonBlockingCollectiveRequest"):
                if event.request_id in begun:
                    faults.append(f"request {event.request_id} begins twice")
                begun[event.request_id] = kind
            elif kind in ("MpiIsendComplete", "MpiIrecv", "MpiRequestCancelled", "NonBlockingCollectiveComplete"):
                if begun.pop(event.request_id, None) is None:
                    faults.append(f"request {event.request_id} ends and did not begin")
            elif kind == "MpiRequestTest" and event.request_id not in begun:
                faults.append(f"request {event.request_id} is tested and did not begin")
        if begun:
            faults.append(f"{len(begun)} requests never end: {list(begun.items())[:3]}")
        if any(depth.values()):
            faults.append(f"collective operations begin and end differently often: {depth}")
        faults += [*one_sided.left(), *files.left()]
        locations = len(list(trace.definitions.locations))
    return {key: tuple(row) for key, row in rows.items()}, faults, locations


def differences(expected, found):
    """Only what the counter counts is compared; of calls, those of the functions that it has."""
    calls = {key for key in expected if key.startswith("call ")}
    for key in sorted(set(expected) | {k for k in found if not k.startswith("call ")} | calls):
        if key in ("sent", "left", "translated"):
            continue
        mine, other = found.get(key, (0, 0, 0)), expected.get(key, (0, 0, 0))
        if key == "made":  # the archive has WORLD and SELF too
            mine = (mine[0] - 2, 0, 0)
        if key.startswith(("collective CREATE_HANDLE", "collective DESTROY_HANDLE")):
            continue
        if mine != other:
            yield f"{key}: {mine} in the archive, {other} counted"


def check(options, family, name, place, program, ranks, arguments, directory):
    layers = [f"{directory}/counter.so", options.library]
    if place == "behind":
        layers.reverse()
    out, counts = pathlib.Path(directory, "trace"), pathlib.Path(directory, "counts")
    settings = environment(OUT=str(out), FILES=f"{directory}/files", COUNTS=str(counts), PRELOAD=":".join(layers),
                           OMP_NUM_THREADS=str(options.threads), OMP_TOOL_LIBRARIES=options.tool)
    done = run([*launch(family, ranks), "sh", "-c", RANK, "rank", program, *arguments], settings, timeout=options.limit)
    if done.returncode == SKIP or "no MPI_THREAD_MULTIPLE" in done.stdout:
        return (yield LeftOut("no MPI_THREAD_MULTIPLE"))
    if done.returncode != 0:
        alone = environment(FILES=f"{directory}/files", OMP_NUM_THREADS=str(options.threads))
        if why := fails_alone([*launch(family, ranks), program, *arguments], alone, options.limit):
            return (yield LeftOut(f"it fails without the tool: {why}"))
        return (yield f"ends with {done.returncode}: {done.stdout[-500:]} {done.stderr[-2000:]}")
    noise = [line for line in done.stderr.splitlines() if line.startswith("tracer") and ("error" in line or "warning" in line)]
    if noise:
        yield f"says {noise}"
    compared = differing = 0
    for rank in range(ranks):
        archives = list(pathlib.Path(directory).glob(f"trace.{rank}/**/traces.otf2"))
        if len(archives) != 1:
            yield f"rank {rank}: {len(archives)} archives"
            continue
        verdict = run([options.tracer, "check", str(archives[0])], clean())
        if verdict.returncode != 0:
            yield f"rank {rank}: tracer check: {verdict.stdout[-1500:]}{verdict.stderr[-500:]}"
        printed = run([OTF2_PRINT, "-A", str(archives[0])], clean()) if OTF2_PRINT else None
        if printed is not None and (printed.returncode != 0 or printed.stderr):
            yield f"rank {rank}: otf2-print: {printed.stderr[:500]}"
        stated = run([options.tracer, "info", "--all", str(archives[0])], clean()).stdout
        if long := [identity for identity in re.findall(r"identity=([^;\s]*)", stated) if len(identity) > 150]:
            yield f"rank {rank}: {len(long)} communicators have identities like {long[0]}"
        found, faults, locations = traced(archives[0])
        yield from (f"rank {rank}: {fault}" for fault in faults)
        expected = counted(pathlib.Path(f"{counts}.{rank}"))
        times, members, _ = expected.get("translated", (0, 0, 0))
        if name == "collectives" and members > 2 * times:  # most of its communicators are duplicates: the first member's is enough
            yield f"rank {rank}: the world ranks of {members} members are asked for, {times} times"
        differ = list(differences(expected, found))
        yield from (f"rank {rank}: {fault}" for fault in differ)
        compared += len(expected)
        differing += len(differ)
        if name in OPENMP and locations < 3:
            yield f"rank {rank}: {locations} threads"
    print(f"{' '.join([family, name, *arguments])}, {ranks} ranks: {compared} counts compared, {differing} differ", flush=True)
    for file in (*pathlib.Path(directory).glob("counts.*"), *pathlib.Path(directory).glob("files.*")):
        file.unlink()


def main():
    parser = argparse.ArgumentParser()
    for option in ("tool", "library", "tracer", "clang"):
        parser.add_argument(f"--{option}")
    parser.add_argument("--threads", type=int, default=3)
    parser.add_argument("--limit", type=float, default=240, help="seconds of a program")
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    cases = [(case.split(":") + ["3"])[:3] if ":" not in case else case.split(":") for case in options.cases]
    failed, compared = False, 0
    for family in installed():
        with tempfile.TemporaryDirectory() as directory:
            programs = compile_all(options, family, {case[0].partition("@")[0] for case in cases}, directory)
            for title, ranks, *arguments in cases:
                name, _, place = title.partition("@")
                if name not in programs:
                    continue
                faults = list(check(options, family, name, place, programs[name], int(ranks), arguments, directory))
                compared += not any(isinstance(fault, LeftOut) for fault in faults)
                for fault in faults:
                    print(f"{'not tested: ' if isinstance(fault, LeftOut) else ''}{family} {title}, {ranks} ranks: {fault}")
                    failed = failed or not isinstance(fault, LeftOut)
                for left in pathlib.Path(directory).glob("trace.*"):
                    shutil.rmtree(left)
    if not failed and compared == 0:
        print("skipped: none of the programs is built, or runs, with an MPI that is here")
        sys.exit(SKIP)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

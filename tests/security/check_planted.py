#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Archives, raw traces and leftovers that another user made: whatever is in them, our commands write nothing outside
the directory that they were told, remove nothing of others, send nothing to the terminal that it would obey, and end.

check_planted.py --tool libtracer.so --tracer tracer PROGRAM planted|secure|launch

As root the other user is a real one; else what depends on that is left out."""
import argparse
import multiprocessing
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from planting import HARD, IS_ROOT, OTHER, cases, give_away, sparse, state_of, unpacked  # noqa: E402
from traced import clean, traced  # noqa: E402

TIME = 60


def record(options, program, output, **more):
    return subprocess.run([program], env=traced(options, output, **more), capture_output=True, text=True, timeout=TIME)


def commands(tracer, directory, out):
    if os.environ.get("TRACER_TEST_SANITIZED"):  # each start takes its time then: those that read differently
        yield from ([tracer, "convert", "-o", out / "archive", directory], [tracer, "check", directory], [tracer, "report", directory],
                    [tracer, "merge", directory], [tracer, "export", "-f", "chrome", "-o", out / "export.json", directory])
        return
    yield [tracer, "convert", directory]
    yield [tracer, "convert", "-o", out / "archive", directory]
    yield [tracer, "recover", directory]
    yield [tracer, "merge", directory]
    yield [tracer, "merge", "-o", out / "merged", directory]
    yield [tracer, "check", "--all", directory]
    yield [tracer, "check", "--json", directory]
    yield [tracer, "report", directory]
    yield [tracer, "report", "--html", out / "page.html", directory]
    yield [tracer, "samples", directory]
    yield [tracer, "diff", directory, directory]
    yield [tracer, "what-if", "--task-overhead", "0", directory]
    yield [tracer, "info", directory]
    yield [tracer, "info", "--json", directory]
    for form in ("perfetto", "chrome", "sqlite", "csv"):
        yield [tracer, "export", "-f", form, directory]
    for form in ("chrome", "parquet", "otf2"):
        yield [tracer, "export", "-f", form, "-o", out / f"exported.{form}", directory]
    yield [tracer, "recover", "--list"]


def limits():
    os.setsid()
    if not os.environ.get("TRACER_TEST_SANITIZED"):
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


def run(command, cwd, environment):
    """(status, output); a hang or a crash is a fault."""
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, env=environment, preexec_fn=limits) as process:
        try:
            out, errors = process.communicate(timeout=TIME)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, b""
    return process.returncode, out + errors


def obeyed(text):
    """Bytes that a terminal obeys, but for line feeds."""
    decoded = text.decode("utf-8", "replace")
    return sorted({hex(ord(c)) for c in decoded if (ord(c) < 0x20 and c != "\n") or 0x7f <= ord(c) < 0xa0})


def check_case(options, name, make, victim, work, is_theirs=True):
    planted, out = work / "planted", work / "out"
    for command in commands(options.tracer, planted / "trace", out):
        for directory in (planted, out):
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
        try:
            make(planted / "trace")
        except OSError as error:
            yield f"{name}: cannot be planted any more: {error}"
            return
        if is_theirs:
            give_away(planted)
        before, theirs = state_of(victim), sorted(str(p) for p in planted.rglob("*"))
        status, said = run(command, out, options.environment)
        shown = " ".join(map(str, command[1:3]))
        if status is None:
            yield f"{name}: {shown} hangs"
        elif status < 0 or status > 2:
            yield f"{name}: {shown} ends with {status}: {said[-500:]!r}"
        if bad := obeyed(said):
            yield f"{name}: {shown} prints {bad}: {said[:300]!r}"
        if state_of(victim) != before:
            yield f"{name}: {shown} changed the victim's files: {said[-300:]!r}"
        if is_theirs and IS_ROOT and sorted(str(p) for p in planted.rglob("*")) != theirs:
            yield f"{name}: {shown} changed the other user's directory: {said[-300:]!r}"


def check_leftovers(options, victim, work):
    """Rings that another user planted under the victim's name are neither listed as his nor removed."""
    uid = os.geteuid()
    shm = work / "spool"
    shm.mkdir()
    shm.chmod(0o1777)
    environment = dict(options.environment, TRACER_SPOOL=str(shm))
    real = shm / f"tracer-{uid}-0000000000000001"
    (victim / "room" / "rings").write_bytes(b"mine")
    (victim / "room" / "owner").write_bytes(b"mine")
    real.symlink_to(victim / "room")
    foreign = shm / f"tracer-{uid}-0000000000000002"
    foreign.mkdir(0o777)
    (foreign / "rings").symlink_to(victim / "secret")
    (foreign / "owner").write_bytes(HARD.encode() + b"\0mark")
    give_away(foreign)
    odd = shm / f"tracer-{uid}-{HARD}"
    odd.mkdir(0o700)
    os.mkfifo(odd / "owner")
    os.mkfifo(odd / "rings")
    before = state_of(victim)
    # Never --remove alone: it would take what this user's own dead runs have left.
    for command in (["recover", "--list"], *(["recover", "--remove", str(path)] for path in (real, foreign, odd, victim, victim / "room"))):
        status, said = run([options.tracer, *command], work, environment)
        if status is None or status < 0:
            yield f"planted leftovers: {command} ends with {status}"
        if bad := obeyed(said):
            yield f"planted leftovers: {command} prints {bad}: {said!r}"
        if IS_ROOT and str(foreign) not in command and str(foreign).encode() in said:
            yield f"planted leftovers: {command} names another user's: {said!r}"
    if state_of(victim) != before:
        yield "planted leftovers: the victim's files changed"
    if IS_ROOT and not (foreign / "owner").exists():
        yield "planted leftovers: another user's were removed"
    if not real.is_symlink():
        yield "planted leftovers: a link was removed"


def planted(options, directory):
    work, victim = pathlib.Path(directory, "work"), pathlib.Path(directory, "victim")
    for made in (work, victim, victim / "room"):
        made.mkdir()
    (victim / "secret").write_text("secret\n")
    program = pathlib.Path(directory, f"app {HARD}")
    shutil.copy(options.program, program)
    genuine = pathlib.Path(directory, "genuine")
    for output in (genuine, victim / "mine"):
        done = record(options, str(program), output, TRACER_KEEP_RAW="on")
        if not (output / "traces.otf2").exists() or not (output / "raw" / "journal").exists():
            yield f"no trace to begin with: {done.stderr}"
            return
        if bad := obeyed(done.stderr.encode()):
            yield f"the tool prints {bad}"
    shutil.copytree(victim / "mine", victim / "job", symlinks=True)
    (victim / "job" / "parts").mkdir()
    options.environment = clean()
    count = 0
    for name, make in cases(genuine, victim, work):
        count += 1
        yield from check_case(options, name, make, victim, work)
    for name, make in unpacked(genuine, victim):
        count += 1
        yield from check_case(options, name, make, victim, work, is_theirs=False)
    yield from check_leftovers(options, victim, work)
    print(f"{count} cases")


def plant_in_shared_place(shared, genuine, victim):
    """What another user leaves where the victim will run a program, by all the names that a trace may get."""
    newer = [shared / name for name in ("tracer-secure-1-1", "out", "out.2", "out.3", "out.4", "out.5", "out.6", "out.7")]
    for path in newer[:2]:  # a raw trace that is newer than anything, and links where its archive would go
        shutil.copytree(genuine, path)
        for name in ("traces.otf2", "traces.def"):
            (path / name).unlink()
            (path / name).symlink_to(victim / "secret")
        shutil.rmtree(path / "traces")
        (path / "traces").symlink_to(victim / "room")
        os.utime(path / "raw", (2 ** 31, 2 ** 31))
    newer[2].symlink_to(victim / "room")
    newer[3].mkdir()
    newer[3].chmod(0o777)
    os.mkfifo(newer[4])
    sparse(newer[5], b"", 1 << 42)
    newer[6].mkdir()
    (newer[6] / "job").symlink_to(victim / "secret")
    if IS_ROOT:  # the mark of this very launch makes it the launch's own directory, when it is this user's
        newer[7].mkdir()
        (newer[7] / "job").write_text("pmix-7\n")
        (newer[7] / "parts").symlink_to(victim / "room")
    else:
        newer.pop()
    for path in newer:
        if not path.is_symlink() and path.is_dir():
            give_away(path)
        elif IS_ROOT:
            os.chown(path, OTHER, OTHER, follow_symlinks=False)


def rename_what_comes(shared, target, stop):
    """The other user, who in a place without the sticky bit may put his own in the place of what the victim makes."""
    if IS_ROOT:
        os.setgroups([])
        os.setresgid(OTHER, OTHER, OTHER)
        os.setresuid(OTHER, OTHER, OTHER)
    for number in range(10 ** 9):
        if stop.is_set():
            return
        for path in shared.iterdir():
            if not path.name.startswith("racy") or path.is_symlink():
                continue
            try:
                os.rename(path, shared / f"taken{number}")
                os.symlink(target, path)
            except OSError:
                continue


def check_launches(options, genuine, victim, shared, name):
    environment = clean(TRACER_LIBRARY=options.tool)
    plant_in_shared_place(shared, genuine, victim)
    before = state_of(victim)
    theirs = {str(p) for p in shared.rglob("*")}
    for arguments in ([], ["-o", "out"], ["-o", "tracer-secure-1-1"]):
        for launcher in ({}, {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1", "PMIX_NAMESPACE": "7"}):
            status, said = run([options.tracer, "run", *arguments, "--", options.program], shared, {**environment, **launcher})
            if status != 0 or b"secure 0 sum 2\n" not in said:
                yield f"{name}: tracer run {arguments} ends with {status}: {said!r}"
            if state_of(victim) != before:
                yield f"{name}: tracer run {arguments} changed the victim's files: {said!r}"
                return
    made = [p for p in shared.rglob("traces.otf2") if str(p) not in theirs]
    if len(made) != 6 or (IS_ROOT and any(p.lstat().st_uid != os.geteuid() or p.parent.lstat().st_mode & 0o22 for p in made)):
        yield f"{name}: the launches made {[str(p) for p in made]}"
    if not theirs <= {str(p) for p in shared.rglob("*")}:
        yield f"{name}: something of the other user's is gone"


def check_renamed(options, victim, shared):
    """The directory of the launch is put aside while it works, and a link to the victim's own files put there."""
    before = state_of(victim)
    stop = multiprocessing.Event()
    racer = multiprocessing.Process(target=rename_what_comes, args=(shared, victim / "room", stop))
    racer.start()
    try:
        for number in range(20 * int(os.environ.get("TRACER_STRESS", "1"))):
            status, said = run([options.tracer, "run", "-o", f"racy{number}", "--", options.program], shared, clean(TRACER_LIBRARY=options.tool))
            if status is None or b"secure 0 sum 2\n" not in said:
                yield f"renamed: ends with {status}: {said!r}"
            if state_of(victim) != before:
                yield f"renamed: the victim's files changed: {set(state_of(victim).items()) ^ set(before.items())} {said!r}"
                return
    finally:
        stop.set()
        racer.join()


def launch(options, directory):
    """`tracer run` in a place that others can write, with the sticky bit and without."""
    victim, genuine = pathlib.Path(directory, "victim"), pathlib.Path(directory, "genuine")
    os.chmod(directory, 0o755)
    victim.mkdir()
    (victim / "room").mkdir()
    (victim / "secret").write_text("secret\n")
    (victim / "room" / "traces.otf2").write_text("mine\n")
    (victim / "room" / "traces.def").write_text("mine\n")
    (victim / "room" / "job").write_text("mine\n")
    record(options, options.program, genuine, TRACER_KEEP_RAW="on")
    for mode in (0o1777, 0o777):
        shared = pathlib.Path(directory, f"shared{mode:o}")
        shared.mkdir()
        shared.chmod(mode)
        yield from check_launches(options, genuine, victim, shared, f"mode {mode:o}")
        if IS_ROOT:
            yield from check_renamed(options, victim, shared)


def secure(options, directory):
    if not IS_ROOT:
        print("skipped: only root can make a set-user-id program of another user")
        return 77
    if os.environ.get("TRACER_TEST_SANITIZED"):
        print("skipped: in a set-user-id program a sanitizer takes no options")
        return 77
    copy, output = pathlib.Path(directory, "secure"), pathlib.Path(directory, "trace")
    shutil.copy(options.program, copy)
    os.chmod(directory, 0o755)
    os.chown(copy, OTHER, OTHER)
    os.chmod(copy, 0o4755)
    pathlib.Path(directory, "room").mkdir()
    os.chmod(pathlib.Path(directory, "room"), 0o777)
    output = pathlib.Path(directory, "room", "trace")
    if subprocess.run([copy], capture_output=True, text=True, env=clean()).stdout != "secure 1 sum 2\n":
        print("skipped: set-user-id bits have no effect here")
        return 77
    done = record(options, str(copy), output)
    faults = []
    if done.stdout != "secure 1 sum 2\n" or done.returncode != 0:
        faults.append(f"ends with {done.returncode}, {done.stdout!r} {done.stderr!r}")
    if output.exists() or list(output.parent.iterdir()):
        faults.append(f"it was traced: {list(output.parent.iterdir())}")
    os.chmod(copy, 0o755)
    record(options, str(copy), output)
    if not (output / "traces.otf2").exists():
        faults.append("without the bit it is not traced either")
    print("\n".join(faults))
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--tracer", required=True)
    parser.add_argument("program")
    parser.add_argument("what", choices=("planted", "secure", "launch"))
    options = parser.parse_args()
    if not IS_ROOT:
        print("not tested: what another user's rights change: only root can make directories of another user")
    with tempfile.TemporaryDirectory() as directory:
        if options.what == "secure":
            return secure(options, directory)
        faults = list((launch if options.what == "launch" else planted)(options, directory))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a trace as each command reads them: with an index beside the archive, and without one. Both must say the same."""
import hashlib
import json
import pathlib
import random
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "view"))
from viewer import Viewer  # noqa: E402

FORMATS = ("csv", "chrome", "perfetto", "sqlite", "parquet", "otf2")


def has_samples(archive):
    return (archive / "samples.bin").exists()


def readers(tracer, archive, out):
    """(name, command, what it writes or None)"""
    yield "report", [tracer, "report", archive], None
    yield "report --json", [tracer, "report", "--json", archive], None
    yield "check", [tracer, "check", "--all", archive], None
    yield "report --html", [tracer, "report", "--html", out, archive], out
    for format in FORMATS:
        yield f"export {format}", [tracer, "export", "-f", format, "-o", out, archive], out
    yield "diff", [tracer, "diff", "--json", archive, archive], None
    if has_samples(archive):
        yield "samples", [tracer, "samples", "--form", "folded", archive], None


def contents(path):
    """A digest of a file, or of all files of a directory but an archive's anchor, which has a number that no other archive has."""
    files = sorted(one for one in path.rglob("*") if one.is_file() and one.name != "traces.otf2") if path.is_dir() else [path]
    digest = hashlib.sha256()
    for one in files:
        digest.update(str(one.relative_to(path)).encode() + b"\0" + one.read_bytes())
    return digest.hexdigest()


def remove(path):
    shutil.rmtree(path, ignore_errors=True)
    path.unlink(missing_ok=True)


def said(command, out):
    if out is not None:
        remove(out)
    done = subprocess.run(list(map(str, command)), capture_output=True, check=False)
    wrote = contents(out) if out is not None and out.exists() else None
    return done.returncode, done.stdout, done.stderr, wrote


def index_of(archive):
    return archive / "traces.index"


def make_index(tracer, archive):
    index_of(archive).unlink(missing_ok=True)
    with Viewer(tracer, archive):
        pass
    assert index_of(archive).is_file(), f"{archive}: no index"


def random_parts(chance, length, threads, ranks, number):
    """Options: windows of any width, those at the trace's very ends among them, of all, of some threads, of some processes."""
    yield ["--from", f"{length}ns"]
    yield ["--from", f"{length * 99 // 100}ns"]
    for _ in range(number):
        begin = chance.randrange(1, length + 1)
        end = begin + 1 + int((length - begin) * chance.random() ** 3)
        words = ["--from", f"{begin}ns"] + (["--to", f"{end}ns"] if chance.random() < 0.8 else [])
        if chance.random() < 0.25:
            words += ["--threads", str(chance.randrange(threads))]
        if ranks > 1 and chance.random() < 0.5:
            words += ["--ranks", str(chance.randrange(ranks))]
        yield words


def compare(tracer, archive, out, seed=1, windows=8, every_reader=2):
    """Every reader sees some of the windows, `report --json`, `check` and `samples` all. How many were compared."""
    archive, out, chance = pathlib.Path(archive), pathlib.Path(out), random.Random(seed)
    index_of(archive).unlink(missing_ok=True)
    whole = json.loads(subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True).stdout)
    info = json.loads(subprocess.run([tracer, "info", "--json", archive], check=True, capture_output=True).stdout)
    ranks = len(info.get("processes", [])) or 1
    parts = list(random_parts(chance, whole["wall_ns"], max(1, len(whole["threads"])), ranks, windows))
    asked = []
    for part in parts:
        every = list(readers(tracer, archive, out))
        chosen = [one for one in every if one[0] in ("report --json", "check", "samples")] + chance.sample(every, every_reader)
        asked += [(name, [*command, *part], wrote) for name, command, wrote in chosen]
    without = [said(command, wrote) for _, command, wrote in asked]
    assert not index_of(archive).exists(), "a reader of few events has made an index"
    make_index(tracer, archive)
    for (name, command, wrote), before in zip(asked, without):
        after = said(command, wrote)
        where = f"{archive} {name} {' '.join(map(str, command))}"
        assert before == after, f"{where}: with the index another: status {before[0]} and {after[0]}, {len(before[1])} and {len(after[1])} bytes, {before[2][-300:]} and {after[2][-300:]}"
    remove(out)
    return len(asked)

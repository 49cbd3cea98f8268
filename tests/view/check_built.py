#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_built.py TRACER PROGRAM...: the index that `convert --index` and `merge --index` make is byte for byte the one that the first
reader makes, on one processor or several; where it cannot be written the archive is made all the same, and nothing half is left."""
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

import random_archive
from viewer import Viewer


def done(command, **more):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **more)
    assert result.returncode == 0, (command, result.stdout, result.stderr)
    return result.stderr


def check_same(tracer, archive, where):
    """It is there, a reader takes it as it is, and would have made it the same."""
    index = archive / "traces.index"
    made = index.read_bytes()
    with Viewer(tracer, archive):
        pass
    assert index.read_bytes() == made, f"{where}: the reader has made another"
    one = sorted(os.sched_getaffinity(0))[:1]
    for processors in (None, one):
        index.unlink()
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, processors or before)
        try:
            with Viewer(tracer, archive):
                pass
        finally:
            os.sched_setaffinity(0, before)
        assert index.read_bytes() == made, f"{where}: the reader's is another ({processors})"
    assert not [path for path in archive.iterdir() if ".part-" in path.name], where
    return len(made)


def check_converted(tracer, raw, top, name):
    sizes = []
    for number, (words, is_raw_there) in enumerate(((["--index"], False), (["--index", "--keep-raw"], True), (["--index", "-q"], False))):
        trace = top / f"{name}-{number}"
        shutil.copytree(raw, trace)
        said = done([tracer, "convert", *words, trace])
        assert ("traces.index" in said) == ("-q" not in words) and (trace / "raw").exists() == is_raw_there, (words, said)
        sizes.append(check_same(tracer, trace, f"{name} {words}"))
    plain, elsewhere = top / f"{name}-plain", top / f"{name}-elsewhere"
    shutil.copytree(raw, plain)
    said = done([tracer, "convert", plain])
    assert "index" not in said and not (plain / "traces.index").exists(), said
    done([tracer, "merge", "--index", "-o", elsewhere, top / f"{name}-0", top / f"{name}-1"])
    sizes.append(check_same(tracer, elsewhere, f"{name} merged"))
    return sizes


def check_full(tracer, part, archive):
    """There is room for what is merged, whose event files are links, and not for its index."""
    others = max(path.stat().st_size for path in part.iterdir() if path.is_file() and path.name != "traces.index")
    limit = (part / "traces.index").stat().st_size - 1
    assert limit > 2 * others, (limit, others)
    said = done([tracer, "merge", "--index", "-o", archive, part], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert "the index is not kept there" in said, said
    assert not (archive / "traces.index").exists() and not [path for path in archive.iterdir() if ".part-" in path.name], list(archive.iterdir())
    done([tracer, "report", archive])


def check_no_place(tracer, raw, top):
    """A directory stands in its place, and there is no cache."""
    trace = top / "no-place"
    shutil.copytree(raw, trace)
    (trace / "traces.index").mkdir()
    said = done([tracer, "convert", "--index", trace])
    assert "the index is not kept there" in said or "in memory only" in said, said
    assert (trace / "traces.otf2").is_file() and not (trace / "raw").exists() and not list((trace / "traces.index").iterdir()), said
    assert not [path for path in trace.iterdir() if ".part-" in path.name]
    done([tracer, "check", trace])


def main():
    tracer, programs = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as temporary:
        os.environ.update(XDG_CACHE_HOME="/proc/nowhere", TRACER_LIBRARY=str(pathlib.Path(tracer).parents[1] / "lib" / "libtracer.so"))
        top, sizes = pathlib.Path(temporary), {}
        raws = []
        for program in programs:
            name = pathlib.Path(program).name
            raws.append(top / f"{name}-raw")
            done([tracer, "run", "-q", "--raw", "-o", raws[-1], "--", program])
            sizes[name] = check_converted(tracer, raws[-1], top, name)
        check_no_place(tracer, raws[0], top)
        random_archive.write(top / "random", 7, events=20000, locations=5)
        with Viewer(tracer, top / "random"):
            pass
        sizes["random"] = check_same(tracer, top / "random", "random")
        check_full(tracer, top / "random", top / "full")
        print("the same:", sizes)


main()

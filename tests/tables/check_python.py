#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_python.py TRACER MAKE_TRACE RANDOM_COLUMNS WHEEL VERSION [FORM]: the Python package `tracer`, from its wheel, finds in traces what `tracer report`
says, to the nanosecond; in each form of tables that this Python has, and without numpy and pandas. With FORM it is the
child that looks in one of them."""
import collections
import importlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

KINDS = (("imbalance", ""), ("chain", ""), ("lock", ""), ("overlap", ""), ("operations", ""), ("phases", ""), ("ring", "3"), ("sampled", ""), ("paused", ""))


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what[:150])


def rows_of(table):
    """Any form's rows as dictionaries."""
    if isinstance(table, list):
        return table
    if hasattr(table, "to_pylist"):
        return table.to_pylist()
    return table.to_dicts() if hasattr(table, "to_dicts") else table.to_dict("records")


def summed(rows, key, value):
    result = collections.Counter()
    for row in rows:
        result[row[key]] += row[value]
    return {name: number for name, number in result.items() if number}


def check_trace(trace, kind, form):
    report = trace.report
    regions = rows_of(trace.regions)
    constructs = {c["region"]: (c["count"], c["exclusive_ns"]) for c in report["constructs"]}
    exclusive, counts = summed(regions, "region", "exclusive_ns"), collections.Counter(row["region"] for row in regions)
    need({r: (n, exclusive.get(r, 0)) for r, n in counts.items()} == constructs, f"{form}: {kind}: {len(regions)} regions are the report's")
    need(len(rows_of(trace.tasks)) == report["tasks"]["created"], f"{form}: {kind}: {report['tasks']['created']} tasks")
    operations = rows_of(trace.device_operations)
    for way in ("to_device", "from_device"):
        found = [(row["bytes"], row["end_ns"] - row["begin_ns"]) for row in operations if row["kind"] == way]
        said = [sum(device[way][what] for device in report["devices"]) for what in ("count", "bytes", "ns")]
        need([len(found), sum(size for size, _ in found), sum(ns for _, ns in found)] == said, f"{form}: {kind}: {said[0]} copies {way}")
    names = {row["location"]: row["name"] for row in rows_of(trace.locations)}
    need({t["location"]: t["name"] for t in report["threads"]}.items() <= names.items(), f"{form}: {kind}: names of threads")
    need(len(set(trace.threads().values())) == len(trace.threads()), f"{form}: {kind}: each location has a name of its own")
    off = sorted((row["location"], row["begin_ns"], row["end_ns"]) for row in rows_of(trace.not_recorded))
    need(off == ([(thread, 51_000_000, 251_000_000) for thread in range(4)] if kind == "paused" else []), f"{form}: {kind}: when recording was off {off}")
    if kind == "operations":
        known = trace._metadata_of(trace.directory)  # pylint: disable=protected-access
        need(known["tracer.realtime_ns"] == "0", f"{form}: an unknown real time is 0")
        copies = sorted((row["bytes"], row["end_ns"] - row["begin_ns"]) for row in operations if row["kind"] == "to_device")
        need(copies == [(1_000_000, 1_000_000), (2_000_000, 500_000)], f"{form}: copies of one matching id {copies}")
        overhead = [row["end_ns"] - row["begin_ns"] for row in operations if row["kind"] == "overhead"]
        need(overhead == [4_000_000], f"{form}: a region that says that nothing computes is no operation {overhead}")
    for name in trace.names():
        some = rows_of(trace.table(name))
        need(len(some) == len(rows_of(getattr(trace, name))), f"{form}: {kind}: {name} has {len(some)} rows")
    few = rows_of(trace.table("regions", ["end_ns", "location"]))
    need(not few or sorted(few[0]) == ["end_ns", "location"], f"{form}: {kind}: only the columns that were asked for")


def check_random_columns(random_columns, directory, package):
    """Columns of every type and encoding, by their sums and places."""
    read = 0
    done = subprocess.run([random_columns, directory, "12"], check=True, capture_output=True, text=True)
    for one in map(json.loads, done.stdout.splitlines()):
        if one["rows"] > 400_000:
            continue
        file = package.ParquetFile(directory / f"{one['seed']}.parquet")
        for name, wanted in zip(file.names, one["found"]):
            values = [int(str(value)[1:]) if isinstance(value, str) else int(value) for value in file.column(name)]
            weighted = sum((abs(v) % 1009 if v >= 0 else -(abs(v) % 1009)) * (row % 9973) for row, v in enumerate(values))
            found = [sum(values), weighted, min(values), max(values)]
            if found != wanted:
                raise SystemExit(f"FAILED: random columns of seed {one['seed']}: {name} {found} {wanted}")
            read += len(values)
    need(read > 1_000_000, f"{read} values of random columns")
    return directory / f"{one['seed']}.parquet"


def check_damage(file, directory, package, errors):
    """A damaged file is said to be one, or read: nothing else."""
    content = file.read_bytes()
    dice = random.Random(7)
    small = directory / "damaged.parquet"
    refused = 0
    for _ in range(200):
        bad = bytearray(content)
        for _ in range(3):
            bad[dice.randrange(len(bad))] = dice.randrange(256)
        if dice.randrange(4) == 0:
            del bad[dice.randrange(len(bad)):]
        small.write_bytes(bad)
        try:
            found = package.ParquetFile(small)
            for name in found.names:
                found.column(name)
        except errors.TracerError:
            refused += 1
    need(refused > 0, f"{refused} of 200 damaged files are refused by a message")
    for footer, what in ((b"\x1c" * 10_000, "structures in one another"), (b"\x19" * 10_000, "lists in one another"), (b"\x15" + b"\xff" * 10_000, "a number of 10,000 bytes")):
        small.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
        try:
            package.ParquetFile(small)
            need(False, f"{what} are refused")
        except errors.TracerError as error:
            need("is damaged" in str(error), f"{what}: {error}")
    need(package.Compact(b"\x19\x31\x01\x02\x01\x00").structure() == {1: [True, False, True]}, "each of a list's truth values has a byte")
    for wrong in (lambda: package.Compact(b"\x19\xf1\x04\x01\x00").structure(), lambda: package.Compact(b"\xff" * 10 + b"\x01").number(), lambda: package.Compact(b"abc", 2).take(-1)):
        try:
            need(False, f"{wrong()} is refused")
        except IndexError:
            pass
    pipe = directory / "pipe \x1b[2J\u202e.parquet"
    os.mkfifo(pipe)
    try:
        package.ParquetFile(pipe)
        need(False, "a FIFO is refused")
    except errors.TracerError as error:
        need("pipe ?[2J?.parquet is no regular file" in str(error), f"a FIFO is named, without what a terminal obeys: {error}")
    pipe.unlink()


def check_refresh(directory, tracer):
    """Kept tables are replaced where the archive is newer, and only where they are all there is; those of others stay."""
    archive, tables = directory / "chain", directory / "refreshed"
    for seconds in (0, 3600):  # the second time they are older than the archive
        shutil.rmtree(directory / "newer", ignore_errors=True)
        shutil.copytree(archive, directory / "newer")
        made = (tables / "locations.parquet").stat().st_mtime if seconds else time.time()
        os.utime(directory / "newer/traces.otf2", (made + seconds, made + seconds))
        before = (tables / "locations.parquet").stat().st_ino if seconds else None
        with tracer.open(directory / "newer", tables=tables, form="rows") as trace:
            need(len(trace.tasks) == trace.report["tasks"]["created"], "tables that are kept")
        need((tables / "locations.parquet").stat().st_ino != before, "and made anew where the archive is newer")
    for other, options in (("imbalance", None), ("chain", ("--exclude", "*")), ("lock", ("--min-duration", "1s"))):
        if options:  # tables of the archive, but not of all of it
            shutil.rmtree(tables)
            subprocess.run([os.environ["TRACER_COMMAND"], "export", "--format", "parquet", *options, "-o", tables, directory / other], check=True, capture_output=True)
        before = (tables / "locations.parquet").stat().st_ino
        try:
            tracer.open(directory / other, tables=tables, form="rows").tasks
            need(False, f"{other}: tables of {'a part' if options else 'another trace'} are refused")
        except tracer.TracerError as error:
            need("of a part of one" in str(error) and (tables / "locations.parquet").stat().st_ino == before, f"they stay: {error}")
    need(sorted(path.name for path in directory.glob("refreshed*")) == ["refreshed"], "nothing is left beside them")
    (tables / "notes.txt").write_text("mine")
    try:
        tracer.open(directory / "newer", tables=tables, form="rows").tasks
        need(False, "a directory with other files")
    except tracer.TracerError as error:
        need("is not empty" in str(error) and (tables / "notes.txt").exists(), f"other files stay: {error}")
    shutil.rmtree(tables)


def check_many_threads(tracer):
    """Names are counted once: of 50,000 threads a list's count() would take minutes."""
    class Trace(tracer.trace.Trace):
        def __init__(self):  # pylint: disable=super-init-not-called
            self._temporary = None

        def table(self, name, columns=None, form=None):
            return [{"location": i, "name": f"OMP thread {i % 100}", "group": f"rank {i // 100}"} for i in range(50_000)] + [
                {"location": 50_000, "name": "OMP thread 0", "group": "rank 0"}, {"location": 50_001, "name": "alone", "group": "rank 0"}]

    names = Trace().threads()
    need((names[0], names[101], names[50_000], names[50_001]) == ("rank 0: OMP thread 0 (0)", "rank 1: OMP thread 1", "rank 0: OMP thread 0 (50000)", "alone"),
         f"names of many threads: {names[0]}, {names[101]}")


def look(form, directory):
    """The child: the package in one form."""
    if form == "bare":  # as if nothing were installed
        sys.modules["numpy"] = sys.modules["pandas"] = sys.modules["pyarrow"] = None
    import tracer
    import tracer.parquet
    need(tracer.__version__ == sys.argv[5], f"the version is {tracer.__version__}")
    for kind, _ in KINDS:
        with tracer.open(directory / kind, form=None if form == "bare" else form) as trace:
            check_trace(trace, kind, form)
    need(not list(pathlib.Path(tempfile.gettempdir()).glob("tracer-tables-*")), f"{form}: no temporary tables are left")
    if form == "rows":
        check_refresh(directory, tracer)
        check_many_threads(tracer)
    if form in ("bare", "rows"):
        file = check_random_columns(sys.argv[3], directory / f"random-{form}", tracer.parquet)
        check_damage(min(directory.glob("kept/*/regions-*.parquet")), directory, tracer.parquet, tracer)
        need(file.exists(), "and files of other writers")
    for wrong, words in (("nothing", "does not exist"), (".", "neither a trace"), ("not", "no Parquet file")):
        if wrong == "not":
            (directory / "not").mkdir(exist_ok=True)
            (directory / "not/locations.parquet").write_text("hello")
        try:
            tracer.open(directory / wrong)
            need(False, f"{wrong} is refused")
        except tracer.TracerError as error:
            need(words in str(error), f"{wrong}: {error}")
    tables = tracer.open(directory / "kept")
    for action, words in ((lambda: tables.table("nonsense"), "no table 'nonsense'"), (lambda: tables.table("regions", ["colour"]), "no column 'colour'"),
                          (lambda: tables.report, "tables only"), (lambda: tables.table("regions", form="excel"), "no form 'excel'")):
        try:
            action()
            need(False, f"{words}: an error")
        except tracer.TracerError as error:
            need(words in str(error), f"{error}")
    need(not hasattr(tables, "nonsense") and "regions" in dir(tables), "attributes are tables")
    os.environ["TRACER_COMMAND"] = "/nowhere/tracer"
    try:
        tracer.open(directory / "chain").report
        need(False, "a command that is not there")
    except tracer.TracerError as error:
        need("cannot run /nowhere/tracer" in str(error), f"{error}")


def check_forms(environment, directory):
    for form, module in (("bare", None), ("rows", None), ("pandas", "pandas"), ("polars", "polars"), ("arrow", "pyarrow")):
        try:
            if module:
                importlib.import_module(module)
        except ImportError:
            print(f"not tested: tables as {form} ({module} is not installed)")
            continue
        done = subprocess.run([sys.executable, "-B", __file__, *sys.argv[1:6], form, directory], env=environment, capture_output=True, text=True)
        print(done.stdout, end="")
        need(done.returncode == 0, f"{form}: {f'{done.stderr.strip()[-600:]} {done.returncode}' if done.returncode else 'all'}")


def check_installed(wheel, directory, environment):
    """By pip, which looks at the wheel's form and its record."""
    target = directory / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", "--target", target, wheel]
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
        print("not tested: installing by pip (it is not installed)")
        return
    done = subprocess.run(pip, capture_output=True, text=True)
    need(done.returncode == 0, f"pip installs the wheel {done.stderr.strip()[-300:] if done.returncode else ''}")
    code = f"import tracer; print(tracer.open({str(directory / 'chain')!r}).report['tasks']['created'])"
    done = subprocess.run([sys.executable, "-c", code], env={**environment, "PYTHONPATH": str(target)}, capture_output=True, text=True)
    need(done.stdout.strip().isdigit(), f"and it works: {done.stdout}{done.stderr}")


def main():
    tracer, make_trace, _, wheel = map(os.path.abspath, sys.argv[1:5])
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        for kind, number in KINDS:
            subprocess.run([make_trace, kind, directory / kind, *number.split()], check=True)
        subprocess.run([tracer, "export", "--format", "parquet", "-o", directory / "kept", directory / "chain"], check=True, capture_output=True)
        (directory / "temporary").mkdir()
        environment = {**os.environ, "PYTHONPATH": wheel, "TRACER_COMMAND": tracer, "TMPDIR": str(directory / "temporary")}
        check_forms(environment, directory)
        check_installed(wheel, directory, environment)


if __name__ == "__main__":
    if len(sys.argv) > 6:
        look(sys.argv[6], pathlib.Path(sys.argv[7]))
    else:
        main()

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_names.py TRACER MAKE_TRACE: SQLite, CSV and Parquet call the same thing by the same name. CSV has SQLite's tables and
columns; a table that Parquet has as well has these columns, and the same values in them; every time ends with _ns. Parquet
has a row for each Enter."""
import csv
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "formats" / "python"))
from tracer.parquet import Compact  # noqa: E402

# Of both; the others are the formats' own: slices and paths here, regions and stacks there.
SHARED = ("locations", "region_names", "metric_names", "metrics", "messages", "phases", "pauses", "properties")
TIMES = {"time", "begin", "end", "start", "started", "ended", "created", "completed", "requested", "acquired", "released", "wait", "waiting", "held", "exclusive",
         "nested", "active", "total", "longest", "shortest", "late_sender", "late_receiver", "duration"}


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what[:150])


def footer_of(file):
    data = file.read_bytes()
    size = int.from_bytes(data[-8:-4], "little")
    return Compact(data[-8 - size:-8]).structure()


def parquet_tables(directory):
    """Columns and number of rows of each."""
    columns, rows = {}, {}
    for file in sorted(directory.rglob("*.parquet")):
        table = file.name.removesuffix(".parquet").rpartition("-")[0] or file.name.removesuffix(".parquet")
        footer = footer_of(file)
        found = [element[4].decode() for element in footer[2][1:]]
        if columns.setdefault(table, found) != found:
            raise SystemExit(f"FAILED: files of {table} have different columns: {found}, {columns[table]}")
        rows[table] = rows.get(table, 0) + footer[3]
    return columns, rows


def csv_tables(directory):
    columns, rows = {}, {}
    for file in directory.glob("*.csv"):
        with open(file, newline="", encoding="utf-8") as lines:
            columns[file.stem], *found = csv.reader(lines)
        rows[file.stem] = found
    return columns, rows


def not_recorded(rows):
    """The number of the region that stands for it."""
    return next(row[0] for row in rows["region_names"] if row[1] == "not recorded")


def check(kind, tracer, archive, directory, has_sqlite):
    def export(form):
        output = directory / f"{kind}.{form}"
        done = subprocess.run([tracer, "export", archive, "--format", form, "-o", output], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"FAILED: export to {form}: {done.stderr}")
        return output

    columns, rows = csv_tables(export("csv"))
    parquet, parquet_rows = parquet_tables(export("parquet"))
    if has_sqlite:
        database = sqlite3.connect(export("sqlite"))
        tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        of_sqlite = {name: [column[1] for column in database.execute(f"PRAGMA table_info({name})")] for name in tables}
        need(of_sqlite == columns, f"{kind}: CSV and SQLite have the same {len(columns)} tables and columns")
        for name in set(tables) - {"properties", "phases", "metrics"}:  # SQLite's properties have its schema as well; reals are written otherwise
            found = sorted(["" if value is None else str(value) for value in row] for row in database.execute(f"SELECT * FROM {name}"))
            if found != sorted(rows[name]):
                raise SystemExit(f"FAILED: {kind}: CSV and SQLite differ in {name}: {found[:3]} {rows[name][:3]}")
        views = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
        of_views = {name: [column[1] for column in database.execute(f"PRAGMA table_info({name})")] for name in views}
        need(all({"region", "region_name"} <= set(names) for names in of_views.values()), f"{kind}: views have regions' numbers and names: {of_views}")
        database.close()
    for table in SHARED:
        need(table in columns and table in parquet, f"{kind}: all have {table}")
        need(set(columns[table]) <= set(parquet[table]), f"{kind}: Parquet's {table} has the columns {columns[table]}: {parquet[table]}")
        if table not in ("region_names", "locations"):  # copies have a name there; one that is not shown no row
            need(len(rows[table]) == parquet_rows[table], f"{kind}: and its {parquet_rows[table]} rows")
    off = [row[columns["slices"].index("begin_ns")] for row in rows["slices"] if row[columns["slices"].index("region")] == not_recorded(rows)]
    need(len(off) == parquet_rows["not_recorded"] == (4 if kind == "paused" else 0), f"{kind}: both have the {len(off)} times that were not recorded")
    counts = json.loads(subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True).stdout)["event_counts"]
    need(parquet_rows["regions"] == counts.get("enter", 0), f"{kind}: Parquet has a row for each of {parquet_rows['regions']} Enters")
    for form, found in (("CSV", columns), ("Parquet", parquet)):
        without = {f"{table}.{name}" for table, names in found.items() for name in names if name in TIMES}
        need(not without, f"{kind}: {form} has no time without its unit {without or ''}")


def main():
    tracer, make_trace = (os.path.abspath(path) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as temporary:
        directory = pathlib.Path(temporary)
        tried = subprocess.run([tracer, "export", "-f", "sqlite", "-o", directory / "x", directory], capture_output=True, text=True)
        for kind in ("imbalance", "ring", "phases", "sampled", "overlap", "cut", "paused"):
            archive = directory / kind
            subprocess.run([make_trace, kind, archive], check=True)
            check(kind, tracer, archive, directory, "this build has no" not in tried.stderr)


if __name__ == "__main__":
    main()

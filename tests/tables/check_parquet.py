#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_parquet.py TRACER MAKE_TRACE WRITE_COLUMNS RANDOM_COLUMNS MODULES QUERIES [LIBTRACER PROGRAM...]: the Parquet tables of known traces and of
programs that are traced here, read by DuckDB and by hyparquet (npm packages, installed into MODULES), say what `tracer
report` says, to the nanosecond; also through the queries of examples/queries. Skipped, saying why, without node or
network."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PACKAGES = ["@duckdb/node-api", "hyparquet", "hyparquet-compressors"]


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def skip(why):
    print("skipped: " + why)
    raise SystemExit(77)


def install(modules, packages=PACKAGES):
    if not shutil.which("node") or not shutil.which("npm"):
        skip("no node and npm here")
    modules.mkdir(parents=True, exist_ok=True)
    if not all((modules / "node_modules" / p / "package.json").exists() for p in packages):
        (modules / "package.json").write_text("{}")
        once = ["--fetch-retries", "1", "--fetch-retry-mintimeout", "1000", "--fetch-retry-maxtimeout", "2000"]  # without a network minutes pass otherwise
        try:
            done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", *once, *packages], cwd=modules, capture_output=True, text=True, timeout=150)
        except subprocess.TimeoutExpired:
            skip("npm was not done with " + " ".join(packages) + " in 150 s")
        if done.returncode != 0:
            skip("npm could not install " + " ".join(packages) + ": " + done.stderr.strip()[-300:])
    if "@duckdb/node-api" in packages and subprocess.run(["node", "-e", "require('@duckdb/node-api')"], cwd=modules, capture_output=True).returncode != 0:
        skip("DuckDB's package does not load on this machine")


class Checker:
    def __init__(self, tracer, modules, queries, work):
        self.tracer, self.modules, self.queries, self.work = tracer, modules, queries, work

    def duckdb(self, tables, *sql):
        files = []
        for i, text in enumerate(sql):
            if not isinstance(text, pathlib.Path):
                file = self.work / f"query{i}.sql"
                file.write_text(text)
                text = file
            files.append(str(text))
        done = subprocess.run(["node", str(self.queries / "duckdb.mjs"), str(tables), *files], cwd=self.modules,
                              env={**os.environ, "AS_JSON": "1"}, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit("FAILED: DuckDB: " + done.stderr[-2000:])
        return [json.loads(line) for line in done.stdout.splitlines()]

    def hyparquet(self, tables):
        files = sorted(str(f) for f in tables.rglob("*.parquet"))
        done = subprocess.run(["node", str(pathlib.Path(__file__).with_name("read_parquet.mjs")), str(self.modules), *files],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit("FAILED: hyparquet: " + done.stderr[-2000:])
        return {pathlib.Path(file): found for file, found in json.loads(done.stdout).items()}

    def check(self, name, archive):
        tables = self.work / (name + ".parquet")
        subprocess.run([self.tracer, "export", "--format", "parquet", "-o", tables, archive], check=True, capture_output=True)
        report = json.loads(subprocess.run([self.tracer, "report", "--json", archive], check=True, capture_output=True).stdout)

        by_region, by_thread, events, tasks, locks, operations, by_file, wall = self.duckdb(
            tables,
            """SELECT r.region, count(*) AS n, sum(r.exclusive_ns) AS exclusive,
                      sum(CASE WHEN r.task > 0 THEN r.exclusive_ns + r.nested_ns ELSE r.end_ns - r.begin_ns END) AS total
               FROM regions r GROUP BY r.region""",
            """SELECT r.location, sum(r.waiting_ns) AS waiting FROM regions r GROUP BY r.location""",
            """SELECT event, count(*) AS n FROM events GROUP BY event""",
            """SELECT count(*) AS n, sum(active_ns) AS active FROM tasks WHERE complete = 1""",
            """SELECT process, lock, count(*) AS n, sum(wait_ns) AS wait, sum(held_ns) AS held, sum(contended) AS contended FROM locks JOIN locations USING (location) GROUP BY process, lock""",
            """SELECT kind, count(*) AS n, sum(end_ns - begin_ns) AS ns FROM device_operations GROUP BY kind""",
            """SELECT filename, count(*) AS n FROM read_parquet('%s/*/*.parquet', union_by_name = true, filename = true)
               GROUP BY filename""" % tables,
            """SELECT max(end_ns) AS last FROM regions""")
        of_files, unsorted = self.duckdb(
            tables, f"SELECT filename, count(DISTINCT location) AS threads FROM read_parquet('{tables}/*/regions-*.parquet', filename = true) GROUP BY filename",
            f"""SELECT count(*) AS n FROM (SELECT end_ns < lag(end_ns) OVER (PARTITION BY filename ORDER BY file_row_number) AS goes_back
                FROM read_parquet('{tables}/*/regions-*.parquet', filename = true, file_row_number = true)) WHERE goes_back""")
        processes = {pathlib.Path(row["filename"]).parent for row in of_files}
        need(int(unsorted[0]["n"]) == 0, f"{name}: rows of {len(of_files)} files are in order of their ends")
        if len(processes) == 1 and len(report["threads"]) + len(report["devices"]) <= 16:
            need(all(int(row["threads"]) == 1 for row in of_files), f"{name}: threads have files of their own")

        constructs = {row["region"]: row for row in report["constructs"]}
        found = {int(row["region"]): (int(row["n"]), int(row["exclusive"]), int(row["total"])) for row in by_region}
        need(found == {r: (c["count"], c["exclusive_ns"], c["total_ns"]) for r, c in constructs.items()},
             f"{name}: times and counts of {len(found)} regions are the report's")
        need(sum(n for n, _, _ in found.values()) == report["event_counts"].get("enter", 0), f"{name}: a row for each Enter")
        waiting = {int(row["location"]): int(row["waiting"]) for row in by_thread if int(row["waiting"])}
        said = {t["location"]: sum(t["time"][w] for w in ("barrier_ns", "task_wait_ns", "lock_wait_ns")) for t in report["threads"]}
        need(waiting == {location: ns for location, ns in said.items() if ns}, f"{name}: the waiting of each thread is the report's")
        counted = {row["event"]: int(row["n"]) for row in events}
        need(counted == {e: n for e, n in report["event_counts"].items() if e not in ("enter", "leave", "metric_uint")},
             f"{name}: the events that are no intervals: {sum(counted.values())}")
        need((int(tasks[0]["n"]), int(tasks[0]["active"] or 0)) == (report["tasks"]["completed"], report["tasks"]["total_ns"]), f"{name}: tasks")
        numbers = {row["process"]: number for number, row in enumerate(report["processes"])}
        need({(int(r["process"]), int(r["lock"])): (int(r["n"]), int(r["wait"]), int(r["held"]), int(r["contended"])) for r in locks}
             == {(numbers[r["process"]], r["lock"]): (r["acquisitions"], r["wait_ns"], r["held_ns"], r["contended"]) for r in report["locks"]}, f"{name}: locks")
        kinds = {row["kind"]: (int(row["n"]), int(row["ns"])) for row in operations}
        kernels = (sum(d["kernels"] for d in report["devices"]), sum(d["kernel_ns"] for d in report["devices"]))
        copies = tuple((sum(d[way]["count"] for d in report["devices"]), sum(d[way]["ns"] for d in report["devices"]))
                       for way in ("to_device", "from_device"))
        need((kinds.get("kernel", (0, 0)), kinds.get("to_device", (0, 0)), kinds.get("from_device", (0, 0))) == (kernels, *copies),
             f"{name}: device operations")
        if by_region:
            need(int(wall[0]["last"]) <= report["wall_ns"], f"{name}: time begins with the trace")

        if report["phases"]:
            self.check_phases(name, tables, report)
        if "samples" in report:
            self.check_samples(name, tables, report["samples"])

        # The queries that are offered.
        asked = self.duckdb(tables, *(self.queries / f"{q}.sql" for q in ("waiting", "barriers", "tasks", "messages")))
        need(sum(int(row["waiting_ns"]) for row in asked[0]) == sum(said.values()), f"{name}: waiting.sql answers what the report says")
        longest = [int(row["length_ns"]) for row in asked[1]]
        need(longest == sorted(longest, reverse=True) and len(longest) <= 10, f"{name}: barriers.sql")
        need(sorted((row["task"] or "", int(row["tasks"]), int(row["ran_ns"])) for row in asked[2])
             == sorted((row["name"], row["count"], row["total_ns"]) for row in report["tasks"]["regions"]), f"{name}: tasks.sql")

        # The second reader.
        sums = self.hyparquet(tables)
        own = {file: f["rows"] for file, f in sums.items() if file.parent != tables and f["rows"]}
        need(own == {pathlib.Path(row["filename"]): int(row["n"]) for row in by_file}, f"{name}: both readers find the same rows in {len(sums)} files")
        exclusive = sum(int(f["sums"]["exclusive_ns"]) for file, f in sums.items() if file.name.startswith("regions-") and f["rows"])
        need(exclusive == sum(e for _, e, _ in found.values()), f"{name}: and the same sums")

    def check_columns(self, write_columns, any_tables):
        """Each form in which numbers are stored, and columns that begin in one and go on in another."""
        directory, rows = self.work / "columns", 1_300_000
        directory.mkdir()
        subprocess.run([write_columns, directory / "columns.parquet", str(rows)], check=True)
        columns = {"few": "m * m % 101 - 50", "many": "m * m", "later_many": "CASE WHEN later THEN m ELSE m * m % 211 END",
                   "later_few": "CASE WHEN later THEN m * m % 211 ELSE m END", "alike": "7", "narrow": "m * m % 1009 - 500", "few_of_any": "m * m % 5 * 1000000000000",
                   "as_is": "CASE WHEN row % 2 = 0 THEN row // 64 * 1000000007 ELSE m * m END"}
        file = f"'{directory}/columns.parquet'"
        wrong, sums, pages = self.duckdb(
            any_tables, f"""SELECT count(*) FILTER ({" OR ".join(f"{name} <> {value}" for name, value in columns.items())}) AS n, count(*) AS rows
                        FROM (SELECT *, file_row_number AS row, file_row_number * 2654435761 % 1000003 AS m, file_row_number % 1048576 >= 200000 AS later
                              FROM read_parquet({file}, file_row_number = true))""",
            f"SELECT {', '.join(f'sum({name}) AS {name}' for name in columns)} FROM read_parquet({file})",
            f"SELECT path_in_schema AS name, string_agg(DISTINCT encodings, '; ') AS encodings FROM parquet_metadata({file}) GROUP BY name")
        need((int(wrong[0]["n"]), int(wrong[0]["rows"])) == (0, rows), f"{len(columns)} columns of numbers are what was written")
        stored = {row["name"]: row["encodings"] for row in pages}
        need(stored["few"] == stored["narrow"] == stored["few_of_any"] == "PLAIN, RLE_DICTIONARY" and stored["many"] == "DELTA_BINARY_PACKED" and "RLE_DICTIONARY, DELTA" in stored["later_many"]
             and stored["as_is"] == "PLAIN", f"stored as is right for them: {stored}")
        found = next(iter(self.hyparquet(directory).values()))["sums"]
        need({name: int(found[name]) for name in columns} == {name: int(sums[0][name]) for name in columns}, "both readers find the same sums in them")

    def check_random_columns(self, random_columns, any_tables, seeds=40):
        """Columns of every type whose values change their manner, in files of one row to a million: by values, places and statistics."""
        directory = self.work / "random"
        done = subprocess.run([random_columns, directory, str(seeds)], check=True, capture_output=True, text=True)
        wanted = [json.loads(line) for line in done.stdout.splitlines()]
        columns = [f"c{n}" for n in range(6)] + ["substr(c6, 2)"]
        terms = [f"CAST({column} AS BIGINT)" for column in columns]
        queries = [f"""SELECT count(*) AS rows, {", ".join(f"CAST(sum({t}) AS VARCHAR) AS s{n}, CAST(sum({t} % 1009 * (row % 9973)) AS VARCHAR) AS w{n}, min({t}) AS l{n}, max({t}) AS m{n}" for n, t in enumerate(terms))},
                              count(*) FILTER (c0 = {one["found"][0][2]}) AS of_least, (SELECT count(*) FROM read_parquet('{directory}/{one["seed"]}.parquet') WHERE c0 = {one["found"][0][2]}) AS by_statistics
                       FROM (SELECT *, file_row_number AS row FROM read_parquet('{directory}/{one["seed"]}.parquet', file_row_number = true))""" for one in wanted]
        for one, answer in zip(wanted, self.duckdb(any_tables, *queries)):
            row, = answer
            found = [[int(row[f"{what}{n}"]) for what in "swlm"] for n in range(len(terms))]
            if int(row["rows"]) != one["rows"] or found != one["found"] or int(row["of_least"]) != int(row["by_statistics"]):
                raise SystemExit(f"FAILED: random columns of seed {one['seed']}: {row}, not {one}")
        need(len(wanted) == seeds, f"random columns of {seeds} files, {sum(one['rows'] for one in wanted)} rows, are what was written")

    def check_samples(self, name, tables, report):
        functions, stacks, stopped = self.duckdb(
            tables, """SELECT function, file, max(line) AS line, count(*) FILTER (activity = 'work') AS self, count(*) FILTER (activity <> 'work') AS waiting
                       FROM samples GROUP BY function, file""",
            """SELECT location, count(*) AS n FROM samples WHERE stack LIKE '%;parallel @%;kernel' GROUP BY location""",
            """SELECT location, sum(CASE WHEN preempted = 1 THEN end_ns - begin_ns ELSE 0 END) AS preempted, sum(end_ns - begin_ns) AS stopped FROM pauses GROUP BY location""")
        counted, = self.duckdb(tables, "SELECT name AS counter, sum(value) AS n FROM sampled_values GROUP BY name")
        need({row["counter"]: int(row["n"]) for row in counted} == {row["name"]: row["total"] for row in report["counters"]},
             f"{name}: sums of {len(counted)} counters are the report's")
        said = {row["name"]: (row["self"], row["waiting"]) for row in report["functions"] if row["self"] + row["waiting"]}
        need({row["function"]: (int(row["self"]), int(row["waiting"])) for row in functions} == said, f"{name}: {len(said)} functions have the report's samples")
        need({int(row["location"]): int(row["n"]) for row in stacks} == {0: 10, 1: 10, 2: 8, 3: 28}, f"{name}: stacks are whole")
        need({int(row["location"]): (int(row["preempted"]), int(row["stopped"])) for row in stopped}
             == {row["location"]: (row["preempted_ns"], row["preempted_ns"] + row["slept_ns"]) for row in report["threads"] if row["pauses"]}, f"{name}: times in which threads did not run")

    def check_phases(self, name, tables, report):
        rows, values = self.duckdb(tables, """SELECT region, "count" AS n, total_ns, work_ns, waiting_ns, mpi_ns, device_ns, threads FROM phases""",
                                   """SELECT value, number FROM metrics ORDER BY number""")
        said = {p["region"]: (p["count"], p["total_ns"], p["time"]["work_ns"], sum(p["time"][w] for w in ("barrier_ns", "task_wait_ns", "lock_wait_ns")),
                              p["mpi_ns"], p["device_operations_ns"], p["balance"]["threads"]) for p in report["phases"]}
        need({int(r["region"]): tuple(int(r[c]) for c in ("n", "total_ns", "work_ns", "waiting_ns", "mpi_ns", "device_ns", "threads")) for r in rows} == said,
             f"{name}: the table of {len(said)} phases is the report's")
        need([(int(v["value"]), float(v["number"])) for v in values] == [(-2, -2.0), (3, 3.0)], f"{name}: values of a signed counter")


def main():
    tracer, make_trace, write_columns, random_columns, modules, queries = (pathlib.Path(a).resolve() for a in sys.argv[1:7])
    install(modules)
    with tempfile.TemporaryDirectory() as directory:
        work = pathlib.Path(directory)
        checker = Checker(tracer, modules, queries, work)
        events = os.environ.get("TRACER_TEST_EXPORT_EVENTS", "300000")
        for kind in ("imbalance", "chain", "lock", "overlap", "phases", "sampled", "large"):
            subprocess.run([make_trace, kind, work / kind] + ([events] if kind == "large" else []), check=True)
            checker.check(kind, work / kind)
        checker.check_columns(write_columns, work / "imbalance.parquet")
        checker.check_random_columns(random_columns, work / "imbalance.parquet")
        for program in map(pathlib.Path, sys.argv[8:]):
            trace = work / program.name
            subprocess.run([program], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "OMP_TOOL_LIBRARIES": sys.argv[7], "TRACER_OUTPUT": str(trace), "OMP_NUM_THREADS": "4"})
            checker.check(program.name, trace)
            if program.name == "known_lock":  # processes of a job number their locks each on its own
                trace = work / (program.name + "-job")
                subprocess.run([tracer, "run", "-o", trace, "--", "sh", "-c", '"$1" & "$1"; wait', "sh", program], check=True, capture_output=True,
                               env={**os.environ, "OMP_NUM_THREADS": "4"})
                checker.check(trace.name, trace)
        full = work / "imbalance.parquet"
        again = subprocess.run([tracer, "export", "--format", "parquet", "-o", full, work / "imbalance"], capture_output=True, text=True)
        need(again.returncode == 1 and "not empty" in again.stderr, "a directory that has something is left alone")
        need(not list(work.glob(".*")), "nothing unfinished is left beside")
    return 0


if __name__ == "__main__":
    sys.exit(main())

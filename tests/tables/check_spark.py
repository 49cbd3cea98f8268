#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_spark.py MODULES QUERIES: Spark's grammar (in dt-sql-parser, which npm installs into MODULES) accepts the SQL of the queries.
Skipped, saying why, without node or network. DuckDB runs the same SQL (check_parquet.py)."""
import json
import pathlib
import subprocess
import sys
import tempfile

from check_parquet import install, need

WRONG = {"a word of DuckDB's alone": "SELECT a FROM b QUALIFY row_number() OVER (ORDER BY a) = 1", "a sum of nothing": "SELECT 1 + FROM b",
         "a query that ends early": "WITH a AS (SELECT 1"}


def main():
    modules, queries = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    install(modules, ["dt-sql-parser"])
    files = sorted(queries.glob("*.sql"))
    with tempfile.TemporaryDirectory() as directory:
        wrong = [pathlib.Path(directory) / f"{n}.sql" for n in range(len(WRONG))]
        for file, text in zip(wrong, WRONG.values()):
            file.write_text(text)
        done = subprocess.run(["node", pathlib.Path(__file__).with_name("spark_syntax.mjs"), modules, *files, *wrong], capture_output=True, text=True)
    need(done.returncode == 0, "the parser runs" + ("" if done.returncode == 0 else ": " + done.stderr[-1000:]))
    faults = [json.loads(line) for line in done.stdout.splitlines()]
    for file, found in zip(files, faults):
        need(not found, f"{file.name} is Spark's SQL {found or ''}")
    need(len(files) >= 4, f"{len(files)} queries")
    for what, found in zip(WRONG, faults[len(files):]):
        need(found, f"{what} is refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())

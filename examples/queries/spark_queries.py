#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""spark-submit spark_queries.py TABLES [QUERY.sql ...]: the questions of this directory (or others), asked with Spark SQL of
the Parquet tables of a trace."""
import os
import pathlib
import sys

from pyspark.sql import SparkSession

OF_PROCESSES = ("regions", "events", "tasks", "dependences", "locks", "teams", "messages", "device_operations", "metrics", "samples", "pauses", "sampled_values")
DEFINITIONS = ("locations", "processes", "region_names", "metric_names", "phases", "properties")
HERE = pathlib.Path(__file__).resolve().parent

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    spark = SparkSession.builder.appName("tracer").getOrCreate()
    for name in OF_PROCESSES:
        spark.read.parquet(os.path.join(sys.argv[1], "*", name + "-*.parquet")).createOrReplaceTempView(name)
    for name in DEFINITIONS:
        spark.read.parquet(os.path.join(sys.argv[1], name + ".parquet")).createOrReplaceTempView(name)
    for query in sys.argv[2:] or [HERE / (q + ".sql") for q in ("waiting", "barriers", "tasks", "messages")]:
        print(f"\n{query}")
        spark.sql(pathlib.Path(query).read_text(encoding="utf-8")).show(50, truncate=False)

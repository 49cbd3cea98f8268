# SPDX-License-Identifier: BSD-3-Clause
"""Reads traces of Tracer: tables of a trace as data frames, and its report.

    import tracer
    trace = tracer.open("run1")
    trace.regions.groupby("region").exclusive_ns.sum()
    trace.report["verdict"]["summary"]

docs/python.md describes the package; docs/formats/parquet.md the tables and their columns."""
from tracer.errors import TracerError
from tracer.trace import Trace, open_trace
from tracer.version import __version__

open = open_trace

__all__ = ["Trace", "TracerError", "open", "__version__"]

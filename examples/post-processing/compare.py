#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares two traces of the same program: which constructs became faster or slower, and by how much.

Regions are matched by name; --ignore-lines matches them without line numbers, for a program that was edited."""
import re

from region_profile import profile
from tracelib import Trace, parser, pyplot


def compare(before, after, ignore_lines=False):
    tables = []
    for trace in (before, after):
        table = profile(trace).reset_index()
        if ignore_lines:
            table["region"] = [re.sub(r":\d+$", "", name) for name in table.region]
        tables.append(table.groupby("region")[["count", "total", "own"]].sum())
    result = tables[0].join(tables[1], how="outer", lsuffix="_before", rsuffix="_after").fillna(0.0)
    result["change"] = result.own_after - result.own_before
    result["ratio"] = result.own_after / result.own_before.where(result.own_before > 0)
    return result.reindex(result.change.abs().sort_values(ascending=False).index)


def main():
    arguments = parser(__doc__, plot="bars of the changes")
    arguments.add_argument("other", help="the trace to compare with")
    arguments.add_argument("--ignore-lines", action="store_true", help="match regions without their line numbers")
    arguments.add_argument("--top", type=int, default=20, help="rows to print; 0: all (default: %(default)s)")
    options = arguments.parse_args()
    before, after = Trace(options.archive), Trace(options.other)
    result = compare(before, after, options.ignore_lines)
    print(f"wall time {before.wall * 1e3:.3f} ms -> {after.wall * 1e3:.3f} ms ({100 * (after.wall / before.wall - 1):+.1f} %)" if before.wall else "the first trace has no duration")
    shown = result if options.top == 0 else result.head(options.top)
    seconds = {name: (lambda value: f"{value * 1e3:.3f} ms") for name in ("total_before", "total_after", "own_before", "own_after", "change")}
    counts = {name: (lambda value: f"{value:.0f}") for name in ("count_before", "count_after")}
    print(shown.to_string(formatters={**seconds, **counts, "ratio": lambda value: f"{value:.2f}"}))
    if options.plot:
        plt = pyplot()
        top = result.head(12)[::-1] * 1e3
        figure, axes = plt.subplots(figsize=(9, 0.4 * len(top) + 1.2))
        axes.barh(top.index, top.change, color=["#d9534f" if change > 0 else "#3f9e6b" for change in top.change])
        axes.set_xlabel("change of the time in the construct itself [ms]; red: slower")
        figure.tight_layout()
        figure.savefig(options.plot, dpi=110)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Load imbalance per region: how long each thread worked, without waiting at barriers and in taskwait.

imbalance: the share of the threads' time that even spreading would save, 1 - mean / slowest."""
from tracelib import WAITING, Trace, parser, pyplot


def work(trace, roles=("LOOP", "SECTIONS", "WORKSHARE", "PARALLEL")):
    """Seconds per region and thread."""
    slices = trace.slices[~trace.slices.role.isin(WAITING)]
    rows = slices[slices.role.isin([role for role in roles if role != "PARALLEL"])]
    table = rows.pivot_table(index="region", columns="location", values="active", aggfunc="sum", fill_value=0.0)
    return table.reindex(columns=[name for name in trace.locations[trace.locations.kind == "thread"].name if name in table.columns])


def imbalance(trace):
    table = work(trace)
    if table.empty:
        return table
    result = table.agg(["mean", "min", "max"], axis=1)
    result["max_over_min"] = result["max"] / result["min"].where(result["min"] > 0)
    result["imbalance"] = 1 - result["mean"] / result["max"].where(result["max"] > 0)
    result["slowest"] = table.idxmax(axis=1)
    return result.sort_values("max", ascending=False)


def main():
    arguments = parser(__doc__, plot="work of each thread in the longest regions")
    options = arguments.parse_args()
    trace = Trace(options.archive)
    result = imbalance(trace)
    if result.empty:
        print("no worksharing regions in this trace")
        return
    formats = {name: (lambda seconds: f"{seconds * 1e3:.3f} ms") for name in ("mean", "min", "max")}
    print(result.to_string(formatters={**formats, "imbalance": lambda share: f"{share * 100:.1f} %", "max_over_min": lambda ratio: f"{ratio:.2f}"}))
    if options.plot:
        pyplot()
        table = work(trace).loc[result.index[:6]] * 1e3
        axes = table.plot.bar(figsize=(10, 5), rot=12, width=0.8)
        axes.set_ylabel("work [ms]")
        axes.set_xlabel("")
        axes.figure.tight_layout()
        axes.figure.savefig(options.plot, dpi=110)


if __name__ == "__main__":
    main()

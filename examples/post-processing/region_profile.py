#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time per construct: how often, how long, in itself and with what is inside."""
from tracelib import Trace, parser, pyplot


def profile(trace):
    groups = trace.slices.assign(duration=trace.slices.end - trace.slices.begin).groupby("region")
    table = groups.agg(role=("role", "first"), count=("own", "size"), total=("duration", "sum"), own=("own", "sum"), mean=("duration", "mean"), longest=("duration", "max"))
    return table.sort_values("own", ascending=False)


def main():
    arguments = parser(__doc__, plot="bars of the time in the constructs themselves")
    arguments.add_argument("--top", type=int, default=20, help="rows to print; 0: all (default: %(default)s)")
    arguments.add_argument("--csv", metavar="FILE", help="write the whole table")
    options = arguments.parse_args()
    table = profile(Trace(options.archive))
    shown = table if options.top == 0 else table.head(options.top)
    print(shown.to_string(float_format=lambda seconds: f"{seconds * 1e3:.3f} ms"))
    if options.csv:
        table.to_csv(options.csv)
    if options.plot:
        plt = pyplot()
        figure, axes = plt.subplots(figsize=(9, 0.4 * min(len(table), 15) + 1.2))
        top = table.head(15)[::-1]
        axes.barh(top.index, top.own * 1e3, color="#4a90d9")
        axes.set_xlabel("time in the construct itself, summed over threads [ms]")
        figure.tight_layout()
        figure.savefig(options.plot, dpi=110)


if __name__ == "__main__":
    main()

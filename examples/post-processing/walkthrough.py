#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A walk through one trace, in cells (# %%) that Jupyter, Spyder and VS Code run one by one; or as a script:

    walkthrough.py TRACE [--directory DIR]

Each cell answers one question and leaves its table in a variable to go on with."""
# %% Read the trace
import pathlib

from tracelib import WAITING, Trace, parser, pyplot

arguments = parser(__doc__)
arguments.add_argument("--directory", default=".", help="where the pictures go (default: here)")
options = arguments.parse_args()
pictures = pathlib.Path(options.directory)
trace = Trace(options.archive)
plt = pyplot()
print(f"{trace.wall * 1e3:.3f} ms on {len(trace.locations)} locations, {len(trace.slices)} regions entered")

# %% Where does the time go?
from region_profile import profile

table = profile(trace)
print(table.head(8).to_string())

# %% How much of it is waiting?
by_role = trace.slices.groupby("role").own.sum()
waiting = by_role[by_role.index.isin(WAITING)].sum()
print(f"{waiting * 1e3:.3f} ms of {by_role.sum() * 1e3:.3f} ms in regions are waiting ({100 * waiting / max(by_role.sum(), 1e-12):.1f} %)")

# %% Who waits for whom?
waits = trace.slices[trace.slices.role.isin(WAITING)].pivot_table(index="region", columns="location", values="own", aggfunc="sum", fill_value=0.0)
print((waits * 1e3).round(3).to_string() if len(waits) else "nobody waits")

# %% Is the load even?
from imbalance import imbalance

uneven = imbalance(trace)
print(uneven.to_string() if len(uneven) else "no worksharing regions")

# %% How large are the tasks?
if len(trace.tasks):
    microseconds = trace.tasks.assign(active=trace.tasks.active * 1e6)
    print(microseconds.groupby("region").active.describe(percentiles=[0.5, 0.95]).round(2).to_string())
    axes = (trace.tasks.active * 1e6).plot.hist(bins=40, title="task durations [us]", color="#4a90d9")
    axes.figure.tight_layout()
    axes.figure.savefig(pictures / "tasks.png", dpi=110)
    plt.close(axes.figure)

# %% What does the device do meanwhile?
from devices import devices

for row in devices(trace):
    print(row)

# %% One picture of the run
figure, axes = plt.subplots(figsize=(11, 0.5 * len(trace.locations) + 1.2))
for y, name in enumerate(trace.locations.name):
    rows = trace.slices[trace.slices.location == name].sort_values("begin")
    colours = ["#d9534f" if role in WAITING else "#4a90d9" if role == "PARALLEL" else "#3f9e6b" for role in rows.role]
    axes.broken_barh([(b * 1e3, (e - b) * 1e3) for b, e in zip(rows.begin, rows.end)], (y - 0.4, 0.8), facecolors=colours)
axes.set_yticks(range(len(trace.locations)), trace.locations.name)
axes.invert_yaxis()
axes.set_xlabel("time [ms]   (blue: parallel, green: inside, red: waiting)")
figure.tight_layout()
figure.savefig(pictures / "timeline.png", dpi=110)

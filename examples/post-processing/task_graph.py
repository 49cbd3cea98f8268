#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The task graph for Graphviz: tasks with their durations, dependences, and who created whom.

    task_graph.py TRACE -o tasks.dot && dot -Tsvg tasks.dot -o tasks.svg

The longest chain through the dependences is drawn in red."""
import sys

from tracelib import Trace, parser


def longest_chain(tasks, depends):
    """Ids on the longest path by time through the dependences, and its length in seconds."""
    before = depends.groupby("sink").source.apply(list).to_dict() if len(depends) else {}
    length, origin = {}, {}
    for task in tasks.sort_values("created", kind="stable").sort_values("begin", kind="stable").itertuples():
        sources = [s for s in before.get(task.id, []) if s in length]
        best = max(sources, key=length.get, default=None)
        length[task.id] = task.active + (length[best] if best is not None else 0)
        origin[task.id] = best
    if not length:
        return [], 0.0
    at = last = max(length, key=length.get)
    chain = []
    while at is not None:
        chain.append(at)
        at = origin[at]
    return chain[::-1], length[last]


def quoted(text):
    """As it stands between quotes in DOT."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def dot(trace, limit, creation):
    tasks = trace.tasks.sort_values("begin").head(limit)
    known = set(tasks.id)
    chain, _ = longest_chain(tasks, trace.depends)
    critical, steps = set(chain), set(zip(chain, chain[1:]))
    lines = ["digraph tasks {", '  rankdir=LR; node [shape=box, style="filled,rounded", fillcolor="#e8eef7", fontname="sans-serif", fontsize=10];']
    for task in tasks.itertuples():
        place = quoted(task.region.removeprefix("!$omp task "))
        colour = ', color="#d6336c", penwidth=2' if task.id in critical and len(chain) > 1 else ""
        lines.append(f'  t{task.id} [label="{place}\\n{task.active * 1e6:.1f} us"{colour}];')
    for edge in trace.depends.drop_duplicates().itertuples():
        if edge.source in known and edge.sink in known:
            lines.append(f"  t{edge.source} -> t{edge.sink}" + (' [color="#d6336c", penwidth=2];' if (edge.source, edge.sink) in steps else ";"))
    if creation:
        for task in tasks.itertuples():
            if task.parent in known:
                lines.append(f"  t{task.parent} -> t{task.id} [style=dotted, color=gray];")
    return "\n".join(lines + ["}", ""])


def main():
    arguments = parser(__doc__)
    arguments.add_argument("-o", "--output", metavar="FILE", help="write the graph there instead of standard output")
    arguments.add_argument("--limit", type=int, default=500, help="tasks to draw (default: %(default)s)")
    arguments.add_argument("--no-creation", action="store_true", help="leave out who created whom")
    options = arguments.parse_args()
    trace = Trace(options.archive)
    text = dot(trace, options.limit, not options.no_creation)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")
    chain, seconds = longest_chain(trace.tasks, trace.depends)
    print(f"{len(trace.tasks)} tasks, {len(trace.depends)} dependences; longest chain {len(chain)} tasks, {seconds * 1e3:.3f} ms", file=sys.stderr)


if __name__ == "__main__":
    main()

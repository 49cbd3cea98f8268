# SPDX-License-Identifier: BSD-3-Clause
"""Results as text: medians with spread, added cost per event, and two results compared."""


def number(value):
    if value is None:
        return "-"
    if value != 0 and abs(value) < 0.1:
        return f"{value:.4f}"
    return f"{value:.1f}" if abs(value) < 1000 else f"{value:,.0f}"


def lay_out(rows):
    if not rows:
        return ""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:]))]) for row in rows]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def with_spread(results, benchmark, tool):
    spread = results.spread(benchmark, tool)
    return number(results.median(benchmark, tool)) + ("" if spread is None else f" ±{spread:.0f}%")


def table(results, prefix, title):
    """Median and spread per tool; what each tool adds to `none`, per callback, where callbacks were counted."""
    benchmarks, tools = results.named(prefix), results.tools()
    if not benchmarks:
        return ""
    counted = any(b in results.counts for b in benchmarks)
    head = [title, "unit", *tools]
    if counted:
        head += ["callbacks", *(f"{t}/callback" for t in tools if t != "none")]
    rows = [head]
    for benchmark in benchmarks:
        row = [benchmark[len(prefix):], results.units[benchmark], *(with_spread(results, benchmark, t) for t in tools)]
        if counted:
            row.append(number(results.counts.get(benchmark)))
            row += [number(per_callback(results, benchmark, t)) for t in tools if t != "none"]
        rows.append(row)
    return lay_out(rows)


def per_callback(results, benchmark, tool):
    added, callbacks = results.paired(benchmark, tool, "none"), results.counts.get(benchmark)
    return added / callbacks if added is not None and callbacks else None


def report(results):
    machine = results.machine
    parts = [f"{machine.get('processor')}, {machine.get('cores')} cores, {machine.get('memory_gib')} GiB, {machine.get('system')}\n"
             f"OpenMP: {machine.get('openmp')}\n"
             f"Others used {results.noise.get('others_percent')} % of the machine meanwhile, "
             f"the hypervisor took {results.noise.get('stolen_percent')} %\n"]
    seen = []
    for benchmark in results.samples:
        group, threads = benchmark.split("/")[:2]
        prefix = f"{group}/" if group == "threads" else f"{group}/{threads}/"
        if prefix not in seen:
            seen.append(prefix)
            title = group if group == "threads" else f"{group}, {threads} thread" + ("s" if threads != "1" else "")
            parts.append(table(results, prefix, title))
    return "\n".join(parts)


def compare(old, new, threshold=5.0):
    """What changed by more than the spread of both and the threshold in percent."""
    rows = [["benchmark", "tool", "before", "after", "change", ""]]
    for benchmark in new.samples:
        for tool in new.samples[benchmark]:
            before, after = old.median(benchmark, tool), new.median(benchmark, tool)
            if before is None or not before:
                continue
            change = 100 * (after - before) / before
            noise = (old.spread(benchmark, tool) or 0) + (new.spread(benchmark, tool) or 0)
            verdict = "" if abs(change) < max(threshold, noise) else ("slower" if change > 0 else "faster")
            rows.append([benchmark, tool, with_spread(old, benchmark, tool), with_spread(new, benchmark, tool),
                         f"{change:+.1f}%", verdict])
    return lay_out(rows)

# SPDX-License-Identifier: BSD-3-Clause
"""The goals of the project's performance, each with the measured figure beside it."""

# What the cheapest peer adds to a construct, ns on one thread (Score-P 8.4, see docs/performance.md).
PEER = {"barrier": 84, "task": 51, "critical": 224, "parallel": 480}
TABLE = ("barrier", "parallel", "critical", "lock", "task", "single_nowait", "for_static_nowait", "masked")


class Line:
    """`why`: what was measured of the parts, shown where the goal is not met."""

    def __init__(self, what, goal, measured, met, why=""):
        self.what, self.goal, self.measured, self.met, self.why = what, goal, measured, met, why

    def row(self):
        verdict = {True: "met", False: "NOT MET", None: "not measured"}[self.met]
        return [self.what, self.goal, self.measured, verdict + (f": {self.why}" if self.met is False and self.why else "")]


def parts_of(r, benchmark, events):
    """Where a program's tracing went, by the tool's own closing line, in ns per event."""
    shares = []
    for part, words in (("drain", "drainer"), ("waited", "waiting for it"), ("conversion", "conversion")):
        spent = r.median(f"{benchmark}/tool-{part}", "tracer")
        if spent is not None and events:
            shares.append(f"{words} {spent * 1e6 / events:.1f}")
    return ", ".join(shares) + " ns per event" if shares else ""


def constructs(r):
    for name in TABLE:
        benchmark = f"construct/1/{name}"
        floor, ours = r.paired(benchmark, "floor", "none"), r.paired(benchmark, "tracer", "none")
        what = f"{name}, 1 thread, added"
        if floor is None or ours is None:
            yield Line(what, "1.25 x floor", "-", None)
            continue
        limit = max(1.25 * floor, 0)
        yield Line(what, f"<= {limit:.1f} ns (1.25 x floor)", f"{ours:.1f} ns ({ours / floor:.2f} x)" if floor > 0 else f"{ours:.1f} ns",
                   ours <= limit)
        if name in PEER:
            yield Line(f"{name}, half of the peer's", f"<= {PEER[name] / 2:.0f} ns", f"{ours:.1f} ns", ours <= PEER[name] / 2)


def suite(r):
    ratios = []
    for benchmark in r.named("suite/"):
        delay = f"{benchmark.rsplit('/', 1)[0]}/delay"
        floor, ours = r.median(benchmark, "floor"), r.median(benchmark, "tracer")
        if benchmark != delay and floor and ours:
            ratios.append((ours / floor, benchmark))
    if not ratios:
        yield Line("sync and task suite", "within 10 % of floor", "-", None)
        return
    inside = sum(1 for ratio, _ in ratios if ratio <= 1.10)
    worst, name = max(ratios)
    beyond = ", ".join(f"{b[6:]} {100 * (ratio - 1):+.0f} %" for ratio, b in sorted(ratios, reverse=True) if ratio > 1.10)
    yield Line("sync and task suite", "each within 10 % of floor",
               f"{inside} of {len(ratios)}; worst {100 * (worst - 1):+.0f} % ({name[6:]})", inside == len(ratios), beyond)


def programs(r):
    for benchmark in sorted({b.rsplit("/", 1)[0] for b in r.named("program/")}):
        none, floor, ours = (r.median(benchmark + "/kernel", t) for t in ("none", "floor", "tracer"))
        if not none or not floor or not ours:
            continue
        slow, limit = ours / none, floor / none + 0.03
        callbacks = r.counts.get(benchmark)
        why = parts_of(r, benchmark, callbacks)
        if callbacks:
            each = lambda time: f"{(time - none) * 1e6 / callbacks:.1f}"
            why = f"{each(ours)} ns per callback where the floor needs {each(floor)}; {why}"
        yield Line(f"{benchmark[8:]}, slow-down", f"<= {limit:.2f} (floor + 3 %)", f"{slow:.2f}", slow <= limit, why)


def volume(r):
    for benchmark in sorted({b.rsplit("/", 1)[0] for b in r.named("volume/")}):
        get = lambda what, tool: r.median(f"{benchmark}/{what}", tool)
        events = get("events", "tracer") or r.counts.get(benchmark)
        wall, none = get("wall", "tracer"), get("wall", "none")
        if not wall or not none or not events:
            continue
        million, name = events / 1e6, benchmark[7:]
        limit, parts = 2200 * million / 50, parts_of(r, benchmark, events)
        parts = f"the program {get('kernel', 'tracer') * 1e6 / events:.1f}, {parts}"
        yield Line(f"{name} events, start to closed archive", f"< {limit:.0f} ms (2.2 s per 50 M)", f"{wall:.0f} ms", wall < limit,
                   parts)
        memory = get("peak", "tracer") - get("peak", "none")
        yield Line(f"{name} events, memory added", "<= 64 MiB", f"{memory:.1f} MiB", memory <= 64)
        stall, base = get("stall", "tracer"), get("stall", "none")
        yield Line(f"{name} events, worst stall", "<= 1 ms (beyond no tool's)", f"{stall:.2f} ms ({base:.2f} without)",
                   stall <= 1 + base)
        cpu = (get("processor", "tracer") - get("processor", "none")) * 1e6 / events
        yield Line(f"{name} events, CPU of all stages", "< 25 ns per event", f"{cpu:.1f} ns", cpu < 25, parts)
        size = get("disk", "tracer") * 2**20 / events
        yield Line(f"{name} events, archive", "<= 12 bytes per event", f"{size:.1f}", size <= 12)
        convert = (wall - get("kernel", "tracer")) / 1e3
        yield Line(f"{name} events, after the kernel's end", "30 M events/s per core",
                   f"{million / convert:.0f} M/s" if convert > 0 else "-", convert > 0 and million / convert >= 30, parts)


def start(r):
    whole, recorded = r.paired("start/1/empty", "tracer", "none"), r.paired("start/1/record-only", "tracer", "none")
    yield Line("start-up, without conversion", "< 3 ms added", "-" if recorded is None else f"{recorded:.2f} ms",
               None if recorded is None else recorded < 3)
    yield Line("empty program, to its end", "< 15 ms added", "-" if whole is None else f"{whole:.2f} ms",
               None if whole is None else whole < 15)


def threads(r):
    numbers = sorted(int(b.split("/")[1]) for b in r.named("threads/") if b.endswith("/lock"))
    if len(numbers) < 2 or r.median(f"threads/{numbers[0]}/lock", "tracer") is None:
        yield Line("cost over threads", "flat from 1 to 512", "-", None)
        return
    added = {n: r.paired(f"threads/{n}/lock", "tracer", "none") for n in numbers}
    low, high = added[numbers[0]], max(added.values())
    each = "added " + ", ".join(f"{n}: {added[n]:.0f}" for n in numbers)
    yield Line(f"lock, {numbers[0]} to {numbers[-1]} threads", "flat (within 25 %)", f"{low:.0f} to {high:.0f} ns of CPU",
               high <= 1.25 * low, each)
    last = numbers[-1]
    memory = {n: r.paired(f"threads/{n}/idle", "tracer", "none") for n in (numbers[0], last)}
    each = (memory[last] - memory[numbers[0]]) / (last - numbers[0])
    yield Line("memory per idle thread", "< 100 KiB", f"{each:.0f} KiB", each < 100)


def lines(r):
    for group in (constructs, suite, programs, volume, start, threads):
        yield from group(r)

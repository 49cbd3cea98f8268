# SPDX-License-Identifier: BSD-3-Clause
"""The goals of the project's performance, each with the measured figure beside it and, where it is not met, what was
measured of the reasons in the same run."""
import textwrap

from driver import tables

# What the cheapest peer adds to a construct, ns on one thread (Score-P 8.4, see docs/performance.md).
PEER = {"barrier": 84, "task": 51, "critical": 224, "parallel": 480}
TABLE = ("barrier", "parallel", "critical", "lock", "task", "single_nowait", "for_static_nowait", "masked")


class Line:
    """`why`: sentences about what was measured of the parts, shown where the goal is not met."""

    def __init__(self, what, goal, measured, met, why=()):
        self.what, self.goal, self.measured, self.met = what, goal, measured, met
        self.why = [why] if isinstance(why, str) else list(why)

    def row(self):
        return [self.what, self.goal, self.measured, {True: "met", False: "NOT MET", None: "not measured"}[self.met]]

    def reasons(self):
        if self.met is not False:
            return []
        return [r for r in self.why if r] or ["no reason was measured"]


def each(r, benchmark, tool):
    """ns that a tool adds per callback, as text."""
    return tables.number(tables.per_callback(r, benchmark, tool))


def constructs(r):
    for name in TABLE:
        benchmark = f"construct/1/{name}"
        floor, ours = r.paired(benchmark, "floor", "none"), r.paired(benchmark, "tracer", "none")
        what = f"{name}, 1 thread, added"
        if floor is None or ours is None:
            yield Line(what, "1.25 x floor", "-", None)
            continue
        limit = max(1.25 * floor, 0)
        why = f"per callback the floor tool adds {each(r, benchmark, 'floor')} ns, the tracer {each(r, benchmark, 'tracer')}"
        if r.median(benchmark, "parked") is not None:
            why += f", and {each(r, benchmark, 'parked')} while nobody empties the ring: the rest is the drainer's"
        yield Line(what, f"<= {limit:.1f} ns (1.25 x floor)", f"{ours:.1f} ns ({ours / floor:.2f} x)" if floor > 0 else f"{ours:.1f} ns",
                   ours <= limit, why)
        if name in PEER:
            half = PEER[name] / 2
            yield Line(f"{name}, half of the peer's", f"<= {half:.0f} ns", f"{ours:.1f} ns", ours <= half,
                       f"the floor tool itself adds {floor:.1f} ns; the tracer adds {ours - floor:+.1f} ns to that")


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
    why = [reason_of_row(r, benchmark, ratio) for ratio, benchmark in sorted(ratios, reverse=True) if ratio > 1.10]
    yield Line("sync and task suite", "each within 10 % of floor",
               f"{inside} of {len(ratios)}; worst {100 * (worst - 1):+.0f} % ({name[6:]})", inside == len(ratios), why)


def reason_of_row(r, benchmark, ratio):
    floor, parked = r.median(benchmark, "floor"), r.median(benchmark, "parked")
    ours = r.median(benchmark, "tracer")
    text = f"{benchmark[6:]} {100 * (ratio - 1):+.0f} % ({ours - floor:+.0f} ns)"
    if r.counts.get(benchmark):
        text += f": per callback the floor adds {each(r, benchmark, 'floor')} ns, the tracer {each(r, benchmark, 'tracer')}"
    if parked is None:
        return text
    if parked >= ours:
        return f"{text}; while nobody empties the rings {each(r, benchmark, 'parked')}: not the drainer's, in this run"
    threads, cores = int(benchmark.split("/")[1]), r.machine.get("cores") or 0
    whose = "the drainer's, which has no processor of its own" if threads >= cores else "the drainer's"
    return (f"{text}; while nobody empties the rings {each(r, benchmark, 'parked')}, {100 * (parked / floor - 1):+.0f} % of the floor: "
            f"{ours - parked:.0f} ns are {whose}")


def in_ns(r, benchmark, number, *parts):
    """Parts of what the tool took, by its own counters, in ns per `number`."""
    said = []
    for part, words in parts:
        spent = r.median(f"{benchmark}/tool-{part}", "tracer")
        if spent is not None and number:
            said.append(f"{words} {spent * 1e6 / number:.1f}")
    return ", ".join(said)


def programs(r):
    for benchmark in sorted({b.rsplit("/", 1)[0] for b in r.named("program/")}):
        none, floor, ours, parked = (r.median(benchmark + "/kernel", t) for t in ("none", "floor", "tracer", "parked"))
        if not none or not floor or not ours:
            continue
        slow, limit, callbacks = ours / none, floor / none + 0.03, r.counts.get(benchmark)
        why = ""
        if callbacks:
            per = lambda time: f"{(time - none) * 1e6 / callbacks:.1f}"
            why = f"per callback the floor adds {per(floor)} ns, the tracer {per(ours)}"
            if parked:
                why += f", and {per(parked)} while nobody empties the rings (handlers and first uses of memory)"
            spent = in_ns(r, benchmark, callbacks, ("memory", "memory for rings"), ("drain", "the drainer"), ("waited", "waiting for it"))
            why += f"; processor time: {spent} ns" if spent else ""
            why += shared(r, benchmark)
        yield Line(f"{benchmark[8:]}, slow-down", f"<= {limit:.2f} (floor + 3 %)", f"{slow:.2f}", slow <= limit, why)


def shared(r, benchmark):
    threads, cores = int(benchmark.split("/")[1]), r.machine.get("cores")
    return f"; {threads} threads and the drainer share {cores} processors" if cores and threads >= cores else ""


def parts_of_volume(r, benchmark, events):
    """Where the processor time of recording and translating went: the parts, and what they leave of the whole."""
    get = lambda what, tool: r.median(f"{benchmark}/{what}", tool)
    added = get("kernel", "tracer") - get("kernel", "none")
    floor = get("kernel", "floor")
    whole = get("processor", "tracer") - get("processor", "none")
    text = f"ns per event: the program's thread {added * 1e6 / events:.1f}"
    if floor is not None:
        text += f" (the floor tool {(floor - get('kernel', 'none')) * 1e6 / events:.1f})"
    drain, convert = get("tool-drain", "tracer"), get("tool-convert_cpu", "tracer")
    if drain is None or convert is None:
        return text
    scan, kernel = get("tool-scan_cpu", "tracer") or 0, get("tool-convert_kernel", "tracer") or 0
    rest = whole - added - drain - convert
    each = lambda ms: f"{ms * 1e6 / events:.1f}"
    return (f"{text}, the drainer {each(drain)}, the conversion {each(convert)} (first pass {each(scan)}, second {each(convert - scan)}; "
            f"the system's part of both, reading and writing files, {each(kernel)}), start, end and memory {each(rest)}: {each(whole)} in all")


def volume(r):
    for benchmark in sorted({b.rsplit("/", 1)[0] for b in r.named("volume/")}):
        get = lambda what, tool: r.median(f"{benchmark}/{what}", tool)
        events = get("events", "tracer") or r.counts.get(benchmark)
        wall, none = get("wall", "tracer"), get("wall", "none")
        if not wall or not none or not events:
            continue
        million, name = events / 1e6, benchmark[7:]
        limit, parts = 2200 * million / 50, parts_of_volume(r, benchmark, events)
        on_clock = in_ns(r, benchmark, events, ("drain", "the drainer"), ("waited", "waiting for it"), ("conversion", "on the clock the conversion"))
        yield Line(f"{name} events, start to closed archive", f"< {limit:.0f} ms (2.2 s per 50 M)", f"{wall:.0f} ms", wall < limit,
                   [parts, f"{on_clock} ns per event"])
        memory = get("peak", "tracer") - get("peak", "none")
        yield Line(f"{name} events, memory added", "<= 64 MiB", f"{memory:.1f} MiB", memory <= 64,
                   f"the floor tool's ring and library: {get('peak', 'floor') - get('peak', 'none'):.1f} MiB" if get("peak", "floor") else "")
        stall, base = get("stall", "tracer"), get("stall", "none")
        yield Line(f"{name} events, worst stall", "<= 1 ms (beyond no tool's)", f"{stall:.2f} ms ({base:.2f} without)",
                   stall <= 1 + base, stalls(r, benchmark))
        cpu = (get("processor", "tracer") - get("processor", "none")) * 1e6 / events
        yield Line(f"{name} events, CPU of all stages", "< 25 ns per event", f"{cpu:.1f} ns", cpu < 25, parts)
        size = get("disk", "tracer") * 2**20 / events
        yield Line(f"{name} events, archive", "<= 12 bytes per event", f"{size:.1f}", size <= 12,
                   "OTF2 has 9 bytes for a new time and 2 for an Enter or Leave; attributes come on top")
        convert = (wall - get("kernel", "tracer")) / 1e3
        yield Line(f"{name} events, after the kernel's end", "30 M events/s per core",
                   f"{million / convert:.0f} M/s" if convert > 0 else "-", convert > 0 and million / convert >= 30, parts)


def stalls(r, benchmark):
    get = lambda what, tool: r.median(f"{benchmark}/{what}", tool)
    said = [f"{words} {get(what, tool):.2f} ms" for what, tool, words in (
        ("stall", "floor", "the floor tool's worst"), ("stall", "parked", "with nobody emptying the rings"),
        ("tool-waited", "tracer", "waiting for the drainer in all"), ("tool-memory", "tracer", "memory for the ring in all"))
        if get(what, tool) is not None]
    return ", ".join(said)


def start(r):
    whole, recorded = r.paired("start/1/empty", "tracer", "none"), r.paired("start/1/record-only", "tracer", "none")
    said = []
    for tool in ("null", "floor"):
        added = r.paired("start/1/record-only", tool, "none")
        if added is not None:
            said.append(f"the {tool} tool adds {added:.2f} ms")
    for part, words in (("start", "the tracer's start takes"), ("conversion", "the conversion")):
        spent = r.median(f"start/1/tool-{part}", "tracer")
        if spent is not None:
            said.append(f"{words} {spent:.2f} ms")
    why = ", ".join(said)
    if recorded is not None and r.median("start/1/tool-start", "tracer") is not None:
        why += f"; loading its library and ending take the other {recorded - r.median('start/1/tool-start', 'tracer'):.2f} ms"
    yield Line("start-up, without conversion", "< 3 ms added", "-" if recorded is None else f"{recorded:.2f} ms",
               None if recorded is None else recorded < 3, why)
    yield Line("empty program, to its end", "< 15 ms added", "-" if whole is None else f"{whole:.2f} ms",
               None if whole is None else whole < 15, why)


def threads(r):
    numbers = sorted(int(b.split("/")[1]) for b in r.named("threads/") if b.endswith("/lock"))
    if len(numbers) < 2 or r.median(f"threads/{numbers[0]}/lock", "tracer") is None:
        yield Line("cost over threads", "flat from 1 to 512", "-", None)
        return
    added = {n: r.paired(f"threads/{n}/lock", "tracer", "none") for n in numbers}
    low, high = added[numbers[0]], max(added.values())
    why = ["ns of the threads' processor time per lock and unlock (three callbacks): " + "; ".join(
        share_of_threads(r, n, added[n]) for n in numbers if added[n] > 1.25 * low)]
    yield Line(f"lock, {numbers[0]} to {numbers[-1]} threads", "flat (within 25 %)", f"{low:.0f} to {high:.0f} ns of CPU",
               high <= 1.25 * low, why)
    last = numbers[-1]
    memory = {n: r.paired(f"threads/{n}/idle", "tracer", "none") for n in (numbers[0], last)}
    each = (memory[last] - memory[numbers[0]]) / (last - numbers[0])
    yield Line("memory per idle thread", "< 100 KiB", f"{each:.0f} KiB", each < 100,
               f"{numbers[0]} threads add {memory[numbers[0]]:.0f} KiB, {last} add {memory[last]:.0f}")


def share_of_threads(r, n, added):
    """Of what the tracer adds with n threads: the memory that their rings took, a part of it before the first lock."""
    text, benchmark = f"{n} threads {added:.0f}", f"threads/{n}"
    memory, drain = r.median(f"{benchmark}/memory", "tracer"), r.median(f"{benchmark}/drain", "tracer")
    if memory is None or drain is None:
        return text
    floor = r.paired(f"{benchmark}/lock", "floor", "none")
    return f"{text} (floor {floor:.0f}; {memory:.0f} for memory of rings, thread starts included; beside the threads the drainer {drain:.0f})"


def lines(r):
    for group in (constructs, suite, programs, volume, start, threads):
        yield from group(r)


def report(r, width=118):
    """The table of goals; under each that is not met, what was measured of the reasons."""
    found = list(lines(r))
    laid = tables.lay_out([["goal", "wanted", "measured", ""], *(line.row() for line in found)]).splitlines()
    text = laid[:1]
    for row, line in zip(laid[1:], found):
        text.append(row)
        for reason in line.reasons():
            text += textwrap.wrap(reason, width, initial_indent="    ", subsequent_indent="      ")
    return "\n".join(text) + "\n"

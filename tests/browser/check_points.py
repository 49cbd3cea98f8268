#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_points.py TRACER MAKE_TRACE: what one does with the page, point by point, in a headless browser: reading the timeline,
measuring, arranging threads, the critical path, two traces beside each other, many threads, all of it by keyboard.
Exit status 77: there is no Chromium here."""
import subprocess
import sys

from browser import run_checks
from colour_vision import LOSS, closest
from pages import check_clean, make, make_archive, need

ACTIVITIES = ["work", "barrier", "task_wait", "lock_wait", "runtime", "device", "mpi", "idle"]
WAIT = "new Promise(done => setTimeout(done, 400))"
SPAN = "tracerReport.view.t1 - tracerReport.view.t0"
FRAME = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
# The colour that the timeline has at a time, on a lane, so many pixels below the lane's top.
PIXEL = """(time, lane, below) => { const c = document.getElementById('timeline'), v = tracerReport.view, w = c.clientWidth;
    const x = 190 + (time - v.t0) * (w - 190) / (v.t1 - v.t0), y = lane.y + below - document.getElementById('scroller').scrollTop, k = c.width / w;
    return '#' + [...c.getContext('2d').getImageData(Math.round(x * k), Math.round(y * k), 1, 1).data].slice(0, 3).map(n => n.toString(16).padStart(2, '0')).join(''); }"""


def pixel(browser, time, lane, below):
    browser.evaluate(FRAME)
    return browser.evaluate(f"({PIXEL})({time}, tracerReport.lanes[{lane}], {below})")


def text(browser, element):
    return browser.evaluate(f"document.getElementById('{element}').textContent")


def focus_timeline(browser):
    browser.evaluate("document.getElementById('timeline').focus()")


def table(browser, title_of_first_column):
    """The rows of the table that begins with such a column, as lists of texts."""
    return browser.evaluate("""(() => { const t = [...document.querySelectorAll('#panel table')].find(t => t.querySelector('th').textContent === %r);
        return t ? [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent)) : []; })()""" % title_of_first_column)


# ---- Reading the timeline.
def check_axis_and_order(browser):
    labels = browser.evaluate("[0, 1, 2].map(i => tracerReport.axisTime(13.2e9 + i * 2e3, 2e3))")
    need(len(set(labels)) == 3, f"the axis tells marks apart however far one zooms {labels}")
    names = browser.evaluate("""(() => { const old = tracerReport.lanes.map(l => l.name);
        ['OMP thread 29', 'Master thread', 'OMP thread 3', 'OMP thread 16'].forEach((n, i) => { tracerReport.lanes[i].name = n; });
        tracerReport.layout(); const sorted = tracerReport.order().map(l => l.name);
        old.forEach((n, i) => { tracerReport.lanes[i].name = n; }); tracerReport.layout(); return sorted; })()""")
    need(names == ["Master thread", "OMP thread 3", "OMP thread 16", "OMP thread 29"], f"threads come by their number {names}")


def check_colours(browser):
    for theme in ("light", "dark"):
        browser.evaluate(f"tracerReport.setTheme({'true' if theme == 'dark' else 'false'})")
        colours = {name: browser.evaluate(f"tracerReport.activityColour('{name}')") for name in ACTIVITIES}
        for loss in LOSS:
            distance, one, other = closest(colours, loss)
            need(distance > 15, f"{theme}: with {loss}, {one} and {other} are most alike, {distance:.0f} apart")
        browser.evaluate("tracerReport.setView(0, 40e6)")
        drawn = pixel(browser, 20e6, 0, 22)  # the master waits at the barrier from 15 to 35 ms, in the second row
        need(drawn == colours["barrier"], f"{theme}: a barrier has the legend's colour in the timeline {drawn} {colours['barrier']}")
        legend = browser.evaluate("(() => { tracerReport.showTab('Summary'); return [...document.querySelectorAll('.legend i')].map(i => i.style.background); })()")
        rgb = [f"rgb({int(c[1:3], 16)}, {int(c[3:5], 16)}, {int(c[5:7], 16)})" for c in colours.values()]
        need(legend == rgb, f"{theme}: the legend has them all")
    browser.evaluate("tracerReport.setTheme(false)")


def check_task_colours(browser):
    browser.evaluate("tracerReport.setView(0, 20e6)")
    drawn = pixel(browser, 1e6, 0, 36)
    others = [browser.evaluate(f"tracerReport.activityColour('{name}')") for name in ACTIVITIES[1:]]
    need(drawn not in others, f"a task has the colour of work, of no kind of waiting {drawn}")


def check_arrows(browser, many, too_many, tasks):
    browser.open(many)
    need("zoom in" in text(browser, "arrowsNote"), f"too many arrows to be drawn are said: {text(browser, 'arrowsNote')!r}")
    browser.evaluate("tracerReport.setView(tracerReport.meta.length - 1e7, tracerReport.meta.length)")
    browser.evaluate(FRAME)
    need(text(browser, "arrowsNote") == "", "and are there where one zooms in")
    browser.open(too_many)
    kept = browser.evaluate("tracerReport.meta.arrows.length")
    browser.evaluate("tracerReport.setView(tracerReport.meta.length - 1e7, tracerReport.meta.length)")
    browser.evaluate(FRAME)
    need(kept == 50000 and f"{2 * tasks - kept:,}" in text(browser, "arrowsNote"), f"of {2 * tasks} arrows {kept} are kept, and it is said: {text(browser, 'arrowsNote')!r}")


def check_wheel(browser):
    box = browser.evaluate("(() => { const b = document.getElementById('timeline').getBoundingClientRect(); return [b.left, b.top, b.width]; })()")
    x, y = box[0] + box[2] / 2, box[1] + 100
    before = browser.evaluate(SPAN)
    browser.mouse("mouseMoved", x, y)
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=240)
    browser.evaluate(WAIT)
    need(browser.evaluate("document.getElementById('scroller').scrollTop") > 0 and browser.evaluate(SPAN) == before, "the wheel scrolls through the threads")
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240, modifiers=2)
    need(browser.evaluate(SPAN) < before, "with Ctrl it zooms")
    browser.evaluate("document.getElementById('scroller').scrollTop = 0")
    focus_timeline(browser)
    browser.key("0")


def check_long_names(browser):
    """Names are not broken where there is room, and nothing is cut off where there is none."""
    browser.evaluate("tracerReport.showTab('Constructs')")
    lines = browser.evaluate("[...document.querySelectorAll('#panel tbody a')].map(a => a.getClientRects().length)")
    need(lines and set(lines) == {1}, f"names stand on one line {lines}")
    long = "a_template<" + "with::many::arguments, " * 12 + "and::no::end>"
    browser.evaluate(f"tracerReport.meta.names[tracerReport.lanes[0].rows[0].name[0]] = {long!r}")
    focus_timeline(browser)
    for width in (1400, 390):
        browser.call("Emulation.setDeviceMetricsOverride", {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False})
        browser.key("Escape")
        browser.key("ArrowRight", shift=True)
        fits = browser.evaluate("(() => { const d = document.getElementById('details'); return [d.scrollWidth <= d.clientWidth, d.scrollHeight <= d.clientHeight || getComputedStyle(d).overflowY === 'auto']; })()")
        need(long in text(browser, "details") and fits == [True, True], f"{width} pixels: the details of a long name are all there {fits}")
        wide = browser.evaluate("['Summary', 'Constructs', 'Parallel regions', 'In view', 'Trace'].map(t => { tracerReport.showTab(t); return document.documentElement.scrollWidth; })")
        need(max(wide) <= width, f"{width} pixels: nothing sticks out {wide}")
    browser.call("Emulation.setDeviceMetricsOverride", {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False})


def check_search_counts(browser, page):
    browser.open(page)
    found = browser.evaluate("tracerReport.search('example.c')")
    steps = browser.evaluate("tracerReport.mostMatches")
    browser.evaluate("tracerReport.step(1)")
    said = text(browser, "found")
    need(found > steps and said == f"1 of {found:,}, the first {steps:,} in steps", f"a search says how many there really are: {said!r}")


def check_thread_table(browser):
    browser.evaluate("tracerReport.showTab('Summary')")
    rows = table(browser, "thread")
    heads = browser.evaluate("[...document.querySelectorAll('#panel th')].map(h => h.textContent)")
    need({"work", "barrier", "taskwait", "locks", "runtime", "waiting for devices", "MPI", "idle"} <= set(heads), f"the threads' table has all that they do {heads}")
    shares = [sum(float(cell[:-2]) for cell in row[2:10]) for row in rows]
    need(shares == [100, 87.5, 87.5, 87.5], f"which is all of their time: the workers' ends with the region {shares}")


def check_counters(browser):
    """A counter's picture begins at 0, whatever its least value is: a constant one is as high as its row."""
    high = 34
    known = ((100, 100, 100, high), (100, 110, 100, high * 100 / 110), (0, 10, 5, high / 2), (-5, -5, -5, high), (-10, 10, 10, high / 2), (0, 0, 0, 0))
    counters = ", ".join(f"{{name: 'c', unit: '', min: {least}, max: {most}, time: [0], value: [{value}], y: 0}}" for least, most, value, _ in known)
    browser.evaluate(f"tracerReport.meta.counters.push({counters}); tracerReport.layout(); tracerReport.setView(0, 40e6); document.getElementById('scroller').scrollTop = 1e6")
    browser.evaluate(FRAME)
    drawn = browser.evaluate("""tracerReport.meta.counters.slice(-%d).map(counter => { const c = document.getElementById('timeline'), k = c.width / c.clientWidth, top = counter.y - document.getElementById('scroller').scrollTop;
        const part = c.getContext('2d').getImageData(Math.round(197 * k), Math.round((top - 3) * k), 1, Math.round(38 * k)).data, rows = [];
        for (let i = 0; i < part.length; i += 4) rows.push([part[i], part[i + 1], part[i + 2]].join());
        return rows.filter(one => one !== rows[0]).length / k; })""" % len(known))
    need(all(abs(rows - expected) <= 1.5 for rows, (_, _, _, expected) in zip(drawn, known)), f"counters are drawn from 0 on {drawn}")


# ---- Measuring.
def check_ruler(browser):
    browser.evaluate("tracerReport.setView(0, 40e6)")
    box = browser.evaluate("(() => { const b = document.getElementById('timeline').getBoundingClientRect(); return [b.left, b.top, b.width]; })()")

    def at(ms):
        return box[0] + 190 + ms / 40 * (box[2] - 190)

    browser.mouse("mousePressed", at(10), box[1] + 60, button="left", buttons=1, clickCount=1, modifiers=8)
    browser.mouse("mouseMoved", at(15), box[1] + 60, button="left", buttons=1, modifiers=8)
    browser.mouse("mouseMoved", at(20), box[1] + 60, button="left", buttons=1, modifiers=8)
    browser.mouse("mouseReleased", at(20), box[1] + 60, button="left", clickCount=1, modifiers=8)
    begin, end = browser.evaluate("tracerReport.range()")
    need(abs(begin - 10e6) < 0.1e6 and abs(end - 20e6) < 0.1e6, f"Shift and drag measure a range {begin} {end}")
    need(browser.evaluate(SPAN) == 40e6, "without moving what is shown")
    browser.evaluate("tracerReport.setRange(10e6, 20e6); tracerReport.showTab('In view')")
    rows = {row[0]: row[1:4] for row in table(browser, "region")}
    need(rows["!$omp for @example.c:11"] == ["25 ms", "62.5 %", "4"], f"what is in it, in numbers: the loop {rows}")
    need(rows["!$omp implicit barrier @example.c:10"][0] == "15 ms", "and the barrier")
    for by, name, share in (("construct", "for", "62.5 %"), ("function", "unknown", "100.0 %"), ("file", "/src/example.c", "100.0 %")):
        found = {row[0]: row[2] for row in table(browser, by)}
        need(found.get(name) == share, f"totals by {by} {found}")
    need("critical path is at work in it for 10 ms on 1 thread" in text(browser, "panel"), "and how much of it is on the critical path")
    focus_timeline(browser)
    browser.key("Escape")
    need(browser.evaluate("tracerReport.range()") is None, "Escape forgets it")
    browser.evaluate("tracerReport.zoomTo({row: tracerReport.lanes[3].rows[1], index: 0})")
    browser.key("m")
    need(browser.evaluate("tracerReport.range()") == [5e6, 35e6], "m measures the selected slice")
    browser.key("0")
    browser.key("z")
    need(browser.evaluate("[tracerReport.view.t0, tracerReport.view.t1]") == [5e6, 35e6], "z zooms to what is measured")
    browser.mouse("mouseMoved", at(20), box[1] + 60)
    cursor = browser.evaluate("(() => { const c = document.getElementById('cursor'); return [c.hidden, c.textContent]; })()")
    need(not cursor[0] and cursor[1].endswith(" ms"), f"the time under the mouse is said {cursor}")


def check_address(browser, page):
    browser.open(page)
    browser.evaluate("tracerReport.setView(5e6, 15e6); tracerReport.setRange(6e6, 8e6); tracerReport.sortLanes('waiting'); tracerReport.filterLanes('Master, thread 2')")
    browser.evaluate("tracerReport.showTab('In view'); tracerReport.search('barrier'); document.getElementById('search').value = 'barrier'; tracerReport.zoomTo({row: tracerReport.lanes[0].rows[1], index: 0}); tracerReport.setView(5e6, 15e6)")
    browser.evaluate(WAIT)
    address = browser.evaluate("location.href")
    browser.call("Page.navigate", {"url": "about:blank"})
    browser.call("Page.navigate", {"url": address})
    browser.wait_ready(page)
    state = browser.evaluate("""[tracerReport.view.t0, tracerReport.view.t1, tracerReport.range(), tracerReport.order().map(l => l.name).sort(), document.getElementById('sort').value,
        document.querySelector('[aria-selected=true]').textContent, document.getElementById('found').textContent, tracerReport.selection().index, tracerReport.selection().row.lane.name]""")
    need(state == [5e6, 15e6, [6e6, 8e6], ["Master thread", "OMP thread 2"], "waiting", "In view", "4 found", 0, "Master thread"], f"the address leads back to all that was shown {state}")


# ---- Threads.
def check_lanes(browser):
    focus_timeline(browser)
    browser.key("Escape")
    rows = "tracerReport.lanes.map(l => Math.round(l.height / 15))"
    before = browser.evaluate(rows)
    browser.key("f")
    need(max(before) > 1 and browser.evaluate(rows) == [1] * 4, "f folds all threads")
    browser.key("f")
    need(browser.evaluate(rows) == before, "and unfolds them")
    browser.evaluate("tracerReport.zoomTo({row: tracerReport.lanes[3].rows[0], index: 0})")
    browser.key("f")
    need(browser.evaluate(rows) == before[:3] + [1], "or the selected one")
    browser.key("f")
    browser.key("p")
    need(browser.evaluate("tracerReport.order()[0].name") == "OMP thread 3", "p keeps the selected thread at the top")
    browser.key("p")
    browser.key("o")
    need(browser.evaluate("document.getElementById('sort').value") == "work" and browser.evaluate("tracerReport.order()[0].name") == "OMP thread 3", "o orders by work: thread 3 has most")
    browser.key("o")
    need(browser.evaluate("tracerReport.order().at(-1).name") == "OMP thread 3", "then by waiting: it has least")
    browser.key("o")
    browser.key("l")
    browser.type("thread 1, thread 3")
    need(browser.evaluate("tracerReport.order().map(l => l.name)") == ["OMP thread 1", "OMP thread 3"] and text(browser, "onlyNote") == "2 of 4", "l shows only some")
    browser.key("Escape")
    need(browser.evaluate("tracerReport.order().length") == 4, "and Escape all again")


# ---- The critical path.
def check_path(browser):
    steps = browser.evaluate("tracerReport.side().path")
    need([step[0] for step in steps] == [0, 3, 0] and steps[1][1:] == [5e6, 35e6], f"the critical path goes through the slowest thread {steps}")
    total = sum(step[2] - step[1] for step in steps)
    need(total == browser.evaluate("tracerReport.report().critical_path_ns"), f"and is as long as the report says {total}")
    browser.evaluate("tracerReport.setTheme(false); tracerReport.setView(0, 40e6)")
    focus_timeline(browser)
    drawn = pixel(browser, 20e6, 3, 14)
    browser.key("c")
    without = pixel(browser, 20e6, 3, 14)
    browser.key("c")
    need(drawn != without and pixel(browser, 20e6, 3, 14) == drawn, f"it is drawn where it goes, and c leaves it out {drawn} {without}")
    need(pixel(browser, 20e6, 1, 14) != drawn, "not where it does not go")


def check_path_of_tasks(browser):
    steps = browser.evaluate("tracerReport.side().path")
    need(sum(step[2] - step[1] for step in steps if step[0] == 0) == 20e6, f"the path of a chain of ten tasks of 2 ms is that chain {steps}")


# ---- Two traces.
def check_comparison(browser, tracer, make_trace, directory):
    before, after = (make_archive(make_trace, directory, kind) for kind in ("imbalance", "even"))
    page = directory / "comparison.html"
    subprocess.run([tracer, "diff", before, after, "--html", page], check=True, stderr=subprocess.DEVNULL)
    check_clean(browser, page)
    names = browser.evaluate("tracerReport.order().map(l => l.name)")
    threads = ["Master thread", "OMP thread 1", "OMP thread 2", "OMP thread 3"]
    need(names == ["before: " + name for name in threads] + ["after: " + name for name in threads], f"both timelines are on one page {names}")
    ends = browser.evaluate("[3, 7].map(i => Math.max(...tracerReport.lanes[i].rows[1].end))")
    need(ends == [35e6, 20e6], f"each from its own beginning on one axis {ends}")
    colours = browser.evaluate(f"(() => {{ tracerReport.setView(0, 40e6); return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done([0, 4].map(i => ({PIXEL})(10e6, tracerReport.lanes[i], 20)))))); }})()")
    need(colours[0] == colours[1], f"the same construct has the same colour {colours}")
    rows = {row[0]: row[1:] for row in table(browser, "of all threads")}
    need(rows["time"][:2] == ["40 ms", "25 ms"] and rows["time"][2].startswith("-15 ms (-37.5 %)"), f"what changed is said in numbers {rows['time']}")
    need(any(row[0].startswith("!$omp implicit barrier") and row[2] == "60 ms" for row in table(browser, "construct")), "for each construct")
    browser.evaluate("tracerReport.showTab('Summary')")
    first = text(browser, "panel")
    focus_timeline(browser)
    browser.key("b")
    second = text(browser, "panel")
    need("unevenly spread" in first and "unevenly spread" not in second, "b turns from one trace's tables to the other's")
    need(browser.evaluate("tracerReport.search('!$omp for')") == 8, "a search finds in both")
    browser.evaluate("document.querySelector('#tabs button:nth-child(4)').click(); tracerReport.showTab('Constructs'); document.querySelector('[data-go*=\" for \"]').click()")
    need(browser.evaluate("tracerReport.selection().row.lane.name").startswith("after: "), "a name in a table leads to the trace it is of")
    browser.evaluate("tracerReport.setRange(5e6, 35e6); tracerReport.showTab('In view')")
    rows = {row[0]: row for row in table(browser, "region")}
    need(rows["!$omp for @example.c:11"][1] == "60 ms" and rows["!$omp for @example.c:11"][4] == "60 ms", f"a range is measured in both {rows}")
    loop = "!$omp for @example.c:11"
    browser.evaluate("""(() => { const m = tracerReport.meta, was = '!$omp for @example.c:9';
        m.names[m.names.indexOf(%r)] = was; m.diff.constructs.find(c => c.name === %r).was = was; tracerReport.showTab('In view'); })()""" % (loop, loop))
    need({row[0]: row for row in table(browser, "region")}[loop][4] == "60 ms", "that of a construct which moved, too")
    browser.evaluate("tracerReport.showTab('Comparison')")
    need(f"{loop} (was :9)" in [row[0] for row in table(browser, "construct")], "whose line before is said")


def check_compared_devices(browser, tracer, make_trace, directory):
    archive, page = make_archive(make_trace, directory, "overlap"), directory / "devices.html"
    subprocess.run([tracer, "diff", archive, archive, "--html", page], check=True, stderr=subprocess.DEVNULL)
    check_clean(browser, page)
    known = browser.evaluate("tracerReport.meta.diff.devices.map(d => d.name)")
    need(known and [row[0] for row in table(browser, "device")] == known, f"the comparison has the devices {known}")
    titles = browser.evaluate("[...document.querySelectorAll('#panel h2')].map(t => t.textContent)")
    movement = browser.evaluate("tracerReport.meta.diff.data_movement.length")
    need(any(title.startswith("Data movement") for title in titles) == (movement > 0), f"and data movement, if there is any {titles} {movement}")
    browser.evaluate("(() => { const d = tracerReport.meta.diff; d.constructs = Array.from({length: 301}, () => d.constructs[0]); tracerReport.showTab('Comparison'); })()")
    need("1 more: tracer diff --json has them all" in text(browser, "panel"), "what is not in a table of the comparison is in that command's JSON")


def check_search_steps(browser):
    """After Enter in the field the keys are the timeline's: n and N step, and leave the field as it is."""
    browser.evaluate("document.getElementById('search').focus()")
    browser.type("barrier")
    browser.key("Enter")
    browser.key("n")
    said, value = text(browser, "found"), browser.evaluate("document.getElementById('search').value")
    need(said.startswith("2 of ") and value == "barrier", f"n after a search goes to the next: {said!r}, the field has {value!r}")
    browser.key("Escape")


def check_axis_when_scrolled(browser):
    """Nothing but the axis is drawn in its strip: of the lanes above it nothing, of its own labels nothing at its top."""
    browser.evaluate("document.getElementById('scroller').scrollTop = 333")
    browser.evaluate(FRAME)
    colours = browser.evaluate("""(() => { const c = document.getElementById('timeline'), k = c.width / c.clientWidth, g = c.getContext('2d');
        const strip = g.getImageData(0, Math.round(k), c.width, 1).data, found = new Set();
        for (let i = 0; i < strip.length; i += 4) found.add([strip[i], strip[i + 1], strip[i + 2]].join());
        return [...found]; })()""")
    need(len(colours) == 1, f"lanes that are scrolled away are not drawn over the time axis {colours}")
    need(browser.evaluate("document.getElementById('verdict').getBoundingClientRect().top < document.getElementById('account').getBoundingClientRect().top"), "the verdict stands above the account")


# ---- Many threads.
def check_many(browser, tracer, make_trace, directory, threads):
    check_clean(browser, make(tracer, make_trace, directory, "wide", str(threads)))
    need(browser.evaluate("tracerReport.order().length") == threads, f"{threads} threads have their lanes")
    shown = browser.evaluate("tracerReport.drawn")
    need(0 < shown < 60, f"{threads} threads: only those in sight are drawn ({shown})")
    tall = browser.evaluate("[document.getElementById('timeline').height, document.getElementById('scroller').scrollHeight]")
    need(tall[0] < 1000 < tall[1], f"{threads} threads: the picture is as large as the window, not as the trace {tall}")
    check_axis_when_scrolled(browser)
    focus_timeline(browser)
    browser.key("End")
    browser.evaluate(FRAME)
    last = browser.evaluate("(() => { const s = document.getElementById('scroller'), l = tracerReport.order().at(-1); return [l.name, l.y >= s.scrollTop && l.y + l.height <= s.scrollTop + s.clientHeight + 8]; })()")
    need(last == [f"OMP thread {threads - 1}", True], f"{threads} threads: End shows the last one {last}")
    browser.key("l")
    browser.type(f"thread {threads - 1}")
    need(browser.evaluate("tracerReport.order().map(l => l.name)") == [f"OMP thread {threads - 1}"], f"{threads} threads: one can be picked")
    browser.key("Escape")
    browser.key("o")
    work = browser.evaluate("tracerReport.order().map(l => l.time.work_ns)")
    need(work == sorted(work, reverse=True) and work[0] > work[-1], f"{threads} threads: those with most work can be put first")
    browser.evaluate("tracerReport.showTab('Summary')")
    need("more: tracer report --json has them all" in text(browser, "panel") if threads > 300 else len(table(browser, "thread")) == threads, f"{threads} threads: the table has them, or says that it has not")
    if threads == 96:
        check_wheel(browser)


# ---- By keyboard.
def check_keyboard(browser):
    focus_timeline(browser)
    browser.key("0")
    before = browser.evaluate(SPAN)
    browser.key("w")
    need(browser.evaluate(SPAN) < before, "w zooms in")
    left = browser.evaluate("tracerReport.view.t0")
    browser.key("d")
    right = browser.evaluate("tracerReport.view.t0")
    browser.key("a")
    need(right > left > browser.evaluate("tracerReport.view.t0") - 1, "d and a move")
    browser.key("s")
    need(abs(browser.evaluate(SPAN) - before) < 0.01 * before, "s zooms out")
    browser.key("?")
    need(browser.evaluate("document.getElementById('keys').open"), "? lists the keys")
    keys = text(browser, "keys")
    need(all(word in keys for word in ("measure", "critical path", "fold", "order them", "find a region", "light or dark")), "all of them")
    browser.evaluate("document.querySelector('#keys button').focus()")
    browser.key("Enter")
    need(not browser.evaluate("document.getElementById('keys').open"), "and is closed by Enter")
    browser.evaluate("document.querySelector('[aria-selected=true]').focus()")
    browser.evaluate("tracerReport.showTab('Summary'); document.querySelector('[aria-selected=true]').focus()")
    browser.key("ArrowRight")
    need(browser.evaluate("document.querySelector('[aria-selected=true]').textContent") == "In view", "arrows go through the tabs")
    browser.evaluate("tracerReport.showTab('Constructs'); document.querySelector('#panel th button').focus()")
    browser.key("Enter")
    shares = [float(row[1][:-2]) for row in table(browser, "construct")]
    need(shares == sorted(shares, reverse=True), "Enter on a column's title sorts by it")
    browser.evaluate("document.querySelector('#panel [data-go]').focus()")
    browser.key("Enter")
    need(browser.evaluate("Boolean(tracerReport.selection())"), "Enter on a name shows it in the timeline")
    unreachable = browser.evaluate("[...document.querySelectorAll('button, input, select, a, canvas#timeline, main')].filter(e => e.tabIndex < 0 && e.getAttribute('role') !== 'tab').length")
    need(unreachable == 0, "everything that can be clicked can be reached by Tab")


def checks(browser, directory):
    tracer, make_trace = sys.argv[1:3]
    imbalance = make(tracer, make_trace, directory, "imbalance")
    browser.open(imbalance)
    for check in (check_axis_and_order, check_colours, check_thread_table, check_counters, check_path, check_lanes, check_search_steps, check_keyboard, check_ruler):
        browser.open(imbalance)
        check(browser)
        need(not browser.errors, f"{check.__name__}: no errors {browser.errors}")
    check_address(browser, imbalance)
    browser.open(imbalance)
    check_long_names(browser)
    browser.open(make(tracer, make_trace, directory, "chain"))
    check_task_colours(browser)
    check_path_of_tasks(browser)
    tasks = 30_000
    check_arrows(browser, *(make(tracer, make_trace, directory, "chain", number) for number in ("400", str(tasks))), tasks)
    check_search_counts(browser, make(tracer, make_trace, directory, "large", "600000"))
    check_comparison(browser, tracer, make_trace, directory)
    check_compared_devices(browser, tracer, make_trace, directory)
    for threads in (96, 1000):
        check_many(browser, tracer, make_trace, directory, threads)
    need(not browser.errors, f"no errors {browser.errors}")


run_checks(checks)

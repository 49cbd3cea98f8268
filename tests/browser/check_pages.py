#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_pages.py TRACER MAKE_TRACE [SCREENSHOTS]: the HTML reports of known traces in a headless browser:
nothing loaded from elsewhere, no errors, the right lanes, zoom, search, keys, themes, and a report of a
million events that is interactive within seconds. Exit status 77: there is no Chromium here."""
import pathlib
import sys

from browser import run_checks
from pages import check_clean, make, need


def check_lanes(browser):
    names = browser.evaluate("tracerReport.lanes.map(l => l.name)")
    need(names == ["Master thread", "OMP thread 1", "OMP thread 2", "OMP thread 3"], "the threads are there, in order")
    slices = browser.evaluate("tracerReport.lanes.map(l => l.rows.reduce((n, r) => n + r.begin.length, 0))")
    need(slices == [3, 3, 3, 3], f"each has its region, loop and barrier {slices}")
    loop = browser.evaluate("(() => { const r = tracerReport.lanes[3].rows[1]; return [r.begin[0], r.end[0]]; })()")
    need(loop == [5e6, 35e6], f"times are to the nanosecond {loop}")


def check_search_and_zoom(browser):
    browser.key("/")
    browser.type("implicit barrier")
    need(browser.evaluate("document.getElementById('found').textContent") == "4 found", "finds a region by name")
    browser.key("Enter")
    need(browser.evaluate("tracerReport.meta.names[tracerReport.selection().row.name[tracerReport.selection().index]]").startswith("!$omp implicit barrier"), "Enter selects the first match")
    browser.evaluate("document.getElementById('timeline').focus()")
    browser.key("Enter")
    span = browser.evaluate("tracerReport.view.t1 - tracerReport.view.t0")
    need(span < 36e6, f"Enter zooms to the selection ({span / 1e6} ms)")
    browser.key("0")
    need(browser.evaluate("tracerReport.view.t1 - tracerReport.view.t0") > 40e6, "0 shows the whole run")
    browser.key("Escape")
    browser.evaluate("tracerReport.showTab('Constructs')")
    browser.evaluate("document.querySelector('[data-go*=\" for \"]').click()")
    view = browser.evaluate("[tracerReport.view.t0, tracerReport.view.t1]")
    need(view[0] < 5e6 and view[1] > 35e6 and view[1] - view[0] < 50e6, "a click in the table shows the longest execution")


def check_mouse(browser):
    browser.key("0")
    box = browser.evaluate("(() => { const b = document.getElementById('timeline').getBoundingClientRect(); return [b.left, b.top, b.width]; })()")
    lane = browser.evaluate("tracerReport.lanes[3].y")
    x, y = box[0] + 190 + (box[2] - 190) * 0.5, box[1] + lane + 22
    browser.mouse("mouseMoved", x, y)
    text = browser.evaluate("document.getElementById('tooltip').hidden ? '' : document.getElementById('tooltip').textContent")
    need("!$omp for @example.c:11" in text and "30 ms" in text and "/src/example.c:11" in text, f"the tooltip says what, how long and where: {text!r}")
    before = browser.evaluate("tracerReport.view.t1 - tracerReport.view.t0")
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240)
    need(browser.evaluate("tracerReport.view.t1 - tracerReport.view.t0") == before, "the wheel alone does not zoom: it scrolls through the threads")
    browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-240, modifiers=2)
    after = browser.evaluate("tracerReport.view.t1 - tracerReport.view.t0")
    need(after < before * 0.8, "with Ctrl it zooms")
    left = browser.evaluate("tracerReport.view.t0")
    browser.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
    browser.mouse("mouseMoved", x - 100, y, button="left", buttons=1)
    browser.mouse("mouseReleased", x - 100, y, button="left", clickCount=1)
    need(browser.evaluate("tracerReport.view.t0") > left, "dragging moves")
    browser.key("ArrowLeft")
    browser.key("t")
    themes = [browser.evaluate("document.documentElement.dataset.theme")]
    browser.key("t")
    themes.append(browser.evaluate("document.documentElement.dataset.theme"))
    need(sorted(themes) == ["dark", "light"], "t switches between light and dark")


def check_verdict(browser):
    text = browser.evaluate("document.getElementById('panel').textContent")
    need("15 ms" in text and "unevenly spread" in text and "Try:" in text, "the verdict says what could be won, the cause and what to try")
    shares = browser.evaluate("[...document.querySelectorAll('#account span')].map(s => parseFloat(s.style.width))")
    need(len(shares) >= 3 and abs(sum(shares) - 100) < 0.01, f"the picture of the account is the whole {shares}")
    browser.evaluate("document.querySelector('[data-finding]').click()")
    view = browser.evaluate("[tracerReport.view.t0, tracerReport.view.t1]")
    need(view[0] < 35e6 < view[1], f"a finding leads to its place {view}")
    browser.key("0")


def check_device(browser):
    need(browser.evaluate("tracerReport.lanes[1].name") == "CUDA[0:0]", "the stream has a lane")
    names = browser.evaluate("tracerReport.lanes[1].rows.flatMap(r => [...r.name].map(n => tracerReport.meta.names[n]))")
    need(names == ["copy to device", "saxpy", "copy from device"], f"with copies and kernel {names}")
    need(browser.evaluate("tracerReport.meta.arrows.filter(a => a[0] === 0).length") == 1, "an arrow leads from the submit to the kernel")
    browser.evaluate("tracerReport.showTab('Devices')")
    text = browser.evaluate("document.getElementById('panel').textContent")
    need("29.4 %" in text and "saxpy" in text, "the table says how much overlaps")
    need("idle: nothing is submitted" in text and "copies: kernels wait for them" in text, "and where the device's time went")
    shares = browser.evaluate("[...document.querySelectorAll('#panel .bar')].map(b => [...b.children].reduce((n, s) => n + parseFloat(s.style.width), 0))")
    need(shares and all(abs(share - 100) < 0.01 for share in shares), f"the picture of it is the whole {shares}")


def check_tasks(browser):
    browser.evaluate("tracerReport.showTab('Tasks')")
    need(browser.evaluate("tracerReport.side().tasks.length") == 20, "the graph has all tasks")
    need(browser.evaluate("tracerReport.side().tasks.filter(t => t.critical).length") == 10, "the chain is marked")
    need(browser.evaluate("tracerReport.meta.arrows.length") == 20, "an arrow leads from each creation to its start")


def check_paused(browser):
    """What was not recorded is in the lanes, in the table and in the legend."""
    names = browser.evaluate("tracerReport.lanes.map(l => l.rows.map(r => [...r.name].map(n => tracerReport.meta.names[n]).join(', ')).join('; '))")
    region = "!$omp parallel @example.c:10"
    need(names == [f"{region}, not recorded, {region}"] * 4, f"each thread's lane has the time that recording was off {names}")
    rows = browser.evaluate("tracerReport.inView().rows.map(r => [tracerReport.meta.names[r.name], r.ns])")
    need(rows == [["not recorded", 800e6], [region, 400e6]], f"it is apart from the regions' time {rows}")
    legend = browser.evaluate("(() => { tracerReport.showTab('Summary'); return [...document.querySelectorAll('.legend span')].map(s => s.textContent).pop(); })()")
    need(legend == "not recorded", f"the legend says what it is {legend}")
    drawn = browser.evaluate("""(() => { const c = document.getElementById('timeline'), s = c.width / c.clientWidth, l = tracerReport.lanes[0], seen = new Set();
        for (let x = 0; x < 30; ++x) seen.add([...c.getContext('2d').getImageData(Math.round((190 + (c.clientWidth - 190) * 0.7) * s) + x, Math.round((l.y + 3) * s), 1, 1).data].join());
        return seen.size; })()""")
    need(drawn > 1, f"and it is hatched: {drawn} colours side by side")


def check_ring(browser):
    """64 ranks of 4 threads: lanes by process, arrows for messages, the matrix, and what is waited."""
    lanes = browser.evaluate("tracerReport.order().map(l => [l.owner.name, l.name])")
    expected = [[f"MPI Rank {rank}", f"MPI Rank {rank}: " + ("Master thread" if thread == 0 else f"OMP thread {thread}")] for rank in range(64) for thread in range(4)]
    need(lanes == expected, f"lanes are in the order of ranks and threads {lanes[:9]}")
    need(browser.evaluate("tracerReport.meta.arrows.filter(a => a[0] === 3).length") == 640, "an arrow for each message")
    arrow = browser.evaluate("tracerReport.meta.arrows.find(a => a[1] === 63 * 4)")
    need(arrow == [3, 252, 0, 7e6, 7e6], f"from the sender to the receiver, at their times {arrow}")
    browser.key("r")
    need(browser.evaluate("tracerReport.order().length") == 64, "r leaves one lane for each process")
    browser.evaluate("tracerReport.goTo('!$omp parallel @example.c:10'); new Promise(done => setTimeout(done, 200))")
    browser.key("r")
    browser.evaluate("tracerReport.order().length === 64 && tracerReport.foldProcesses()")
    browser.evaluate("tracerReport.showTab('MPI')")
    text = browser.evaluate("document.getElementById('panel').textContent")
    need("late sender" in text and "20 ms" in text and "rank 0 for rank 63" in text, f"the wait state, its time and both ranks are told {text[:400]}")
    cells = browser.evaluate("[document.querySelectorAll('#matrix rect').length, document.querySelector('#matrix rect title').textContent]")
    need(cells[0] == 64 and "from 0 to 1: 10 messages" in cells[1], f"the matrix has the 64 pairs {cells}")
    browser.evaluate("document.querySelector('[data-from]').click()")
    view = browser.evaluate("[tracerReport.view.t0, tracerReport.view.t1]")
    need(view[1] - view[0] < 20e6, f"a wait leads to its place {view}")
    browser.evaluate("tracerReport.showTab('Processes')")
    rows = browser.evaluate("document.querySelectorAll('#panel tbody tr').length")
    need(rows == 64, f"the table of processes has them all {rows}")
    ready = browser.evaluate("tracerReport.readyAt")
    print(f"drawn after {ready:.0f} ms")


def check_million(browser, page):
    def milliseconds_to_picture():
        browser.open(page)
        return browser.evaluate("tracerReport.readyAt")

    def slowest_frame():
        return browser.evaluate("""(async () => { let worst = 0; const n = tracerReport.meta.length;
            for (let i = 0; i < 30; ++i) { const s = n * Math.pow(0.7, i); tracerReport.setView(n / 3, n / 3 + s);
              await new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))); worst = Math.max(worst, tracerReport.drawMs); } return worst; })()""")

    ready = milliseconds_to_picture()
    events = browser.evaluate("tracerReport.report().trace.events")
    need(events >= 1_000_000 and ready > 0, f"{events} events are drawn after {ready:.0f} ms")
    print(f"the slowest frame while zooming takes {slowest_frame():.0f} ms")
    found = browser.evaluate("tracerReport.search('example.c:21')")
    need(found > 20000, f"finds {found} executions")
    need(not browser.errors, f"no errors {browser.errors}")


def checks(browser, directory):
    tracer, make_trace = sys.argv[1:3]
    shots = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    page = make(tracer, make_trace, directory, "imbalance")
    check_clean(browser, page)
    check_lanes(browser)
    check_search_and_zoom(browser)
    check_mouse(browser)
    browser.open(page)
    check_verdict(browser)
    if shots:
        browser.open(page)
        browser.screenshot(shots / "report-imbalance.png")
    for kind, check, *arguments in (("overlap", check_device), ("chain", check_tasks), ("lock", None), ("paused", check_paused), ("ring", check_ring, "64")):
        page = make(tracer, make_trace, directory, kind, *arguments)
        check_clean(browser, page)
        if check:
            check(browser)
        if shots:
            browser.screenshot(shots / f"report-{kind}.png")
    check_million(browser, make(tracer, make_trace, directory, "large", "1000000"))
    if shots:
        browser.screenshot(shots / "report-large.png")


run_checks(checks)

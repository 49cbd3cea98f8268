#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_samples.py TRACER MAKE_TRACE [PICTURE]: samples on the page: flame graph, top-down tree, functions, by time, thread and construct, with
the keyboard; and that a page stays small. Exit status 77: there is no Chromium here."""
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser, find_chromium
from pages import check_clean, make, make_archive, need

MOST_BYTES = 10_000_000


def boxes(browser):
    """Name and share of what is drawn, from the top."""
    return browser.evaluate("tracerReport.flame.boxes.filter(b => !b.outer).map(b => [b.item.name, b.item.count])")


def choose(browser, which, value):
    browser.evaluate(f"(() => {{ const s = document.getElementById('{which}'); s.value = '{value}'; s.dispatchEvent(new Event('change')); }})()")


def functions(browser):
    return browser.evaluate("[...document.querySelectorAll('#functions table')[0].tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent))")


def check_flame(browser):
    browser.key("g")
    need(browser.evaluate("document.querySelector('#tabs [aria-selected=\"true\"]').textContent") == "Samples", "g shows the samples")
    region = "parallel @example.c:10"
    need(boxes(browser) == [["all", 109], ["main", 109], ["solve", 99], [region, 99], ["kernel", 56], ["[barrier]", 43], ["init", 5], ["save", 5]],
         f"the flame graph has all paths, workers' too {boxes(browser)}")
    wide = browser.evaluate("tracerReport.flame.boxes.map(b => [b.item.name, b.x, b.w])")
    whole = next(w for name, _, w in wide if name == "main")
    kernel, barrier = (next(row for row in wide if row[0] == name) for name in ("kernel", "[barrier]"))
    need(abs(kernel[2] - whole * 56 / 109) < 1 and abs(barrier[1] - kernel[1] - kernel[2]) < 0.01, "as wide as they have samples, beside each other")
    colour = browser.evaluate("""(() => { const b = tracerReport.flame.boxes.find(b => b.item.name === '[barrier]'), c = document.getElementById('flame'), s = c.width / c.clientWidth;
      const p = [...c.getContext('2d').getImageData((b.x + b.w - 6) * s, (b.depth * 18 + 3) * s, 1, 1).data].slice(0, 3);
      return ['#' + p.map(v => v.toString(16).padStart(2, '0')).join(''), tracerReport.activityColour('barrier')]; })()""")
    need(colour[0] == colour[1], f"waiting has the legend's colour {colour}")


def check_choices(browser):
    choose(browser, "flameShow", "work")
    need(boxes(browser)[0] == ["all", 66] and "[barrier]" not in dict(boxes(browser)), "work alone")
    choose(browser, "flameShow", "waiting")
    need(boxes(browser)[0] == ["all", 43] and "kernel" not in dict(boxes(browser)), "waiting alone")
    choose(browser, "flameShow", "all")
    choose(browser, "flameThread", 3)
    need(boxes(browser)[0] == ["all", 28], f"one thread {boxes(browser)[0]}")
    choose(browser, "flameThread", -1)
    construct = browser.evaluate("[...document.getElementById('flameConstruct').options].find(o => o.textContent.includes('implicit barrier')).value")
    choose(browser, "flameConstruct", construct)
    need(boxes(browser)[0] == ["all", 43], "one construct: where the samples are")
    construct = browser.evaluate("[...document.getElementById('flameConstruct').options].find(o => o.textContent.includes('parallel')).value")
    choose(browser, "flameConstruct", construct)
    need(boxes(browser)[0] == ["all", 99], "one construct: what is called in it")
    choose(browser, "flameConstruct", -1)
    browser.evaluate("tracerReport.setRange(5e6, 15e6); tracerReport.updateSamples()")
    need(boxes(browser)[0] == ["all", 38], f"a range of time {boxes(browser)[0]}")
    need("in the range from 5 ms to 15 ms" in browser.evaluate("document.getElementById('sampled').textContent"), "which is said")
    browser.evaluate("tracerReport.setRange(null); tracerReport.setView(35e6, 40e6)")
    browser.evaluate("new Promise(done => setTimeout(done, 400))")
    need(boxes(browser) == [["all", 5], ["main", 5], ["save", 5]], f"what is in view {boxes(browser)}")
    browser.key("0")
    browser.evaluate("new Promise(done => setTimeout(done, 400))")


def check_keyboard(browser):
    selected = "tracerReport.flame.selected.name"
    browser.evaluate("document.getElementById('flame').focus()")
    for key, expected in (("ArrowDown", "main"), ("ArrowDown", "solve"), ("ArrowRight", "init"), ("ArrowLeft", "solve"), ("ArrowDown", "parallel @example.c:10"), ("ArrowDown", "kernel"), ("ArrowUp", "parallel @example.c:10")):
        browser.key(key)
        need(browser.evaluate(selected) == expected, f"{key} goes to {expected}")
    text = browser.evaluate("document.getElementById('frame').textContent")
    need("99 ms (90.8 % of what is shown)" in text and "itself 43 ms" in text, f"which is told in words {text!r}")
    browser.key("Enter")
    drawn = browser.evaluate("tracerReport.flame.boxes.map(b => [b.item.name, b.w, Boolean(b.outer)])")
    need(drawn[3][0] == "parallel @example.c:10" and abs(drawn[3][1] - drawn[0][1]) < 0.01 and drawn[0][2], f"Enter zooms {drawn[:4]}")
    browser.key("Backspace")
    need(browser.evaluate("tracerReport.flame.root") == "main;solve", "Backspace zooms out by one")
    browser.key("Home")
    need(browser.evaluate("tracerReport.flame.root") == "", "Home shows all")
    need(browser.evaluate("tracerReport.view.t1 - tracerReport.view.t0") > 40e6, "and the timeline stays as it was")


def check_tree(browser):
    rows = "[...document.querySelectorAll('#tree tbody tr')].map(r => [r.cells[0].textContent.replace(/[▾▸] /, ''), r.getAttribute('aria-level'), r.cells[2].textContent])"
    need(browser.evaluate(rows)[:4] == [["main", "1", "100.0 %"], ["solve", "2", "90.8 %"], ["parallel @example.c:10", "3", "90.8 %"], ["kernel", "4", "51.4 %"]], f"the tree from the top down {browser.evaluate(rows)}")
    browser.evaluate("document.querySelector('#tree tbody tr').focus()")
    browser.key("ArrowDown")
    browser.key("ArrowLeft")
    need([row[0] for row in browser.evaluate(rows)] == ["main", "solve", "init", "save"], "the left arrow closes")
    browser.key("ArrowRight")
    need(len(browser.evaluate(rows)) > 4 and browser.evaluate("document.activeElement.cells[0].textContent").endswith("solve"), "the right arrow opens, and the focus stays")


def check_tables(browser):
    rows = functions(browser)
    need(rows[0][:4] == ["kernel", "kernel.c:30", "56 ms", "51.4 %"], f"functions by their own samples, with lines {rows[0]}")
    need([row for row in rows if row[0] == "main"][0][5:7] == ["109 ms", "100.0 %"], "and in all")
    text = browser.evaluate("document.getElementById('panel').textContent")
    need("What ran while other threads waited" in text and "54 ms" in text, "what ran while others waited")
    need("37.5 %" in text and "Threads that did not run" in text, "waits that slept")


def check_counters(browser):
    need(functions(browser)[0][7:] == ["1.50", "168,000", "112,000"], f"what functions counted in work, and by cycle {functions(browser)[0]}")
    choose(browser, "flameBy", 0)
    drawn = dict(boxes(browser))
    need(drawn["kernel"] == 56 * 3000 and drawn["all"] == sum(drawn[name] for name in ("kernel", "[barrier]", "init", "save")), f"as wide as it counted instructions {drawn}")
    text = browser.evaluate("document.getElementById('frame').textContent")
    need("ms" not in text.split("·")[1], f"which are told as numbers {text!r}")
    choose(browser, "flameShow", "work")
    need("[barrier]" not in dict(boxes(browser)) and dict(boxes(browser))["kernel"] == 56 * 3000, "at work alone")
    choose(browser, "flameShow", "all")
    choose(browser, "flameBy", -1)
    need(boxes(browser)[0] == ["all", 109], "and back by time")


def check_two(browser, tracer, make_trace, directory):
    """A thread and a construct are chosen by numbers of one trace: the other one has others."""
    before, after = (make_archive(make_trace, directory, *kind) for kind in (("many-samples", "2000"), ("sampled",)))
    page = directory / "two.html"
    subprocess.run([tracer, "diff", before, after, "--html", page], check=True, stderr=subprocess.DEVNULL)
    check_clean(browser, page)
    browser.evaluate("tracerReport.showTab('Samples')")
    choose(browser, "flameThread", 7)
    need(browser.evaluate("tracerReport.flame.thread") == 7, "one of eight threads is chosen")
    chosen = "['flameThread', 'flameConstruct'].map(id => document.getElementById(id).selectedOptions[0].textContent)"
    browser.evaluate("tracerReport.showSide(tracerReport.sides[1])")
    need(browser.evaluate(chosen) == ["all threads shown", "everything"] and boxes(browser)[0] == ["all", 109], f"the other trace has no such thread {browser.evaluate(chosen)} {boxes(browser)[0]}")
    construct = browser.evaluate("[...document.getElementById('flameConstruct').options].find(o => o.textContent.includes('parallel')).value")
    choose(browser, "flameConstruct", construct)
    browser.evaluate("tracerReport.showSide(tracerReport.sides[0])")
    there = browser.evaluate("tracerReport.flame.construct")
    need(there == -1 or browser.evaluate(chosen)[1].endswith("parallel @example.c:10"), f"a construct is chosen by its name {there} {browser.evaluate(chosen)}")
    browser.evaluate("tracerReport.showSide(tracerReport.sides[1])")
    need(browser.evaluate(chosen)[1].endswith("parallel @example.c:10") and boxes(browser)[0] == ["all", 99], f"and is there again on the way back {browser.evaluate(chosen)}")


def main():
    if not find_chromium():
        print("skipped: no Chromium here")
        return 77
    tracer, make_trace = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as temporary, Browser() as browser:
        directory = pathlib.Path(temporary).resolve()
        page = make(tracer, make_trace, directory, "sampled")
        check_clean(browser, page)
        for check in (check_flame, check_choices, check_keyboard, check_tree, check_tables, check_counters):
            check(browser)
        need(not browser.errors and not browser.console, f"no errors on the way {browser.errors}{browser.console}")
        page = make(tracer, make_trace, directory, "imbalance")
        check_clean(browser, page)
        browser.key("g")
        need(not browser.evaluate("[...document.querySelectorAll('#tabs button')].some(b => b.textContent === 'Samples')"), "without samples there is no such table")
        need("tracer run --sample" in browser.evaluate("document.getElementById('panel').textContent"), "but how to get it")
        check_two(browser, tracer, make_trace, directory)
        page = make(tracer, make_trace, directory, "many-samples", "1000000")
        need(page.stat().st_size < MOST_BYTES, f"a page of a million samples on many paths has {page.stat().st_size / 1e6:.1f} MB")
        check_clean(browser, page)
        browser.key("g")
        need(boxes(browser)[0] == ["all", 1_000_000], f"and none of them is missing {boxes(browser)[0]}")
        need(not browser.evaluate("document.getElementById('flameBy')"), "where nothing was counted there is nothing to choose")
    return 0


sys.exit(main())

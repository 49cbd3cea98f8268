#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_state.py TRACER MAKE_TRACE: what the page keeps and what it must not keep: pictures as wide as they are shown, addresses, the
focus, keys that belong to fields and tabs. Exit status 77: there is no Chromium here."""
import subprocess
import sys

from browser import run_checks
from pages import make, make_archive, need

FRAMES = "new Promise(done => { let n = 4; const next = () => n-- ? requestAnimationFrame(next) : done(); next(); })"
WAIT = "new Promise(done => setTimeout(done, 400))"


def check_widths(browser, imbalance, sampled):
    """A border stands for a scrollbar, which a browser without a window does not have."""
    browser.open(imbalance)
    wide = browser.evaluate("document.getElementById('timeline').clientWidth")
    browser.evaluate("document.getElementById('scroller').style.borderRight = '15px solid'")
    browser.evaluate(FRAMES)
    widths = browser.evaluate("['timeline', 'overview'].flatMap(id => { const c = document.getElementById(id); return [c.clientWidth, c.width]; })")
    need(widths == [wide - 15] * 4, f"the timeline and the overview are drawn as wide as they are beside the scrollbar {wide} {widths}")
    browser.open(sampled)
    browser.evaluate("tracerReport.showTab('Samples')")
    before = browser.evaluate("tracerReport.flame.boxes[0].w")
    browser.evaluate("document.getElementById('panel').style.paddingRight = '112px'")
    browser.evaluate(FRAMES)
    after = browser.evaluate("[tracerReport.flame.boxes[0].w, document.getElementById('flame').width, document.getElementById('flame').clientWidth]")
    need(after == [before - 100] * 3, f"so is the flame graph {before} {after}")
    need(not browser.errors, f"no errors {browser.errors}")


STATE = """[document.getElementById('search').value, document.getElementById('found').textContent, Boolean(tracerReport.selection()), tracerReport.range(),
    tracerReport.view.t0 < 0 && tracerReport.view.t1 > tracerReport.meta.length, tracerReport.side().title, document.querySelector('#tabs [aria-selected=true]').textContent]"""


def check_address(browser, comparison):
    """Another bookmark in the same tab shows what it has, and nothing of what was shown before; keys that change the table are in it."""
    browser.open(comparison)
    browser.evaluate("""tracerReport.showSide(tracerReport.sides[1]); tracerReport.showTab('Constructs'); tracerReport.search('barrier'); document.getElementById('search').value = 'barrier';
        tracerReport.zoomTo({row: tracerReport.lanes[0].rows[1], index: 0}); tracerReport.setRange(1e6, 2e6)""")
    browser.evaluate(WAIT)
    before = browser.evaluate("location.hash")
    need(all(word in before for word in ("find=barrier", "at=", "range=", "side=after", "tab=Constructs")), f"the address has what is shown {before}")
    for address, tab in (("tab=Trace", "Trace"), ("", "Comparison")):
        browser.evaluate(f"location.hash = '{address}'")
        browser.evaluate(WAIT)
        state = browser.evaluate(STATE)
        need(state == ["", "", False, None, True, "before", tab], f"an address without it has nothing of it {address!r} {state}")
        browser.evaluate(f"location.hash = {before!r}")
        browser.evaluate(WAIT)
        state = browser.evaluate(STATE)
        need(state[0] == "barrier" and state[2:] == [True, [1e6, 2e6], False, "after", "Constructs"], f"and it is there again {state}")
    browser.evaluate("document.getElementById('timeline').focus()")
    for key, word in (("i", "tab=In+view"), ("b", "")):
        browser.key(key)
        browser.evaluate(WAIT)
        address = browser.evaluate("location.hash")
        need(word in address and ("side=" in address) == (key == "i"), f"{key} is in the address {address}")
    browser.evaluate("document.querySelector('#tabs [aria-selected=true]').focus()")
    browser.key("ArrowLeft")
    browser.evaluate(WAIT)
    need("tab=Summary" in browser.evaluate("location.hash"), "so is an arrow on the tabs")
    need(not browser.errors, f"no errors {browser.errors}")


def check_numbers(browser, imbalance, phases, two):
    """Lanes of phases are no threads; the first step back from a new search goes to its last match."""
    browser.open(phases)
    browser.evaluate("tracerReport.filterLanes('Master'); tracerReport.showTab('In view')")
    need(browser.evaluate("tracerReport.meta.counters.map((one) => one.name)") == ["balance"], "one counter has its name")
    need(", 1 of 2 threads" in browser.evaluate("document.getElementById('panel').textContent"), "phases are not counted as threads")
    browser.open(two)
    names = browser.evaluate("tracerReport.meta.counters.map((one) => one.name)")
    need(names == ["balance, before: Master thread", "balance, after: Master thread"], f"of several of one name each says whose it is {names}")
    browser.open(imbalance)
    for steps, said in (((-1,), "4 of 4"), ((-1, -1), "3 of 4"), ((1,), "1 of 4"), ((1, -1), "4 of 4")):
        browser.evaluate("tracerReport.search('barrier')")
        for by in steps:
            browser.evaluate(f"tracerReport.step({by})")
        need(browser.evaluate("document.getElementById('found').textContent") == said, f"steps {steps} go to {said}")


def check_focus(browser, imbalance):
    """A key is for what has the focus: the list of keys, a choice, a table, a tab, which keeps the focus."""
    browser.open(imbalance)
    browser.evaluate("tracerReport.zoomTo({row: tracerReport.lanes[0].rows[1], index: 0}); window.addEventListener('keydown', (e) => { window.taken = e.defaultPrevented; })")
    browser.evaluate("document.getElementById('timeline').focus()")
    browser.key("?")
    browser.key("Escape")
    need(browser.evaluate("[Boolean(tracerReport.selection()), window.taken]") == [True, False], "Escape in the list of keys is the list's: it closes, and the selection stays")
    browser.evaluate("document.getElementById('keys').close(); document.getElementById('scroller').scrollTop = 10")
    before = "[tracerReport.view.t0, tracerReport.view.t1, document.getElementById('scroller').scrollTop]"
    state = browser.evaluate(before)
    for element, keys in (("sort", ("w", "s", "n", "Home")), ("panel", ("PageDown", "PageUp", "End", "Home", "ArrowDown")), ("tabs button", ("Home", "End"))):
        browser.evaluate(f"document.querySelector('#{element}').focus()")
        for key in keys:
            browser.key(key)
            need(browser.evaluate(before)[:2] == state[:2] and not browser.evaluate("window.taken"), f"{key} in {element} leaves the timeline as it is")
    for key, tab in (("Enter", "In view"), ("ArrowRight", "Constructs"), ("ArrowLeft", "In view")):
        if key == "Enter":
            browser.evaluate(f"[...document.querySelectorAll('#tabs button')].find((one) => one.textContent === '{tab}').focus()")
        browser.key(key)
        need(browser.evaluate("[document.activeElement.textContent, document.querySelector('#tabs [aria-selected=true]').textContent]") == [tab, tab], f"{key} on a tab: it has the focus and is shown")
        browser.evaluate(WAIT)
        need(browser.evaluate("document.activeElement.textContent") == tab, "and has it when its table is filled anew")


def checks(browser, directory):
    tracer, make_trace = sys.argv[1:3]
    imbalance, sampled, phases = (make(tracer, make_trace, directory, kind) for kind in ("imbalance", "sampled", "phases"))

    def compare(*kinds):
        page = directory / ("-".join(kinds) + "-compared.html")
        subprocess.run([tracer, "diff", *(make_archive(make_trace, directory, kind) for kind in kinds), "--html", page], check=True, stderr=subprocess.DEVNULL)
        return page

    check_widths(browser, imbalance, sampled)
    check_address(browser, compare("imbalance", "even"))
    check_focus(browser, imbalance)
    check_numbers(browser, imbalance, phases, compare("phases", "phases"))


run_checks(checks)

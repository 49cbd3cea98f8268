#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_state.py TRACER MAKE_TRACE: what the page keeps and what it must not keep: pictures as wide as they are shown, addresses, the
focus, keys that belong to fields and tabs. Exit status 77: there is no Chromium here."""
import sys

from browser import run_checks
from pages import make, need

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


def checks(browser, directory):
    tracer, make_trace = sys.argv[1:3]
    imbalance, sampled = (make(tracer, make_trace, directory, kind) for kind in ("imbalance", "sampled"))
    check_widths(browser, imbalance, sampled)


run_checks(checks)

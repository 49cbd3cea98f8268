#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_phases.py TRACER MAKE_TRACE: the program's own phases on the page: bands, a table, the search within one. Exit status 77:
there is no Chromium here."""
import sys

from browser import run_checks
from pages import check_clean, make, need


def found(browser, text):
    return browser.evaluate(f"tracerReport.search({text!r})")


def check_bands(browser):
    names = browser.evaluate("tracerReport.order().map(l => l.name)")
    need(names == ["Phases", "Master thread", "OMP thread 1"], f"the phases are above the threads {names}")
    need(browser.evaluate("tracerReport.lanes.length") == 2, "and are no thread")
    rows = browser.evaluate("tracerReport.order()[0].rows.map(r => [...r.name].map((n, i) => [tracerReport.meta.names[n], r.begin[i], r.end[i]]))")
    need(rows == [[["solve", 10e6, 50e6], ["io", 60e6, 80e6]], [["assemble", 12e6, 18e6]]], f"each where it was {rows}")
    pixel = """(() => { const c = document.getElementById('timeline'), l = tracerReport.lanes[1], s = c.width / c.clientWidth;
      const x = 190 + (c.clientWidth - 190) * ((%d + tracerReport.meta.length * 0.01) / (tracerReport.meta.length * 1.02));
      return [...c.getContext('2d').getImageData(x * s, (l.y + 5) * s, 1, 1).data].join(); })()"""
    inside, outside = browser.evaluate(pixel % 48e6), browser.evaluate(pixel % 56e6)
    need(inside != outside, f"a band shines through where no thread does anything: {inside}, {outside}")
    browser.evaluate("document.getElementById('bands').click()")
    browser.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    need(browser.evaluate(pixel % 48e6) == browser.evaluate(pixel % 56e6), "without phases there is none")
    need(browser.evaluate("tracerReport.order().length") == 2, "and no lane")
    browser.evaluate("document.getElementById('bands').click()")


def check_search(browser):
    need(found(browser, "barrier") == 3, "all barriers")
    need(found(browser, "barrier in:solve") == 1, "those within a phase")
    need(found(browser, "in:solve") == 4, "all that is within a phase, itself included, on all threads")
    need(found(browser, "barrier in:o") == 2, "within phases of which a part of the name is known")
    need(found(browser, "barrier in:nothing") == 0, "within none")
    need(found(browser, "solve") == 1, "a phase by its name")
    found(browser, "")


def check_tables(browser):
    browser.evaluate("tracerReport.showTab('Phases')")
    rows = browser.evaluate("[...document.querySelectorAll('#panel tbody tr')].map(r => r.cells[0].textContent)")
    need(rows == ["solve", "io", "assemble"], f"a table of the phases {rows}")
    total = browser.evaluate("tracerReport.inView().whole")
    need(total < 200e6, f"what is in view does not count phases twice ({total})")
    counter = browser.evaluate("[tracerReport.meta.counters[0].min, tracerReport.meta.counters[0].max]")
    need(counter == [-2, 3], f"a counter may be negative {counter}")


def checks(browser, directory):
    tracer, make_trace = sys.argv[1:3]
    check_clean(browser, make(tracer, make_trace, directory, "phases"))
    check_bands(browser)
    check_search(browser)
    check_tables(browser)


run_checks(checks)

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_view_report.py TRACER MAKE_TRACE: the report in `tracer view`: findings, tables, phases, and the flame graph, each with its
way into the timeline."""
import json
import subprocess
import sys

from browser import run_checks
from viewing import Viewer, clean, open_page, settle

TABS = "[...document.querySelectorAll('#tabs button')].map((one) => one.textContent)"


def page_report(tracer, trace):
    """What the page of `tracer report --html` has: its tabs, and the number of its findings."""
    return json.loads(subprocess.run([tracer, "report", "--json", trace], check=True, capture_output=True).stdout)


def check_report(browser, tracer, trace):
    """The report's findings and tables; a finding, and a name in a table, lead to their places in the timeline."""
    told = page_report(tracer, trace)
    with Viewer(tracer, trace) as viewer:
        open_page(browser, viewer.url)
        settle(browser, "tracerView.reporting.ready")
        tabs = browser.evaluate(TABS)
        assert tabs[:3] == ["In view", "Details", "Summary"] and {"Constructs", "Parallel regions", "Trace"} <= set(tabs), tabs
        browser.evaluate("tracerView.showTab('Summary')")
        findings = browser.evaluate("document.querySelectorAll('#panel .findings > li').length")
        assert findings == len(told["verdict"]["findings"]) > 0, findings
        first = next(one for one in told["verdict"]["findings"] if one["at_ns"])
        browser.evaluate("document.querySelector('#panel a[data-finding]').click()")
        settle(browser)
        t0, t1 = browser.evaluate("[tracerView.view.t0, tracerView.view.t1]")
        assert t0 < first["at_ns"] < t1 and t1 - t0 < browser.evaluate("tracerView.meta.length"), (t0, t1, first)
        browser.evaluate("tracerView.showTab('Constructs')")
        rows = browser.evaluate("[...document.querySelectorAll('#panel tbody tr')].map((row) => row.cells[0].textContent)")
        assert rows == [one["name"] for one in told["constructs"]], rows
        browser.evaluate("document.querySelector('#panel a[data-go]').click()")
        settle(browser, "tracerView.selection()")
        assert browser.evaluate("(({row, index}) => tracerView.meta.names[row.name[index]])(tracerView.selection())") == rows[0]
        settle(browser, "location.hash.includes('tab=Constructs')")
        address = browser.evaluate("location.href")
        clean(browser, viewer)
        open_page(browser, address)  # a bookmark of a table that is made anew
        settle(browser, "document.querySelector('#tabs [aria-selected=true]').textContent === 'Constructs'")
        assert browser.evaluate("document.querySelectorAll('#panel tbody tr').length") == len(rows)
        browser.evaluate("tracerView.setView(0, 1)")
        settle(browser)
        assert browser.evaluate("document.getElementById('zoomNote').textContent") == ""
        clean(browser, viewer)


def check_paused(browser, tracer, trace):
    """The time that recording was off is in the lanes and in the statistics, under a name of its own."""
    with Viewer(tracer, trace) as viewer:
        open_page(browser, viewer.url)
        settle(browser, "tracerView.statistics() && tracerView.reporting.ready")
        rows = browser.evaluate("tracerView.statistics().rows.map((row) => [tracerView.meta.names[row.name], row.own, row.count])")
        assert ["not recorded", 800e6, 4] in rows, rows
        names = browser.evaluate("tracerView.lanes.map((lane) => [...lane.rows[0].name].map((name) => tracerView.meta.activities[name]).join())")
        assert names == ["work,not_recorded,work"] * 4, names
        browser.evaluate("tracerView.showTab('Summary')")
        assert browser.evaluate("[...document.querySelectorAll('.legend span')].map((one) => one.textContent).pop()") == "not recorded"
        clean(browser, viewer)


def check_phases_and_flames(browser, tracer, phases, sampled):
    with Viewer(tracer, phases) as viewer:
        open_page(browser, viewer.url)
        assert browser.evaluate("document.getElementById('bands').parentElement.hidden !== tracerView.reporting.ready")
        settle(browser, "tracerView.reporting.ready")
        assert browser.evaluate("tracerView.order().map((lane) => lane.name)") == ["Phases", "Master thread", "OMP thread 1"]
        assert not browser.evaluate("document.getElementById('bands').parentElement.hidden")
        rows = browser.evaluate("tracerView.order()[0].rows.map((row) => [...row.name].map((name, i) => [tracerView.meta.names[name], row.begin[i], row.end[i]]))")
        assert rows == [[["solve", 10e6, 50e6], ["io", 60e6, 80e6]], [["assemble", 12e6, 18e6]]], rows
        browser.evaluate("tracerView.select({row: tracerView.order()[0].rows[0], index: 1}, true)")
        browser.evaluate("tracerView.showTab('Details')")
        settle(browser)
        browser.evaluate("tracerView.showTab('Phases')")
        names = browser.evaluate("[...document.querySelectorAll('#panel tbody tr')].map((row) => row.cells[0].textContent)")
        assert names == ["solve", "io", "assemble"], names
        settle(browser)
        clean(browser, viewer)
    with Viewer(tracer, sampled) as viewer:
        open_page(browser, viewer.url)
        settle(browser, f"tracerView.reporting.ready && {TABS}.includes('Flame graph')")
        browser.evaluate("tracerView.showTab('Flame graph')")
        assert browser.evaluate("tracerView.flame.boxes.map((box) => [box.item.name, box.item.count])[0]") == ["all", 109]
        browser.evaluate("tracerView.setRange(5e6, 15e6)")
        settle(browser, "tracerView.flame.boxes[0].item.count === 38")
        browser.key("g")
        settle(browser)
        assert browser.evaluate("document.querySelector('#tabs [aria-selected=true]').textContent") == "Samples"
        clean(browser, viewer)


def checks(browser, directory):
    tracer, make_trace = sys.argv[1:3]
    for name in ("imbalance", "phases", "sampled", "paused"):
        subprocess.run([make_trace, name, directory / name], check=True, stdout=subprocess.DEVNULL)
    check_report(browser, tracer, directory / "imbalance")
    check_paused(browser, tracer, directory / "paused")
    check_phases_and_flames(browser, tracer, directory / "phases", directory / "sampled")
    print("ok")


run_checks(checks)

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_view_state.py TRACER MAKE_TRACE: `tracer view` in a browser: answers that come late, rows that have sums alone, another
bookmark in the same tab, the keys of its tabs, and what the browser tells other servers. Exit status 77: there is no Chromium here."""
import subprocess
import sys

from browser import run_checks
from viewing import Viewer, clean, open_page, settle

BEGIN = "(tracerView.selection() ? tracerView.selection().row.begin[tracerView.selection().index] : null)"
#: Answers to requests with all of the words come late.
DELAY = """(words) => { window.realFetch ||= window.fetch;
    window.fetch = async (url, ...more) => { if (words.length && words.every((word) => String(url).includes(word))) await new Promise((done) => setTimeout(done, 700)); return window.realFetch(url, ...more); }; }"""

#: Of each row one sum, as it is where a trace is too long for single events.
SUMS = """() => { window.realFetch ||= window.fetch;
    window.fetch = async (url, ...more) => {
      const answer = await window.realFetch(url, ...more);
      if (!String(url).includes('window?')) return answer;
      const body = await answer.json();
      for (const lane of body.lanes) Object.assign(lane, {exact: false, rows: lane.rows.map((row) => ({begin: [body.from], end: [body.to], name: row.name.slice(0, 1), count: [row.begin.length]}))});
      return new Response(JSON.stringify(body));
    }; }"""
DETAILS = "document.getElementById('details').textContent"


def delay(browser, *words):
    browser.evaluate(f"({DELAY})({list(words)})")


def bookmark(viewer, share):
    """Of a slice of the first worker, at that share of the run: its address, and its begin."""
    at = int(viewer.ask("trace")["length"] * share)
    row = viewer.ask("window", **{"from": at, "to": at + 40000, "width": 10000, "lanes": 1})["lanes"][0]["rows"][1]
    begin, end, name = (row[key][1] for key in ("begin", "end", "name"))
    return f"from={begin - 20000}&to={begin + 20000}&tab=Details&at=1.1.{begin}.{end}.{name}", begin


def check_late_search(browser, viewer):
    open_page(browser, viewer.url)
    browser.key("/")
    browser.type("for @example.c:21")
    browser.key("Enter")
    settle(browser, "tracerView.selection()")
    first = browser.evaluate(BEGIN)
    browser.key("n")
    settle(browser, f"{BEGIN} !== {first}")
    browser.key("n")
    settle(browser)
    here = browser.evaluate(BEGIN)
    delay(browser, "search?", "after=")
    browser.key("n")
    browser.key("N")
    settle(browser, f"{BEGIN} !== {here}")
    assert browser.evaluate(BEGIN) < here, "the last key counts, not the slowest answer"
    browser.key("n")
    other = browser.evaluate("(() => { const row = tracerView.lanes[2].rows[0]; tracerView.select({row, index: 0}, true); return row.begin[0]; })()")
    settle(browser)
    assert browser.evaluate(f"{BEGIN} === {other} && tracerView.selection().row.lane.index === 2"), "what was selected meanwhile stays"
    delay(browser)
    clean(browser, viewer)


def check_late_slices(browser, viewer):
    """A bookmark's slice is selected once it is there, and no more after Escape or another selection."""
    open_page(browser, viewer.url)
    delay(browser, "window?")
    address, begin = bookmark(viewer, 0.7)
    browser.evaluate(f"location.hash = '{address}'")
    settle(browser, f"{BEGIN} === {begin}")
    browser.evaluate("document.getElementById('timeline').focus()")
    for share, leave in ((0.3, "Escape"), (0.5, "select")):
        address, begin = bookmark(viewer, share)
        browser.evaluate(f"location.hash = '{address}'")
        browser.evaluate("new Promise((done) => setTimeout(done, 100))")
        if leave == "Escape":
            browser.key("Escape")
        else:
            browser.evaluate("tracerView.select({row: tracerView.lanes[3].rows[0], index: 0}, false)")
        settle(browser)
        assert browser.evaluate("tracerView.view.t0") == begin - 20000
        assert browser.evaluate(BEGIN) != begin, f"{leave}: what was awaited is selected nevertheless"
    delay(browser)
    clean(browser, viewer)


def check_sums(browser, viewer):
    """Of sums it is said that they are sums. A slice that is found or bookmarked is selected beside them as what it is."""
    open_page(browser, viewer.url)
    browser.evaluate("tracerView.select({row: tracerView.lanes[0].rows[0], index: 0}, false)")
    assert " from " in browser.evaluate(DETAILS) and "begun on" not in browser.evaluate(DETAILS), browser.evaluate(DETAILS)
    browser.evaluate(f"({SUMS})()")
    browser.evaluate("tracerView.setView(0, tracerView.meta.length)")
    settle(browser, "tracerView.lanes[0].exact === false")
    browser.evaluate("tracerView.select({row: tracerView.lanes[0].rows[0], index: 0}, false)")
    begun = browser.evaluate("tracerView.lanes[0].rows[0].count[0].toLocaleString('en')")
    said = browser.evaluate(DETAILS)
    assert said.startswith("mostly ") and f"{begun} begun on " in said and said.endswith("zoom in for single ones"), said
    browser.key("Escape")
    browser.key("/")
    browser.type("for @example.c:21")
    browser.key("Enter")
    first = viewer.ask("search", text="for @example.c:21", after=0)
    second = viewer.ask("search", text="for @example.c:21", after=first["time"])
    settle(browser, f"{BEGIN} === {first['begin']}")
    said = browser.evaluate(DETAILS)
    assert "for @example.c:21" in said and "begun on" not in said and " · in " not in said, said
    for key, wanted in (("n", second), ("N", first)):
        browser.key(key)
        settle(browser, f"{BEGIN} === {wanted['begin']}")
    browser.key("ArrowUp", shift=True)
    assert first["depth"] == 1 and browser.evaluate("(({row}) => row === row.lane.rows[0])(tracerView.selection())"), first
    address, begin = bookmark(viewer, 0.5)
    browser.evaluate(f"location.hash = '{address}'")
    settle(browser, f"{BEGIN} === {begin}")
    delay(browser)  # no sums any more
    browser.key("+")
    settle(browser, "tracerView.selection().row === tracerView.lanes[1].rows[1]")
    assert browser.evaluate(BEGIN) == begin
    clean(browser, viewer)


def check_other_bookmark(browser, viewer):
    """In the same tab it shows what it has, and nothing of what was shown before."""
    address, begin = bookmark(viewer, 0.5)
    open_page(browser, viewer.url)
    for other, tab in (("tab=Trace", "Trace"), ("", "In view")):
        browser.evaluate(f"location.hash = '{address}&find=barrier&range={begin}-{begin + 5000}'")
        settle(browser, f"{BEGIN} === {begin} && tracerView.range() && document.getElementById('search').value === 'barrier'")
        browser.evaluate(f"location.hash = '{other}'")
        settle(browser, f"document.querySelector('#tabs [aria-selected=true]').textContent === '{tab}'")
        state = browser.evaluate("[tracerView.selection(), tracerView.range(), document.getElementById('search').value, tracerView.view.t0 < 0 && tracerView.view.t1 > tracerView.meta.length]")
        assert state == [None, None, "", True], (other, state)
    clean(browser, viewer)


def check_tabs(browser, viewer):
    """Arrow keys go through them; the focus stays when the server has made more."""
    open_page(browser, viewer.url)
    browser.evaluate("document.querySelector('#tabs [aria-selected=true]').focus()")
    for key, tab in (("ArrowRight", "Details"), ("ArrowLeft", "In view"), ("ArrowLeft", "Trace"), ("ArrowRight", "In view"), ("ArrowRight", "Details")):
        browser.key(key)
        assert browser.evaluate("[document.activeElement.textContent, document.querySelector('#tabs [aria-selected=true]').textContent]") == [tab, tab], (key, tab)
    settle(browser, "tracerView.reporting.ready")
    assert browser.evaluate("document.activeElement.textContent") == "Details"
    clean(browser, viewer)


def check_cookie(browser, viewer):
    """A browser sends cookies to all ports of a host, where others may listen: this one is of the page's path alone."""
    open_page(browser, viewer.url)
    place = browser.evaluate("location.pathname")
    assert len(place) > 16 and "token" not in browser.evaluate("location.href"), place

    def sent(url):
        return [one["name"] for one in browser.call("Network.getCookies", {"urls": [url]})["cookies"]]

    name = f"tracer_{viewer.port}"
    assert name in sent(f"http://127.0.0.1:{viewer.port}{place}"), "the page itself gets it"
    for url in ("http://127.0.0.1:9000/", "http://127.0.0.1:9000/api/trace", f"http://127.0.0.1:{viewer.port}/"):
        assert name not in sent(url), url
    clean(browser, viewer)


def checks(browser, directory):
    tracer, make_trace = sys.argv[1:3]
    subprocess.run([make_trace, "large", directory / "large", "50000"], check=True, stdout=subprocess.DEVNULL)
    with Viewer(tracer, directory / "large") as viewer:
        for check in (check_late_search, check_late_slices, check_sums, check_other_bookmark, check_tabs, check_cookie):
            check(browser, viewer)
            print("ok: " + check.__name__)


run_checks(checks)

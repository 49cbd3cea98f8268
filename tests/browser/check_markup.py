#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_markup.py TRACER MAKE_TRACE: names in a trace that look like markup are shown as they are, and scripts that are not the
page's own do not run. Exit status 77: there is no Chromium here."""
import json
import re
import sys

from browser import run_checks
from pages import check_clean, make, need

MARKUP = '<img src=x onerror="window.broken = 1"><script>window.broken = 1</script>&lt;'


def with_markup(value):
    """Each name and text in the report's JSON, replaced; keys and numbers stay."""
    if isinstance(value, dict):
        return {key: with_markup(one) for key, one in value.items()}
    if isinstance(value, list):
        return [with_markup(one) for one in value]
    return MARKUP if isinstance(value, str) and " " in value or value in ("main", "solve") else value


def check_names(browser, page):
    text = page.read_text(encoding="utf-8")
    meta = re.search(r'(<script id="meta"[^>]*>)(.*?)(</script>)', text, re.DOTALL)
    changed = with_markup(json.loads(meta.group(2)))
    other = page.with_name("markup.html")
    other.write_text(text[:meta.start(2)] + json.dumps(changed).replace("<", "\\u003c") + text[meta.end(2):], encoding="utf-8")
    check_clean(browser, other)
    elements = "document.querySelectorAll('img, #panel script, #details script, #tooltip script').length"
    seen = 0
    for tab in browser.evaluate("[...document.querySelectorAll('#tabs button')].map(b => b.textContent)"):
        browser.evaluate(f"tracerReport.showTab({json.dumps(tab)})")
        need(browser.evaluate(elements) == 0, f"{tab}: no element is made of a name")
        seen += browser.evaluate("document.getElementById('panel').textContent").count(MARKUP)
    need(seen > 10, f"the names are there as text, {seen} times")
    browser.evaluate("tracerReport.zoomTo({row: tracerReport.lanes[0].rows[0], index: 0})")
    need(MARKUP in browser.evaluate("document.getElementById('details').textContent") and browser.evaluate(elements) == 0, "so is that of what is selected")
    need(browser.evaluate("window.broken") is None and not browser.errors, f"nothing of them ran {browser.errors}")


def checks(browser, directory):
    tracer, make_trace = sys.argv[1:3]
    page = make(tracer, make_trace, directory, "sampled")
    check_clean(browser, page)
    policy = browser.evaluate("document.querySelector('meta[http-equiv]').content")
    need(re.search(r"script-src 'sha256-[A-Za-z0-9+/]{43}='(;|$)", policy) and "script-src 'unsafe" not in policy, f"the policy names one script {policy}")
    browser.evaluate("{ const s = document.createElement('script'); s.textContent = 'window.broken = 1'; document.body.append(s); }")
    need(browser.evaluate("window.broken") is None, "another script does not run")
    check_names(browser, page)


run_checks(checks)

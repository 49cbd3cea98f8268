# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the page of `tracer view` share: opening it, waiting until it is done, and what it must be."""
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "view"))
from viewer import Viewer  # noqa: E402, F401


def settle(browser, until="true", seconds=60):
    """Until nothing is asked any more, and `until` holds."""
    end, quiet = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        quiet = quiet + 1 if browser.evaluate(f"tracerView.live.open === 0 && Boolean({until})") else 0
        if quiet > 8:
            return
        time.sleep(0.05)
    raise RuntimeError(f"not after {seconds} s: {until}; {browser.evaluate('JSON.stringify([tracerView.live, location.hash])')}, {browser.errors}")


def open_page(browser, url):
    browser.call("Page.navigate", {"url": "about:blank"})
    while browser.evaluate("location.href") != "about:blank":
        time.sleep(0.05)
    browser.console, browser.errors, browser.requests = [], [], []  # without those of a page whose viewer has ended
    browser.call("Page.navigate", {"url": url})
    end = time.monotonic() + 60
    while not browser.evaluate("Boolean(window.tracerView) && document.documentElement.dataset.ready === '1'"):
        assert time.monotonic() < end, (url, browser.errors, browser.requests, browser.evaluate("[location.href, document.body.innerText.slice(0, 200)].join(' ')"))
        time.sleep(0.05)
    settle(browser, "tracerView.lanes.some((lane) => lane.rows[0].begin.length)")


def clean(browser, viewer):
    here = f"http://127.0.0.1:{viewer.port}/"
    assert not browser.errors and not browser.console, (browser.errors, browser.console)
    assert all(request.startswith((here, "data:")) for request in browser.requests), browser.requests

# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the page share: known traces as pages, and what every page must be."""
import subprocess


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


def make_archive(make_trace, directory, kind, *arguments):
    archive = directory / "-".join([kind, *arguments])
    if not archive.exists():
        subprocess.run([make_trace, kind, archive, *arguments], check=True)
    return archive


def make(tracer, make_trace, directory, kind, *arguments):
    archive = make_archive(make_trace, directory, kind, *arguments)
    page = archive.with_suffix(".html")
    subprocess.run([tracer, "report", archive, "--html", page], check=True, stderr=subprocess.DEVNULL)
    return page


def check_clean(browser, page):
    browser.open(page)
    need(browser.requests == ["file://" + str(page)], f"{page.stem}: loads nothing but itself {browser.requests}")
    need(not browser.errors and not browser.console, f"{page.stem}: no errors, nothing on the console {browser.errors}{browser.console}")

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_page.py types|lint|sample MODULES: the page's modules by TypeScript's compiler or by ESLint, which npm brings into
MODULES; or the page of the sample trace, made without the product, in a headless browser. Status 77: skipped, with the reason."""
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
WEB = TOP / "tracer" / "report" / "page" / "web"
PACKAGES = {"types": ("typescript@5.9", "tsc", ["-p", WEB / "jsconfig.json"]), "lint": ("eslint@9.9", "eslint", ["--no-config-lookup", "-c", HERE / "eslint.config.mjs", WEB])}


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def program(modules, package, name):
    """A program of an npm package."""
    if not shutil.which("npm"):
        skip("no npm here")
    path = modules / "node_modules" / ".bin" / name
    if not path.exists():
        modules.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-save", package], cwd=modules, capture_output=True, text=True, timeout=150)
        except subprocess.TimeoutExpired:
            skip(f"npm was not done with {package} in 150 s")
        if done.returncode != 0 or not path.exists():
            skip(f"npm could not install {package}: {done.stderr.strip()[-300:]}")
    return path


def check_sample(directory):
    sys.path.insert(0, str(TOP / "tests" / "browser"))
    from browser import Browser, find_chromium
    if not find_chromium():
        skip("no Chromium here")
    directory.mkdir(parents=True, exist_ok=True)
    page = directory / "sample.html"
    subprocess.run(["cmake", "-P", WEB / "bundle.cmake", page], check=True, cwd=directory)
    with Browser() as browser:
        browser.open(page)
        tabs = browser.evaluate("[...document.querySelectorAll('#tabs button')].map(b => b.textContent)")
        assert "Summary" in tabs and "Samples" in tabs, tabs
        for tab in tabs:
            browser.evaluate(f"tracerReport.showTab('{tab}')")
            assert browser.evaluate("document.getElementById('panel').textContent.length") > 20, tab
        assert browser.evaluate("tracerReport.search('barrier')") > 0
        assert not browser.errors and not browser.console and browser.requests == ["file://" + str(page)], (browser.errors, browser.console, browser.requests)
    print(f"ok: {page} has {', '.join(tabs)}")


def main():
    what, modules = sys.argv[1], pathlib.Path(sys.argv[2])
    if what == "sample":
        check_sample(modules)
        return 0
    package, name, arguments = PACKAGES[what]
    done = subprocess.run([program(modules / what, package, name), *arguments], cwd=TOP, env={**os.environ, "NO_COLOR": "1"})
    print(f"{name}: status {done.returncode}, {len(list(WEB.glob('*.js')))} modules")
    return done.returncode


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_page.py types|lint|sample MODULES: the page's modules by TypeScript's compiler or by ESLint, which npm brings into
MODULES; or the page of the sample trace, made without the product, in a headless browser. Status 77: skipped, with the reason."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
WEB = TOP / "tracer" / "report" / "page" / "web"
VIEW = TOP / "tracer" / "view" / "web"
PACKAGES = {"types": ("typescript@5.9", "tsc", lambda web: ["-p", web / "jsconfig.json"]), "lint": ("eslint@9.9", "eslint", lambda web: ["--no-config-lookup", "-c", HERE / "eslint.config.mjs", web])}


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
    tool, status = program(modules / what, package, name).resolve(), 0
    # The viewer's page as it is bundled: its own modules in the places of those of the same name, and none that it leaves out.
    listed = re.search(r"\(view_modules ([\w ]+)\)", (VIEW.parent / "CMakeLists.txt").read_text(encoding="utf-8")).group(1).split()
    with tempfile.TemporaryDirectory() as temporary:
        merged = pathlib.Path(temporary) / "view"
        merged.mkdir()
        for file in ("jsconfig.json", "package.json", *(module + ".js" for module in listed)):
            shutil.copy(VIEW / file if (VIEW / file).exists() else WEB / file, merged / file)
        for web, cwd in ((WEB, TOP), (merged, merged)):
            done = subprocess.run([tool, *arguments(web)], cwd=cwd, env={**os.environ, "NO_COLOR": "1"})
            print(f"{name}: status {done.returncode}, {len(list(web.glob('*.js')))} modules of {web}")
            status = status or done.returncode
    return status


sys.exit(main())

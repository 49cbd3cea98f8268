#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_examples.py TRACER LIBRARY PROGRAM...: each example is traced, its report opened in a headless browser, its archive
opened by ViTE and by a Python script. What is not installed is left out and said. Exit status 77: nothing is."""
import json
import os
import pathlib
import subprocess
import sys

from browser import run_checks
from pages import need

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import vite  # noqa: E402

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "post-processing"
tracer, library = (os.path.abspath(path) for path in sys.argv[1:3])


def check_page(browser, page, report):
    name = page.stem
    browser.open(page)
    need(browser.requests == ["file://" + str(page)] and not browser.errors and not browser.console, f"{name}: loads without a network or an error {browser.requests}{browser.errors}{browser.console}")
    lanes = browser.evaluate("tracerReport.lanes.map(l => l.name)")
    need(lanes == [row["name"] for row in report["threads"]], f"{name}: lanes {', '.join(lanes)}")
    region = report["parallel_regions"][0]["name"]
    need(browser.evaluate(f"tracerReport.search({json.dumps(region)})") > 0, f"{name}: finds {region}")
    before = browser.evaluate("tracerReport.view.t1 - tracerReport.view.t0")
    need(browser.evaluate(f"tracerReport.goTo({json.dumps(region)})") and browser.evaluate("tracerReport.view.t1 - tracerReport.view.t0") <= before * 1.000001, f"{name}: zooms to it")
    for tab in browser.evaluate("[...document.querySelectorAll('#tabs button')].map(b => b.textContent)"):
        browser.evaluate(f"tracerReport.showTab({json.dumps(tab)})")
        need(browser.evaluate("document.getElementById('panel').textContent.length") > 20 and not browser.errors, f"{name}: tab {tab}")


def check_vite(archive, directory):
    picture = directory / "vite.png"
    printed = vite.drawn(archive / "traces.otf2", picture)
    if printed is None:
        return
    need("status" not in printed and "0 errors" in printed and picture.exists() and picture.stat().st_size > 1000, f"{archive.name}: ViTE draws it: {printed}")
    picture.unlink()


def check_scripts(archive):
    done = subprocess.run(["/usr/bin/python3", "-B", SCRIPTS / "region_profile.py", archive], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "TRACER_COMMAND": tracer})
    if done.returncode != 0 and "apt-get install" in done.stderr:
        print("not tested: scripts on the examples: " + done.stderr.strip())
        return
    need(done.returncode == 0 and "!$omp parallel" in done.stdout, f"{archive.name}: region_profile.py reads it")


def checks(browser, directory):
    for program in sys.argv[3:]:
        name = pathlib.Path(program).name
        archive, page = directory / (name + ".trace"), directory / (name + ".html")
        subprocess.run([tracer, "run", "-q", "-o", archive, "--html", page, "--", program], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       env={**os.environ, "TRACER_LIBRARY": library, "OMP_NUM_THREADS": "4"})
        report = json.loads(subprocess.run([tracer, "report", "--json", archive], check=True, capture_output=True, text=True).stdout)
        check_page(browser, page, report)
        check_vite(archive, directory)
        check_scripts(archive)


run_checks(checks)

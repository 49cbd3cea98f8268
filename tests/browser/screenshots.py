#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""screenshots.py TRACER LIBRARY MAKE_TRACE DISEASES CHOLESKY DIRECTORY: the pictures of docs/images, made anew: the pages of an
uneven loop, of its samples, of 96 threads, of two traces beside each other, of a run that was killed, and of the Cholesky example;
and those of tracer view: a message and its other side, a device, and two traces."""
import os
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser
from pages import make, make_archive

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "view"))
import device_archive  # noqa: E402
import mpi_archive  # noqa: E402
from viewer import Viewer  # noqa: E402


def traced(tracer, library, directory, name, *command, threads="4"):
    """The page of a real run, however that ends."""
    page = directory / (name + ".html")
    subprocess.run([tracer, "run", "-q", "-o", directory / name, "--", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                   env={**os.environ, "TRACER_LIBRARY": library, "OMP_NUM_THREADS": threads})
    subprocess.run([tracer, "report", directory / name, "--html", page], check=True, stderr=subprocess.DEVNULL)
    return page


def view_pictures(browser, tracer, make_trace, directory, out):
    """Of tracer view."""
    def picture(name, traces, prepare, then=""):
        with Viewer(tracer, *traces) as viewer:
            viewer.wait_for_links()
            browser.call("Page.navigate", {"url": viewer.url})
            browser.wait_ready(name)
            browser.evaluate("tracerView.setTheme(false)")
            browser.evaluate("new Promise(done => setTimeout(done, 1500))")
            browser.evaluate(prepare)
            browser.evaluate("new Promise(done => setTimeout(done, 2500))")
            browser.evaluate("tracerView.search('');" + then)
            browser.evaluate("new Promise(done => setTimeout(done, 1000))")
            browser.screenshot(pathlib.Path(out) / f"view-{name}.png")

    browser.call("Emulation.setDeviceMetricsOverride", {"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": False})
    mpi_archive.write(directory / "messages", 4, 400)
    picture("message", [directory / "messages"], "tracerView.setView(tracerView.meta.length * 0.1, tracerView.meta.length * 0.12); tracerView.search('MPI_Recv'); tracerView.showTab('Details'); tracerView.step(1)",
            "const t = tracerView.selection().row.begin[tracerView.selection().index]; tracerView.setView(t - 24000, t + 6000)")
    device_archive.write(directory / "devices", 1, 600)
    picture("device", [directory / "devices"], "tracerView.setView(tracerView.meta.length * 0.4, tracerView.meta.length * 0.44)")
    before, after = (directory / make_archive(make_trace, directory, kind).name for kind in ("imbalance", "even"))
    picture("two-traces", [before, after], "tracerView.setRange(tracerView.meta.length * 0.2, tracerView.meta.length * 0.5)")
    browser.call("Emulation.clearDeviceMetricsOverride")


def main():
    tracer, library, make_trace, diseases, cholesky, out = (os.path.abspath(word) for word in sys.argv[1:7])
    with tempfile.TemporaryDirectory() as temporary, Browser(1400, 900) as browser:
        directory = pathlib.Path(temporary)

        def picture(name, page, prepare=""):
            browser.open(page)
            browser.evaluate("tracerReport.setTheme(false)")
            if prepare:
                browser.evaluate(prepare)
            browser.evaluate("new Promise(done => setTimeout(done, 500))")
            browser.screenshot(pathlib.Path(out) / f"report-{name}.png")

        picture("imbalance", make(tracer, make_trace, directory, "imbalance"))
        picture("samples", make(tracer, make_trace, directory, "sampled"), "tracerReport.showTab('Samples')")
        picture("96-threads", make(tracer, make_trace, directory, "wide", "96"), "tracerReport.setRange(200e3, 300e3); tracerReport.showTab('In view')")
        before, after = (make_archive(make_trace, directory, kind).name for kind in ("imbalance", "even"))
        subprocess.run([tracer, "diff", before, after, "--html", "comparison.html"], check=True, stderr=subprocess.DEVNULL, cwd=directory)
        picture("comparison", directory / "comparison.html")
        view_pictures(browser, tracer, make_trace, directory, out)
        picture("killed", traced(tracer, library, directory, "killed", diseases, "killed"))
        picture("cholesky", traced(tracer, library, directory, "cholesky", cholesky))


main()

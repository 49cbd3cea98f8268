#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_view.py TRACER MAKE_TRACE: `tracer view` in a browser: from the whole run to one event by zoom, by search and by a
bookmark; exact statistics; two traces; by mouse and by keys."""
import json
import subprocess
import sys
import time

from browser import run_checks
from viewing import Viewer, clean, open_page, settle

try:
    import device_archive  # it needs python3-otf2
except ImportError:
    device_archive = None

NUMBER = 200_000
RANKS = 1300  # of four threads each


def slices_shown(browser, lane):
    return browser.evaluate(f"JSON.stringify(tracerView.lanes[{lane}].rows.map((row) => [...row.begin].map((begin, i) => [begin, row.end[i], row.count[i]])))")


def check_whole(browser, viewer):
    open_page(browser, viewer.url)
    assert browser.evaluate("location.href").startswith(f"http://127.0.0.1:{viewer.port}/") and "token" not in browser.evaluate("location.href")
    assert browser.evaluate("tracerView.lanes.every((lane) => lane.left_out || lane.rows[0].begin.length > 0)")
    keys = browser.evaluate("document.getElementById('keys').textContent")
    assert all(word in keys for word in ("longer than 1 ms", "event:acquire_lock", "linked with")) and "in:solve" not in keys, keys
    settle(browser, "tracerView.statistics()")
    assert "implicit barrier" in browser.evaluate("document.getElementById('panel').textContent")
    clean(browser, viewer)


def check_zoom(browser, viewer):
    """By the mouse's wheel and by keys until single events are there; each slice is one of the archive's."""
    browser.evaluate("document.getElementById('timeline').focus()")
    middle = browser.evaluate("tracerView.toX(tracerView.meta.length * 0.4)")
    for _ in range(12):
        browser.mouse("mouseWheel", middle, 120, deltaX=0, deltaY=-300, modifiers=2)
    settle(browser)
    wide = browser.evaluate("tracerView.view.t1 - tracerView.view.t0")
    browser.key("+")
    settle(browser)
    assert browser.evaluate("tracerView.view.t1 - tracerView.view.t0") < wide < browser.evaluate("tracerView.meta.length") / 100
    assert browser.evaluate("tracerView.lanes[1].exact")
    shown = json.loads(slices_shown(browser, 1))
    t0, t1 = browser.evaluate("[tracerView.view.t0, tracerView.view.t1]")
    events = viewer.ask("events", **{"lane": 1, "from": max(0, int(t0)), "to": int(t1) + 1, "most": 10000})["events"]
    begins = {one["time"] for one in events if one["type"] == "enter"}
    inside = {begin for row in shown for begin, end, count in row if t0 <= begin <= t1}
    assert begins == inside and begins, (sorted(begins)[:5], sorted(inside)[:5])
    before = browser.evaluate("tracerView.view.t0")
    browser.key("d")
    settle(browser)
    assert browser.evaluate("tracerView.view.t0") > before
    browser.key("0")
    settle(browser)
    assert browser.evaluate("tracerView.view.t1") > browser.evaluate("tracerView.meta.length")
    clean(browser, viewer)


def check_moving(browser, viewer):
    """While the view moves without a pause, what it passes is asked for and drawn."""
    browser.evaluate("tracerView.setView(0, tracerView.meta.length / 500)")
    settle(browser, "tracerView.lanes[1].exact")
    passed = browser.evaluate("""(async () => {
      const span = tracerView.meta.length / 500, end = performance.now() + 30000;
      let seen = 0, at = 0;
      while (seen < 5 && performance.now() < end) {
        at = (at + span / 50) % (tracerView.meta.length - span);
        tracerView.setView(at, at + span);
        await new Promise((go) => setTimeout(go, 4));
        const row = tracerView.lanes[1].rows[0], middle = at + span / 2;
        if (at > 3 * span && row.begin.length && row.begin[0] < middle && row.end[row.end.length - 1] > middle) ++seen;
      }
      return seen;
    })()""")
    assert passed == 5, f"seen while the view moved: {passed}"
    settle(browser)
    clean(browser, viewer)


def drawing_calls(browser):
    """How many rectangles and pictures one drawing makes."""
    return browser.evaluate("""(async () => {
      const of = CanvasRenderingContext2D.prototype, frame = () => new Promise(requestAnimationFrame), kept = {};
      let calls = 0;
      for (const name of ['fillRect', 'drawImage']) { const draw = kept[name] = of[name]; of[name] = function (...words) { ++calls; return draw.apply(this, words); }; }
      tracerView.setView(tracerView.view.t0, tracerView.view.t1);
      await frame(); await frame();
      Object.assign(of, kept);
      return calls;
    })()""")


def check_narrow(browser, viewer):
    """Thousands of narrow slices are one picture a row, in which each has its colour at its place."""
    browser.evaluate("tracerView.setView(0, tracerView.meta.length)")
    settle(browser)
    rows = browser.evaluate("tracerView.lanes.reduce((sum, lane) => sum + lane.rows.length, 0)")
    slices = browser.evaluate("tracerView.lanes.reduce((sum, lane) => sum + lane.rows.reduce((all, row) => all + row.begin.length, 0), 0)")
    calls = drawing_calls(browser)
    assert calls < 40 + 8 * rows < slices, (calls, rows, slices)
    # A barrier of the first worker, three pixels wide.
    seen = json.loads(browser.evaluate("""(async () => {
      const {lanes, meta, canvas, view} = tracerView, frame = () => new Promise(requestAnimationFrame), ask = async (from, to) => (await fetch(`api/window?from=${from}&to=${to}&width=20000&lanes=1`)).json();
      const middle = Math.round(meta.length / 2), rows = (await ask(middle, middle + 100000)).lanes[0].rows;
      const isBarrier = (name) => meta.names[name].includes('barrier');
      const depth = rows.findIndex((row) => row.name.some(isBarrier)), row = rows[depth], i = row.name.findIndex(isBarrier);
      const at = (row.begin[i] + row.end[i]) / 2, span = (row.end[i] - row.begin[i]) * (canvas.clientWidth - 190) / 3;
      tracerView.setView(at - span / 2, at + span / 2);
      await new Promise((go) => setTimeout(go, 100));
      while (tracerView.live.open) await frame();
      await frame(); await frame();
      const scale = canvas.width / canvas.clientWidth, x = tracerView.toX(at), y = lanes[1].y + depth * 15 + 4;
      const pixels = [...canvas.getContext('2d').getImageData(Math.round(x * scale), Math.round(y * scale), 1, 1).data];
      return JSON.stringify([pixels, tracerView.activityColour('barrier'), tracerView.toX(row.end[i]) - tracerView.toX(row.begin[i])]);
    })()"""))
    pixels, colour, wide = seen
    assert "#" + "".join(f"{part:02x}" for part in pixels[:3]) == colour and 2 < wide < 4, seen
    clean(browser, viewer)


def check_search(browser, viewer):
    """By keys alone: the first, the next, the previous; its details."""
    browser.evaluate("tracerView.setView(0, tracerView.meta.length)")
    browser.key("/")
    browser.type("!$omp for @example.c:21")
    browser.key("Enter")
    settle(browser, "tracerView.selection()")
    at = "(({row, index}) => [row.lane.index, row.begin[index], tracerView.meta.names[row.name[index]]])(tracerView.selection())"
    first = browser.evaluate(at)
    assert "example.c:21" in first[2], first
    browser.key("n")
    settle(browser, f"{at}[1] !== {first[1]} || {at}[0] !== {first[0]}")
    second = browser.evaluate(at)
    assert second[1] > first[1] and "example.c:21" in second[2], (first, second)
    browser.key("N")
    settle(browser, f"{at}[1] === {first[1]}")
    browser.evaluate("tracerView.showTab('Details')")
    settle(browser, "document.getElementById('panel').textContent.includes('Events from then on')")
    text = browser.evaluate("document.getElementById('panel').textContent")
    assert "parallel @example.c:10" in text and "enter" in text and "leave" in text, text[:500]
    clean(browser, viewer)
    return browser.evaluate("location.href"), first


def check_bookmark(browser, viewer, address, first):
    open_page(browser, address)
    settle(browser, "tracerView.selection()")
    again = browser.evaluate("(({row, index}) => [row.lane.index, row.begin[index], tracerView.meta.names[row.name[index]]])(tracerView.selection())")
    assert again == first, (again, first)
    assert browser.evaluate("document.querySelector('#tabs [aria-selected=true]').textContent") == "Details"
    clean(browser, viewer)


def check_folded(browser, viewer):
    """The box of what is selected is on its thread's lane, also where that is folded; going to it unfolds the lane."""
    depth, folded, y, height, top, tall = browser.evaluate("""(() => {
      const of = CanvasRenderingContext2D.prototype, draw = of.strokeRect, {row} = tracerView.selection(), boxes = [];
      of.strokeRect = function (...words) { if (this.canvas === tracerView.canvas) boxes.push(words); return draw.apply(this, words); };
      tracerView.fold(row.lane);
      of.strokeRect = draw;
      const [, top, , tall] = boxes.pop();
      return [row.depth, row.lane.folded, row.lane.y, row.lane.height, top, tall];
    })()""")
    assert depth > 0 and folded and y - 2 <= top and top + tall <= y + height + 2, (depth, folded, y, height, top, tall)
    browser.evaluate("tracerView.select(tracerView.selection(), true)")
    assert not browser.evaluate("tracerView.selection().row.lane.folded")
    settle(browser)
    clean(browser, viewer)


def check_search_in_others(browser, viewer):
    """Threads that are not shown are searched, too; what is found there is shown."""
    browser.evaluate("document.getElementById('timeline').focus()")
    browser.key("Escape")
    browser.key("l")
    browser.type("thread 1")
    browser.key("Enter")
    settle(browser, "tracerView.order().length === 1")
    browser.key("/")
    browser.type("kernel")
    browser.key("Enter")
    settle(browser, "tracerView.selection()")
    assert browser.evaluate("tracerView.selection().row.lane.stream && tracerView.order().includes(tracerView.selection().row.lane)")
    browser.key("Escape")
    clean(browser, viewer)


def check_range(browser, viewer):
    browser.evaluate("tracerView.showTab('In view'); tracerView.setRange(1000000, 1500000)")
    settle(browser, "tracerView.statistics() && tracerView.statistics().from === 1000000")
    mine = browser.evaluate("JSON.stringify(tracerView.statistics().rows)")
    lanes = ",".join(map(str, range(len(viewer.ask("trace")["locations"]))))
    assert json.loads(mine) == viewer.ask("statistics", **{"from": 1000000, "to": 1500000, "lanes": lanes})["rows"], mine
    assert browser.evaluate("document.getElementById('panel').textContent").startswith("Measured: 500 µs")
    clean(browser, viewer)


def check_two(browser, tracer, first, second):
    with Viewer(tracer, first, second) as viewer:
        open_page(browser, viewer.url)
        both = browser.evaluate("JSON.stringify(tracerView.meta.sides.map((side) => [side.title, side.location, side.locations]))")
        sides = json.loads(both)
        assert len(sides) == 2 and sides[1][1] == sides[0][2], sides
        assert browser.evaluate(f"tracerView.lanes[{sides[1][1]}].rows[0].begin.length > 0")
        before = browser.evaluate("JSON.stringify(tracerView.statistics())")
        browser.key("b")
        settle(browser, f"JSON.stringify(tracerView.statistics()) !== {json.dumps(before)}")
        clean(browser, viewer)


def check_many_processes(browser, tracer, trace):
    """Of folded processes every fourth lane is shown: a list of these is too long for an address, unless it is of bits.
    What unfolding brings into sight is asked for."""
    with Viewer(tracer, trace) as viewer:
        open_page(browser, viewer.url)
        shown = browser.evaluate("tracerView.order().map((lane) => lane.index)")
        assert shown == list(range(0, 4 * RANKS, 4)) and len(",".join(map(str, shown))) + 2 * RANKS > 8192, shown[:9]
        settle(browser, "tracerView.statistics()")
        assert browser.evaluate("tracerView.statistics().lanes") == RANKS
        # Below each lane that is shown a row has what all threads of its process do.
        settle(browser, "tracerView.order()[0].activity && tracerView.meta.sides[0].activity")
        threads, most, tall, rows = browser.evaluate("""(() => { const lane = tracerView.order()[0], {threads, step, times} = lane.activity;
          return [threads, Math.max(...Object.values(times).flat()) / step, lane.height, lane.folded ? 1 : lane.rows.length]; })()""")
        assert 1 <= threads <= 4 and 0 < most <= threads and tall == 15 * (rows + 1), (threads, most, tall, rows)
        browser.evaluate("document.getElementById('timeline').focus()")
        browser.key("r")
        settle(browser, "tracerView.order().length === tracerView.lanes.length && tracerView.lanes[1].rows[0].begin.length")
        browser.key("r")
        browser.key("/")
        browser.type("MPI_Recv")
        browser.key("Enter")
        settle(browser, "tracerView.selection()")
        assert "MPI_Recv" in browser.evaluate(SELECTED)[2] and not browser.evaluate("tracerView.live.failure")
        clean(browser, viewer)


SELECTED = "(({row, index}) => [row.lane.index, row.begin[index], tracerView.meta.names[row.name[index]]])(tracerView.selection())"


def check_links(browser, tracer, trace):
    """By keys alone: from a receive to its send and back; arrows and the critical path are drawn or not; long ones and events are found."""
    with Viewer(tracer, trace) as viewer:
        open_page(browser, viewer.url)
        settle(browser, "tracerView.extra.ready && tracerView.meta.arrows.length > 0 && tracerView.meta.sides[0].path.length > 0")
        arrows = json.loads(browser.evaluate("JSON.stringify(tracerView.meta.arrows)"))
        assert all(kind == 3 and a != b for kind, a, b, _, _ in arrows), arrows[:3]
        browser.evaluate("document.getElementById('timeline').focus()")
        pictures = []
        for key in ("e", "c", "e", "c"):
            pictures.append(browser.evaluate("tracerView.canvas.toDataURL()"))
            browser.key(key)
            settle(browser)
        assert len(set(pictures)) == 4 and browser.evaluate("tracerView.canvas.toDataURL()") == pictures[0], "what is drawn changes with the keys e and c"
        browser.key("/")
        browser.type("MPI_Recv")
        browser.key("Enter")
        settle(browser, "tracerView.selection()")
        receive = browser.evaluate(SELECTED)
        browser.evaluate("tracerView.showTab('Details')")
        settle(browser, "document.getElementById('panel').textContent.includes('message, sent')")
        text = browser.evaluate("document.getElementById('panel').textContent")
        assert "sender: " in text and "bytes" in text and "tag: " in text, text[:600]
        browser.key("j")
        settle(browser, f"{SELECTED}[0] !== {receive[0]}")
        send = browser.evaluate(SELECTED)
        assert "MPI_Send" in send[2], send
        browser.key("j")
        settle(browser, f"{SELECTED}[0] === {receive[0]} && {SELECTED}[1] === {receive[1]}")
        # The same by the link in the table, which keys reach.
        browser.evaluate("document.querySelector('#panel a[data-link]').focus()")
        browser.key("Enter")
        settle(browser, f"{SELECTED}[0] === {send[0]} && {SELECTED}[1] === {send[1]}")
        for text, of in (("event:mpi_send", "MPI_Send"), ("mpi_recv longer than 1 ns", "MPI_Recv")):
            browser.key("Escape")
            browser.key("/")
            browser.type(text)
            browser.key("Enter")
            settle(browser, "tracerView.selection()")
            found = browser.evaluate(SELECTED)
            assert of in found[2], found
            browser.key("n")
            settle(browser, f"JSON.stringify({SELECTED}) !== {json.dumps(json.dumps(found, separators=(',', ':')))}")
            browser.key("N")
            settle(browser, f"{SELECTED}[1] === {found[1]}")
        browser.key("Escape")
        browser.key("/")
        browser.type("mpi_recv longer than nonsense")
        browser.key("Enter")
        settle(browser, "document.getElementById('found').textContent.includes('units are ns, us, ms and s')")
        browser.errors[:] = [one for one in browser.errors if "400" not in one]  # the browser says so itself
        clean(browser, viewer)


def check_tracks(browser, tracer, devices, sampled):
    """Copies are slices of their streams, counters and samples are drawn, and what was sampled is in tables."""
    with Viewer(tracer, devices) as viewer:
        open_page(browser, viewer.url)
        settle(browser, "tracerView.extra.ready && tracerView.meta.counters.length && tracerView.meta.counters[0].time.length > 0")
        assert browser.evaluate("tracerView.meta.counters.every((one) => one.y > 0 && one.time.length === one.value.length)")
        browser.key("/")
        browser.type("copy to device")
        browser.key("Enter")
        settle(browser, "tracerView.selection()")
        assert browser.evaluate("tracerView.selection().row.lane.stream")
        browser.evaluate("tracerView.showTab('Details')")
        settle(browser, "document.getElementById('panel').textContent.includes('submitted by')")
        assert "cuLaunch" in browser.evaluate("document.getElementById('panel').textContent")
        clean(browser, viewer)
    with Viewer(tracer, sampled) as viewer:
        open_page(browser, viewer.url)
        settle(browser, "tracerView.extra.ready && tracerView.lanes.some((lane) => lane.sampled && lane.sampled.time.length)")
        browser.evaluate("tracerView.setRange(0, tracerView.meta.length); document.getElementById('timeline').focus()")
        browser.key("g")
        settle(browser, "document.querySelector('#tabs [aria-selected=true]').textContent === 'Samples' && document.querySelectorAll('#panel tbody tr').length > 1")
        answer = viewer.ask("functions", **{"from": 0, "to": browser.evaluate("tracerView.meta.length")})
        assert answer["rows"][0]["function"] in browser.evaluate("document.querySelector('#panel tbody tr').textContent")
        clean(browser, viewer)


def check_gone(browser, viewer):
    """The server has ended: said in words."""
    viewer.close()
    browser.evaluate("tracerView.zoom(0.3)")
    end = time.monotonic() + 30
    while "has ended" not in browser.evaluate("document.getElementById('found').textContent"):
        assert time.monotonic() < end
        time.sleep(0.05)
    browser.call("Page.navigate", {"url": "about:blank"})
    time.sleep(0.5)  # what that page still says is of it, not of the next one
    browser.evaluate("1")


def check_end_of_zoom(browser, tracer, trace, page):
    """The report's page says how to go on where it goes no further, and nothing before that."""
    subprocess.run([tracer, "report", trace, "--slices", "2000", "--html", page], check=True, capture_output=True)
    browser.open(page)
    note = "document.getElementById('zoomNote').textContent"
    assert browser.evaluate(note) == "", browser.evaluate(note)
    browser.evaluate("tracerReport.setView(100000, 100500)")
    end = time.monotonic() + 20
    while f"tracer view {trace}" not in browser.evaluate(note):
        assert time.monotonic() < end, browser.evaluate(note)
        time.sleep(0.05)
    browser.evaluate("tracerReport.setView(0, tracerReport.meta.length)")
    while browser.evaluate(note):
        assert time.monotonic() < end, browser.evaluate(note)
        time.sleep(0.05)
    assert not browser.errors, browser.errors


def checks(browser, directory):
    tracer, make_trace = sys.argv[1:3]
    for name, *number in (("large", str(NUMBER)), ("imbalance",), ("ring", "4"), ("sampled",)):
        subprocess.run([make_trace, name, directory / name, *number], check=True, stdout=subprocess.DEVNULL)
    with Viewer(tracer, directory / "large") as viewer:
        check_whole(browser, viewer)
        check_zoom(browser, viewer)
        check_moving(browser, viewer)
        check_narrow(browser, viewer)
        address, first = check_search(browser, viewer)
        check_bookmark(browser, viewer, address, first)
        check_folded(browser, viewer)
        check_search_in_others(browser, viewer)
        check_range(browser, viewer)
        check_gone(browser, viewer)
    check_links(browser, tracer, directory / "ring")
    if device_archive:
        device_archive.write(directory / "devices", 1, 300)
        check_tracks(browser, tracer, directory / "devices", directory / "sampled")
    else:
        print("not tested: tracks of devices in a browser: no python3-otf2 for " + sys.executable)
    subprocess.run([make_trace, "ring", directory / "ranks", str(RANKS)], check=True, stdout=subprocess.DEVNULL)
    check_many_processes(browser, tracer, directory / "ranks")
    check_two(browser, tracer, directory / "large", directory / "imbalance")
    check_end_of_zoom(browser, tracer, directory / "large", directory / "page.html")
    print("ok")


run_checks(checks)

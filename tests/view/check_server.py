#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_server.py TRACER MAKE_TRACE: who gets an answer of `tracer view`, what nonsense gets, ports, and how it ends."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from viewer import ROUTES, Viewer

REFUSED, NO_TOKEN, NOT_THERE, NONSENSE, NO_METHOD = 403, 401, 404, 400, 405


def expect(viewer, status, path, says="", **more):
    got, headers, text = viewer.request(path, **more)
    assert got == status and says in text, f"{path} {more}: status {got}, not {status}: {text[:200]}"
    assert "default-src 'none'" in headers["content-security-policy"] and headers["x-content-type-options"] == "nosniff", headers
    assert "access-control-allow-origin" not in headers, headers
    if status != 200:
        assert "root:" not in text and "<html" not in text, text[:200]
    return headers, text


def check_token(viewer):
    mine = viewer.cookie()
    for path in ("/", *("/api/" + route for route in ROUTES)):
        expect(viewer, NO_TOKEN, path)
        expect(viewer, NO_TOKEN, path, headers={"Cookie": f"tracer_{viewer.port}={'0' * 32}"})
        expect(viewer, NO_TOKEN, path, headers={"Cookie": f"tracer_{viewer.port}={viewer.token[:-1]}"})
        expect(viewer, NO_TOKEN, path, headers={"Cookie": f"tracer_{viewer.port}="})
        expect(viewer, NO_TOKEN, path, headers={"Cookie": f"other={viewer.token}"})
        right = 303 if path == "/" else 200  # the page is elsewhere
        expect(viewer, right, path, headers=mine)
        expect(viewer, right, path, headers={"Cookie": f"a=b; {mine['Cookie']}; c=d"})
    expect(viewer, NO_TOKEN, "/?token=" + "0" * 32)
    expect(viewer, NO_TOKEN, "/?token=")
    headers, _ = expect(viewer, 303, "/?token=" + viewer.token)
    place = headers["location"]
    assert re.fullmatch(r"/\w{16}/", place) and viewer.token not in place, headers
    assert headers["set-cookie"] == f"tracer_{viewer.port}={viewer.token}; HttpOnly; SameSite=Lax; Path={place}", headers
    check_place(viewer, place)
    expect(viewer, 200, "/api/trace?token=" + viewer.token)
    assert len(viewer.token) == 32


def check_place(viewer, place):
    """The page and what it asks for are where the cookie is, which a browser sends to every port of this host, but to no other path."""
    mine = viewer.cookie()
    for path in (place, place + "api/trace"):
        expect(viewer, NO_TOKEN, path)
        expect(viewer, 200, path, headers=mine)
        expect(viewer, REFUSED, path, headers={**mine, "Origin": "http://evil.example"})
    for path in (place[:-1], place + "index.html", place + "api/", place + "api/nothing", "/" + "0" * 16 + "/", "/" + "0" * 16 + "/api/trace", "/api" + place + "trace"):
        expect(viewer, NOT_THERE, path, headers=mine)


def check_names(viewer):
    """Another name leads here by its owner's DNS; another page asks from where it is."""
    mine, port = viewer.cookie(), viewer.port
    for path in ("/", *("/api/" + route for route in ROUTES)):
        expect(viewer, REFUSED, path, headers={**mine, "Host": "evil.example"})
        expect(viewer, REFUSED, path, headers={**mine, "Origin": "http://evil.example"})
        for method in ("POST", "PUT", "DELETE"):
            expect(viewer, NO_METHOD, path, method=method, headers={**mine, "Content-Length": "0"})
    for host in (f"localhost:{port}", f"127.0.0.1:{port}"):
        expect(viewer, 200, "/api/trace", headers={**mine, "Host": host})
        expect(viewer, 200, "/api/trace", headers={**mine, "Host": host, "Origin": "http://" + host})
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}", f"127.0.0.1:{port}.evil.example", "", f"[::1]:{port}"):
        expect(viewer, REFUSED, "/api/trace", headers={**mine, "Host": host})
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}", f"http://127.0.0.1:{port}.evil.example", "http://"):
        expect(viewer, REFUSED, "/api/trace", headers={**mine, "Origin": origin})


def check_paths(viewer):
    mine = viewer.cookie()
    for path in ("/traces.otf2", "/../traces.otf2", "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/api/", "/api", "/api/../traces.otf2",
                 "/api/window/../trace", "/favicon.ico", "/index.html", "/api/trace/x", "/%00", "/api/%0d%0aSet-Cookie:a=b"):
        expect(viewer, NOT_THERE, path, headers=mine)
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        expect(viewer, NO_METHOD, "/api/trace", method=method, headers={**mine, "Content-Length": "0"})


def check_nonsense(viewer):
    mine = viewer.cookie()
    right = {"from": "0", "to": "1000", "width": "100", "lanes": "0"}
    wrong = {"from": ("-1", "", "x", "1e3", "1.5", "18446744073709551616", "1000", "2000", "%201", "%00", "NaN", "+5", "0x10"), "to": ("0", "-5", "99999999999999999999", "x", str(1 << 63)),
             "width": ("0", "-1", "20001", "4294967296", "x"), "lanes": ("", "~", "~A", "~*", "~______________________________________________________", "-1", "1000000", "0-1000000000", "3-1", "0,,1", "a", "0-", "0-0-0", "4294967295", "0,99999999999999999999")}
    for name, values in wrong.items():
        for value in (*values, None):
            words = {**right, name: value}
            query = "&".join(f"{key}={text}" for key, text in words.items() if text is not None)
            _, text = expect(viewer, NONSENSE, "/api/window?" + query, headers=mine, says='"error"')
            assert len(json.loads(text)["error"]) > 10, text
    for query in ("statistics?from=5&to=5&lanes=0", "statistics?lanes=0", "at?lane=0", "at?lane=0&time=-1", "at?lane=77&time=0", "search?text=&after=0", "search?after=0",
                  "search?text=a", "search?text=" + "a" * 1001 + "&after=0", "events?lane=0&from=0&to=9&most=0", "events?lane=0&from=0&to=9&most=10001",
                  *(f"search?text={text}&after=0" for text in ("event:", "event:nonsense", "a%20longer%20than%20", "a%20longer%20than%201", "a%20longer%20than%20-1%20ms", "a%20longer%20than%201%20h",
                                                               "a%20longer%20than%20inf%20s", "a%20longer%20than%20nan%20ns", "a%20longer%20than%201e99%20s")),
                  "activity", "activity?from=0&to=9", "activity?from=9&to=9&width=9", "activity?from=0&to=9&width=0", "activity?from=0&to=9&width=20001", "activity?from=0&to=9&width=9&processes=",
                  "activity?from=0&to=9&width=9&processes=-1", "activity?from=0&to=9&width=9&processes=0-100000", "activity?from=0&to=9&width=9&processes=x", "at?lane=0&time=1&depth=-1", "at?lane=0&time=1&depth=100000", "links", "links?from=0", "links?from=9&to=9", "links?from=0&to=9&most=0", "links?from=0&to=9&most=5001", "links?from=0&to=9&kinds=0",
                  "links?from=0&to=9&kinds=64", "links?from=0&to=9&kinds=x", "links?from=0&to=9&lanes=1000000", "links?from=0&to=9&lanes=", "path?from=0&to=9", "path?from=0&to=9&width=0", "path?from=0&to=9&width=20001",
                  "counters?from=0&to=9&width=9", "counters?from=0&to=9&width=9&series=-1", "counters?from=0&to=9&width=9&series=256", "counters?from=0&to=9&width=9&series=0-4294967295",
                  "samples?from=0&to=9&width=9", "samples?from=0&to=9&width=0&lanes=0", "samples?from=0&to=9&width=9&lanes=0-100000", "functions?from=9&to=9", "functions?from=0&to=9&lanes=x"):
        expect(viewer, NONSENSE, "/api/" + query, headers=mine, says='"error"')
    many = ",".join(["0"] * 2000)
    status, _, _ = viewer.request("/api/window?from=0&to=1000&width=100&lanes=" + many, headers=mine)
    assert status == NONSENSE, status
    try:
        status, _, _ = viewer.request("/api/window?x=" + "a" * 100000, headers=mine)
        assert status in (400, 414), status
    except ConnectionError:
        pass  # newer versions of the library close the connection of such a line without an answer
    # Far away there is nothing, and that is no fault.
    answer = viewer.ask("window", **{"from": 1 << 60, "to": (1 << 60) + 10, "width": 100, "lanes": 0})
    assert answer["lanes"][0]["lane"] == 0
    assert viewer.ask("statistics", **{"from": 1 << 60, "to": (1 << 60) + 10, "lanes": 0})["rows"] == []
    assert {row["count"] for row in viewer.ask("activity", **{"from": 1 << 60, "to": 1 << 61, "width": 20000})["rows"]} == {0}
    assert viewer.ask("search", text="barrier", after=1 << 60) == {}
    assert viewer.ask("search", text="event:leave", after=1 << 60) == {}
    assert "lane" not in viewer.ask("search", text="barrier longer than 1 s", before=1 << 60)
    assert viewer.ask("links", **{"from": 1 << 60, "to": 1 << 61})["links"] == [] == viewer.ask("path", **{"from": 1 << 60, "to": 1 << 61, "width": 9})["sides"][0]
    assert viewer.ask("links", **{"from": 0, "to": 1 << 61, "most": 1})["exact"] and viewer.ask("path", **{"from": 0, "to": 1 << 61, "width": 9})["sides"][0]
    assert viewer.ask("counters", **{"from": 1 << 60, "to": 1 << 61, "width": 9, "series": "0-255"}) == {"counters": []}
    assert viewer.ask("functions", **{"from": 1 << 60, "to": 1 << 61})["samples"] == 0 and viewer.ask("samples", **{"from": 0, "to": 1 << 61, "width": 9, "lanes": 0}) == {"lanes": []}


def check_report(tracer, trace):
    """The report is made once it is asked for, and is what `tracer report` has; the command ends while it is made."""
    told = json.loads(subprocess.run([tracer, "report", "--json", trace], check=True, capture_output=True).stdout)
    with Viewer(tracer, trace) as viewer:
        answer = viewer.ask("report")
        shares = [answer["share"]]
        while not answer["ready"]:
            assert answer["failure"] == "" and set(answer) == {"ready", "share", "failure"}, answer
            time.sleep(0.02)
            answer = viewer.ask("report")
            shares.append(answer["share"])
        assert shares == sorted(shares) and shares[0] < 1 == shares[-1], shares
        (side,) = answer["sides"]
        for part in ("verdict", "constructs", "parallel_regions", "tasks", "phases"):
            mine = side["report"][part]
            assert all(mine[key] == told[part][key] for key in told[part]) if isinstance(mine, dict) else mine == told[part], part
        assert "path" not in side and side["cells"] == ""
        assert answer == viewer.ask("report"), "made once"
    with Viewer(tracer, trace) as viewer:
        viewer.ask("report")
    with Viewer(tracer, trace, trace) as viewer:
        while not (answer := viewer.ask("report"))["ready"]:
            time.sleep(0.02)
        assert [side["report"]["verdict"] for side in answer["sides"]] == [told["verdict"]] * 2
        names = [side["names"] for side in answer["sides"]]
        assert [side["name"] for side in answer["sides"]] == [0, names[0]] == [side["name"] for side in viewer.ask("trace")["sides"]]


def check_no_report(tracer, trace):
    """Where the archive cannot be read any more, the answer is a sentence."""
    with Viewer(tracer, trace) as viewer:
        for path in (trace / "traces").glob("*.evt"):
            path.rename(path.with_suffix(".moved"))
        try:
            while not (answer := viewer.ask("report"))["failure"]:
                assert not answer["ready"]
                time.sleep(0.02)
            assert answer["failure"].startswith("no report: ") and len(answer["failure"]) > 20, answer
        finally:
            for path in (trace / "traces").glob("*.moved"):
                path.rename(path.with_suffix(".evt"))


def check_half(tracer, make_trace, top):
    """Of two traces one whose events are damaged has no links: it is named, and the other one's are told."""
    good, damaged = top / "good", top / "half damaged"
    for directory, kind, number in ((good, "ring", "4"), (damaged, "large", "200000")):
        subprocess.run([make_trace, kind, directory, number], check=True, stdout=subprocess.DEVNULL)
        with Viewer(tracer, directory) as viewer:
            viewer.wait_for_links()
    (damaged / "traces.links").unlink()
    for path in (damaged / "traces").glob("*.evt"):  # size and time are as they were: the index is used
        before, data = path.stat(), bytearray(path.read_bytes())
        if len(data) > 12000:
            data[4000:8000] = b"\xff" * 4000
        path.write_bytes(data)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    for traces in ((damaged, good), (good, damaged)):
        with Viewer(tracer, *traces) as viewer:
            while not (extra := viewer.ask("extra"))["ready"]:
                time.sleep(0.02)
            assert extra["failure"].startswith("no arrows, critical path and counters of half damaged: ") and extra["failure"].count("no arrows") == 1, extra
            assert len(extra["resolutions"]) == 1, extra
            links = viewer.ask("links", **{"from": 0, "to": 1 << 40})
            assert links["ready"] and len(links["links"]) > 10, links
            paths = viewer.ask("path", **{"from": 0, "to": 1 << 40, "width": 900})["sides"]
            assert [bool(steps) for steps in paths] == [trace == good for trace in traces], paths
            of = [viewer.ask("at", lane=side["location"], time=20_010_000) for side in viewer.ask("trace")["sides"]]  # far behind the damage, in a team
            assert [one["ready"] for one in of] == [trace == good for trace in traces] == [one["failure"] == "" for one in of], of
            assert viewer.ask("counters", **{"from": 0, "to": 1 << 40, "width": 9, "series": "0"}) == {"counters": []}


def check_raw(viewer):
    """What is no HTTP, and who says nothing, keep nobody from an answer."""
    for text in (b"", b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"\x16\x03\x01\x02\x00", b"A" * 50000):
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=20) as raw:
            try:
                raw.sendall(text)
                raw.shutdown(socket.SHUT_WR)
                answer = raw.recv(4096)
                assert b" 200 " not in answer, answer
            except ConnectionError:
                pass
    silent = [socket.create_connection(("127.0.0.1", viewer.port), timeout=20) for _ in range(8)]
    assert viewer.ask("trace")["length"] > 0
    for one in silent:
        one.close()


def listening(port):
    """The addresses on which somebody listens at the port, as /proc has them."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in pathlib.Path(table).read_text(encoding="ascii").splitlines()[1:] if os.path.exists(table) else []:
            address, state = line.split()[1], line.split()[3]
            if state == "0A" and int(address.split(":")[1], 16) == port:
                found.add(address.split(":")[0])
    return found


def check_ports(tracer, trace):
    with Viewer(tracer, trace) as first, Viewer(tracer, trace) as second:
        assert first.port != second.port and first.token != second.token
        places = {viewer.request("/?token=" + viewer.token)[1]["location"] for viewer in (first, second)}
        assert len(places) == 2, places
        status, _, _ = second.request("/api/trace", headers={"Cookie": f"tracer_{second.port}={first.token}"})
        assert status == NO_TOKEN
        taken = subprocess.run([tracer, "view", "--port", str(first.port), trace], capture_output=True, text=True, timeout=60)
        assert taken.returncode == 1 and f"port {first.port} is in use" in taken.stderr and "--port" in taken.stderr, taken
        assert listening(first.port) == {"0100007F"}, listening(first.port)
    for port in ("0", "70000", "-1", "x"):
        wrong = subprocess.run([tracer, "view", "--port", port, trace], capture_output=True, text=True, timeout=60)
        assert wrong.returncode == 2 and "--port" in wrong.stderr, wrong


def check_connections(viewer):
    """A connection is for one request: a browser does not use it again once another viewer has the port."""
    asked = f"GET /api/trace HTTP/1.1\r\nHost: 127.0.0.1:{viewer.port}\r\nCookie: {viewer.cookie()['Cookie']}\r\nConnection: keep-alive\r\n\r\n"
    with socket.create_connection(("127.0.0.1", viewer.port), timeout=20) as connection:
        connection.sendall(asked.encode())
        got = b""
        while piece := connection.recv(1 << 16):  # to the end of the connection
            got += piece
    head = got.split(b"\r\n\r\n")[0].lower()
    assert head.startswith(b"http/1.1 200") and b"connection: close" in head, head


def check_end(tracer, trace):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        viewer = Viewer(tracer, trace)
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=20):  # also with somebody connected
            viewer.process.send_signal(number)
            _, errors = viewer.process.communicate(timeout=60)
        assert viewer.process.returncode == 0 and errors == "", (number, viewer.process.returncode, errors)


def check_end_at_once(tracer, trace):
    """A signal that comes as soon as the address is there, when the server may not listen yet."""
    for _ in range(20):
        viewer = Viewer(tracer, trace)
        viewer.process.send_signal(signal.SIGINT)
        viewer.process.communicate(timeout=60)
        assert viewer.process.returncode == 0, viewer.process.returncode


def check_words(tracer, trace):
    """What it prints: the address, and over ssh what to type on one's own machine."""
    with Viewer(tracer, trace, environment={"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}) as viewer:
        viewer.process.send_signal(signal.SIGINT)
        rest = viewer.process.stdout.read()
        assert re.search(rf"ssh -L {viewer.port}:127\.0\.0\.1:{viewer.port} \S+", rest), rest
    with Viewer(tracer, trace, environment={"SSH_CONNECTION": ""}) as viewer:
        viewer.process.send_signal(signal.SIGINT)
        assert "ssh" not in viewer.process.stdout.read()
    for arguments, says in ((["/nowhere"], "does not exist"), ([trace.parent / "empty"], "no traces.otf2"), ([trace, "/nowhere"], "does not exist")):
        (trace.parent / "empty").mkdir(exist_ok=True)
        wrong = subprocess.run([tracer, "view", *arguments], capture_output=True, text=True, timeout=60)
        assert wrong.returncode == 1 and says in wrong.stderr, wrong


def check_open(tracer, trace):
    """The token is in no command's words, which all users of the machine see, and what the browser gets is this user's alone."""
    place = trace.parent / "programs"
    place.mkdir()
    (place / "xdg-open").write_text(f"#!/bin/sh\nstat -c '%a' \"$(dirname \"$1\")\" >{place}/mode\nprintf '%s\\n' \"$@\" >{place}/words\ncat \"$1\" >{place}/page\n", encoding="ascii")
    (place / "xdg-open").chmod(0o755)
    with Viewer(tracer, "--open", trace, environment={"PATH": f"{place}:{os.environ['PATH']}"}) as viewer:
        end = time.monotonic() + 60
        while not (place / "page").exists() or viewer.url not in (place / "page").read_text(encoding="ascii"):
            assert time.monotonic() < end, "xdg-open was not called"
            time.sleep(0.02)
        words = (place / "words").read_text(encoding="ascii").split()
        assert len(words) == 1 and viewer.token not in words[0] and (place / "mode").read_text(encoding="ascii").strip() == "700", words
        assert viewer.token not in pathlib.Path(f"/proc/{viewer.process.pid}/cmdline").read_text(encoding="ascii")
    assert not pathlib.Path(words[0]).parent.exists()


def check_no_place(tracer, trace):
    """Where the address cannot be printed, nobody can open it: the command ends, and says why. Without a place for the browser's file it goes on."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([tracer, "view", trace], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "No space left on device" in done.stderr, done
    viewer = Viewer(tracer, "--open", trace, environment={"TMPDIR": "/nowhere"})
    errors = viewer.close()
    assert viewer.status == 0 and "TMPDIR" in errors and "open the address by hand" in errors, (viewer.status, errors)


def check_changes(tracer, trace):
    """The archive is another one while it is viewed: answers or a sentence, never an end."""
    with Viewer(tracer, trace) as viewer:
        viewer.ask("statistics", **{"from": 10, "to": 3000, "lanes": "0-1"})
        for path in sorted((trace / "traces").glob("*.evt")):
            os.truncate(path, path.stat().st_size // 2)
        statuses = set()
        for route in ("window?from=0&to=100000000000&width=100&lanes=0-7", "statistics?from=1000&to=3000000&lanes=0-7", "search?text=barrier&after=1000000", "at?lane=0&time=150000"):
            status, _, text = viewer.request("/api/" + route, headers=viewer.cookie())
            assert status in (200, 500), (route, status, text)
            statuses.add(status)
            json.loads(text)
        assert 500 in statuses, statuses
        for path in (trace / "traces").glob("*.evt"):
            path.unlink()
        status, _, text = viewer.request("/api/statistics?from=1000&to=3000000&lanes=0-7", headers=viewer.cookie())
        assert status == 500 and "the archive has changed" in text, (status, text)


def check_replaced(tracer, make_trace, top):
    """A larger archive takes its place while it is viewed: what is known already is told, what would be of the other one is not."""
    trace, larger = top / "replaced", top / "larger"
    for directory, *numbers in ((trace, "20000", "4"), (larger, "90000", "12")):
        subprocess.run([make_trace, "large", directory, *numbers], check=True, stdout=subprocess.DEVNULL)
    with Viewer(tracer, trace) as viewer:
        viewer.wait_for_links()
        whole = {"from": 0, "to": 1 << 40}
        before = viewer.ask("links", **whole), viewer.ask("path", **whole, width=900)
        shutil.rmtree(trace / "traces")
        shutil.copytree(larger / "traces", trace / "traces")
        for name in ("traces.otf2", "traces.def"):
            shutil.copy(larger / name, trace / name)
        for route in ("window?from=1000&to=2000&width=100&lanes=0-5", "statistics?from=1000&to=2000&lanes=0-5", "search?text=barrier&after=0", "at?lane=0&time=150000", "events?lane=0&from=1000&to=200000"):
            expect(viewer, 500, "/api/" + route, says="the archive has changed", headers=viewer.cookie())
        assert before == (viewer.ask("links", **whole), viewer.ask("path", **whole, width=900))
        while not (answer := viewer.ask("report"))["failure"]:
            assert not answer["ready"]
            time.sleep(0.02)
        assert answer["failure"].startswith("no report: the archive has changed"), answer


def main():
    tracer, make_trace = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as temporary:
        trace = pathlib.Path(temporary) / "trace"
        subprocess.run([make_trace, "large", trace, "20000"], check=True, stdout=subprocess.DEVNULL)
        with Viewer(tracer, trace) as viewer:
            viewer.wait_for_links()
            for check in (check_token, check_names, check_paths, check_nonsense, check_raw, check_connections):
                began = time.monotonic()
                check(viewer)
                print(f"{check.__name__}: {time.monotonic() - began:.1f} s")
        for check in (check_report, check_no_report, check_ports, check_end, check_end_at_once, check_words, check_open, check_no_place, check_changes):
            check(tracer, trace)
            print(check.__name__)
        for check in (check_replaced, check_half):
            check(tracer, make_trace, pathlib.Path(temporary))
            print(check.__name__)
    print("ok")


main()

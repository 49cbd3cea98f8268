#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_index.py TRACER MAKE_TRACE: an index that is damaged, cut off, another archive's, of another version or crafted; and
where it is kept when the archive's directory cannot be written."""
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import random_archive
from viewer import Viewer

WORDS = 2 ** 64 - 1
QUERIES = [("window", {"from": 0, "to": 10 ** 9, "width": 50, "lanes": "0-2"}), ("window", {"from": 100000, "to": 120000, "width": 2000, "lanes": "0-2"}),
           ("statistics", {"from": 5000, "to": 4000000, "lanes": "0-2"}), ("search", {"text": "region 3", "after": 100000}), ("search", {"text": "barrier", "before": 3000000}),
           ("at", {"lane": 1, "time": 200000}), ("activity", {"from": 0, "to": 10 ** 9, "width": 900}), ("activity", {"from": 5000, "to": 60000, "width": 300, "processes": 0}), ("events", {"lane": 0, "from": 300000, "to": 400000, "most": 20})]


def checksum(data, seed=0):
    """As tracer/base/files/checksum.hpp."""
    p1, p2, p3 = 0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9
    rotl = lambda value, by: (value << by | value >> (64 - by)) & WORDS  # noqa: E731
    lane = [(seed + p1) & WORDS, seed ^ p2, (seed + p3) & WORDS, (seed - p1) & WORDS]
    whole = len(data) // 32 * 32
    for at in range(0, whole, 32):
        for i, word in enumerate(struct.unpack_from("<4Q", data, at)):
            lane[i] = rotl((lane[i] + word * p2) & WORDS, 31) * p1 & WORDS
    value = len(data) * p3 & WORDS
    for one in lane:
        value = ((value ^ rotl(one * p2 & WORDS, 27)) * p1 + p3) & WORDS
    at = whole
    for at in range(whole, len(data) - 7, 8):
        value = (rotl(value ^ struct.unpack_from("<Q", data, at)[0] * p2 & WORDS, 27) * p1 + p3) & WORDS
    for byte in data[whole + (len(data) - whole) // 8 * 8:]:
        value = rotl(value ^ byte * p3 & WORDS, 11) * p1 & WORDS
    value ^= value >> 33
    value = value * p2 & WORDS
    return value ^ value >> 29


def sealed(data):
    """With the checksum that it should have."""
    data = bytes(data)
    return data[:72] + struct.pack("<Q", checksum(data[:72], checksum(data[80:]))) + data[80:]


def wait_for_links(viewer):
    """Until the links are read, or never will be: an answer says whether they are."""
    while True:
        status, _, text = viewer.request("/api/extra", headers=viewer.cookie())
        if status != 200 or json.loads(text)["ready"] or json.loads(text)["failure"]:
            return
        time.sleep(0.02)


def answers(viewer):
    wait_for_links(viewer)
    return [viewer.request(f"/api/{route}?" + "&".join(f"{k}={str(v).replace(' ', '%20')}" for k, v in words.items()), headers=viewer.cookie())[0::2] for route, words in QUERIES]


def view(tracer, trace, **more):
    """(answers, what it said on standard error)"""
    viewer = Viewer(tracer, trace, **more)
    out = answers(viewer)
    assert viewer.process.poll() is None, "it has ended"
    errors = viewer.close()
    assert viewer.status == 0, (viewer.status, errors)
    return out, errors


def check_damage(tracer, trace, right, good):
    """Each is found, said, and made anew."""
    index, chance = trace / "traces.index", random.Random(1)
    other = trace.parent / "other"
    random_archive.write(other, 99, events=300, locations=3)
    view(tracer, other)
    damages = {"cut off": [right[:length] for length in (0, 1, 7, 8, 79, 80, 81, len(right) // 2, len(right) - 1)], "longer": [right + b"\0"],
               "foreign": [b"\0" * 200, b"x" * 5000, (trace / "traces.otf2").read_bytes(), (other / "traces.index").read_bytes()],
               "of another version": [*(sealed(right[:8] + struct.pack("<Q", version) + right[16:]) for version in (1, 3)), sealed(right[:8] + struct.pack("<Q", 99) + right[16:])]}
    flipped = []
    for _ in range(12):
        copy = bytearray(right)
        copy[chance.randrange(len(copy))] ^= 1 << chance.randrange(8)
        flipped.append(bytes(copy))
    damages["flipped"] = flipped
    for name, list_ in damages.items():
        for damaged in list_:
            index.write_bytes(damaged)
            out, errors = view(tracer, trace)
            assert "is made anew" in errors and "traces.index" in errors, (name, errors)
            assert out == good, name
            assert index.read_bytes() == right, name
    index.write_bytes(right)
    os.truncate(index, 5 << 30)  # all of it holes: an index may be as large, but says so
    out, errors = view(tracer, trace)
    assert "its size differs" in errors and out == good and index.read_bytes() == right, errors
    print("damaged:", {name: len(list_) for name, list_ in damages.items()})


def with_more_levels(right, more):
    """The tree of the first location has levels above its last one, each of one node without a payload."""
    directory = struct.unpack_from("<Q", right, 64)[0]
    row = list(struct.unpack_from("<8Q", right, directory))
    offset, size, _, blocks, _, _, _, levels = row
    section, ends, nodes = right[offset:offset + size], (blocks + 1) * 48, blocks
    for _ in range(levels):
        nodes = -(-nodes // 16)
        ends += 8 * nodes
    crafted = section[:ends] + section[ends:ends + 8] * more + section[ends:]
    row[0], row[1], row[7] = len(right), len(crafted), levels + more
    copy = bytearray(right + crafted)
    struct.pack_into("<8Q", copy, directory, *row)
    struct.pack_into("<Q", copy, 16, len(copy))
    return sealed(copy)


def with_overlaps(right):
    """Each location's section reaches to the end of the file."""
    copy = bytearray(right)
    locations, directory = struct.unpack_from("<2Q", right, 56)
    for row in range(directory, directory + 64 * locations, 64):
        struct.pack_into("<Q", copy, row + 8, len(right) - struct.unpack_from("<Q", right, row)[0])
    return sealed(copy)


def check_crafted(tracer, trace, right, good):
    """The checksum is right, what it says is not: a sentence or an answer, and the command goes on."""
    index, chance = trace / "traces.index", random.Random(2)
    index.write_bytes(with_more_levels(right, 0))
    assert view(tracer, trace) == (good, ""), "a section may lie anywhere"
    for more in (1, 14, 15, 16):
        index.write_bytes(with_more_levels(right, more))
        out, errors = view(tracer, trace)
        assert "is made anew" in errors and "levels" in errors and out == good, (more, errors)
    index.write_bytes(with_overlaps(right))
    out, errors = view(tracer, trace)
    assert "is made anew" in errors and "overlap" in errors and out == good, errors
    statuses = {200: 0, 500: 0, "anew": 0}
    for i in range(60):
        copy = bytearray(right)
        for _ in range(chance.choice((1, 3, 20))):
            at = chance.randrange(40, len(copy) - 8) if i % 2 else chance.choice((8 * chance.randrange(5, 9), len(copy) - 8 * chance.randrange(1, 24), 80 + 8 * chance.randrange(60)))
            value = chance.choice((0, 1, WORDS, WORDS >> 1, len(copy), chance.randrange(len(copy)), chance.randrange(1 << 64)))
            copy[at:at + 8] = struct.pack("<Q", value) if chance.random() < 0.7 else bytes(chance.randrange(256) for _ in range(8))
        index.write_bytes(sealed(copy))
        part = subprocess.run([tracer, "report", "--json", trace, "--from", f"{i % 5 + 1}ms"], capture_output=True, check=False)
        assert part.returncode in (0, 1) and (part.returncode == 0) == bool(part.stdout) == (not part.stderr), (i, part.returncode, part.stderr)
        out, errors = view(tracer, trace)
        statuses["anew"] += "is made anew" in errors
        for status, text in out:
            assert status in (200, 500), (i, status, text[:200])
            json.loads(text)
            statuses[status] += 1
    index.write_bytes(right)
    print("crafted:", statuses)
    assert statuses[500] > 0 and statuses["anew"] > 0 and statuses[200] > 0, statuses


def check_changed(tracer, trace, right):
    """An archive that is written anew has another index."""
    before = (trace / "traces.index").read_bytes()
    random_archive.write(trace.parent / "again", 5, events=3000)
    shutil.rmtree(trace / "traces")
    shutil.copytree(trace.parent / "again" / "traces", trace / "traces")
    for name in ("traces.otf2", "traces.def"):
        shutil.copy(trace.parent / "again" / name, trace / name)
    out, errors = view(tracer, trace)
    assert "as it was before" in errors and (trace / "traces.index").read_bytes() != before == right, errors
    again, errors = view(tracer, trace)
    assert errors == "" and again == out, errors
    os.utime(trace / "traces" / "0.evt")
    out, errors = view(tracer, trace)
    assert "as it was before" in errors and out == again, errors


def check_places(tracer, trace, good):
    """What stands in the index' place is not waited for, and not written through."""
    index, elsewhere = trace / "traces.index", trace.parent / "elsewhere"
    index.unlink()
    os.mkfifo(index)
    out, errors = view(tracer, trace)
    assert "FIFO" in errors and out == good and index.is_file(), errors
    index.unlink()
    elsewhere.write_text("mine", encoding="ascii")
    index.symlink_to(elsewhere)
    out, errors = view(tracer, trace)
    assert out == good and elsewhere.read_text(encoding="ascii") == "mine" and not index.is_symlink(), errors
    index.unlink()
    index.mkdir()
    cache = trace.parent / "cache"
    out, errors = view(tracer, trace, environment={"XDG_CACHE_HOME": str(cache)})
    assert out == good and len(list((cache / "tracer").glob("*.index"))) == 1, errors
    out, errors = view(tracer, trace, environment={"XDG_CACHE_HOME": str(cache)})
    assert out == good and "wrote" not in errors and "anew" not in errors, errors  # by the one in the cache
    out, errors = view(tracer, trace, environment={"XDG_CACHE_HOME": "/proc/nowhere"})
    assert out == good, errors
    index.rmdir()


def check_read_only(tracer, trace, good):
    """Another user's trace: the index lies in one's own cache, for oneself alone."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        print("not tested: another user's trace, which needs root and setpriv")
        return
    for path in (trace.parent, *trace.rglob("*"), trace):
        path.chmod(0o755 if path.is_dir() else 0o644)
    home = trace.parent / "home"
    home.mkdir()
    os.chown(home, 65534, 65534)
    script = trace.parent / "as-nobody"
    script.write_text(f"#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups {tracer} \"$@\"\n", encoding="ascii")
    script.chmod(0o755)
    # A clone in root's home cannot be read by another user.
    if not all(place.stat().st_mode & 0o005 == 0o005 for place in (pathlib.Path(tracer).resolve(), *pathlib.Path(tracer).resolve().parents)):
        print("not tested: another user's trace: only root can read this tracer")
        return
    out, errors = view(str(script), trace, environment={"XDG_CACHE_HOME": str(home / "cache"), "HOME": str(home)})
    kept = list((home / "cache" / "tracer").glob("*.index"))
    assert out == good and len(kept) == 1 and not (trace / "traces.index").exists(), (errors, kept)
    assert (home / "cache" / "tracer").stat().st_mode & 0o777 == 0o700
    # The index is there, and there is no place beside it for the links.
    view(tracer, trace)
    (trace / "traces.links").unlink(missing_ok=True)
    for path in (trace / "traces.index",):
        path.chmod(0o644)
    shutil.rmtree(home / "cache")
    os.environ.update(XDG_CACHE_HOME=str(home / "cache"), HOME=str(home))
    linked, errors = links_of(str(script), trace)
    assert all(status == 200 for status, _ in linked) and len(list((home / "cache" / "tracer").glob("*.links"))) == 1 and not (trace / "traces.links").exists(), (errors, linked)
    (trace / "traces.index").unlink()
    os.environ["XDG_CACHE_HOME"] = str(trace.parent / "no-cache")
    home.chmod(0o500)
    shutil.rmtree(home / "cache")
    out, errors = view(str(script), trace, environment={"XDG_CACHE_HOME": str(home / "cache"), "HOME": str(home)})
    assert out == good and "in memory only" in errors, errors
    print("read only: in the cache, and in memory")


def links_of(tracer, trace):
    """(answers that need the links, what it said)"""
    viewer = Viewer(tracer, trace)
    out = []
    wait_for_links(viewer)
    for route in ("links?from=0&to=100000000&most=5000&kinds=63", "links?from=100000&to=120000", "path?from=0&to=100000000&width=900", "counters?from=0&to=100000000&width=900&series=0-9", "at?lane=0&time=200000"):
        out.append(viewer.request("/api/" + route, headers=viewer.cookie())[0::2])
    assert viewer.process.poll() is None, "it has ended"
    errors = viewer.close()
    assert viewer.status == 0, (viewer.status, errors)
    return out, errors


def sealed_links(data):
    """With the checksum that it should have; those of its parts are as they are."""
    data, at = bytes(data), struct.unpack_from("<Q", data, 32)[0]
    return data[:56] + struct.pack("<Q", checksum(data[:56], checksum(data[at:]))) + data[64:]


def check_links(tracer, make_trace, top):
    """The links: damaged or foreign they are made anew; what has the right checksums and makes no sense is a sentence or an answer."""
    trace, chance = top / "linked", random.Random(4)
    subprocess.run([make_trace, "ring", trace, "4"], check=True, stdout=subprocess.DEVNULL)
    good, errors = links_of(tracer, trace)
    assert all(status == 200 for status, _ in good) and len(json.loads(good[0][1])["links"]) > 10 and errors.count("wrote") == 1, (good[0][1][:300], errors)
    path = trace / "traces.links"
    right = path.read_bytes()
    assert sealed_links(right) == right, "the checksum is another than the document says"
    flipped = bytearray(right)
    flipped[40] ^= 4
    for damaged in (b"", right[:7], right[:63], right[:-1], right + b"\0", b"x" * 5000, bytes(flipped), sealed_links(right[:8] + struct.pack("<Q", 99) + right[16:]), sealed_links(right[:24] + b"\1" * 8 + right[32:]),
                    (trace / "traces.index").read_bytes()):
        path.write_bytes(damaged)
        assert links_of(tracer, trace)[0] == good and path.read_bytes() == right, damaged[:20]
    path.unlink()
    os.mkfifo(path)
    assert links_of(tracer, trace)[0] == good, "a FIFO"
    path.unlink() if path.is_fifo() else None
    statuses, directory = {200: 0, 500: 0}, struct.unpack_from("<Q", right, 32)[0]
    for i in range(40):
        copy = bytearray(right)
        for _ in range(chance.choice((1, 3, 20))):
            if i % 2:
                copy[chance.randrange(64, directory)] = chance.randrange(256)
            else:
                at = directory + 8 * chance.randrange((len(copy) - directory) // 8)
                copy[at:at + 8] = struct.pack("<Q", chance.choice((0, 1, WORDS, WORDS >> 1, len(copy), chance.randrange(1 << 64))))
        for row in range(directory + 8, len(copy) - 80, 80) if i % 2 else ():  # of the chunks, too
            of, size = struct.unpack_from("<2Q", copy, row + 16)
            if of + size <= directory:
                copy[row + 40:row + 48] = struct.pack("<Q", checksum(bytes(copy[of:of + size])))
        path.write_bytes(sealed_links(copy))
        for status, text in links_of(tracer, trace)[0]:
            assert status in (200, 500), (i, status, text[:200])
            json.loads(text)
            statuses[status] += 1
    print("crafted links:", statuses)
    assert statuses[500] > 0 and statuses[200] > 0, statuses


def most_threads(command, environment):
    """Of a process, looked at each millisecond."""
    process, most = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, **environment}), 0
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
            most = max(most, int(status.split("Threads:")[1].split()[0]))
        except (OSError, IndexError):  # it has ended
            pass
        time.sleep(0.001)
    assert process.returncode == 0, command
    return most


def check_threads(tracer, make_trace, top):
    """TRACER_THREADS bounds the threads that make an index; it is the same."""
    archive, made = top / "threads", {}
    subprocess.run([make_trace, "large", archive, "1000000"], check=True, capture_output=True)
    for threads in ("1", "2"):
        (archive / "traces.index").unlink(missing_ok=True)
        seen = most_threads([tracer, "convert", "--index", archive], {"TRACER_THREADS": threads})
        assert seen <= int(threads), f"{seen} threads with TRACER_THREADS={threads}"
        made[threads] = (archive / "traces.index").read_bytes()
        print(f"TRACER_THREADS={threads}: {seen}")
    assert made["1"] == made["2"]
    shutil.rmtree(archive)


def main():
    tracer, make_trace = sys.argv[1:3]
    os.environ.pop("SSH_CONNECTION", None)
    with tempfile.TemporaryDirectory() as temporary:
        os.environ["XDG_CACHE_HOME"] = temporary + "/no-cache"
        trace = pathlib.Path(temporary) / "trace"
        random_archive.write(trace, 3, events=9000)
        good, errors = view(tracer, trace)
        assert "wrote" in errors and all(status == 200 for status, _ in good), (errors, good)
        right = (trace / "traces.index").read_bytes()
        assert sealed(right) == right, "the checksum is another than the document says"
        again, errors = view(tracer, trace)
        assert errors == "" and again == good
        check_links(tracer, make_trace, pathlib.Path(temporary))
        check_damage(tracer, trace, right, good)
        check_crafted(tracer, trace, right, good)
        check_places(tracer, trace, good)
        check_read_only(tracer, trace, good)
        view(tracer, trace)
        check_changed(tracer, trace, (trace / "traces.index").read_bytes())
        assert not [path for path in trace.iterdir() if ".part-" in path.name]
        check_threads(tracer, make_trace, pathlib.Path(temporary))
    print("ok")


main()

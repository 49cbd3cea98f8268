#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`tracer snapshot` of programs at rest, against what OMPT said inside them at the same time; live and from a core file."""
import json
import pathlib
import tempfile
import unittest

from support import NO_CORES, Program, core_of, main, snapshot, tracer

SOURCE = pathlib.Path(__file__).resolve().parent / "stops.c"
WAYS = ["barrier", "deadlock", "nest_deadlock", "critical", "taskwait", "nested"]
IMPLICIT = 0x3  # ompt_task_initial | ompt_task_implicit


def line_of(mark):
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        if line.endswith("// line: " + mark):
            return number
    raise KeyError(mark)


def by_id(seen):
    return {t["os_thread"]: t for t in seen["threads"]}


class Comparison(unittest.TestCase):
    def compare(self, said, seen, way):
        threads = by_id(seen)
        self.assertTrue(seen["states_tracked"])
        for ompt in said["threads"]:
            with self.subTest(way=way, thread=ompt["id"]):
                self.compare_thread(ompt, threads[ompt["id"]])
        openmp = [t["os_thread"] for t in seen["threads"] if t["number"] is not None]
        self.assertEqual(sorted(t["id"] for t in said["threads"]), sorted(openmp))

    def compare_thread(self, ompt, ompd):
        self.assertEqual(ompt["state"], ompd["state"])
        self.assertEqual(ompt["wait_id"], int(ompd["wait_id"], 16))
        current, seen = ompt["tasks"][0], ompd["tasks"][0]
        implicit = [t for t in ompt["tasks"] if t["flags"] & IMPLICIT]
        self.assertEqual(bool(current["flags"] & IMPLICIT), seen["implicit"])
        self.assertEqual([t["thread"] for t in implicit], [r["thread_number"] for r in ompd["regions"]])
        sizes = [t["size"] for t in ompt["tasks"]][: len(implicit)]
        self.assertEqual(sizes, [r["team_size"] for r in ompd["regions"]])
        # From an explicit task OMPT goes on with who scheduled it, OMPD with who created it.
        pairs = zip(ompt["tasks"], ompd["tasks"]) if current["flags"] & IMPLICIT else [(current, seen)]
        for theirs, ours in pairs:
            self.assertEqual(theirs["data"], int(ours["tool_data"], 16))
            self.assertEqual(theirs["exit"], int(ours["exit_frame"], 16))
            self.assertEqual(theirs["enter"], int(ours["enter_frame"], 16))
        if ompd["activity"] in ("barrier", "lock", "nest_lock", "critical", "taskwait"):
            self.assertEqual(ompt["wait_at"] - 1, int(ompd["position"]["address"], 16))
            self.assertEqual(SOURCE.name, pathlib.Path(ompd["position"]["file"]).name)

    def check_way(self, way, seen):
        """What each way is about, beyond OMPT's words."""
        activities = sorted(t["activity"] for t in seen["threads"] if t["number"] is not None)
        findings = "\n".join(seen["findings"])
        frames = {(t["os_thread"], f["line"]) for t in seen["threads"] for f in t["stack"]}
        lines = {line for _, line in frames}
        if way == "barrier":
            self.assertEqual(["barrier", "barrier", "working"], activities)
            self.assertRegex(findings, r"In the team of 3 .*thread 0 .* and thread 2 .* wait at the barrier .*missing: thread 1 .*which works")
            self.assertIn(line_of("missing"), lines)
        elif way == "deadlock":
            self.assertEqual(["lock", "lock"], activities)
            first, second = line_of("lock 0"), line_of("lock 1")
            self.assertRegex(findings, rf"(?i)deadlock: thread 0 .* waits for the lock 0x[0-9a-f]+ at stops.c:{first} .*thread 1 .* "
                                       rf"waits for the lock 0x[0-9a-f]+ at stops.c:{second} ")
        elif way == "nest_deadlock":
            self.assertRegex(findings, r"Deadlock: thread \d .* waits for the nestable lock .* held by thread \d .*, which waits for the nestable lock .* held by thread")
        elif way == "critical":
            self.assertEqual(["critical", "critical", "working"], activities)
            self.assertIn(line_of("inside"), lines)
            self.assertRegex(findings, "waits for the critical section")
            self.assertNotIn("Deadlock", findings)
        elif way == "taskwait":
            self.assertEqual(["taskwait", "working"], activities)
            self.assertRegex(findings, r"Thread 0 .* waits for child tasks \(taskwait\).*executed by thread 1")
            self.assertIn(line_of("child"), lines)
        elif way == "nested":
            self.assertEqual(["working"] * 4, activities)
            inner = [t["regions"][0] for t in seen["threads"] if t["number"] is not None]
            self.assertEqual(2, len({r["team"] for r in inner}))
            self.assertEqual({2}, {r["level"] for r in inner})
            self.assertEqual(1, len({t["regions"][1]["team"] for t in seen["threads"] if t["number"] is not None}))
            self.assertIn(line_of("inner"), lines)


class Live(Comparison):
    def test_what_OMPD_sees_is_what_OMPT_says(self):
        for way in WAYS:
            with self.subTest(way=way), Program("stops", way) as program:
                said = json.loads(program.line())
                seen = snapshot(program.id)
                self.compare(said, seen, way)
                self.check_way(way, seen)

    def test_the_program_goes_on_unharmed(self):
        for way in ("barrier", "critical", "taskwait", "nested"):
            with self.subTest(way=way), Program("stops", way) as program:
                program.line()
                for _ in range(5):
                    snapshot(program.id)
                program.say("go")
                self.assertEqual((0, "done\n"), program.finish())

    def test_without_OMP_DEBUG_the_nest_is_there_and_status_and_words_say_what_is_missing(self):
        with Program("stops", "barrier", debug=False) as program:
            program.line()
            done = tracer("snapshot", program.id, "--json")
            self.assertEqual(3, done.returncode)
            self.assertIn("OMP_DEBUG", done.stderr)
            seen = json.loads(done.stdout)
            self.assertFalse(seen["states_tracked"])
            members = [t for t in seen["threads"] if t["number"] is not None]
            self.assertEqual([3, 3, 3], [t["regions"][0]["team_size"] for t in members])
            self.assertEqual(["barrier", "barrier", "working"], sorted(t["activity"] for t in members))  # from the stacks
            self.assertRegex("\n".join(seen["findings"]), "missing: thread 1")

    def test_the_text_says_the_same(self):
        with Program("stops", "deadlock") as program:
            program.line()
            done = tracer("snapshot", program.id, "--verbose")
            self.assertEqual(0, done.returncode, done.stderr)
            for words in ("Deadlock: thread 0", "waiting for a lock", "thread 1 of 2", "in_deadlock", "nthreads-var", "OMP_NUM_THREADS"):
                self.assertIn(words, done.stdout)

    def test_an_archive_of_the_instant_is_valid(self):
        with Program("stops", "nested") as program, tempfile.TemporaryDirectory() as directory:
            program.line()
            done = tracer("snapshot", program.id, "--otf2", directory + "/archive")
            self.assertEqual(0, done.returncode, done.stderr)
            checked = tracer("check", directory + "/archive")
            self.assertEqual(0, checked.returncode, checked.stdout)

    def test_plugins_of_other_versions_read_this_runtime(self):
        plugins = sorted(pathlib.Path("/usr/lib").glob("llvm-*/lib/libompd.so"))
        if not plugins:
            self.skipTest("no other libompd.so is installed")
        with Program("stops", "nested") as program:
            said = json.loads(program.line())
            for plugin in plugins:
                with self.subTest(plugin=plugin):
                    seen = snapshot(program.id, "--ompd", plugin)
                    self.assertEqual(str(plugin), seen["plugin"]["path"])
                    self.compare(said, seen, "nested")


class Core(Comparison):
    def test_a_core_file_shows_what_the_process_showed(self):
        for way in WAYS:
            with self.subTest(way=way), tempfile.TemporaryDirectory() as directory:
                core, said = core_of("stops", way, directory=directory)
                if core is None:
                    self.skipTest(NO_CORES)
                seen = snapshot(core)
                self.assertEqual(6, seen["signal"])
                self.compare(json.loads(said), seen, way)
                self.check_way(way, seen)
                self.assertEqual(0, tracer("snapshot", core, "--otf2", directory + "/archive").returncode)
                self.assertEqual(0, tracer("check", directory + "/archive").returncode)


if __name__ == "__main__":
    main()

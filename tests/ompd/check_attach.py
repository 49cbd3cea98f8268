#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`tracer attach`: counts, the archive, and that the program does not notice."""
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import time
import unittest

from support import TRACER, Program, main, tracer

CYCLES = 100 * int(os.environ.get("TRACER_STRESS", "1"))
SOURCE = pathlib.Path(__file__).resolve().parent / "follow.c"


def line_of(mark):
    return next(n for n, text in enumerate(SOURCE.read_text().splitlines(), 1) if text.endswith("// line: " + mark))


class Attached:
    """tracer attach, running; entered when it follows."""

    def __init__(self, process, *words):
        self.process = subprocess.Popen([TRACER, "attach", str(process), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = self.process.stderr.readline()
        assert "following" in said, said + self.process.stderr.read()

    def end(self, with_signal=signal.SIGINT):
        self.process.send_signal(with_signal)
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate()


def counts(out):
    found = re.search(r"parallel (\d+) begun, (\d+) ended; task (\d+) begun, (\d+) ended; thread (\d+) begun, (\d+) ended", out)
    numbers = list(map(int, found.groups()))
    return {"parallel": numbers[0:2], "task": numbers[2:4], "thread": numbers[4:6]}


class Attach(unittest.TestCase):
    def start(self, **options):
        program = self.enterContext(Program("follow", **options))
        self.assertEqual("ready\n", program.line())
        return program

    def enterContext(self, context):  # as Python 3.11 has it
        self.addCleanup(context.__exit__, None, None, None)
        return context.__enter__()

    def check_counts(self, debug):
        program = self.start(debug=debug)
        with tempfile.TemporaryDirectory() as directory:
            attached = self.enterContext(Attached(program.id, "-o", directory + "/archive"))
            program.say("50")
            ompt = json.loads(program.line())
            status, out, err = attached.end()
            self.assertEqual(0, status, err)
            seen = counts(out)
            for what in ("parallel", "task", "thread"):
                self.assertEqual(ompt[what], seen[what], what)
            self.assertEqual([50, 50], ompt["parallel"])
            checked = tracer("check", directory + "/archive")
            self.assertEqual(0, checked.returncode, checked.stdout)
            reported = json.loads(tracer("report", "--json", directory + "/archive").stdout)
            self.assertEqual(("running", "incomplete", []), (reported["run"]["ended"], reported["verdict"]["state"], reported["verdict"]["findings"]))
            definitions = subprocess.run(["otf2-print", "-G", directory + "/archive/traces.otf2"], capture_output=True, text=True).stdout
            anchor = subprocess.run(["otf2-print", "-A", directory + "/archive/traces.otf2"], capture_output=True, text=True).stdout
            events = subprocess.run(["otf2-print", directory + "/archive/traces.otf2"], capture_output=True, text=True).stdout
        for name, number in (("THREAD_FORK", 50), ("THREAD_JOIN", 50), ("THREAD_TASK_COMPLETE", 300)):
            self.assertEqual(number, len(re.findall(rf"^{name}\b", events, re.MULTILINE)), name)
        regions = set(re.findall(r'Aka. "([^"]*)"', definitions))
        self.assertIn("!$omp parallel @follow.c:%d" % line_of("region"), regions)
        self.assertTrue({"!$omp task @follow.c:%d" % n for n in (line_of("task"), line_of("task") + 1)} & regions, regions)
        self.assertNotIn("!$omp task", regions)
        self.assertIn("OMPD attach", anchor)
        # 3 and 4 threads in turn.
        self.assertEqual(175, len(re.findall(r"^THREAD_TEAM_BEGIN\b", events, re.MULTILINE)))
        program.say("")
        status, out = program.finish()
        self.assertEqual((0, "sum %d\n" % (ompt["sum"] + 3)), (status, out))

    def test_counts_are_OMPTs_and_the_archive_is_valid(self):
        self.check_counts(debug=True)

    def test_a_program_without_OMP_DEBUG_can_be_followed_too(self):
        self.check_counts(debug=False)

    def test_a_place_that_cannot_have_the_archive_is_refused_before_the_program_is_followed(self):
        program = self.start()
        with tempfile.TemporaryDirectory() as directory:
            taken, link = pathlib.Path(directory, "taken"), pathlib.Path(directory, "link")
            taken.mkdir()
            (taken / "file").write_text("kept")
            link.symlink_to(directory)
            for place, words in ((taken, "is not empty"), (taken / "file" / "below", "Not a directory"), (link, "is a link")):
                done = tracer("attach", program.id, "-t", "0.1", "-o", place)
                self.assertEqual(1, done.returncode, done.stderr)
                self.assertIn(words, done.stderr)
                self.assertEqual("", done.stdout)
        program.say("")
        self.assertEqual(0, program.finish()[0])

    def test_many_cycles_leave_it_running(self):
        program = self.start()
        program.say("3000")
        for _ in range(CYCLES):
            done = tracer("attach", program.id, "-t", "0.01", "--no-archive")
            self.assertEqual(0, done.returncode, done.stderr)
            if "ended with status" in done.stdout:
                self.fail("the program ended too early")
        ompt = json.loads(program.line())
        self.assertEqual(10500, ompt["sum"])
        program.say("")
        self.assertEqual((0, "sum 10503\n"), program.finish())

    def test_events_without_a_pause_delay_neither_the_limit_nor_an_interrupt(self):
        program = self.start()
        program.say("flood")  # until the next line: following that waits for a pause does not end
        time.sleep(0.2)
        done = tracer("attach", program.id, "-t", "0.5", "--no-archive", timeout=60)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertGreater(counts(done.stdout)["task"][0], 0)
        attached = self.enterContext(Attached(program.id, "--no-archive"))
        time.sleep(0.2)
        self.assertEqual(0, attached.end()[0])
        program.say("5")
        self.assertEqual([5, 5], json.loads(program.line())["parallel"])
        program.say("")
        self.assertEqual(0, program.finish()[0])

    def test_a_killed_tracer_leaves_it_running(self):
        program = self.start()
        for _ in range(5):
            attached = self.enterContext(Attached(program.id, "--no-archive"))
            program.say("200")
            time.sleep(0.05)
            attached.end(signal.SIGKILL)
            self.assertEqual(700, json.loads(program.line())["sum"])
        program.say("")
        self.assertEqual(0, program.finish()[0])

    def test_a_forked_child_runs_without_the_tracer(self):
        program = self.start()
        attached = self.enterContext(Attached(program.id, "--no-archive"))
        program.say("fork")
        self.assertEqual("7\n", program.line())
        program.say("5")
        self.assertEqual([5, 5], json.loads(program.line())["parallel"])
        status, out, err = attached.end()
        self.assertEqual(0, status, err)
        self.assertEqual([5, 5], counts(out)["parallel"])
        program.say("")
        self.assertEqual(0, program.finish()[0])

    def test_children_by_clone_run_without_the_tracer_which_goes_on(self):
        program = self.start()
        attached = self.enterContext(Attached(program.id, "--no-archive"))
        for how in ("copy", "share"):
            program.say(how)
            self.assertEqual([program.process.stdout], select.select([program.process.stdout], [], [], 60)[0], f"{how}: the child stays stopped")
            self.assertEqual("7\n", program.line())
        program.say("5")
        self.assertEqual([5, 5], json.loads(program.line())["parallel"])
        status, out, err = attached.end()
        self.assertEqual(0, status, err)
        self.assertEqual([5, 5], counts(out)["parallel"])
        program.say("")
        self.assertEqual(0, program.finish()[0])

    def test_the_end_of_the_program_is_the_end_of_following(self):
        program = self.start()
        with tempfile.TemporaryDirectory() as directory:
            attached = self.enterContext(Attached(program.id, "-o", directory + "/archive"))
            program.say("5")
            program.line()
            program.say("")
            self.assertEqual(0, program.finish()[0])
            out, err = attached.process.communicate(timeout=60)
            self.assertEqual(0, attached.process.returncode, err)
            self.assertIn("ended with status 0", out)
            self.assertEqual(0, tracer("check", directory + "/archive").returncode)

    def test_a_thread_that_execs_is_let_go_at_once(self):
        program = self.start()
        attached = self.enterContext(Attached(program.id, "--no-archive"))
        begin = time.monotonic()
        program.say("exec")
        self.assertEqual((0, ""), program.finish())
        self.assertLess(time.monotonic() - begin, 9, "the tracer waited for the thread's old id, as long as it waits for any")
        out, err = attached.process.communicate(timeout=60)
        self.assertEqual(0, attached.process.returncode, err)
        self.assertIn("started another program", out)

    def test_who_ignores_the_ends_of_children_can_start_it(self):
        program = self.start()
        done = tracer("attach", program.id, "-t", "0.2", "--no-archive", preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(0, done.returncode, done.stderr)
        program.say("")
        self.assertEqual(0, program.finish()[0])

    def test_a_program_that_was_stopped_stays_stopped(self):
        program = self.start()
        os.kill(program.id, signal.SIGSTOP)
        time.sleep(0.1)
        done = tracer("attach", program.id, "-t", "0.2", "--no-archive")
        self.assertEqual(0, done.returncode, done.stderr)
        state, end = "", time.monotonic() + 10
        while "(stopped)" not in state and time.monotonic() < end:  # the kernel lets it run into its stop again
            state = pathlib.Path(f"/proc/{program.id}/status").read_text()
        self.assertIn("(stopped)", state)
        os.kill(program.id, signal.SIGCONT)
        program.say("")
        self.assertEqual(0, program.finish()[0])


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the driver's arithmetic."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from driver import goals, process, sets, tables, tools  # noqa: E402
from driver.results import Results  # noqa: E402


def sample():
    r = Results()
    for i in range(5):
        r.add("construct/1/barrier", "none", 10 + i, "ns")
        r.add("construct/1/barrier", "floor", 30 + i, "ns")
        r.add("construct/1/barrier", "tracer", 34 + i, "ns")
    r.counts["construct/1/barrier"] = 4
    return r


class ResultsTest(unittest.TestCase):
    def test_the_difference_of_two_tools_is_paired_by_round(self):
        self.assertEqual(sample().paired("construct/1/barrier", "tracer", "none"), 24)

    def test_cost_is_per_callback(self):
        self.assertEqual(tables.per_callback(sample(), "construct/1/barrier", "tracer"), 6)

    def test_json_keeps_everything(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "r.json")
            sample().save(path)
            self.assertEqual(Results.load(path).__dict__, sample().__dict__)

    def test_a_goal_is_met_up_to_a_quarter_above_the_floor(self):
        lines = {line.what: line for line in goals.lines(sample())}
        self.assertTrue(lines["barrier, 1 thread, added"].met)
        self.assertIsNone(lines["task, 1 thread, added"].met)

    def test_a_comparison_names_what_became_slower(self):
        slow = sample()
        slow.samples["construct/1/barrier"]["tracer"] = [68, 69, 70, 71, 72]
        rows = [line for line in tables.compare(sample(), slow).splitlines() if "slower" in line]
        self.assertEqual(len(rows), 1)
        self.assertIn("tracer", rows[0])

    def test_closing_lines_of_several_forms_are_understood(self):
        self.assertEqual(sets.events_said("tracer: 1,234 events of 2 threads"), 1234)
        self.assertEqual(sets.events_said("12.5 million events"), 12.5e6)
        self.assertIsNone(sets.events_said("nothing"))

    def test_what_the_tool_took_is_read_from_its_closing_line(self):
        line = "tracer: 218,934 events: a/traces.otf2; tool: 1.2 ms start, 900.0 us drain, 0.0 ms waited, 1.1 s conversion"
        self.assertEqual(sets.parts_said(line), {"start": 1.2, "drain": 0.9, "waited": 0.0, "conversion": 1100.0})

    def test_a_goal_that_is_not_met_says_what_was_measured_of_its_parts(self):
        r = Results()
        for tool, time in (("none", 10), ("floor", 20), ("tracer", 40)):
            r.add("program/1/fib/kernel", tool, time, "ms")
        r.add("program/1/fib/tool-drain", "tracer", 5, "ms")
        r.counts["program/1/fib"] = 1_000_000
        line = next(goals.programs(r))
        self.assertEqual(line.row()[3], "NOT MET")
        self.assertEqual(line.reasons(), ["per callback the floor adds 10.0 ns, the tracer 30.0; processor time: the drainer 5.0 ns"])

    def test_reasons_stand_under_their_goal_and_only_where_it_is_not_met(self):
        r = sample()
        r.samples["construct/1/barrier"]["tracer"] = [80, 81, 82, 83, 84]
        text = goals.report(r).splitlines()
        at = next(i for i, line in enumerate(text) if line.startswith("barrier, half of the peer's"))
        self.assertTrue(text[at].endswith("NOT MET"))
        self.assertEqual(text[at + 1].strip(), "the floor tool itself adds 20.0 ns; the tracer adds +50.0 ns to that")
        self.assertNotIn("the floor tool itself", goals.report(sample()))
        self.assertLess(max(map(len, text)), 120)

    def test_what_the_drainer_takes_of_a_row_of_the_suite_is_what_the_parked_tracer_does_not(self):
        r = Results()
        r.machine = {"cores": 2}
        for tool, time in (("none", 100), ("floor", 200), ("tracer", 300), ("parked", 210)):
            r.add("suite/2/barrier", tool, time, "ns")
        r.counts["suite/2/barrier"] = 10
        line = next(goals.suite(r))
        self.assertEqual(line.reasons(), ["2/barrier +50 % (+100 ns): per callback the floor adds 10.0 ns, the tracer 20.0; while nobody "
                                          "empties the rings 11.0, +5 % of the floor: 90 ns are the drainer's, which has no processor of its own"])

    def test_a_row_that_is_no_faster_with_the_tracer_parked_is_not_put_to_the_drainer(self):
        r = Results()
        for tool, time in (("none", 100), ("floor", 200), ("tracer", 300), ("parked", 310)):
            r.add("suite/2/barrier", tool, time, "ns")
        self.assertTrue(next(goals.suite(r)).reasons()[0].endswith(": not the drainer's, in this run"))

    def test_the_parts_of_a_volume_and_what_they_leave_are_its_whole(self):
        r = Results()
        for tool, kernel, processor in (("none", 10, 11), ("floor", 20, 21), ("tracer", 30, 101)):
            r.add("volume/1/1M/kernel", tool, kernel, "ms")
            r.add("volume/1/1M/processor", tool, processor, "ms")
        for part, spent in (("drain", 5), ("convert_cpu", 60), ("scan_cpu", 20), ("convert_kernel", 15)):
            r.add(f"volume/1/1M/tool-{part}", "tracer", spent, "ms")
        self.assertEqual(goals.parts_of_volume(r, "volume/1/1M", 1_000_000),
                         "ns per event: the program's thread 20.0 (the floor tool 10.0), the drainer 5.0, the conversion 60.0 (first pass "
                         "20.0, second 40.0; the system's part of both, reading and writing files, 15.0), start, end and memory 5.0: "
                         "90.0 in all")

    def test_output_lines_are_names_and_numbers(self):
        self.assertEqual(process.values_of("a 1.5\nno number\nb 2 x\n"), {"a": 1.5, "b": 2.0})

    def test_a_tool_needs_a_library_that_exists(self):
        with self.assertRaises(ValueError):
            tools.parse("x=/does/not/exist.so")


if __name__ == "__main__":
    unittest.main()

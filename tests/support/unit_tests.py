# SPDX-License-Identifier: BSD-3-Clause
"""Python's unittest, whose skipped tests say `not tested: ` in a line of its own (not_tested.py looks for it)."""
import unittest


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        name = test.id().rpartition(".")[2].removeprefix("test_").replace("_", " ")
        self.stream.writeln(f"\nnot tested: {name}: {reason}")


def main(verbosity=1):
    """Runs the script's tests, and ends it."""
    unittest.main(module="__main__", testRunner=unittest.TextTestRunner(resultclass=Result, verbosity=verbosity))

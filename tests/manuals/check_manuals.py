#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages and completions of the command given as argument: complete, and free of warnings."""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import unit_tests  # noqa: E402

TRACER = sys.argv.pop(1)


def tracer(*words):
    return subprocess.run([TRACER, *words], capture_output=True, text=True, timeout=60)


def commands():
    found = re.findall(r"^  ([a-z-]+)\s", tracer("--help").stdout.split("Subcommands:")[-1], re.MULTILINE)
    assert {"run", "what-if"} <= set(found), found
    return found


def options_of(command):
    found = re.findall(r"^ +(?:-\w, *)?(--[\w-]+)", tracer(command, "--help").stdout, re.MULTILINE)
    assert "--help" in found, (command, found)
    return found


class Manuals(unittest.TestCase):
    def test_every_command_has_a_page_with_all_its_options(self):
        for command in commands():
            page = tracer("manual", command).stdout.replace("\\-", "-")
            self.assertIn(f"tracer-{command} - ", page)
            for option in options_of(command):
                self.assertIn(option, page, command)

    def test_the_overview_names_every_command(self):
        page = tracer("manual").stdout
        for command in commands():
            name = command.replace("-", "\\-")
            self.assertIn(f"tracer\\-{name}\\fR(1)", page)

    def test_every_page_describes_its_command_as_the_documentation_does(self):
        for command in commands():
            described = tracer("manual", command).stdout.partition(".SH DESCRIPTION\n")[2].partition("\n.SH ")[0]
            text = re.sub(r"\\f[BRI]", "", described).replace("\\-", "-").replace("\\&", "")
            page = (pathlib.Path(__file__).parents[2] / f"docs/cli/{command}.md").read_text()
            first = re.sub(r"[`*]|\[|\]\([^)]*\)", "", page.split("\n\n")[1]).split("\n")[0]
            self.assertIn(first, text, command)
            self.assertNotIn("](", text, command)
            self.assertIn(".nf", described, f"{command} has examples")

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_pages_are_right_roff(self):
        for command in ["", *commands()]:
            page = tracer("manual", *([command] if command else [])).stdout
            done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8"], input=page, capture_output=True, text=True)
            self.assertEqual("", done.stderr, command)

    def test_an_unknown_command_has_no_page(self):
        done = tracer("manual", "nonsense")
        self.assertEqual(2, done.returncode)
        self.assertIn("nonsense", done.stderr)


class Completion(unittest.TestCase):
    def complete(self, *words):
        script = tracer("completion", "bash").stdout + (
            "COMP_WORDS=(" + " ".join(f"'{w}'" for w in words) + f"); COMP_CWORD={len(words) - 1}; _tracer; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
        self.assertEqual("", done.stderr)
        return done.stdout.split()

    def test_bash_completes_commands_and_options(self):
        self.assertEqual(["run"], self.complete("tracer", "ru"))
        self.assertIn("--output", self.complete("tracer", "run", "--"))
        self.assertEqual(["bash"], self.complete("tracer", "completion", "ba"))

    def test_every_shell_gets_a_script_that_names_every_command(self):
        for shell in ("bash", "zsh", "fish"):
            script = tracer("completion", shell).stdout
            for command in commands():
                self.assertIn(command, script, shell)
            if shutil.which(shell):
                done = subprocess.run([shell, "-n"], input=script, capture_output=True, text=True)
                self.assertEqual((0, ""), (done.returncode, done.stderr), shell)
            else:
                print(f"not tested: completion in {shell}, which is not installed")

    def test_an_unknown_shell_is_refused(self):
        self.assertEqual(2, tracer("completion", "tcsh").returncode)


if __name__ == "__main__":
    unit_tests.main()

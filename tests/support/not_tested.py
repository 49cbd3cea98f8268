#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Says in words what CTest skipped, and what tests that ran left out: not_tested.py TESTS.xml (of ctest --output-junit). A line per
reason. A test that leaves something out prints a line that begins with `not tested: `."""
import re
import sys
import xml.etree.ElementTree as ElementTree

LONGEST = 240
LEFT_OUT = "not tested: "


def reason_of(case):
    """The line in which a test says why it skips; what CTest says where it does not."""
    output = case.findtext("system-out") or ""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for line in lines:
        found = re.search(r"\bskip(?:ped|s)?\b[^:]*: *(.+)", line, re.IGNORECASE)
        if found:
            return found.group(1)
    if lines:
        return lines[-1]
    skipped = case.find("skipped")
    return (skipped.get("message") if skipped is not None else "") or "it does not say why"


def left_out(case):
    """What a test that ran says that it left out, each once."""
    lines = (line.strip() for line in (case.findtext("system-out") or "").splitlines())
    return dict.fromkeys(line.removeprefix(LEFT_OUT) for line in lines if line.startswith(LEFT_OUT))


def not_tested(path):
    """Of each reason the names of the tests that skipped, or left something out, for it, in the order of the tests."""
    reasons = {}
    for case in ElementTree.parse(path).iter("testcase"):
        skipped = case.find("skipped") is not None or case.get("status") in ("notrun", "disabled")
        for reason in [reason_of(case)] if skipped else left_out(case):
            reasons.setdefault(reason, []).append(case.get("name"))
    return reasons


def named(names):
    """A few names for many: by what stands before the colon."""
    if len(names) == 1:
        return f"'{names[0]}'"
    kinds = list(dict.fromkeys(name.split(":")[0] for name in names))
    return f"{len(names)} tests ({', '.join(kinds)})"


def main():
    try:
        reasons = not_tested(sys.argv[1])
    except (OSError, ElementTree.ParseError) as error:
        print(f"{LEFT_OUT}not known, the tests' report cannot be read: {error}")
        return
    for reason, names in reasons.items():
        text = reason if len(reason) <= LONGEST else reason[:LONGEST] + " ..."
        print(f"{LEFT_OUT}{named(names)}: {text}")


if __name__ == "__main__":
    main()

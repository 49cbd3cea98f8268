#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Says in words what CTest skipped: not_tested.py TESTS.xml (of ctest --output-junit). A line per reason."""
import re
import sys
import xml.etree.ElementTree as ElementTree

LONGEST = 240


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


def skipped(path):
    """Of each reason the names of the tests that skipped for it, in the order of the tests."""
    reasons = {}
    for case in ElementTree.parse(path).iter("testcase"):
        if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            reasons.setdefault(reason_of(case), []).append(case.get("name"))
    return reasons


def named(names):
    """A few names for many: by what stands before the colon."""
    if len(names) == 1:
        return f"'{names[0]}'"
    kinds = list(dict.fromkeys(name.split(":")[0] for name in names))
    return f"{len(names)} tests ({', '.join(kinds)})"


def main():
    try:
        reasons = skipped(sys.argv[1])
    except (OSError, ElementTree.ParseError) as error:
        print(f"not tested: not known, the tests' report cannot be read: {error}")
        return
    for reason, names in reasons.items():
        text = reason if len(reason) <= LONGEST else reason[:LONGEST] + " ..."
        print(f"not tested: {named(names)}: {text}")


if __name__ == "__main__":
    main()

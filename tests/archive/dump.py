# SPDX-License-Identifier: BSD-3-Clause
"""Prints an archive's events as python3-otf2 sees them, one per line, for tests to compare."""
import sys
import otf2

SKIP = {"time", "attributes"}


def show(value):
    if hasattr(value, "name") and not isinstance(value, str) and not hasattr(value, "value"):
        return str(value.name)
    if hasattr(value, "_ref"):
        return type(value).__name__ + str(value._ref)
    return str(value).split(".")[-1]


def main(anchor):
    with otf2.reader.open(anchor) as trace:
        for location in trace.definitions.locations:
            print("location", location.name, location.number_of_events, location.group.name)
        count = 0
        for location, event in trace.events:
            fields = [f"{k}={show(v)}" for k, v in sorted(vars(event).items()) if k not in SKIP and not k.startswith("_")]
            attributes = [f"{a.name}:{show(v)}" for a, v in (event.attributes or {}).items()]
            print(event.time, location.name, type(event).__name__, *fields, *(["{", *sorted(attributes), "}"] if attributes else []))
            count += 1
        print("events", count)


main(sys.argv[1])

# SPDX-License-Identifier: BSD-3-Clause
"""The account of a report (tracer report --json) against its verdict: one value for one thing."""


def duration(ns):
    """As reports write it: four digits and a unit."""
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if ns >= unit:
            return f"{ns / unit:.4g} {name}"
    return f"{ns} ns"


def cell_faults(report):
    """The cells of a place add up to it; a finding's seconds are the sum of its cells, and stand in its text; no cell is of two findings."""
    account, cells = report["account"], report["account"]["details"]
    sums = {}
    for cell in cells:
        sums[cell["place"]] = sums.get(cell["place"], 0) + cell["ns"]
    for place, ns in account["time"].items():
        if sums.get(place.removesuffix("_ns"), 0) != ns:
            yield f"the cells of {place} add up to {sums.get(place.removesuffix('_ns'), 0)}, not {ns}"
    owner = {}
    for finding in report["verdict"]["findings"]:
        name = f"{finding['id']} ({finding['name']})"
        lost = sum(cells[cell]["ns"] for cell in finding["cells"])
        if lost != finding["lost_ns"]:
            yield f"{name}: {finding['lost_ns']} ns lost, its cells have {lost}"
        if duration(lost) not in finding["text"]:
            yield f"{name}: its {duration(lost)} are not in its text: {finding['text']}"
        for cell in finding["cells"]:
            if cell in owner:
                yield f"{name}: its cell {cells[cell]} is one of {owner[cell]} as well"
            owner[cell] = name

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the source tree to its layers: a file may include its own directory's headers and those of lower
layers, and each foreign header has one home. Usage: check_includes.py [top directory]"""
import pathlib
import re
import sys

# Longest match wins; what is not named belongs to its parent's row. A row is a folder, or a file without its ending.
# Below the point: rows within one part (the folders tracer/x, formats/x), which no other part sees.
LAYERS = {
    "include/tracer": 0,
    "tracer/base/formatted": 1.05,
    "tracer/base/text": 1.1,
    "tracer/base/memory_checks": 1.1,
    "tracer/base/files": 1.2,
    "tracer/base": 1.3,
    "tracer/mpi": 2,
    "tracer/gomp": 2,
    "tracer/job": 2,
    "tracer/ring": 3,
    "tracer/replay": 3.1,
    "tracer/replay/mpi": 3.2,
    "tracer/replay/samples": 3.2,
    "tracer/replay/timeline": 3.3,
    "tracer/translate/repairs": 3.1,
    "tracer/translate/exclusions": 3.15,
    "tracer/translate/clock_fit": 3.1,
    "tracer/translate/costs": 3.1,
    "tracer/translate/parallel_for": 3.1,
    "tracer/translate/regions/constructs": 3.2,
    "tracer/translate/scan": 3.3,
    "tracer/translate/resolve/lock_orders": 3.4,
    "tracer/translate/resolve/plan": 3.45,
    "tracer/translate/resolve/tables": 3.5,
    "tracer/translate/regions": 3.6,
    "tracer/translate/resolve": 3.7,
    "tracer/translate/translate_report": 3.7,
    "tracer/translate/definitions": 3.75,
    "tracer/translate/write": 3.8,
    "tracer/translate/devices": 3.85,
    "tracer/translate": 3.9,
    "tracer/ompd/target": 3.1,
    "tracer/ompd": 3.2,
    "formats": 3,
    "formats/otf2/common": 3.1,
    "formats/otf2/read": 3.2,
    "formats/otf2/write": 3.2,
    "formats/otf2/join": 3.3,
    "formats/otf2/library": 3.3,
    "device/ompt": 3,
    "device/cupti": 3,
    "device/host": 3,
    "device/correlate": 3,
    "tracer/cut": 4,
    "tracer/check": 4,
    "tracer/index": 4,
    "tracer/session": 5,
    "tracer/convert": 5,
    "tracer/report/account_rows": 5.1,
    "tracer/report/device_rows": 5.1,
    "tracer/report/samples": 5.1,
    "tracer/report/report": 5.2,
    "tracer/report/measures": 5.3,
    "tracer/report/mpi": 5.4,
    "tracer/report/findings": 5.5,
    "tracer/report/forms": 5.5,
    "tracer/report": 5.6,
    "tracer/report/diff": 5.7,
    "tracer/report/page": 5.8,
    "device/select": 5,
    "tracer/ompt": 6,
    "tracer/drain": 6,
    "tracer/sample": 6,
    "tracer/columns": 6,
    "tracer/what_if": 6,
    "tracer/merge": 6,
    "tracer/view": 6,
    "tracer/cli/output": 7.1,
    "tracer/cli/options": 7.1,
    "tracer/cli/archives": 7.2,
    "tracer/cli/help": 7.3,
    "tracer/cli/live": 7.3,
    "tracer/cli/launch": 7.3,
    "tracer/cli": 7.4,
    "tracer/cli/launch/after_run": 7.5,
    "tracer/cli/launch/run": 7.6,
    "tracer": 8,
}

# Pattern of a foreign header, and the directories or files that may include it.
HOMES = [
    (r"omp-tools\.h|ompt\.h", ["tracer/ompt", "device/ompt", "tracer/entry.cpp", "tracer/ompd", "tracer/gomp"]),
    (r"cupti.*\.h|cuda.*\.h|generated_cuda.*", ["device/cupti"]),
    (r"otf2/.*", ["formats/otf2"]),
    (r"(oneapi/)?tbb/.*", ["tracer/session", "tracer/drain", "device/correlate"]),
    (r"spdlog/.*", ["tracer/base"]),
    (r"CLI/.*", ["tracer/cli"]),
    (r"zstd\.h", ["formats/parquet", "tracer/translate/regions/zstd_sections.cpp"]),
    (r"httplib\.h", ["tracer/view/http"]),
    (r"xxhash\.h", ["tracer/ompt/content.cpp"]),
    (r"omp\.h", []),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


# Names of properties and of the facts that they are made of, and where they are: include/tracer/property_names.hpp.
LOOSE_NAME = re.compile(r'^(?!\s*//).*"[A-Z_]+::', re.MULTILINE)
NAMES = "include/tracer/property_names.hpp"


def component(path):
    """The row of LAYERS that a path (relative, as text) belongs to; formats are apart from each other."""
    rows = [row for row in LAYERS if path == row or path.startswith((row + "/", row + "."))]
    if not rows:
        return None, None
    row = max(rows, key=len)
    name = row
    if row == "formats":
        name = "/".join(path.split("/")[:2])
    return name, LAYERS[row]


def part(path):
    """The folder whose inner rows a file sees."""
    return "/".join(path.split("/")[:2])


def may_include(source, target):
    (own, layer), (theirs, below) = component(source), component(target)
    if theirs == own:
        return True
    return below < layer if part(source) == part(target) else int(below) < int(layer)


def resolve(top, source, target):
    """The file of the project that an include names, or None for a foreign header."""
    for base in (source.parent, top / "include", top):
        found = base / target
        if found.is_file() and top in found.resolve().parents:
            return found.resolve().relative_to(top).as_posix()
    return None


def faults(top):
    top = pathlib.Path(top).resolve()
    sources = [p for d in ("include", "tracer", "device", "formats") for p in (top / d).rglob("*") if p.suffix in (".cpp", ".hpp", ".h")]
    for source in sorted(sources):
        name = source.relative_to(top).as_posix()
        text = source.read_text(encoding="utf-8")
        if "SPDX-License-Identifier: BSD-3-Clause" not in text[:120]:
            yield f"{name}: does not begin with the SPDX line"
        if name != NAMES:
            for match in LOOSE_NAME.finditer(text):
                yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}: a name of a property or a fact that is not of {NAMES}"
        own, layer = component(name)
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            target = match.group(2)
            found = resolve(top, source, target)
            if found is not None:
                theirs, below = component(found)
                if theirs is None:
                    yield f"{name}:{line}: includes {found}, which is no part of the product"
                elif not may_include(name, found):
                    yield f"{name}:{line}: {own} (layer {layer}) includes {found} (layer {below})"
                continue
            for pattern, homes in HOMES:
                if re.fullmatch(pattern, target) and not any(name == h or name.startswith(h + "/") for h in homes):
                    yield f"{name}:{line}: <{target}> may only be included in: {', '.join(homes) or 'nothing'}"


def unnamed(top):
    """Folders that the page on the layers does not know."""
    page = pathlib.Path(top) / "CONTRIBUTING.md"
    words = set(re.findall(r"\w+", page.read_text(encoding="utf-8"))) if page.is_file() else None
    for parent in ("tracer", "device"):
        for folder in sorted(p for p in (pathlib.Path(top) / parent).glob("*") if p.is_dir()):
            if words is not None and folder.name not in words:
                yield f"CONTRIBUTING.md does not name {parent}/{folder.name}"


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    found = list(faults(top)) + list(unnamed(top))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

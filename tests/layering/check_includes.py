#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the source tree to its layers: a file may include its own directory's headers and those of lower
layers, and each foreign header has one home. Usage: check_includes.py [top directory]"""
import pathlib
import re
import sys

# Longest match wins; directories that are not named belong to their parent's row.
LAYERS = {
    "include/tracer": 0,
    "tracer/base": 1,
    "tracer/mpi": 1,
    "tracer/ring": 2,
    "tracer/translate": 2,
    "tracer/ompd": 2,
    "tracer/report": 2,
    "formats": 2,
    "device/ompt": 2,
    "device/cupti": 2,
    "device/host": 2,
    "device/correlate": 2,
    "tracer/session": 3,
    "tracer/convert": 3,
    "tracer/columns": 3,
    "tracer/check": 3,
    "device/select": 3,
    "tracer/ompt": 4,
    "tracer/drain": 4,
    "tracer/sample": 4,
    "tracer/cli": 4,
    "tracer": 5,
}

# Pattern of a foreign header, and the directories or files that may include it.
HOMES = [
    (r"omp-tools\.h|ompt\.h", ["tracer/ompt", "device/ompt", "tracer/entry.cpp", "tracer/ompd"]),
    (r"cupti.*\.h|cuda.*\.h|generated_cuda.*", ["device/cupti"]),
    (r"otf2/.*", ["formats/otf2"]),
    (r"(oneapi/)?tbb/.*", ["tracer/session", "tracer/drain", "device/correlate"]),
    (r"CLI/.*", ["tracer/cli"]),
    (r"zstd\.h", ["formats/parquet", "tracer/translate/regions/zstd_sections.cpp"]),
    (r"omp\.h", []),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def component(path):
    """The row of LAYERS that a path (relative, as text) belongs to; formats are apart from each other."""
    rows = [row for row in LAYERS if path == row or path.startswith(row + "/")]
    if not rows:
        return None, None
    row = max(rows, key=len)
    name = row
    if row == "formats":
        name = "/".join(path.split("/")[:2])
    return name, LAYERS[row]


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
        own, layer = component(name)
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            target = match.group(2)
            found = resolve(top, source, target)
            if found is not None:
                theirs, below = component(found)
                if theirs is None:
                    yield f"{name}:{line}: includes {found}, which is no part of the product"
                elif theirs != own and below >= layer:
                    yield f"{name}:{line}: {own} (layer {layer}) includes {found} (layer {below})"
                continue
            for pattern, homes in HOMES:
                if re.fullmatch(pattern, target) and not any(name == h or name.startswith(h + "/") for h in homes):
                    yield f"{name}:{line}: <{target}> may only be included in: {', '.join(homes) or 'nothing'}"


def unnamed(top):
    """Folders that the page on the layers does not know."""
    page = pathlib.Path(top) / "docs/CONTRIBUTING.md"
    words = set(re.findall(r"\w+", page.read_text(encoding="utf-8"))) if page.is_file() else None
    for parent in ("tracer", "device"):
        for folder in sorted(p for p in (pathlib.Path(top) / parent).glob("*") if p.is_dir()):
            if words is not None and folder.name not in words:
                yield f"docs/CONTRIBUTING.md does not name {parent}/{folder.name}"


def main():
    top = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    found = list(faults(top)) + list(unnamed(top))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: BSD-3-Clause
"""The product's sources, as checks of their text look at them."""
import re


def matches(root, pattern, homes):
    """(file:line, match) of what the pattern finds in them, but for those in `homes`, and comments aside."""
    for folder in ("tracer", "formats", "device", "include"):
        for path in sorted((root / folder).rglob("*.[ch]*")):
            name = str(path.relative_to(root))
            if name in homes or path.suffix not in (".cpp", ".hpp", ".h", ".c"):
                continue
            bare = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8", errors="replace"))
            for match in pattern.finditer(bare):
                yield f"{name}:{bare[:match.start()].count(chr(10)) + 1}", match

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_captures.py ROOT: names of structured bindings that a lambda captures, which clang 14 refuses (C++20 allows it since
P1091) and g++ does not tell. By the text: a lambda that captures by default and uses the name in its body."""
import pathlib
import re
import sys

BINDING = re.compile(r"\bauto&{0,2}\s*\[([\w,\s]+)\]")
LAMBDA = re.compile(r"\[([^\[\]]*)\]\s*(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*(?:mutable|noexcept|->[^{;]*)?\s*\{")


def end_of_block(text, at):
    """Where the block around `at` ends."""
    depth = 0
    while at < len(text):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth < 0:
            break
        at += 1
    return at


def captures(text):
    """(line, name) of each."""
    for binding in BINDING.finditer(text):
        names = [name.strip() for name in binding.group(1).split(",")]
        inside = text[binding.end():end_of_block(text, binding.end())]
        for match in LAMBDA.finditer(inside):
            captured = [part.strip() for part in match.group(1).split(",")]
            body = inside[match.end():end_of_block(inside, match.end())]
            for name in names:
                named = name in captured or "&" + name in captured
                by_default = captured[0] in ("&", "=") and re.search(rf"(?<![\w.>:]){name}\b", body)
                if named or by_default:
                    yield text[:binding.start()].count("\n") + 1, name


def main():
    root = pathlib.Path(sys.argv[1])
    faults = [f"{path.relative_to(root)}:{line}: {name} is of a structured binding, and captured in a lambda"
              for folder in ("tracer", "formats", "device", "include", "bench", "examples", "tests")
              for path in sorted((root / folder).rglob("*.[ch]pp")) for line, name in captures(path.read_text(encoding="utf-8", errors="replace"))]
    print("\n".join(sorted(set(faults))) or "none")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the documentation to what there is: links lead somewhere, commands and their options exist, settings are known.

check_docs.py links|commands|settings [--tracer PATH]"""
import argparse
import functools
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
COMMAND = re.compile(r"(?:^|[`\s/])tracer (?P<rest>[a-z][^`\n]*)")


def pages():
    found = [p for p in TOP.glob("*.md")]
    for directory in ("docs", "examples", "bench", "tests"):
        found += (TOP / directory).rglob("*.md")
    return sorted(found)


def anchors(page):
    """The names that GitHub gives to headings."""
    names = set()
    for line in page.read_text(encoding="utf-8").splitlines():
        match = re.match(r"#+\s+(.*)", line)
        if match:
            text = re.sub(r"[`*]", "", match.group(1)).strip().lower()
            names.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return names


def wrong_links():
    for page in pages():
        text = re.sub(r"^( {4}.*|```.*?```)$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for match in LINK.finditer(text):
            target = match.group(1) or match.group(2)
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            if not file.exists():
                yield f"{page.relative_to(TOP)}: {target} does not exist"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file):
                yield f"{page.relative_to(TOP)}: {target} has no such heading"


def code(page):
    """Code blocks and code spans: where commands are commands."""
    text = page.read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("    "):
            yield re.sub(r"(^|\s)#.*| {3,}[^-\s].*", "", line[4:])
        else:
            yield from re.findall(r"`([^`]+)`", line)


@functools.lru_cache(maxsize=None)
def help_of(tracer, *command):
    return subprocess.run([tracer, *command, "--help"], capture_output=True, text=True, timeout=60).stdout


def wrong_commands(tracer):
    commands = set(re.findall(r"^  ([a-z]+)\s", help_of(tracer).split("Subcommands:")[-1], re.MULTILINE)) | {"manual"}
    for page in pages():
        for line in code(page):
            for match in COMMAND.finditer(" " + line):
                words = match.group("rest").split(" -- ")[0].split("|")[0].split(";")[0].split()
                name = words[0]
                if name not in commands:
                    yield f"{page.relative_to(TOP)}: no command 'tracer {name}' ({line.strip()})"
                    continue
                known = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", help_of(tracer, name)))
                for word in words[1:]:
                    option = word.split("=")[0].rstrip(",)")
                    if re.match(r"--?[a-zA-Z]", option) and option not in known:
                        yield f"{page.relative_to(TOP)}: 'tracer {name}' has no {option} ({line.strip()})"


def wrong_settings():
    known = set()
    for directory in ("tracer", "device", "formats", "include", "bench", "tests", "cmake", "scripts", "examples"):
        for path in (TOP / directory).rglob("*"):
            if path.is_file() and path.suffix in (".cpp", ".hpp", ".cmake", ".txt", ".py", ".sh", "") and path != pathlib.Path(__file__):
                known |= set(re.findall(r"\bTRACER(?:_[A-Z0-9]+)*\b", path.read_text(encoding="utf-8", errors="replace")))
    known |= set(re.findall(r"\bTRACER_[A-Z_]+\b", (TOP / "CMakeLists.txt").read_text(encoding="utf-8")))
    for page in pages():
        for name in sorted(set(re.findall(r"\bTRACER_[A-Z0-9_]*[A-Z0-9]\b", page.read_text(encoding="utf-8"))) - known):
            yield f"{page.relative_to(TOP)}: nothing knows {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["links", "commands", "settings"])
    parser.add_argument("--tracer")
    options = parser.parse_args()
    if options.what == "links":
        found = list(wrong_links())
    elif options.what == "settings":
        found = list(wrong_settings())
    else:
        found = list(wrong_commands(options.tracer))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""check_opens.py ROOT: every file that may be another's is opened by tracer/base/files/regular_file.cpp, which takes regular files
only and waits for none. Here is every other place that opens something, and why it may; a new one is a fault."""
import pathlib
import re
import sys

# Opens that cannot meet a FIFO, by their flags: directories, and files that are made by this very open.
HARMLESS = re.compile(r"O_DIRECTORY|O_TMPFILE|O_CREAT\s*\|\s*O_EXCL")
OPEN = re.compile(r"(?<![\w.>:])(?:::)?(open|openat)\(|\b(?:std::)?(ifstream|fopen|freopen)\b[^;\n]*[({]", re.MULTILINE)

# Folder or file: why what it opens is no file of a trace, or how it takes care itself.
ALLOWED = {
    "tracer/base/files/regular_file.cpp": "the function",
    "tracer/base/files/file.cpp": "files of /proc, and the run's own files, compared with what was made",
    "tracer/base/files/output_stream.cpp": "makes or truncates what is written; reads nothing",
    "tracer/base/log.cpp": "appends; O_NONBLOCK",
    "tracer/drain": "the kernel's files",
    "tracer/session": "in the traced process: the kernel's files, and the filter that its user names",
    "tracer/ompd": "processes, core files and their programs, O_NONBLOCK where they are named by others",
    "tracer/translate/regions/debug_files.cpp": "programs and their debug information; looks at what it opened",
    "tracer/cut/filter.cpp": "the filter that the user names on the command line, which may be a pipe",
    "tracer/cli": "what the user names on the command line (programs, outputs) and /dev/null; no file of a trace",
    "device/cupti/api.cpp": "/proc/self/exe",
    "formats/raw/leftovers.cpp": "makes the mark `kept`; O_NONBLOCK",
    "formats/otf2/write/event_file.cpp": "makes event files in a directory that was claimed empty",
}


def is_allowed(path):
    return any(path == place or path.startswith(place + "/") for place in ALLOWED)


def opens(text):
    """(line, what) of each."""
    for match in OPEN.finditer(text):
        end = text.find(";", match.end())
        statement = text[match.start():end]
        line = text[:match.start()].count("\n") + 1
        beginning = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        if beginning.lstrip().startswith(("//", "*")) or HARMLESS.search(statement):
            continue
        if match.group(1) and not re.search(r"\bO_(RDONLY|RDWR|WRONLY)\b", statement):
            continue  # another function of that name
        yield line, statement.split("\n")[0]


def main():
    root = pathlib.Path(sys.argv[1])
    faults = []
    for folder in ("tracer", "formats", "device"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            name = str(path.relative_to(root))
            if not is_allowed(name):
                faults += [f"{name}:{line}: opens a file by itself: {what}" for line, what in opens(path.read_text(encoding="utf-8"))]
    print("\n".join(faults) or "none")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What libtracer.so shows to other people's processes: ompt_start_tool, tracer_connect and InitializeInjection, no library but the C library, and that it
stays mapped. check_exports.py libtracer.so; another library: check_exports.py LIBRARY VERSION_SCRIPT, which names all
that it shows, a star for any ending."""
import fnmatch
import re
import subprocess
import sys

ALLOWED_LIBRARIES = re.compile(r"^(libc|libm|libdl|libpthread|librt|ld-linux[-\w]*)\.so")


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def names_of(script):
    """What a version script lets out."""
    with open(script, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    return re.findall(r"[\w*]+", text.partition("global:")[2].partition("local:")[0])


def is_allowed(name, expected):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in expected)


def faults(library, expected):
    names = [line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()]
    missing = [name for name in expected if not any(fnmatch.fnmatchcase(shown, name) for shown in names)]
    if missing or not all(is_allowed(name, expected) for name in names):
        yield f"it exports {', '.join(names) or 'nothing'}"
    dynamic = output("readelf", "-dW", library)
    for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if not ALLOWED_LIBRARIES.match(needed):
            yield f"it needs {needed}"
    for flag in ("NODELETE", "SYMBOLIC"):
        if flag not in dynamic:
            yield f"it is linked without {flag}"
    if re.search(r"\bUNIQUE\b", output("readelf", "-sW", "--dyn-syms", library)):
        yield "it has unique symbols, which would meet the program's"


if __name__ == "__main__":
    allowed = names_of(sys.argv[2]) if len(sys.argv) > 2 else ["ompt_start_tool", "tracer_connect", "InitializeInjection"]
    found = list(faults(sys.argv[1], allowed))
    print("\n".join(found) or " and ".join(allowed) + " alone")
    sys.exit(1 if found else 0)

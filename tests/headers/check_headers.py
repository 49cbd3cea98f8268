#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles (syntax only) the sources of the build that could tell another LLVM's omp-tools.h from the build's own: those
that name something that is declared otherwise in it, and as few as can be that include each header of ours that does. The other header is
unpacked from Debian's package. Status 77 where it cannot be had, or is the one that the build itself uses."""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys


def header_of(version, directory):
    """The directory that holds LLVM `version`'s omp-tools.h; the reason as SystemExit 77 where there is none."""
    for installed in sorted(pathlib.Path("/usr/lib").glob(f"llvm-{version}/lib/clang/*/include/omp-tools.h")):
        return installed
    place = directory / "headers" / str(version)
    found = sorted(place.glob("usr/lib/llvm-*/lib/clang/*/include/omp-tools.h"))
    if not found:
        place.mkdir(parents=True, exist_ok=True)
        package = f"libomp-{version}-dev"
        command = f"apt-get -q download {package} && dpkg -x {package}_*.deb . && rm -f {package}_*.deb"
        done = subprocess.run(["bash", "-c", command], cwd=place, capture_output=True, text=True, timeout=300)
        found = sorted(place.glob("usr/lib/llvm-*/lib/clang/*/include/omp-tools.h"))
        if not found:
            lines = (done.stderr or done.stdout).strip().splitlines() or ["no omp-tools.h in it"]
            print(f"skipped: {package} cannot be had: {lines[-1]}")
            sys.exit(77)
    return found[0]


def users(build, header):
    """Objects of the build that depend on the header, each with all that it includes, by ninja's own log."""
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=True).stdout
    includes, current = {}, None
    for line in listing.splitlines():
        if line and not line.startswith(" "):
            current = includes.setdefault(line.split(":")[0], set())
        elif current is not None and line:
            current.add((build / line.strip()).resolve())
    return {name: files for name, files in includes.items() if any(str(file).endswith(header) for file in files)}


def changed_names(own, other):
    """Names of OpenMP's in declarations that one header has and the other has not, and whatever the build's own has
    and the other has not at all; white space and comments aside. A declaration ends at ';', '{', '}', a comma or the end of a line."""
    def declarations(file):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", file.read_text(), flags=re.S)
        return {" ".join(part.split()) for part in re.split(r"[;{},\n\\]", text)}

    def words(parts, which=r"\b[A-Za-z_]\w+"):
        return {word for part in parts for word in re.findall(which, part)}
    one, two = declarations(own), declarations(other)
    return words(one ^ two, r"\b(?:omp[td]?_\w+|FOREACH_\w+)") | (words(one) - words(two))


def enough(candidates):
    """Of (what names itself something, its headers that do, what it is): those that do, and then always who includes most of the headers
    that nobody has included yet."""
    taken = [one for one in candidates if one[0]]
    seen = set().union(*(headers for _, headers, _ in taken))
    left = [one for one in candidates if not one[0]]
    while left:
        best = max(left, key=lambda one: len(one[1] - seen))
        if not best[1] - seen:
            break
        taken.append(best)
        seen |= best[1]
        left.remove(best)
    return [what for _, _, what in taken]


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--build", type=pathlib.Path, required=True)
    arguments.add_argument("--own", type=pathlib.Path, required=True)
    arguments.add_argument("--version", type=int, required=True)
    options = arguments.parse_args()
    header = header_of(options.version, options.build)
    if header.read_bytes() == options.own.read_bytes():
        print(f"the build itself uses the header of LLVM {options.version}")
        return 0
    objects = users(options.build, "omp-tools/omp-tools.h")
    if len(objects) < 20:
        print(f"only {len(objects)} objects depend on omp-tools.h: ninja's log cannot be right")
        return 1
    alone = options.build / "headers" / f"only-{options.version}"
    alone.mkdir(parents=True, exist_ok=True)
    (alone / "omp-tools.h").write_bytes(header.read_bytes())
    names = re.compile(r"\b(?:" + "|".join(sorted(changed_names(options.own, header))) + r")\b")
    sources = options.build.parents[1]
    named = {}

    def names_one(file):
        if file not in named:
            ours = file.is_relative_to(sources) and not file.is_relative_to(options.build)
            named[file] = ours and bool(names.search(file.read_text(errors="replace")))
        return named[file]

    candidates = []
    for entry in json.loads((options.build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        output = words[words.index("-o") + 1]
        if output in objects:
            candidates.append((names_one(pathlib.Path(entry["file"]).resolve()), {file for file in objects[output] if names_one(file)}, (entry, words)))
    failed = compiled = 0
    for entry, words in enough(candidates):
        words = [word.replace(str(options.build / "omp-tools"), str(alone)) for word in words if word != "-c"]
        if pathlib.Path(words[0]).name == "ccache":
            words = words[1:]
        at = words.index("-o")
        del words[at:at + 2]
        done = subprocess.run(words + ["-fsyntax-only", "-w"], cwd=entry["directory"], capture_output=True, text=True)
        compiled += 1
        if done.returncode != 0:
            failed += 1
            print(done.stderr[:2000])
    print(f"{compiled} of {len(objects)} sources against {header}: {failed} failed")
    return 1 if failed or compiled == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

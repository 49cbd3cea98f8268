#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the documentation to what there is: links lead somewhere, commands and their options exist, settings are known.

check_docs.py links|width|commands|settings|help|reference|coverage|report-json|requirements [--tracer PATH] [--header PATH] [--write]
help: docs/cli/*.md show what --help says; reference: docs/settings.md, docs/repairs.md and docs/formats/properties.md are what it prints. --write makes it so."""
import argparse
import functools
import json
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


def wide_lines():
    """Lines of at most 120 columns, but for tables: also printed ones and diagrams, whose columns blanks keep apart."""
    for page in pages():
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            if len(line) > 120 and not line.lstrip().startswith("|") and len(re.findall(r"\S {2,}\S", line)) < 3:
                yield f"{page.relative_to(TOP)}:{number}: {len(line)} columns"


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


def commands_of(tracer):
    return set(re.findall(r"^  ([a-z-]+)\s", help_of(tracer).split("Subcommands:")[-1], re.MULTILINE))


def wrong_commands(tracer):
    commands = commands_of(tracer) | {"manual"}
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


def wrong_requirements():
    """The table of what a build needs names each package that the build asks for, and that the scripts install for it; the page,
    each preset; and the page on other projects' licences, each project."""
    page = (TOP / "docs" / "install.md").read_text(encoding="utf-8")
    for preset in json.loads((TOP / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]:
        if not preset.get("hidden") and f"`{preset['name']}`" not in page:
            yield f"docs/install.md does not name the preset {preset['name']}"
    licences = (TOP / "docs" / "third-party.md").read_text(encoding="utf-8").casefold()
    for asked in re.findall(r'tracer_need\("([^\s"]+)', (TOP / "cmake/TracerDependencies.cmake").read_text(encoding="utf-8")):
        if asked.casefold() not in licences:
            yield f"docs/third-party.md does not name {asked}"
    table = page.partition("| to run |")[0]
    named = {word for cell in re.findall(r"`([^`]+)`", table) for word in cell.split()}
    wanted = re.search(r"^BUILD_PACKAGES=\((.*?)\)", (TOP / "cmake/scripts/packages.sh").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE).group(1).split()
    for file in ("cmake/TracerDependencies.cmake", "tests/CMakeLists.txt"):
        for packages in re.findall(r'tracer_need\("[^"]+" "([^"]+)"', (TOP / file).read_text(encoding="utf-8")):
            wanted += packages.split()
    for package in sorted(set(wanted) - named):
        yield f"docs/install.md: {package} is not among the requirements"


HELP = re.compile(r"(?<=## Options\n\n)(?:    .*\n|\n)*")


def words_of_help(text):
    """Versions of CLI11 differ in columns, headings in capitals, defaults (=15 or [15]), and whether a footer is wrapped."""
    return re.sub(r" \[(\S+)\]", r"=\1", re.sub(r", +(?=--)", ",", text)).casefold().split()


def wrong_help(tracer, write):
    """Each page of docs/cli ends with what --help says."""
    for command in sorted(commands_of(tracer)):
        page = TOP / "docs" / "cli" / f"{command}.md"
        if not page.exists():
            yield f"docs/cli/{command}.md does not exist"
            continue
        said = "".join(f"    {line}".rstrip() + "\n" for line in help_of(tracer, command).splitlines())
        text = page.read_text(encoding="utf-8")
        if HELP.search(text) is None:
            yield f"docs/cli/{command}.md has no section Options"
        elif words_of_help(HELP.search(text).group(0)) != words_of_help(said):
            if write:
                page.write_text(HELP.sub(lambda _: said.strip("\n") + "\n", text), encoding="utf-8")
            else:
                yield f"docs/cli/{command}.md differs from tracer {command} --help (tests/docs/check_docs.py help --write)"


def wrong_reference(tracer, write):
    for name, where in (("settings", ""), ("repairs", ""), ("properties", "formats/")):
        said = subprocess.run([tracer, "manual", f"--{name}"], capture_output=True, text=True, timeout=60).stdout
        page = TOP / "docs" / f"{where}{name}.md"
        if page.exists() and page.read_text(encoding="utf-8") == said:
            continue
        if write:
            page.write_text(said, encoding="utf-8")
        else:
            yield f"{page.relative_to(TOP)} differs from tracer manual --{name} (tests/docs/check_docs.py reference --write)"


def interface_names(header):
    """Callbacks, entry points and enumerators of omp-tools.h, as docs/openmp-coverage.md calls them."""
    text = pathlib.Path(header).read_text(encoding="utf-8")
    names = set(re.findall(r"\bmacro\s*\(\s*(omp\w+)", text))
    names.update(name.removesuffix("_t") for name in re.findall(r"\(\s*\*\s*(ompt_\w+_t)\s*\)\s*\(", text) if not name.startswith("ompt_callback"))
    for enumeration, values in re.findall(r"typedef enum (ompt_\w+) \{(.*?)\}", text, re.DOTALL):
        names.update(re.findall(r"^\s*(ompt_\w+)\s*[=,]", values, re.MULTILINE))
    return {name.removeprefix("ompt_callback_") for name in names}


def wrong_coverage(header):
    """What the interface of the header names is in the page on coverage: what is not in the archive, with the reason."""
    page = (TOP / "docs" / "openmp-coverage.md").read_text(encoding="utf-8")
    said = set(re.findall(r"\w+", page))
    not_data = {"ompt_interface_fn", "ompt_function_lookup", "ompt_initialize", "ompt_finalize"}
    for name in sorted(interface_names(header) - said - not_data):
        yield f"docs/openmp-coverage.md does not say where {name} is"


def members_of_objects(source):
    """The names of the objects that functions return: {{"name", value}, ...}, without those of objects inside."""
    for begin in re.finditer(r"(?:return|Json json =) \{(?=\{\")", source):
        depth = 0
        for found in re.finditer(r'\{(?:"(\w+)",)?|\}|"[^"]*"', source[begin.end():]):
            depth += {"{": 1, "}": -1}.get(found[0][0], 0)
            if depth < 0:
                break
            if found[1] and depth == 1:
                yield found[1]


def wrong_report_json():
    """The page on the report's JSON names every member, place, and id of a note or finding that the source has."""
    forms, findings = TOP / "tracer" / "report" / "forms", TOP / "tracer" / "report" / "findings"
    page = (TOP / "docs" / "formats" / "report-json.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([^`]+)`", page + (TOP / "docs" / "data-movement.md").read_text(encoding="utf-8")))
    words = set(re.findall(r"\w+", page))
    form = (forms / "json.cpp").read_text(encoding="utf-8")
    rows = {name for cell in re.findall(r"^\| (`[^|]*`) \|", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)}
    judge = (findings / "judge.cpp").read_text(encoding="utf-8")
    places = (TOP / "tracer" / "report" / "measures" / "account_sum.cpp").read_text(encoding="utf-8")
    places = re.search(r"name_of\(Place.*?\{(.*?)\};", places, re.DOTALL).group(1)
    wanted = {
        "member": (set(members_of_objects(form[form.index("Json first_of(const Report&"):])) | {"parallel_regions"}, rows),
        "key": ({key for path in forms.glob("*json.cpp") for key in re.findall(r'\{"(\w+)",', path.read_text(encoding="utf-8"))} - {"paths"}, words),
        "note": ({name for path in findings.glob("*.cpp") for name in re.findall(r'\bnote\(\s*"([a-z-]+)"', path.read_text(encoding="utf-8"))}, named),
        "finding": ({name for ids in re.findall(r'^    \{"[^"]*", "([^"]*)", &Judge', judge, re.MULTILINE) for name in ids.split(", ")} - {"the wait states"}, named),
        "place": ({name + "_ns" for name in re.findall(r'"(\w+)"', places.partition("names[] =")[2] or places)}, named),
    }
    for what, (names, known) in wanted.items():
        if not names:
            yield f"no {what} is found in the source"
        for name in sorted(names - known):
            yield f"docs/formats/report-json.md: no {what} {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["links", "width", "commands", "settings", "help", "reference", "coverage", "report-json", "requirements"])
    parser.add_argument("--tracer")
    parser.add_argument("--header", help="omp-tools.h, for coverage")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.what == "links":
        found = list(wrong_links())
    elif options.what == "width":
        found = list(wide_lines())
    elif options.what == "requirements":
        found = list(wrong_requirements())
    elif options.what == "coverage":
        found = list(wrong_coverage(options.header))
    elif options.what == "report-json":
        found = list(wrong_report_json())
    elif options.what == "settings":
        found = list(wrong_settings())
    elif options.what == "help":
        found = list(wrong_help(options.tracer, options.write))
    elif options.what == "reference":
        found = list(wrong_reference(options.tracer, options.write))
    else:
        found = list(wrong_commands(options.tracer))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every file includes what it uses: each name of the standard library, of C and of POSIX that include_table.py lists comes from a
header that the file includes itself, or that reaches it through headers of this project, whose includes are ours to keep. A
header that only another library's header brings may be gone with that library's next version, and the build with it.
    check_includes.py ROOT [FILE...]    all C and C++ files of ROOT, or these; prints what lacks its header, status 1 then"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import include_table as table  # noqa: E402

SUFFIXES = {".cpp", ".hpp", ".c", ".h"}
# C's header and C++'s of the same names.
PAIRS = {f"c{name}": f"{name}.h" for name in ("assert", "ctype", "errno", "fenv", "inttypes", "limits", "locale", "math", "setjmp", "signal",
                                              "stdarg", "stddef", "stdint", "stdio", "stdlib", "string", "time", "wchar")}
PAIRS.update({header: name for name, header in list(PAIRS.items())})
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
# Comments, raw strings, strings, characters; a digit before ' is a separator within a number.
# Functions, lambdas and structures that a file declares: a type, or `auto NAME = `, before the name.
DECLARED = re.compile(r"^[ \t]*(?!return\b|else\b|case\b|throw\b|co_return\b)(?:[\w:<>,*&\[\]]+[ \t]+)+[*&]*(\w+)(?=\s*\()|\bauto (\w+) = |"
                      r"\b(?:struct|class|union) (\w+);|\bextern [\w* ]+\b(\w+);", re.M)
NOISE = re.compile(r"//[^\n]*|^[ \t]*#[ \t]*pragma\b[^\n]*|/\*.*?\*/|R\"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)\"|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'", re.S | re.M)


def with_pair(headers):
    return {name for header in headers for name in (header, PAIRS.get(header, header))}


def satisfying(header):
    """Headers that declare what `header` declares, by promise of their standard."""
    return with_pair({header, *table.ALSO.get(header, [])})


class Rules:
    """For each name, the headers that it may come from."""

    def __init__(self):
        self.std, self.functions, self.words, self.families = {}, {}, {}, []
        self.home = {"a braced list that `for` runs over": "initializer_list"}
        for header, names in table.STANDARD.items():
            for name in names.split():
                self.std.setdefault(name, set()).update(satisfying(header))
                self.home.setdefault(f"std::{name}", header)
        for name, headers in table.SEVERAL.items():
            self.std.setdefault(name, set()).update(with_pair(headers))
            self.home.setdefault(f"std::{name}", headers[0])
        for header, names in table.FUNCTIONS.items():
            for name in names.split():
                self.functions.setdefault(name, set()).update(satisfying(header))
                self.home.setdefault(f"{name}()", header)
        for header, names in table.WORDS.items():
            for name in names.split():
                self.home.setdefault(name, header)
                if name.isidentifier():
                    self.words.setdefault(name, set()).update(satisfying(header))
                else:
                    self.families.append((re.compile(name), satisfying(header)))
        for name, headers in table.OFTEN.items():
            (self.words if name in self.words else self.functions).setdefault(name, set()).update(with_pair(headers.split()))
        longest_first = sorted(self.std, key=len, reverse=True)
        self.std_use = re.compile(r"\bstd::(" + "|".join(re.escape(name) + ("" if name.endswith("::") else r"\b") for name in longest_first) + ")")
        calls = "|".join(sorted(self.functions, key=len, reverse=True))
        self.call = re.compile(rf"(?:(?<![\w.>:])|(?<![\w>:])::)({calls})\s*\(")
        self.address = re.compile(rf"(?<![\w>:])::({calls})\b(?!\s*\()")
        plain = "|".join(name for name in self.functions if name not in table.ALSO_WORDS.split())
        self.call_in_cpp = re.compile(rf"(?:(?<![\w.>:])({plain})|(?<![\w>:])::({calls}))\s*\(")
        self.word = re.compile(r"(?<![\w.>:])(?:::)?([A-Za-z_]\w*)")

    def calls(self, text, words, declared):
        """Functions of C and POSIX that are called, or whose address is taken."""
        found = set(self.address.findall(text))
        if words:  # Some are English words, thus members, parameters and variables as well: those only as ::NAME.
            found |= {one or other for one, other in self.call_in_cpp.findall(text)}
        else:
            found |= set(self.call.findall(text))
        return found - declared

    def uses(self, text, words, declared):
        """(name, headers that it may come from) of each name in the text, but for what the project's files declare."""
        for name in set(self.std_use.findall(text)):
            yield f"std::{name}", self.std[name]
        for name in self.calls(text, words, declared):
            yield f"{name}()", self.functions[name]
        for word in set(self.word.findall(text)) - declared:
            if word in self.words:
                yield word, self.words[word]
            for pattern, headers in self.families:
                if pattern.fullmatch(word):
                    yield word, headers
        if re.search(r"\bfor \([^;(){}]*[\w>&*] [&*]*\w+ : \{", text):
            yield "a braced list that `for` runs over", satisfying("initializer_list")


class Files:
    """What each file of the project includes, of the project and of others."""

    def __init__(self, root, roots):
        self.root, self.roots, self.known = root, roots, {}

    def find(self, name, directory):
        for place in (directory, *self.roots):
            if (place / name).is_file():
                return (place / name).resolve()
        return None

    def read(self, file):
        if file not in self.known:
            raw = file.read_text(errors="replace")
            own, foreign = [], set()
            for _, name in INCLUDE.findall(raw):
                found = self.find(name, file.parent)
                if found:
                    own.append(found)
                else:
                    foreign.add(name)
            text = NOISE.sub(lambda match: " " if match.group().startswith("/") else '""', INCLUDE.sub("", raw))
            declared = {name for names in DECLARED.findall(text) for name in names if name}
            self.known[file] = (own, foreign, text, declared)
        return self.known[file]

    def reached(self, file):
        """Headers of others that the file includes itself or through the project's headers, and what all of these declare."""
        seen, todo, foreign, declared = {file}, [file], set(), set()
        while todo:
            own, others, _, names = self.read(todo.pop())
            foreign |= others
            declared |= names
            todo += [header for header in own if header not in seen]
            seen.update(own)
        return foreign, declared


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    wanted = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    if not wanted:
        for part in ("include", "tracer", "formats", "device", "tests", "examples", "bench"):
            wanted += sorted(file for file in (root / part).rglob("*") if file.suffix in SUFFIXES and file.is_file())
    files = Files(root, [root, root / "include", root / "tests"])
    rules = Rules()
    lacking = uses = 0
    for file in wanted:
        foreign, declared = files.reached(file)
        foreign = with_pair(foreign)
        for name, headers in sorted(rules.uses(files.read(file)[2], file.suffix != ".c", declared), key=lambda use: use[0]):
            uses += 1
            if not headers & foreign:
                lacking += 1
                print(f"{file.relative_to(root)}: {name} without <{rules.home.get(name, min(headers))}>")
    print(f"{len(wanted)} files, {uses} uses of listed names, {lacking} without their header")
    return 1 if lacking or not wanted or not uses else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program with other OpenMP tools is traced, and they see what they see alone: (accepting, refusing, declining, crashing, leaving) x
(before, after, both, four, preloaded, in a library, in the program) x (Tracer by variable, preloaded, by `tracer run`). Prints a row for each.

check_several.py --tool libtracer.so --tracer tracer --compiler cc [--include DIRECTORY of omp-tools.h] [--archer | PROGRAM...]
PROGRAMs are run with such a tool alone and behind Tracer: it sees the same."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from traced import clean, judge, run  # noqa: E402

REGIONS = 10
COUNTS = re.compile(r"^(\w+): asked (\d+) (threads .* wrong (\d+))$", re.M)
# Where the other tool is: the program, settings of the environment but Tracer's, names of tools that are asked.
PLACES = {
    "before": ("work", {"OMP_TOOL_LIBRARIES": "{one}:{tool}"}, ["one"]),
    "after": ("work", {"OMP_TOOL_LIBRARIES": "{tool}:{one}"}, ["one"]),
    "two": ("work", {"OMP_TOOL_LIBRARIES": "{tool}:{one}:{two}"}, ["one", "two"]),
    "four": ("work", {"OMP_TOOL_LIBRARIES": "{tool}:{one}:{two}:{three}:{four}"}, ["one", "two", "three"]),
    "preloaded": ("work", {"LD_PRELOAD": "{one}"}, ["one"]),
    "preloaded by its name": ("work", {"LD_PRELOAD": "one.so", "LD_LIBRARY_PATH": "{scratch}"}, ["one"]),
    "preloaded by $ORIGIN": ("work", {"LD_PRELOAD": "$ORIGIN/one.so"}, ["one"]),
    "preloaded, and one more": ("work", {"LD_PRELOAD": "{one}", "OMP_TOOL_LIBRARIES": "{two}"}, ["one", "two"]),
    "in a library": ("work_with_library", {}, ["one"]),
    "in the program": ("work_with_tool", {}, ["linked"]),
}
# With "library" the runtime finds Tracer by OMP_TOOL_LIBRARIES alone: an accepting tool that comes first keeps it out (docs/compatibility.md).
KEPT_OUT = {"before", "preloaded", "preloaded by its name", "preloaded by $ORIGIN", "preloaded, and one more", "in a library", "in the program"}


class Matrix:
    def __init__(self, options, scratch):
        self.options, self.scratch, self.faults = options, scratch, []
        others = ("one", "two", "three", "four")
        self.names = {"tool": options.tool, "scratch": scratch, **{name: scratch / f"{name}.so" for name in others}}
        include = [f"-I{options.include}"] if options.include else []
        runpath = subprocess.run([options.compiler, "-print-file-name=libomp.so"], capture_output=True, text=True).stdout.strip()
        own = pathlib.Path(options.compiler).resolve().parents[1] / "lib/libomp.so"
        directory = (own if own.exists() else pathlib.Path(runpath)).parent
        link = [f"-L{directory}", f"-Wl,-rpath,{directory}"] if directory.is_absolute() else []

        def build(name, source, *flags):
            subprocess.run([options.compiler, *include, "-O1", "-g", *flags, str(HERE / source), "-o", str(scratch / name)] + (link if "-fopenmp" in flags else []), check=True)

        for name in others:
            build(f"{name}.so", "counting_tool.c", "-shared", "-fPIC", f'-DNAME="{name}"')
        build("work", "work.c", "-fopenmp")
        build("work_with_tool", "work.c", "-fopenmp", "-DWITH_TOOL", '-DNAME="linked"', "-Wl,-E")
        build("work_with_library", "work.c", "-fopenmp", "-Wl,--no-as-needed", str(scratch / "one.so"))

    def settings(self, place):
        return {key: value.format(**self.names) for key, value in PLACES[place][1].items()}

    def alone(self):
        done = run([str(self.scratch / "work")], clean(OMP_TOOL_LIBRARIES=str(self.names["one"])))
        name, asked, counts, wrong = COUNTS.search(done.stderr).groups()
        if (name, asked, wrong, done.returncode) != ("one", "1", "0", 3) or f"regions {REGIONS}/{REGIONS}" not in counts:
            raise SystemExit(f"FAILED: the tool alone: {done}")
        run([str(self.scratch / "work")], clean(OMP_TOOL_LIBRARIES=self.options.tool, TRACER_OUTPUT=str(self.scratch / "alone")))
        faults, contents = judge(self.scratch / "alone/traces.otf2", self.options.tracer)
        if faults:
            raise SystemExit(f"FAILED: Tracer alone: {faults}")
        self.enters = contents.enters
        return counts

    def command(self, how, place, trace):
        settings, program = self.settings(place), str(self.scratch / PLACES[place][0])
        if how == "run":
            if place in ("before", "after", "two", "four"):  # `tracer run` adds its own name
                settings["OMP_TOOL_LIBRARIES"] = settings["OMP_TOOL_LIBRARIES"].replace(f"{self.options.tool}:", "").replace(f":{self.options.tool}", "")
            return [self.options.tracer, "run", "-o", str(trace), "--", program], dict(settings, TRACER_LIBRARY=self.options.tool)
        if how == "preloaded":
            settings["LD_PRELOAD"] = ":".join(filter(None, [self.options.tool, settings.get("LD_PRELOAD")]))
        elif self.options.tool not in settings.get("OMP_TOOL_LIBRARIES", ""):
            settings["OMP_TOOL_LIBRARIES"] = ":".join(filter(None, [self.options.tool, settings.get("OMP_TOOL_LIBRARIES")]))
        return [program], dict(settings, TRACER_OUTPUT=str(trace))

    def row(self, answer, place, how, counts):
        trace = self.scratch / f"trace-{answer}-{place}-{how}".replace(" ", "-").replace(",", "")
        command, settings = self.command(how, place, trace)
        done = run(command, clean(COUNTING_TOOL=answer, KMP_BLOCKTIME="0", **settings), timeout=120)
        seen = {name: (asked, what) for name, asked, what, _ in COUNTS.findall(done.stderr)}
        has_archive = (trace / "traces.otf2").exists()
        print(f"{answer:8} {place:24} {how:9} status {done.returncode:4} archive {'yes' if has_archive else 'no ':3} " +
              ("; ".join(f"{name}: asked {asked}, {what}" for name, (asked, what) in seen.items()) or "-"))
        label = f"{answer}, {place}, {how}"

        def need(condition, what):
            if not condition:
                self.faults.append(f"{label}: {what}: {done.stdout} {done.stderr}")

        is_kept_out = how == "library" and place in KEPT_OUT and answer != "refuse"
        if answer == "leave":
            need(done.returncode == 5 and not has_archive, "the program ends as its tool has it end")
            if how == "run" and "more" not in place:
                name = {"work_with_tool": "work_with_tool"}.get(PLACES[place][0], "one.so")
                need(re.search(rf"ended while the OpenMP tool \S*{name} started", done.stderr) and "no trace:" not in done.stderr, "the tool is named, and no other reason")
            return
        if answer == "crash":
            need(done.returncode == (134 if how == "run" else -6), "the program ends as its tool has it end")
            if how == "run" and "more" not in place:
                name = {"work_with_tool": "work_with_tool"}.get(PLACES[place][0], "one.so")
                need(re.search(rf"ended while the OpenMP tool \S*{name} started", done.stderr), "the tool is named")
            return
        need(done.returncode == 3 and done.stdout == f"n {20 * REGIONS}\n", "the program ends as it does")
        expected = {name: ("1", counts) for name in PLACES[place][2]} if answer == "accept" else {}
        if is_kept_out and answer == "accept":
            expected = dict(list(expected.items())[:1])
        need(seen == expected, f"each tool sees what it sees alone, {expected}")
        if is_kept_out:
            return need(not has_archive, "an archive where none can be")
        faults, contents = judge(trace / "traces.otf2", self.options.tracer)
        need(not faults and contents is not None and contents.enters == self.enters, f"an archive as without other tools {faults} {contents and contents.enters} {self.enters}")
        if place == "four" and answer == "accept":
            need(re.search(r"four\.so.*there is room for three", done.stderr), "why one has no room")
        if how == "run" and answer == "accept":
            need("active beside Tracer" in done.stderr, "the active tools are named")

    def disabled(self):
        """What the user has disabled is not started by Tracer either."""
        trace = self.scratch / "trace-disabled"
        done = run([self.options.tracer, "run", "-o", str(trace), "--", str(self.scratch / "work_with_library")],
                   clean(OMP_TOOL="disabled", OMP_TOOL_LIBRARIES=str(self.names["two"]), TRACER_LIBRARY=self.options.tool, KMP_BLOCKTIME="0"))
        faults, contents = judge(trace / "traces.otf2", self.options.tracer)
        if faults or done.returncode != 3 or COUNTS.search(done.stderr) or contents.enters != self.enters or done.stderr.count("Tracer records alone") != 1:
            self.faults.append(f"OMP_TOOL=disabled, by tracer run: {faults} {done.returncode} {done.stderr}")

    def all(self):
        counts = self.alone()
        self.disabled()
        for answer in ("accept", "refuse", "decline", "crash", "leave"):
            for place in PLACES:
                for how in ("library", "preloaded", "run"):
                    self.row(answer, place, how, counts)
        return self.faults


def constructs(options, scratch):
    """Each of the programs: another tool's counts and data words are those that it has alone, and the archive is sound."""
    tool = scratch / "one.so"
    include = [f"-I{options.include}"] if options.include else []
    subprocess.run([options.compiler, *include, "-O1", "-g", "-shared", "-fPIC", '-DNAME="one"', str(HERE / "counting_tool.c"), "-o", str(tool)], check=True)
    for program in options.programs:
        name, quiet = pathlib.Path(program).name, {"KMP_BLOCKTIME": "0", "OMP_NUM_THREADS": "3"}
        alone = run([program], clean(OMP_TOOL_LIBRARIES=str(tool), **quiet))
        both = run([program], clean(OMP_TOOL_LIBRARIES=f"{options.tool}:{tool}", TRACER_OUTPUT=str(scratch / name), **quiet))
        wanted, seen = COUNTS.search(alone.stderr), COUNTS.search(both.stderr)
        print(f"{name}: {wanted and wanted[3]}")
        if not wanted or not seen or wanted[0] != seen[0] or seen[4] != "0" or alone.returncode != both.returncode:
            yield f"{name}: alone {alone.returncode} {wanted and wanted[0]}, with Tracer {both.returncode} {both.stderr[-1000:]}"
        if not (scratch / name / "traces.otf2").exists():
            yield f"{name}: no archive: {both.stderr[-1000:]}"
        elif (checked := run([options.tracer, "check", str(scratch / name)], clean())).returncode != 0:
            yield f"{name}: {checked.stdout}{checked.stderr}"


def archer(options, scratch):
    """LLVM's own tool, which tells ThreadSanitizer what OpenMP orders: with it there is no false report, under Tracer either."""
    program, built = scratch / "sanitized", None
    for compiler in (options.compiler, *sorted(map(str, pathlib.Path("/usr/bin").glob("clang-[0-9]*")))):
        directory = pathlib.Path(compiler).resolve().parents[1] / "lib"
        library = directory / "libarcher.so"
        if not library.exists():
            continue
        built = run([compiler, "-fopenmp", "-fsanitize=thread", "-O1", "-g", str(HERE / "barriers.c"), "-o", str(program), f"-L{directory}", f"-Wl,-rpath,{directory}"], clean())
        if built.returncode == 0:
            break
    quiet = {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1"}
    # Address spaces as some kernels lay them out are not ThreadSanitizer's: setarch -R leaves that out.
    alone = built and built.returncode == 0 and run(["setarch", "-R", str(program)], clean(OMP_TOOL_LIBRARIES=str(library), **quiet))
    if not alone or alone.returncode != 3 or "WARNING: ThreadSanitizer" in alone.stderr:
        print(f"skipped: no libarcher beside {options.compiler}, or no ThreadSanitizer here: {built and built.stderr[-300:]} {alone and alone.stderr[-300:]}")
        sys.exit(77)
    without = run(["setarch", "-R", str(program)], clean(OMP_TOOL="disabled", **quiet))
    print(f"without libarcher: {without.returncode}, {without.stderr.count('WARNING: ThreadSanitizer')} reports")
    faults = [] if "WARNING: ThreadSanitizer" in without.stderr else ["without libarcher there is no false report: this shows nothing"]
    for what, command, settings in (("by variable", [], {"OMP_TOOL_LIBRARIES": f"{options.tool}:{library}"}),
                                    ("by tracer run", [options.tracer, "run", "-o", str(scratch / "by-run"), "--"], {"OMP_TOOL_LIBRARIES": str(library), "TRACER_LIBRARY": options.tool}),
                                    ("as the runtime would find it", [options.tracer, "run", "-o", str(scratch / "found"), "--"], {"LD_LIBRARY_PATH": str(directory), "TRACER_LIBRARY": options.tool})):
        trace = pathlib.Path(command[3]) if command else scratch / "by-variable"
        done = run(["setarch", "-R", *command, str(program)], clean(TRACER_OUTPUT=str(trace), **quiet, **settings))
        print(f"{what}: {done.returncode}, {done.stderr.count('WARNING: ThreadSanitizer')} reports, {done.stderr.strip()[-200:]}")
        if done.returncode != 3 or "WARNING: ThreadSanitizer" in done.stderr or "libarcher.so" not in done.stderr:
            faults.append(f"{what}: {done.returncode} {done.stderr[-1500:]}")
        faults += [f"{what}: {fault}" for fault in judge(trace / "traces.otf2", options.tracer)[0]]
    return faults


def main():
    parser = argparse.ArgumentParser()
    for name in ("tool", "tracer", "compiler", "include"):
        parser.add_argument(f"--{name}", required=name != "include")
    parser.add_argument("--archer", action="store_true")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory).resolve()
        faults = archer(options, scratch) if options.archer else list(constructs(options, scratch)) if options.programs else Matrix(options, scratch).all()
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

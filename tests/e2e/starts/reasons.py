#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where there is no trace, or it is elsewhere, the message says why, and where. Usage: reasons.py --tool libtracer.so --tracer tracer --program depend_often
  --compiler cc [--include DIRECTORY of omp-tools.h]"""
import argparse
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from traced import clean, library_out_of_reach, run  # noqa: E402


def need(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)
    print("ok: " + what)


class Reasons:
    def __init__(self, options, directory):
        self.options, self.directory = options, directory

    def tracer(self, *words, **settings):
        return run([self.options.tracer, *map(str, words)], clean(TRACER_LIBRARY=self.options.tool, **settings), cwd=self.directory)

    def traced(self, *words, **settings):
        """What a `tracer run` says; the program's output and status are what they are."""
        done = self.tracer("run", *words, **settings)
        need(done.returncode == 0 and "n 2000" in done.stdout, f"the program runs as it does {done.returncode} {done.stdout} {done.stderr}")
        return done.stderr

    def elsewhere(self):
        wrapper = self.directory / "wrapper.sh"
        wrapper.write_text('#!/bin/sh\nexport TRACER_OUTPUT=wrapped\nexec "$@"\n')
        wrapper.chmod(0o755)
        said = self.traced("-o", "wanted", "--", wrapper, self.options.program)
        need((self.directory / "wrapped/traces.otf2").exists() and not (self.directory / "wrapped/raw").exists(), f"of a wrapper that sets TRACER_OUTPUT there is an archive {said}")
        need(str(self.directory / "wrapped") in said and "no trace:" not in said, f"and a line says where {said}")

    def off(self):
        need("TRACER=off" in self.traced("-o", "off", "--", self.options.program, TRACER="off"), "TRACER=off in the environment is named")
        wrapper = self.directory / "off.sh"
        wrapper.write_text('#!/bin/sh\nTRACER=off exec "$@"\n')
        wrapper.chmod(0o755)
        need("TRACER=off" in self.traced("-o", "off", "--", wrapper, self.options.program), "and where a wrapper sets it")

    def cleared(self):
        """A program that removes the variables before its first OpenMP call keeps the settings, and its environment stays as it made it."""
        for name, words in (("all", ()), ("tools", ("OMP_TOOL_LIBRARIES",)), ("launch", ("TRACER_LAUNCH",))):
            done = self.tracer("run", "-o", f"cleared/{name}", "--set", "RECORD=-wait", "--", self.options.clears, *words)
            need(done.returncode == 0 and "n 2000" in done.stdout and ("cleared" in done.stdout) == (not words), f"{name} of the environment: {done.stdout} {done.stderr}")
            need((self.directory / f"cleared/{name}/traces.otf2").exists() and "no trace:" not in done.stderr, f"{name} of the environment: there is a trace {done.stderr}")
            settings = json.loads(self.tracer("report", "--json", f"cleared/{name}").stdout)["trace"]["properties"]
            need(settings["TRACER::SETTING::TRACER_RECORD"] == "-wait", f"{name} of the environment: with the settings")
        said = self.traced("-o", "cleared/empty", "--", "env", "-i", self.options.program)
        need("no trace:" in said and "env -i" in said and not (self.directory / "cleared/empty").exists(), f"of a program that is started without variables a line says so: {said}")

    def unable(self):
        """One reason, where it is known: of the process that could not begin, or of the program that cannot be traced."""
        wrapper = self.directory / "unable.sh"
        wrapper.write_text('#!/bin/sh\nexport TRACER_OUTPUT=/dev/null/below\nexec "$@"\n')
        wrapper.chmod(0o755)
        said = self.traced("-o", "unable", "--", wrapper, self.options.program)
        reason = [line for line in said.splitlines() if "no trace:" in line]
        need(len(reason) == 1 and "/dev/null/below" in reason[0] and "OMPT" not in reason[0], f"why a process could not begin its trace {said}")
        said = self.traced("-o", "unseen", "--", "/bin/sh", "-c", "echo n 2000")
        need("no process of the program began one" in said and "chroot" in said and "with -fopenmp" in said, f"where no reason is known it says what to look at {said}")
        (self.directory / "plain.c").write_text('#include <stdio.h>\nint main(void) { return puts("n 2000") < 0; }\n')
        if subprocess.run([self.options.compiler, "-static", "plain.c", "-o", "static"], cwd=self.directory, capture_output=True).returncode != 0:
            return print("not tested: why a static program has no trace: no static C library")
        said = self.traced("-o", "static-trace", "--", "./static")
        need("is statically linked" in said and "no trace:" not in said, f"a static program: {said.strip()}")

    def badly_placed(self):
        """The loader splits LD_PRELOAD at spaces and colons, OpenMP runtimes their list at colons: what cannot be loaded is not tried, and a line says so."""
        for name, is_traced in (("a space", True), ("a:colon", False)):
            (self.directory / name).symlink_to(pathlib.Path(self.options.tool).resolve().parent)
            for words in ((), ("/bin/sh", "-c", '"$0"; exit')):
                done = run([self.options.tracer, "run", "-o", f"placed-{name}{len(words)}", "--", *words, self.options.program],
                           clean(TRACER_LIBRARY=str(self.directory / name / "libtracer.so")), cwd=self.directory)
                line = "where the loader splits LD_PRELOAD" in done.stderr
                need(done.returncode == 0 and "n 2000" in done.stdout and "ld.so" not in done.stderr, f"{name} in Tracer's path: the program runs as it does {done.stderr}")
                need(line == (not is_traced or bool(words)) and "no trace:" not in done.stderr, f"and a line says what is not recorded {done.stderr}")
                need((self.directory / f"placed-{name}{len(words)}/traces.otf2").exists() == is_traced, f"what OMPT can load is traced {done.stderr}")

        (self.directory / "link").symlink_to("a space")
        done = run([self.options.tracer, "run", "-o", "linked", "--", "/bin/sh", "-c", '"$0"; exit', self.options.program],
                   clean(TRACER_LIBRARY=str(self.directory / "link/libtracer.so")), cwd=self.directory)
        need("splits LD_PRELOAD" not in done.stderr and "ld.so" not in done.stderr and (self.directory / "linked/traces.otf2").exists(), f"a link is what the line says {done.stderr}")

    def programs(self):
        (self.directory / "plain").write_text("text")
        (self.directory / "broken").write_text("#!/no/such/interpreter -x\n")
        (self.directory / "broken").chmod(0o755)
        (self.directory / "windows").write_bytes(b"#!/bin/sh\r\ntrue\r\n")
        (self.directory / "windows").chmod(0o755)
        for program, why in (("./nothing", "No such file"), ("./", "directory"), ("./plain", "not executable"), ("nothing-in-path", "PATH"), ("./plain/below", "Not a directory"),
                             ("./broken", "interpreter /no/such/interpreter does not exist"), ("./windows", "carriage return")):
            done = self.tracer("run", "--", program)
            need(done.returncode != 0 and why in done.stderr and "no trace:" not in done.stderr, f"{program}: {done.stderr.strip()}")

    def places(self):
        (self.directory / "file").write_text("")
        said = self.traced("--", self.options.program, TRACER_OUTPUT="file/below")
        need("file/below" in said and "Not a directory" in said and "no trace:" not in said, f"an output that cannot be made: {said.strip()}")
        (self.directory / "loop").symlink_to("loop")
        done = self.tracer("report", "loop/trace")
        need(done.returncode == 1 and "Too many levels" in done.stderr and "no OTF2" not in done.stderr, f"a place that cannot be looked at: {done.stderr.strip()}")
        if os.geteuid() == 0:
            print("not tested: places that cannot be looked into: root may look into every one")
            return
        closed = self.directory / "closed"
        closed.mkdir(mode=0)
        for trace in (closed, closed / "trace"):
            done = self.tracer("report", trace)
            need(done.returncode == 1 and "Permission denied" in done.stderr, f"a directory without permission: {done.stderr.strip()}")
        closed.chmod(0o700)

    def others(self):
        """Another tool beside this one is loaded as well, and named (tests/e2e/several has the rest)."""
        include = [f"-I{self.options.include}"] if self.options.include else []
        other = self.directory / "other_tool.so"
        subprocess.run([self.options.compiler, *include, "-shared", "-fPIC", str(HERE / "other_tool.c"), "-o", str(other)], check=True)
        said = self.traced("-o", "both", "--", self.options.program, OMP_TOOL_LIBRARIES=str(other))
        need("active beside Tracer" in said and str(other) in said and said.count("other tool: here") == 1, f"another tool is named {said}")
        done = run([self.options.program], clean(OMP_TOOL_LIBRARIES=f"{self.options.tool}:{other}", TRACER_OUTPUT=str(self.directory / "alone")), cwd=self.directory)
        need(f"active beside Tracer: the OpenMP tool {other}" in done.stderr, f"also without tracer run {done.stderr}")
        said = self.traced("-o", "alone2", "--", self.options.program, OMP_TOOL_LIBRARIES=self.options.tool)
        need("beside Tracer" not in said, "and none where there is none")

    def by_address(self):
        """A program that asks the loader for MPI's functions calls them past the tool: a line says so, where it has begun with MPI."""
        library, source = self.directory / "libmpi.so", str(HERE / "mpi_by_address.c")
        subprocess.run([self.options.compiler, "-DLIBRARY", "-shared", "-fPIC", source, "-o", str(library)], check=True)
        subprocess.run([self.options.compiler, source, "-o", str(self.directory / "by_address"), "-ldl"], check=True)
        line = "without passing libtracer-mpi.so"
        for words, count in ((("begin",), 1), (("begin", "fork"), 1), (("load",), 0)):
            done = self.tracer("run", "-o", "address", "--", self.directory / "by_address", library, *words)
            need(done.returncode == 3 and done.stderr.count(line) == count and "neither OpenMP" not in done.stderr, f"MPI by address, {words}: {done.stderr.strip()}")
        done = self.tracer("run", "-q", "-o", "address", "--", self.directory / "by_address", library, "begin", TRACER_LOG="off")
        need(line not in done.stderr, f"and nothing is said where no messages are wanted {done.stderr}")

    def past(self):
        """Of a program whose MPI calls are recorded, a library that is bound to the MPI itself is named."""
        place, source = self.directory / "past", str(HERE / "past_mpi.c")
        place.mkdir()
        library, plugin, found = place / "libmpi.so", place / "plugin.so", f"-Wl,-rpath,{place}"
        subprocess.run([self.options.compiler, "-DLIBRARY", "-shared", "-fPIC", source, "-Wl,-soname,libmpi.so", "-o", str(library)], check=True)
        subprocess.run([self.options.compiler, "-DPLUGIN", "-shared", "-fPIC", source, str(library), found, "-o", str(plugin)], check=True)
        subprocess.run([self.options.compiler, source, str(library), found, "-o", str(place / "past_mpi"), "-ldl"], check=True)
        for way, count in (("usual", 0), ("deep", 1)):
            done = self.tracer("run", "-o", f"past-{way}", "--", place / "past_mpi", plugin, way)
            if way == "deep" and done.returncode != 9 and "RTLD_DEEPBIND" in done.stderr:
                return print("not tested: a library bound to the MPI itself: a sanitizer's runtime refuses RTLD_DEEPBIND")
            said = [line for line in done.stderr.splitlines() if "without passing libtracer-mpi.so" in line]
            need(done.returncode == 9 and len(said) == count and all(str(plugin) in line for line in said), f"a library bound to the MPI, {way}: {done.returncode} {done.stderr.strip()}")

    def other_mpi(self):
        """An MPI whose handles nobody knows is left alone, and a line names it."""
        library, source = self.directory / "other/libmpi.so", str(HERE / "other_mpi.c")
        library.parent.mkdir()
        subprocess.run([self.options.compiler, "-DLIBRARY", "-shared", "-fPIC", "-Wl,-soname,libmpi.so", source, "-o", str(library)], check=True)
        subprocess.run([self.options.compiler, source, "-o", str(self.directory / "other_mpi"), str(library), f"-Wl,-rpath,{library.parent}"], check=True)
        done = self.tracer("run", "-o", "other-mpi", "--", self.directory / "other_mpi")
        need(done.returncode == 7 and done.stderr.count("its MPI (Other MPI 2.26) is none that Tracer knows") == 1, f"another MPI: {done.returncode} {done.stderr.strip()}")

    def modes(self):
        """What others may read is as the umask says; what is recorded is nobody's business."""
        for umask, allowed in ((0o022, 0o755), (0o027, 0o750), (0o077, 0o700), (0o002, 0o755)):
            before = os.umask(umask)
            self.traced("-o", f"modes/{umask:o}", "--", self.options.program)
            os.umask(before)
            archive = self.directory / f"modes/{umask:o}"
            for path in (archive.parent, archive, archive / "traces", archive / "traces.otf2", archive / "traces.def", *(archive / "traces").iterdir()):
                mode = stat.S_IMODE(path.stat().st_mode)
                first = path == archive.parent  # made for the first of them
                need(first or mode == (allowed if path.is_dir() else allowed & 0o644), f"umask {umask:03o}: {path.name} has mode {mode:03o}")

    def narrow_modes(self):
        """Where the umask takes rights from the user himself, there is a trace as with 077, and the program has that umask."""
        place, user = self.directory / "narrow", {}
        place.mkdir()
        if os.geteuid() == 0:  # whom no mode keeps from anything
            if library := library_out_of_reach(self.options.program):
                return print(f"not tested: a umask that takes rights from the user himself: only root can read {library}")
            user = {"user": 65534, "group": 65534, "extra_groups": []}
            self.directory.chmod(0o711)
            os.chown(place, 65534, 65534)
        tracer, tool, program = (shutil.copy(file, place) for file in (self.options.tracer, self.options.tool, self.options.program))  # the build may be root's alone
        for umask in (0o777, 0o277):
            done = run([tracer, "run", "-o", f"{umask:o}", "--", "sh", "-c", 'umask; exec "$0"', program], clean(TRACER_LIBRARY=tool), cwd=place, umask=umask, **user)
            need(done.returncode == 0 and f"{umask:04o}\n" in done.stdout and "n 2000" in done.stdout, f"umask {umask:03o}: the program runs as it does {done.returncode} {done.stdout} {done.stderr}")
            archive = place / f"{umask:o}"
            need((archive / "traces.otf2").exists() and [path.name for path in place.glob(f"{umask:o}.*")] == [], f"umask {umask:03o}: there is one trace {done.stderr}")
            modes = {path.name: (path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in (archive, *archive.rglob("*"))}
            need(set(modes.values()) == {(True, 0o700), (False, 0o600)}, f"umask {umask:03o}: it is the user's alone {modes}")

    def without_tasks(self):
        self.traced("-o", "tasks", "--set", "RECORD=-tasks", "--", self.options.program)
        report = json.loads(self.tracer("report", "--json", "tasks").stdout)
        repaired = {name: value for name, value in report["trace"]["properties"].items() if name.startswith("TRACER::REPAIRED")}
        need(report["trace"]["events"] < 200 and not repaired, f"without tasks their dependences are left out: {report['trace']['events']} events, {repaired}")

    def endings(self):
        done = self.tracer("export", "-o", "x.parqet", "tasks")
        need(done.returncode == 2 and ".parquet" in done.stderr and not (self.directory / "x.parqet").exists(), f"an ending that means no format: {done.stderr.strip()}")
        for name in ("x.parquet", "x.otf2", "x.csv", "x.csv.d", "x.sqlite", "x.db", "x.json", "x.pftrace"):
            done = self.tracer("export", "-o", name, "tasks")
            need(done.returncode == 0 and (self.directory / name).exists(), f"{name} {done.stderr.strip()[-200:]}")


def main():
    parser = argparse.ArgumentParser()
    for option in ("tool", "tracer", "program", "clears", "compiler", "include"):
        parser.add_argument(f"--{option}", required=option != "include")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        reasons = Reasons(options, pathlib.Path(directory).resolve())
        for check in (reasons.elsewhere, reasons.off, reasons.cleared, reasons.unable, reasons.badly_placed, reasons.programs, reasons.places, reasons.others, reasons.by_address, reasons.past, reasons.other_mpi, reasons.modes, reasons.narrow_modes, reasons.without_tasks, reasons.endings):
            check()


if __name__ == "__main__":
    main()

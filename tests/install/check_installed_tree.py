#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Installs into a directory, moves it, and uses it from there: as tool, as command, by pkg-config and by CMake."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """
#include <stdio.h>
int main(void) {
#pragma omp parallel num_threads(2)
  { }
  puts("ran");
  return 0;
}
"""

PROJECT = """
cmake_minimum_required(VERSION 3.24)
project(user C)
find_package(tracer 0.1 REQUIRED)
add_executable(linked main.c)
target_compile_options(linked PRIVATE -fopenmp)
target_link_options(linked PRIVATE -fopenmp)
target_link_libraries(linked PRIVATE tracer::tracer)
message(STATUS "tool ${TRACER_LIBRARY}")
"""


class Check:
    def __init__(self, options, directory):
        self.options = options
        self.directory = pathlib.Path(directory)
        self.traces = 0
        self.clean = {k: v for k, v in os.environ.items() if not k.startswith(("OMP_", "TRACER"))}

    def run(self, *command, **environment):
        done = subprocess.run([str(word) for word in command], env={**self.clean, **environment}, cwd=self.directory,
                              capture_output=True, text=True, timeout=300)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def traced(self, *command, **environment):
        self.traces += 1
        output = self.directory / f"trace{self.traces}"
        self.run(*command, TRACER_OUTPUT=str(output), **environment)
        if not (output / "traces.otf2").exists():
            sys.exit(f"{' '.join(map(str, command))}: no trace in {output}")

    def install(self):
        self.run(self.options.cmake, "--install", self.options.build, "--prefix", self.directory / "first")
        moved = self.directory / "moved away"
        shutil.move(self.directory / "first", moved)
        return moved

    def all(self):
        prefix = self.install()
        library = next(prefix.rglob("libtracer.so"))
        self.traced(self.options.program, "64", "3", OMP_TOOL_LIBRARIES=str(library))
        self.traced(prefix / "bin/tracer", "run", "--", self.options.program, "64", "3")
        (self.directory / "main.c").write_text(PROGRAM)
        self.by_cmake(prefix)
        if shutil.which("pkg-config"):
            self.by_pkg_config(prefix)
        else:
            print("not tested: the package for pkg-config, which is not installed")
        libraries = {path.name for path in prefix.rglob("libtracer*.so")}
        if "libtracer-gomp.so" not in libraries:
            sys.exit(f"libtracer-gomp.so is not installed, but {libraries}")
        for name in ("tracer", *libraries):
            self.is_stripped(prefix, name)
        for library in sorted(libraries):
            self.refers_to_what_is_there(next(prefix.rglob(library)))
        self.python_package(prefix)
        self.first_page(prefix)
        for page in ("tracer.1", "tracer-run.1"):
            if not list(prefix.rglob(page)):
                sys.exit(f"no manual page {page}")

    def is_stripped(self, prefix, name):
        """Debug information, where the build has any, lies apart, and is found by the name that the file has for it."""
        if not shutil.which("objcopy") or not shutil.which("readelf"):
            return print("not tested: debug information of an installed tree: no objcopy or readelf")
        for file in (path for path in prefix.rglob(name) if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"):
            built = next(path for path in pathlib.Path(self.options.build).glob(f"*/{name}") if path.parent.name in ("bin", "lib"))
            had = ".debug_info" in self.run("readelf", "-SW", built)
            sections = self.run("readelf", "-SW", file)
            apart = file.parent / ".debug" / f"{name}.debug"
            if ".debug_info" in sections or ".symtab" in sections or ".gnu_debuglink" not in sections:
                sys.exit(f"{file} is not stripped: {sections}")
            if had and ".debug_info" not in self.run("readelf", "-SW", apart):
                sys.exit(f"{apart} has no debug information")

    def refers_to_what_is_there(self, library):
        done = subprocess.run(["ldd", "-r", library], env=self.clean, capture_output=True, text=True, timeout=60)
        if done.returncode or "undefined symbol" in done.stdout + done.stderr or "not found" in done.stdout:
            sys.exit(f"{library}: {done.stdout}{done.stderr}")

    def first_page(self, prefix):
        """What the installed README links to is installed, and licences of what is linked in."""
        page = next(path for path in prefix.rglob("README.md") if (path.parent / "LICENSE").exists())
        for link in re.findall(r"\]\(([^):#]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if not (page.parent / link).exists():
                sys.exit(f"{page} links to {link}, which is not installed")

        packaged = pathlib.Path("/usr/share/doc/libotf2-trace-dev/copyright")
        if packaged.exists() and (page.parent / "licences" / "libotf2-trace-dev").read_bytes() != packaged.read_bytes():
            sys.exit("the licence of OTF2 is not installed")

    def python_package(self, prefix):
        """The wheel works where it lies, with the command beside it."""
        wheel, = prefix.rglob("tracer_openmp-*.whl")
        code = f"import tracer; trace = tracer.open('trace{self.traces}'); print(len(trace.table('regions', form='rows')), len(trace.report['threads']))"
        rows, threads = self.run(sys.executable, "-B", "-c", code, PYTHONPATH=str(wheel), PATH="/nowhere").split()
        if int(rows) < 1 or int(threads) < 1:
            sys.exit(f"the Python package finds {rows} regions and {threads} threads")

    def by_cmake(self, prefix):
        (self.directory / "CMakeLists.txt").write_text(PROJECT)
        self.run(self.options.cmake, "-S", ".", "-B", "user", "-G", self.options.generator, f"-DCMAKE_PREFIX_PATH={prefix}",
                 f"-DCMAKE_C_COMPILER={self.options.compiler}")
        self.run(self.options.cmake, "--build", "user")
        self.traced(self.directory / "user/linked")

    def by_pkg_config(self, prefix):
        where = str(next(prefix.rglob("tracer.pc")).parent)
        tool = self.run("pkg-config", "--variable=tool", "tracer", PKG_CONFIG_PATH=where).strip().replace("\\ ", " ")
        if not os.path.samefile(tool, next(prefix.rglob("libtracer.so"))):
            sys.exit(f"pkg-config names {tool}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--build", "--cmake", "--generator", "--compiler", "--program"):
        parser.add_argument(option, required=True)
    with tempfile.TemporaryDirectory() as directory:
        Check(parser.parse_args(), directory).all()


if __name__ == "__main__":
    main()

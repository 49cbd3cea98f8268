#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the README's commands do on machines that this one is not: packages that exclude each other, a tool chain that was exchanged
since the last build, tests that had to skip. apt-get and dpkg-query are fakes here, that answer as Debian's do.

check_setup.py SOURCE conflict|unknown|newer|emulated|quickstart|second|clash|progress|proxy|portable|headers|exchanged|skipped|named"""
import contextlib
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])

FAKE_APT = r"""#!/bin/bash
# apt-get [options] update|install PACKAGE...: what it is asked for is in $FAKE/asked; $FAKE/conflicts go with nothing that is installed.
packages=() verb= simulate=
while [ $# -gt 0 ]; do
  case $1 in
    -o) shift ;;
    -s) simulate=1 ;;
    -*) ;;
    update | install | remove) verb=$1 ;;
    *) packages+=("$1") ;;
  esac
  shift
done
echo "$verb $simulate ${packages[*]}" >>"$FAKE/asked"
echo "$https_proxy" >>"$FAKE/proxies"
[ "$verb" = install ] || exit 0
for package in "${packages[@]}"; do
  if grep -qx "$package" "$FAKE/conflicts"; then
    echo "E: Packages need to be removed but remove is disabled."
    exit 100
  fi
done
[ -n "$simulate" ] || printf '%s\n' "${packages[@]}" >>"$FAKE/installed"
"""
FAKE_DPKG = r"""#!/bin/bash
case ${!#} in *\**) sed 's/^/installed /' "$FAKE/installed"; exit ;; esac
grep -qx "${!#}" "$FAKE/installed" || { echo "no packages found matching ${!#}" >&2; exit 1; }
printf installed
"""
FAKE_SUDO = r"""#!/bin/bash
# sudo [-n] [--preserve-env=NAME,...] COMMAND...: of the environment only what is named comes through.
keep=("PATH=$PATH" "FAKE=$FAKE")
while [[ $1 == -* ]]; do
  [[ $1 != --preserve-env=* ]] || for name in ${1//[=,]/ }; do [[ $name == -* ]] || keep+=("$name=${!name}"); done
  shift
done
exec env -i "${keep[@]}" "$@"
"""
FAKE_APT_CACHE = r"""#!/bin/bash
for package; do
  case $package in
    -*|policy) ;;
    *) grep -qx "$package" "$FAKE/unknown" && candidate='(none)' || candidate=1.0
       printf '%s:\n  Installed: (none)\n  Candidate: %s\n' "$package" "$candidate" ;;
  esac
done
"""


# A launcher that the caller's environment names would decide what the scripts are to decide.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER")}


def bash(script, directory=SOURCE, **environment):
    return subprocess.run(["bash", "-c", script], cwd=directory, capture_output=True, text=True, timeout=120, env=dict(ENVIRONMENT, **environment))


def fake_apt(directory, installed, conflicts, unknown=""):
    for name, text in (("apt-get", FAKE_APT), ("apt-cache", FAKE_APT_CACHE), ("dpkg-query", FAKE_DPKG), ("sudo", FAKE_SUDO)):
        (directory / name).write_text(text)
        (directory / name).chmod(0o755)
    for name, packages in (("installed", installed), ("conflicts", conflicts), ("unknown", unknown)):
        (directory / name).write_text("".join(f"{package}\n" for package in packages.split()))


def newer(directory):
    """A clang with its libomp that is newer than all that are listed: it is taken, and no other libomp is asked for."""
    fake_apt(directory, "clang-29 libomp-29-dev clang-19", "libomp-23-dev libomp-22-dev libomp-19-dev libomp-16-dev libomp-14-dev")
    done = bash(". cmake/scripts/packages.sh && tracer_install build && tracer_openmp_present", FAKE=str(directory), PATH=f"{directory}:{os.environ['PATH']}")
    if done.returncode != 0 or done.stdout.split() != ["clang-29", "libomp-29-dev"]:
        yield f"status {done.returncode}: {done.stdout} {done.stderr}"
    asked = (directory / "asked").read_text()
    if "libomp-" in asked:
        yield f"asked for another libomp: {asked}"


def conflict(directory):
    """Debian 12 with clang and libomp-dev (14): liboffload-22-dev and LLVM 22's runtime exclude libomp5-14, chromium does not go."""
    fake_apt(directory, "clang-14 libomp-14-dev", "libomp-23-dev liboffload-23-dev libomp-22-dev liboffload-22-dev chromium")
    done = bash('. cmake/scripts/packages.sh && tracer_install build test && printf "%s\\n" "${TRACER_NOT_INSTALLED[@]}" && '
                'echo "${BUILD_PACKAGES[@]} ${TEST_PACKAGES[@]}" && printf "%s\\n" "${TEST_GROUPS[@]#*|}"',
                FAKE=str(directory), PATH=f"{directory}:{os.environ['PATH']}")
    installed = set((directory / "installed").read_text().split())
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) < 3:
        yield f"status {done.returncode}: {done.stdout} {done.stderr}"
        return
    if not re.fullmatch(r"the HTML report in a browser \(chromium xvfb could not be installed: Packages need to be removed .*\)", lines[0]):
        yield f"of the browser it says: {lines[0]}"
    wanted = set(" ".join(lines[1:]).split()) - {"chromium", "xvfb", "npm"}
    if missing := wanted - installed:
        yield f"not installed, though nothing stands against it: {missing}"
    asked = (directory / "asked").read_text()
    if "remove" in asked or "libomp-22-dev" in installed:
        yield f"asked for what removes something: {asked}"


def unknown(directory):
    """A package of one group is in no list: that group is left out, the others are installed at once, and the lists are not fetched again."""
    fake_apt(directory, "clang-22 libomp-22-dev liboffload-22-dev npm", "", "python3-pyarrow")
    script = '. cmake/scripts/packages.sh && tracer_install build test && printf "%s\\n" "${TRACER_NOT_INSTALLED[@]}"'
    for done in (bash(script, FAKE=str(directory), PATH=f"{directory}:{os.environ['PATH']}") for _ in range(2)):
        if done.returncode != 0 or done.stdout.strip() != "queries on a Dask cluster (no package here: python3-pyarrow)":
            yield f"status {done.returncode}: {done.stdout} {done.stderr}"
    asked = (directory / "asked").read_text().splitlines()
    if [line.split()[0] for line in asked] != ["update", "install", "install"] or "dask" in asked[-1]:
        yield f"asked for: {asked}"


def emulated(directory):
    """tests/aarch64.sh asks for the cross compiler and QEMU by these names alone. Without them it skips, and in continuous integration with
    a status of its own."""
    fake_apt(directory, "clang-22 libomp-22-dev liboffload-22-dev npm", "qemu-user-static")
    for ci, status in (("", 0), ("true", 77)):
        done = bash("tests/aarch64.sh", FAKE=str(directory), PATH=f"{directory}:{os.environ['PATH']}", CI=ci)
        if done.returncode != status or "aarch64: skipped: no cross compiler or QEMU" not in done.stdout:
            yield f"CI={ci}: status {done.returncode}: {done.stdout} {done.stderr}"
    asked = (directory / "asked").read_text().splitlines()
    if asked[-1].split() != ["install", "qemu-user-static", "g++-aarch64-linux-gnu"]:
        yield f"asked for: {asked[-1]}"


def wrong_first_build(build):
    """What examples/quickstart.sh builds, of a build tree: all that `tracer run` would miss, but MPI's library, which takes long."""
    if "tracer_build release tracer_quickstart " not in (SOURCE / "examples/quickstart.sh").read_text():
        yield "the first command does not build tracer_quickstart"
    parts = re.search(r"^build tracer_quickstart: phony (.*)$", (build / "build.ninja").read_text(), re.MULTILINE).group(1).split()
    needed = {"bin/tracer", "lib/libtracer.so", *(f"lib/libtracer-{name}.so" for name in ("annotations", "gomp", "python"))}
    if needed - set(parts) or "lib/libtracer-mpi.so" in parts:
        yield f"the first command builds {parts}"


def proxy(directory):
    """A proxy that the environment of a user with sudo names is apt-get's, too."""
    fake_apt(directory, "clang-22 libomp-22-dev liboffload-22-dev", "")
    (directory / "id").write_text("#!/bin/bash\necho 1000\n")
    (directory / "id").chmod(0o755)
    done = bash(". cmake/scripts/packages.sh && tracer_install build", FAKE=str(directory), PATH=f"{directory}:{os.environ['PATH']}", https_proxy="http://proxy:3128")
    if done.returncode != 0 or set((directory / "proxies").read_text().split("\n")) != {"http://proxy:3128", ""}:
        yield f"status {done.returncode}: {done.stdout} {done.stderr} {(directory / 'proxies').read_text()}"


def portable(directory):
    """The portable package is not begun where the compiler's headers are of a C library that it cannot stand in for."""
    for minor, reason in ((36, "debootstrap"), (38, "with glibc 2.36 or older, as Debian 12; this one has 2.38")):
        for name, text in (("g++", f'echo "#define __GLIBC_MINOR__ {minor}"'), ("debootstrap", "exit 1")):
            (directory / name).write_text(f"#!/bin/bash\n{text}\n")
            (directory / name).chmod(0o755)
        done = bash(f"cmake/scripts/portable.sh {directory}/to", PATH=f"{directory}:{os.environ['PATH']}", TRACER_PORTABLE_WORK=str(directory / "work"),
                    TRACER_PORTABLE_ARCHITECTURE=os.uname().machine)
        if done.returncode != 1 or reason not in done.stderr:
            yield f"glibc 2.{minor}: status {done.returncode}: {done.stderr}"


def headers(directory):
    """omp-tools.h is looked for where Debian, Fedora, RHEL and openSUSE have it, the newest first, and where clang has its headers."""
    places = [f"root/{place}/include" for place in ("usr/lib/clang/21", "usr/lib/llvm-19/lib/clang/19", "usr/lib64/clang/18", "usr/lib64/llvm17/lib/clang/17", "usr/local/lib/clang/9")]
    for place in places:
        (directory / place).mkdir(parents=True)
    (directory / "clang").write_text('#!/bin/bash\n[ "$*" = -print-resource-dir ] && echo "$FAKE/own"\n')
    (directory / "clang").chmod(0o755)
    (directory / "asks.cmake").write_text(f'include({SOURCE}/cmake/TracerOmpTools.cmake)\ntracer_omp_tools_directories({directory}/root found)\nmessage("${{found}}")\n')
    done = bash("cmake -P asks.cmake", directory, FAKE=str(directory), PATH=f"{directory}:{os.environ['PATH']}")
    expected = [str(directory / place) for place in (*places, "own/include")]
    if done.stderr.strip().split(";") != expected:
        yield f"looks in {done.stderr} instead of {expected}"


def exchanged(directory):
    """The cache names a compiler, an OpenMP compiler and a header that are gone: they are looked for again. A library whose flags nobody
    knows, since pkg-config is gone, is not taken for a header alone."""
    build = directory / "build"
    gone = directory / "gone"
    command = ["cmake", "-S", str(SOURCE), "-B", str(build), "-G", "Ninja", "-DTRACER_BUILD_TESTS=OFF", f"-DOMP_TOOLS_INCLUDE_DIR={gone}",
               f"-DTRACER_OPENMP_C_COMPILER={gone}/clang", f"-DTRACER_OPENMP_CXX_COMPILER={gone}/clang++", f"-DTRACER_SQLITE_LIBRARY={gone}/libsqlite3.a",
               f"-DXXHASH_INCLUDE_DIR={directory}", "-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        yield f"cmake ends with {done.returncode}: {done.stderr[-2000:]}"
        return
    yield from wrong_first_build(build)
    if bash("pkg-config --exists cpp-httplib").returncode == 0:
        if "cpp-httplib is a library here" not in done.stdout or "libtracer-view" in (build / "build.ninja").read_text():
            yield f"tracer view is built without the flags of its library: {done.stdout}"
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE))
    if not pathlib.Path(cache["OMP_TOOLS_INCLUDE_DIR"], "omp-tools.h").exists():
        yield f"the header is looked for in {cache['OMP_TOOLS_INCLUDE_DIR']}"
    for name in ("TRACER_SQLITE_LIBRARY", "XXHASH_INCLUDE_DIR"):
        if cache[name].startswith(str(directory)):
            yield f"{name} is looked for in {cache[name]}"
    if str(gone) in " ".join(value for name, value in cache.items() if name.startswith("TRACER_OPENMP")):
        yield "the cache keeps an OpenMP compiler that is gone"
    holds = f'. cmake/scripts/build.sh; TRACER_BUILD={build}; tracer_cache_holds'
    if bash(holds).returncode != 0:
        yield "a cache whose programs are all there is not kept"
    for name in ("CMAKE_CXX_COMPILER", "CMAKE_MAKE_PROGRAM"):
        text = (build / "CMakeCache.txt").read_text()
        (build / "CMakeCache.txt").write_text(re.sub(rf"^({name}:\w+)=.*$", rf"\1={gone}/program", text, flags=re.MULTILINE))
        if bash(holds).returncode == 0:
            yield f"a cache whose {name} is gone is kept"
        (build / "CMakeCache.txt").write_text(text)


def skipped(directory):
    """Each reason for which tests skipped, or left something out, is a line of its own, with the tests' names."""
    report = directory / "tests.xml"
    case = '<testcase name="{}" status="{}">{}<system-out>{}</system-out></testcase>'
    skip = '<skipped message="SKIP_RETURN_CODE=77"/>'
    report.write_text("<testsuite>" + "".join((
        case.format("unit: a", "run", "", "skipped: nothing of this is a reason, the test ran"),
        case.format("unit: b", "run", "", "ok: one\n  not tested: devices, which need root\nnot tested: devices, which need root\nok: two"),
        case.format("e2e: c", "run", "", "not tested: devices, which need root\nnot tested: a disk that is full"),
        case.format("fake gpu: one", "notrun", skip, "skipped: no device runtime (cmake/scripts/nvptx_runtime.sh makes it)"),
        case.format("fake gpu: two", "notrun", skip, "skipped: no device runtime (cmake/scripts/nvptx_runtime.sh makes it)"),
        case.format("browser: one", "notrun", skip, "chromium is not installed"))) + "</testsuite>")
    done = subprocess.run([sys.executable, SOURCE / "tests/support/not_tested.py", report], capture_output=True, text=True, timeout=60)
    expected = ["not tested: 2 tests (unit, e2e): devices, which need root",
                "not tested: 'e2e: c': a disk that is full",
                "not tested: 2 tests (fake gpu): no device runtime (cmake/scripts/nvptx_runtime.sh makes it)",
                "not tested: 'browser: one': chromium is not installed"]
    if done.stdout.splitlines() != expected:
        yield f"says {done.stdout!r} instead of {expected}"


def small_project(directory, **files):
    """A project of the files with the preset `release`, that the scripts of this one configure and build."""
    (directory / "cmake/scripts").mkdir(parents=True)
    for script in (SOURCE / "cmake/scripts").glob("*.sh"):
        (directory / "cmake/scripts" / script.name).write_text(script.read_text())
    (directory / "CMakePresets.json").write_text(json.dumps({"version": 5, "configurePresets": [
        {"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build/release", "cacheVariables": {"CMAKE_EXPORT_COMPILE_COMMANDS": "ON"}}]}))
    (directory / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(small CXX)\noption(TRACER_UNITY \"\" OFF)\nadd_library(small STATIC one.cpp two.cpp)\n"
        "set_target_properties(small PROPERTIES UNITY_BUILD ${TRACER_UNITY})\n")
    for name, text in files.items():
        (directory / f"{name}.cpp").write_text(text)


BUILD = ". cmake/scripts/packages.sh && . cmake/scripts/build.sh && tracer_build release small"


def programs_without_ccache(directory):
    """A directory for PATH with all that PATH has, but for ccache."""
    farm = directory / "programs"
    farm.mkdir()
    for place in reversed(os.environ["PATH"].split(":")):
        for program in pathlib.Path(place).glob("*") if place else ():
            if program.name != "ccache":
                (farm / program.name).unlink(missing_ok=True)
                (farm / program.name).symlink_to(program)
    return farm


def quickstart(directory):
    """A tree that begins is configured without the tests, which need more packages than the first command installs; also where the cache
    is another directory's or that of a failure. One that holds stays as it is."""
    fake_apt(directory, "clang-22 libomp-22-dev liboffload-22-dev", "")
    (directory / "cmake").write_text('#!/bin/bash\necho "$*" >"$FAKE/configured"\nexit 1\n')
    (directory / "cmake").chmod(0o755)
    project = directory.resolve() / "project"
    small_project(project)
    build = project / "build/release"
    build.mkdir(parents=True)
    (project / "examples").mkdir()
    shutil.copy(SOURCE / "examples/quickstart.sh", project / "examples")
    for title, home, files, begins in (("no cache", project, [], True), ("another's cache", SOURCE, ["CMakeCache.txt", "build.ninja"], True),
                                       ("a failure's cache", project, ["CMakeCache.txt"], True), ("its cache", project, ["CMakeCache.txt", "build.ninja"], False)):
        for name in ("CMakeCache.txt", "build.ninja"):
            (build / name).unlink(missing_ok=True)
        for name in files:
            (build / name).write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={home}\n")
        done = bash("examples/quickstart.sh", project, FAKE=str(directory), PATH=f"{directory}:{os.environ['PATH']}")
        if done.returncode == 0 or "configuring failed" not in done.stderr:
            yield f"{title}: status {done.returncode}: {done.stdout} {done.stderr}"
        elif begins != ("-DTRACER_BUILD_TESTS=OFF" in (configured := (directory / "configured").read_text())):
            yield f"{title}: configures with {configured}"


def second(directory):
    """A tree that was begun without ccache stays without: the second command compiles nothing that the first has compiled."""
    farm = programs_without_ccache(directory)
    project = directory / "project"
    small_project(project, one="int one() { return 1; }\n", two="int two() { return 2; }\n")
    without = {"PATH": str(farm), "ASKED": str(directory / "asked")}
    done = bash(BUILD, project, **without)
    objects = {file: file.stat().st_mtime_ns for file in project.rglob("*.o")}
    if done.returncode != 0 or not objects:
        yield f"the first build ends with {done.returncode}: {done.stdout} {done.stderr}"
        return
    (farm / "ccache").write_text('#!/bin/bash\necho "$@" >>"$ASKED"\nexec "$@"\n')
    (farm / "ccache").chmod(0o755)
    done = bash(BUILD, project, **without)
    if done.returncode != 0:
        yield f"the second build ends with {done.returncode}: {done.stdout} {done.stderr}"
    if again := [file.name for file, time in objects.items() if file.stat().st_mtime_ns != time]:
        yield f"compiled again: {again}"
    (project / "one.cpp").write_text("int one() { return 3; }\n")
    bash(BUILD, project, **without)
    if (directory / "asked").exists():
        yield "the tree takes ccache now"
    shutil.rmtree(project / "build")
    bash(BUILD, project, **without)
    if not (directory / "asked").exists():
        yield "a new tree does not take ccache"


def clash(directory):
    """Two files with a name of their own that is the same do not go together: they are compiled one by one, and that is noted."""
    project = directory / "project"
    small_project(project, one="namespace { int own() { return 1; } }\nint one() { return own(); }\n",
                  two="namespace { int own() { return 2; } }\nint two() { return own(); }\n")
    without = {"PATH": str(programs_without_ccache(directory))}
    done = bash(BUILD, project, **without)
    if done.returncode != 0 or not re.search(r"^note: building file by file: .*error: .*own", done.stderr, re.M):
        yield f"status {done.returncode}: {done.stdout} {done.stderr}"
    (project / "two.cpp").write_text("int two() { return nothing; }\n")
    done = bash(BUILD, project, **without)
    if done.returncode == 0 or "error: the build failed" not in done.stderr or "nothing" not in done.stderr:
        yield f"a fault: status {done.returncode}: {done.stdout} {done.stderr}"


def progress(directory):
    """Every line comes through; in a log a line at each interval, on a terminal a bar that is gone at the end."""
    said = "printf '[1/4] a\\n[2/'; sleep 4; printf '4] b\\n'; sleep 4; printf '[4/4] c\\nlast'"
    show = f". cmake/scripts/progress.sh; ({said}) | tracer_progress building ninja"
    done = bash(show, TRACER_PROGRESS_EVERY="1")
    if done.stdout != "[1/4] a\n[2/4] b\n[4/4] c\nlast\n":
        yield f"the lines become {done.stdout!r}"
    if not re.search(r"^building: 25 %,.* so far$", done.stderr, re.M) or not re.search(r"^building: 50 %.*so far$", done.stderr, re.M):
        yield f"in a log: {done.stderr!r}"
    here, there = pty.openpty()
    lines = subprocess.run(["bash", "-c", show], cwd=SOURCE, stdout=subprocess.PIPE, stderr=there, text=True, timeout=60, env=dict(os.environ, TERM="xterm")).stdout
    os.close(there)
    bar = b""
    with contextlib.suppress(OSError):  # EIO: all was read
        while piece := os.read(here, 65536):
            bar += piece
    bar = bar.decode()
    if "[######..................] building: 25 %" not in bar or not bar.endswith("\r\x1b[K") or lines != done.stdout:
        yield f"on a terminal: {bar!r}, {lines!r}"
    tests = bash(". cmake/scripts/progress.sh; printf ' 1/2 Test  #1: a ... Passed 0.1 sec\\n2/2 Test #2: b ...***Failed\\n' | "
                 "tracer_progress testing ctest ' Passed +[0-9.]+ sec$'")
    if tests.stdout != "2/2 Test #2: b ...***Failed\n":
        yield f"of tests: {tests.stdout!r}"
    apt = bash(". cmake/scripts/progress.sh; printf 'pmstatus:dpkg:40.5:x\\nE: no\\n' | tracer_progress installing apt")
    if apt.stdout != "E: no\n":
        yield f"of apt: {apt.stdout!r}"


def named(_):
    """What tests/sanitizers.sh builds, measures and leaves out by name is there."""
    script = (SOURCE / "tests/sanitizers.sh").read_text()
    lists = [file.read_text() for place in ("tests", "cmake") for file in (SOURCE / place).rglob("CMakeLists.txt")]
    suites = {name for text in lists for name in re.findall(r"\btracer_test\((\w+)", text)}
    suites.update(name for text in lists for names in re.findall(r"foreach\(library ([\w ]+)\)", text) for name in names.split())  # of tests/unit
    asked = set(re.findall(r"\btest_(\w+)", script))
    if not {"raw", "session"} <= asked or asked - suites:
        yield f"asks for suites that are not there: {sorted(asked - suites)} of {sorted(asked)}"
    labels = {label for text in lists for words in re.findall(r'LABELS "?([\w;]+)', text) for label in words.split(";")}
    left_out = set(re.search(r"^not_repeated='([\w|]+)'", script, re.MULTILINE)[1].split("|"))
    if left_out - labels:
        yield f"leaves out labels that no test has: {sorted(left_out - labels)}"
    words = re.findall(r"(?<![\w/.])(?:cmake|formats|tests|tracer)/\S*\.(?:cpp|hpp|sh)\}?", script)
    files = bash("printf '%s\\n' " + " ".join(words)).stdout.split()
    if "formats/raw/codec.cpp" not in files:
        yield f"measures no reader of raw traces: {files}"
    yield from (f"names {file}, which is not there" for file in files if not (SOURCE / file).is_file())


CHECKS = {check.__name__: check for check in (conflict, unknown, newer, emulated, quickstart, second, clash, progress, proxy, portable, headers, exchanged, skipped, named)}


def main():
    with tempfile.TemporaryDirectory() as directory:
        faults = list(CHECKS[sys.argv[2]](pathlib.Path(directory)))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
